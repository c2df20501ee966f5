/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies that nobody climbs: whatever a user without privileges does, a task carries no more than its rule gives,
 * and after the stop no more than it would carry without us. The scripts below are ways that were once tried;
 * test_plan_climb_rest.c has those that need more than a script, and fuzz_plan tries random steps.
 */
#include "fake_user.h"

static const struct {
	const char *what, *script;
	const char *carries, *after;
} scripts[] = {
	{ "execs under the names of a rule and of nice(1) in turn",
	  "is gnome-shell, is nice, is gnome-shell, is nice, is gnome-shell",
	  INTERACTIVE, PRISTINE },
	{ "sets another class's slice, and execs as nice(1)",
	  "is gnome-shell, slice 20, is nice, is gnome-shell, slice 20, is nice",
	  "SCHED_NORMAL nice 0 slice 20 ms", "SCHED_NORMAL nice 0 slice 20 ms" },
	{ "lowers itself within its class, then execs", "is gnome-shell, nice -3, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "lowers itself within its class, and is not looked at before the stop", "is gnome-shell, nice -3",
	  "SCHED_NORMAL nice -3 slice 8 ms", PRISTINE },
	{ "lowers itself within its class, and is looked at", "is gnome-shell, nice -3, seen, nice -2, seen",
	  "SCHED_NORMAL nice -2 slice 8 ms", PRISTINE },
	{ "sets the nice value of its class and a slice, then execs", "is gnome-shell, nice -4, slice 7, is cmd",
	  "SCHED_NORMAL nice 0 slice 7 ms", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "lowers itself to what a lower class gives", "is gnome-shell, batch, nice 4, slice 20, seen",
	  "SCHED_BATCH nice 4 slice 20 ms", "SCHED_BATCH nice 4 slice 20 ms" },
	{ "a thread lowers itself, but not to the level of its process, then execs",
	  "is chrome, thread, names hot, nice -5, execs cmd",
	  BY_DEFAULT, PRISTINE },
	{ "a thread of a thread of a higher class lowers itself", "is chrome, thread, names hot, thread, nice -6, seen",
	  "SCHED_NORMAL nice -6 io realtime 4", PRISTINE },
	{ "a thread of a higher class execs", "is chrome, thread, names hot, execs cmd",
	  BY_DEFAULT, PRISTINE },
	{ "a child of a thread of a higher class lowers itself and execs before any event is booked",
	  "is chrome, thread, names hot, behind, fork, nice -6, is cmd, heard",
	  BY_DEFAULT, PRISTINE },
	{ "a child lowers itself before it is looked at", "behind, is gnome-shell, heard, behind, fork, nice -3, heard",
	  "SCHED_NORMAL nice -3 slice 8 ms", PRISTINE },
	{ "a child born before its parent got a class sets a slice", "behind, is gnome-shell, fork, slice 7, heard",
	  INTERACTIVE, "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "a child born before its parent got a class sets another class's slice",
	  "behind, is gnome-shell, fork, slice 20, heard",
	  INTERACTIVE, "SCHED_NORMAL nice 0 slice 20 ms" },
	{ "a child born before its parent got a class sets the slice of a class with another policy",
	  "behind, is gcc, fork, slice 8, heard",
	  BACKGROUND, "SCHED_NORMAL nice 0 slice 8 ms" },
	{ "a child born before its parent got a class, when both had lowered themselves to what it gives",
	  "behind, nice 4, slice 20, is gcc, fork, heard",
	  BACKGROUND, "SCHED_NORMAL nice 4 slice 20 ms" },
	{ "a child made with CLONE_PARENT", "is gnome-shell, fork-for-parent",
	  INTERACTIVE, "SCHED_NORMAL nice 0 slice 8 ms" },
	{ "a child made with CLONE_PARENT execs", "is gnome-shell, fork-for-parent, is cmd",
	  "SCHED_NORMAL nice 0 slice 8 ms", "SCHED_NORMAL nice 0 slice 8 ms" },
	{ "a child made with CLONE_PARENT sets a slice", "is gnome-shell, fork-for-parent, slice 7",
	  "SCHED_NORMAL nice -4 slice 7 ms", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "a real-time child made with CLONE_PARENT execs", "is jackd, fork-for-parent, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "a real-time child made with CLONE_PARENT sets a clamp and execs",
	  "is jackd, fork-for-parent, util_max 300, is cmd",
	  "SCHED_NORMAL nice 0 util 0..300", "SCHED_NORMAL nice 0 util 0..300" },
	{ "a child execs whose parent was made with CLONE_PARENT and lowered its real-time priority",
	  "is jackd, fork-for-parent, priority 3, fork, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "a child whose birth we missed lowers its real-time priority",
	  "is jackd, storm, fork, priority 3, parent, is cmd, calm, youngest",
	  "SCHED_FIFO priority 5", PRISTINE },
	{ "a child execs whose parent has reset-on-fork", "reset-on-fork, is gnome-shell, fork, nice 0, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "a child whose real-time parent has reset-on-fork", "reset-on-fork, is jackd, fork",
	  "SCHED_FIFO priority 5", PRISTINE },
	{ "lowers its class's real-time priority, then execs", "is jackd, priority 3, seen, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "lowers its class's real-time priority twice, and is not looked at before the stop",
	  "is jackd, priority 3, seen, priority 2",
	  "SCHED_FIFO priority 2", PRISTINE },
	{ "a child lowers its parent's real-time priority, then execs", "is jackd, fork, priority 3, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "leaves a real-time class that hid the attributes of another class",
	  "is gnome-shell, is jackd, normal, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "lowers itself, then gets a real-time class", "nice 7, is jackd",
	  "SCHED_NORMAL nice 7", "SCHED_NORMAL nice 7" },
	{ "chooses SCHED_IDLE, then gets a real-time class", "idle, is jackd",
	  "SCHED_IDLE nice 0", "SCHED_IDLE nice 0" },
	{ "sets SCHED_BATCH after a rule raised it from SCHED_IDLE", "idle, is raised, batch, is cmd",
	  "SCHED_IDLE nice 0", "SCHED_IDLE nice 0" },
	{ "a child sets SCHED_NORMAL after a rule raised its parent from SCHED_IDLE",
	  "idle, is raised, fork, normal, nice 3, is cmd",
	  "SCHED_IDLE nice 3", "SCHED_IDLE nice 3" },
	{ "a child whose birth we missed sets a slice after a rule raised its parent from SCHED_IDLE",
	  "idle, is raised, storm, fork, slice 7, parent, is cmd, calm, youngest",
	  INTERACTIVE, "SCHED_IDLE nice 0" },
	{ "lowers itself less than an administrator had before a rule raised it",
	  "nice 15, is gnome-shell, is raised, nice 5, is cmd",
	  "SCHED_NORMAL nice 15", "SCHED_NORMAL nice 15" },
	{ "execs under a rule's name after an administrator lowered it", "nice 15, is gnome-shell",
	  "SCHED_NORMAL nice 15 slice 8 ms", "SCHED_NORMAL nice 15" },
	{ "gives a thread the name of a higher class after an administrator lowered it",
	  "nice 15, is chrome, thread, names hot",
	  "SCHED_NORMAL nice 15", "SCHED_NORMAL nice 15" },
	{ "changes its nice value and its slice under a rule that enforces",
	  "is kept, nice -2, seen, slice 20, seen, is cmd",
	  "SCHED_NORMAL nice 0 slice 20 ms", "SCHED_NORMAL nice 0 slice 20 ms" },
	{ "lowers itself below its first nice value under a rule that enforces", "is kept, nice 1, seen, is cmd",
	  "SCHED_NORMAL nice 1", "SCHED_NORMAL nice 1" },
	{ "replaces its class's real-time I/O priority, then clears it", "is chrome, names hot, io 0, seen, io none",
	  "SCHED_NORMAL nice -7", PRISTINE },
	{ "a child of a thread with a real-time I/O priority sets a slice and execs",
	  "is chrome, thread, names hot, fork, slice 7, is cmd",
	  "SCHED_NORMAL nice 0 slice 7 ms", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "a child whose birth we missed, of a task with a real-time I/O priority, sets its own",
	  "is chrome, names hot, storm, fork, io 7, fork, calm",
	  "SCHED_NORMAL nice -7 io best-effort 7", "SCHED_NORMAL nice 0 io best-effort 7" },
	{ "an orphan whose birth we missed, of a thread with a real-time I/O priority, sets a slice",
	  "is chrome, thread, names hot, storm, orphan, slice 7, calm",
	  "SCHED_NORMAL nice -7 slice 7 ms io realtime 4", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "a child born after a crash, of a task with a real-time I/O priority, sets a slice",
	  "is chrome, names hot, kill, fork, slice 7, start other",
	  "SCHED_NORMAL nice 0 slice 7 ms", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "descendants change attributes under an inherited rule",
	  "is make, nice -1, fork, is sh, slice 7, fork, is sh",
	  "SCHED_NORMAL nice 0 slice 7 ms", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "a child whose birth we missed lowers itself and execs", "is gnome-shell, storm, fork, nice -1, is cmd, calm",
	  BY_DEFAULT, PRISTINE },
	{ "a child whose birth we missed lowers itself once it is found",
	  "is gnome-shell, storm, fork, calm, nice -3, seen",
	  "SCHED_NORMAL nice -3 slice 8 ms", PRISTINE },
	{ "an orphan whose birth we missed sets another class's slice and execs",
	  "is gnome-shell, storm, orphan, slice 20, is cmd, calm",
	  "SCHED_NORMAL nice 0 slice 20 ms", "SCHED_NORMAL nice 0 slice 20 ms" },
	{ "an orphan whose birth we missed, of a thread of a higher class, lowers itself",
	  "is chrome, thread, names hot, storm, orphan, nice -6, calm",
	  "SCHED_NORMAL nice -7 io realtime 4", PRISTINE },
	{ "a thread execs whose birth we missed, of a thread of a higher class",
	  "is chrome, thread, names hot, storm, thread, execs cmd, calm",
	  BY_DEFAULT, PRISTINE },
	{ "lowers itself within a class that a reload takes away", "is gnome-shell, nice -3, reload other",
	  BY_DEFAULT, PRISTINE },
	{ "a child whose birth we missed lowers itself after a reload without the class of the lowest nice value",
	  "is chrome, names hot, reload other, storm, fork, nice 0, calm",
	  BY_DEFAULT, PRISTINE },
	{ "lowers itself after a crash, and execs after the next start",
	  "is gnome-shell, kill, nice -3, start rules, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "lowers itself after a crash, and the next start has other classes",
	  "is chrome, names hot, kill, nice -6, start other",
	  BY_DEFAULT, PRISTINE },
	{ "lowers itself and execs after a crash", "is gnome-shell, kill, nice -3, is gcc, start rules",
	  BACKGROUND, PRISTINE },
	{ "is found to have lowered itself, then execs after a crash",
	  "is gnome-shell, nice -3, seen, kill, is gcc, start rules",
	  BACKGROUND, PRISTINE },
	{ "an orphan is born after a crash, of a task that an administrator lowered and a rule raised",
	  "nice 15, is raised, kill, orphan, start rules",
	  INTERACTIVE, "SCHED_NORMAL nice 15 slice 8 ms" },
	{ "an orphan is born after a crash, of a thread of a higher class, and lowers itself",
	  "is chrome, thread, names hot, kill, orphan, nice -6, start rules, is cmd",
	  BY_DEFAULT, PRISTINE },
};

static bool carries(struct machine *m, pid_t tid, const char *attr, const char *what, const char *when)
{
	struct task_attr shown = living(m, tid)->attr;
	char text[TASK_ATTR_TEXT_MAX];

	if (!task_policy_is_fair(shown.policy) || shown.policy == POLICY_IDLE)
		shown.slice_ns = 0;
	if (strcmp(task_attr_text(&shown, text), attr) == 0)
		return true;
	print_error("%s: %s %s, not %s\n", what, when, text, attr);
	return false;
}

MACHINE_TEST(no_task_climbs)
{
	bool good = true;

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct user user = a_user(m);

		user_does(&user, scripts[i].script);
		good &= carries(user.m, user.tid, scripts[i].carries, scripts[i].what, "it carries");
		user_does(&user, "heard");
		stop(user.m);
		good &= carries(user.m, user.tid, scripts[i].after, scripts[i].what, "after the stop it carries");
		machine_anew(user.m);
	}
	assert_true(good);
}
