/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan: nobody climbs. Whatever somebody without privileges does, he gets no more than his rule gives, and after the
 * stop no more than he had.
 */
#include "fake_user.h"

#define RULES                                                                                          \
	"'QOS_RT': { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 5 },"                              \
	"'QOS_HOT': { 'sched_nice': -7, 'io_class': 'realtime', 'io_priority': 4 },"                    \
	"'gnome-shell': { 'qos': 'QOS_USER_INTERACTIVE' },"                                             \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE',"                                                    \
	"	'thread_qos': { 'hot': 'QOS_HOT', 'bg': 'QOS_BACKGROUND', 'rt': 'QOS_RT' } },"          \
	"'gcc': { 'qos': 'QOS_BACKGROUND' },"                                                           \
	"'make': { 'qos': 'QOS_USER_INITIATED', 'inherit': true },"                                     \
	"'raised': { 'qos': 'QOS_USER_INTERACTIVE', 'yield': false },"                                  \
	"'kept': { 'qos': 'QOS_USER_INTERACTIVE', 'enforce': true },"                                   \
	"'jackd': { 'qos': 'QOS_RT' }"

/* The same without the class of the lowest nice, or anything that is real-time. */
#define TAME "'gcc': { 'qos': 'QOS_BACKGROUND' }"

static const struct {
	const char *what, *script;
	const char *carries, *after;
} scripts[] = {
	{ "a name in turn with nice's", "is gnome-shell, is nice, is gnome-shell, is nice, is gnome-shell",
	  INTERACTIVE, PRISTINE },
	{ "another class's slice, and nice's name", "is gnome-shell, slice 20, is nice, is gnome-shell, slice 20, is nice",
	  BY_DEFAULT, PRISTINE },
	{ "touches the nice value, to have it taken for its own", "is gnome-shell, nice -3, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "... and is met by nobody but the stop", "is gnome-shell, nice -3",
	  "SCHED_NORMAL nice -3 slice 8 ms", PRISTINE },
	{ "... and is looked at", "is gnome-shell, nice -3, seen, nice -2, seen",
	  "SCHED_NORMAL nice -2 slice 8 ms", PRISTINE },
	{ "... at the very value", "is gnome-shell, nice -4, slice 7, is cmd",
	  "SCHED_NORMAL nice 0 slice 7 ms", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "... between the nice values of two classes", "is chrome, thread, names hot, nice -5, execs cmd",
	  BY_DEFAULT, PRISTINE },
	{ "a thread of a higher class that execs", "is chrome, thread, names hot, execs cmd",
	  BY_DEFAULT, PRISTINE },
	{ "... and what it forks meanwhile", "is chrome, thread, names hot, behind, fork, nice -6, is cmd, heard",
	  BY_DEFAULT, PRISTINE },
	{ "a child before anybody looks", "behind, is gnome-shell, heard, behind, fork, nice -3, heard",
	  "SCHED_NORMAL nice -3 slice 8 ms", PRISTINE },
	{ "a child that was born before the class was", "behind, is gnome-shell, fork, slice 7, heard",
	  INTERACTIVE, "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "... with another class's slice", "behind, is gnome-shell, fork, slice 20, heard",
	  "SCHED_NORMAL nice 2 slice 8 ms", "SCHED_NORMAL nice 2" },
	{ "a child for its parent", "is gnome-shell, fork-for-parent",
	  INTERACTIVE, PRISTINE },
	{ "... that execs", "is gnome-shell, fork-for-parent, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "... that touches its slice", "is gnome-shell, fork-for-parent, slice 7",
	  "SCHED_NORMAL nice -4 slice 7 ms", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "... real-time", "is jackd, fork-for-parent, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "... beside a clamp of its own", "is jackd, fork-for-parent, util_max 300, is cmd",
	  "SCHED_NORMAL nice 0 util 0..300", "SCHED_NORMAL nice 0 util 0..300" },
	{ "... and a child of that", "is jackd, fork-for-parent, priority 3, fork, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "... that nobody heard of, below ours", "is jackd, storm, fork, priority 3, parent, is cmd, calm, youngest",
	  "SCHED_FIFO priority 5", PRISTINE },
	{ "reset-on-fork", "reset-on-fork, is gnome-shell, fork, nice 0, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "reset-on-fork in real time", "reset-on-fork, is jackd, fork",
	  "SCHED_FIFO priority 5", PRISTINE },
	{ "a lower priority of ours", "is jackd, priority 3, seen, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "... kept until the stop", "is jackd, priority 3, seen, priority 2",
	  "SCHED_FIFO priority 2", PRISTINE },
	{ "... by a child", "is jackd, fork, priority 3, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "out of real time, with what it hid", "is gnome-shell, is jackd, normal, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "into real time from a lowered nice value", "nice 7, is jackd",
	  "SCHED_NORMAL nice 7", "SCHED_NORMAL nice 7" },
	{ "... or SCHED_IDLE", "idle, is jackd",
	  "SCHED_IDLE nice 0", "SCHED_IDLE nice 0" },
	{ "out of SCHED_IDLE by a rule", "idle, is raised, batch, is cmd",
	  "SCHED_IDLE nice 0", "SCHED_IDLE nice 0" },
	{ "... or by its child", "idle, is raised, fork, normal, nice 3, is cmd",
	  "SCHED_IDLE nice 3", "SCHED_IDLE nice 3" },
	{ "... or by one that nobody heard of", "idle, is raised, storm, fork, slice 7, parent, is cmd, calm, youngest",
	  INTERACTIVE, "SCHED_IDLE nice 0" },
	{ "what an administrator lowered, by a rule", "nice 15, is gnome-shell, is raised, nice 5, is cmd",
	  "SCHED_NORMAL nice 15", "SCHED_NORMAL nice 15" },
	{ "... by renaming a program", "nice 15, is gnome-shell",
	  "SCHED_NORMAL nice 15 slice 8 ms", "SCHED_NORMAL nice 15" },
	{ "... by another's name for a thread", "nice 15, is chrome, thread, names hot",
	  "SCHED_NORMAL nice 15", "SCHED_NORMAL nice 15" },
	{ "a rule that enforces", "is kept, nice -2, seen, slice 20, seen, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "... what somebody lowered", "is kept, nice 1, seen, is cmd",
	  "SCHED_NORMAL nice 1", "SCHED_NORMAL nice 1" },
	{ "real-time I/O, left for another", "is chrome, names hot, io 0, seen, io none",
	  "SCHED_NORMAL nice -7", PRISTINE },
	{ "... by a child of a thread", "is chrome, thread, names hot, fork, slice 7, is cmd",
	  "SCHED_NORMAL nice 0 slice 7 ms", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "... by a child that nobody heard of", "is chrome, names hot, storm, fork, io 7, fork, calm",
	  "SCHED_NORMAL nice -7 io best-effort 7", "SCHED_NORMAL nice 0 io best-effort 7" },
	{ "... by an orphan of a thread", "is chrome, thread, names hot, storm, orphan, slice 7, calm",
	  "SCHED_NORMAL nice -7 slice 7 ms io realtime 4", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "I/O of an earlier daemon", "is chrome, names hot, kill, fork, slice 7, start other",
	  "SCHED_NORMAL nice 0 slice 7 ms", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "a rule that is inherited", "is make, nice -1, fork, is sh, slice 7, fork, is sh",
	  "SCHED_NORMAL nice 0 slice 7 ms", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "a fork that nobody heard of", "is gnome-shell, storm, fork, nice -1, is cmd, calm",
	  BY_DEFAULT, PRISTINE },
	{ "an orphan that nobody heard of", "is gnome-shell, storm, orphan, slice 20, is cmd, calm",
	  BY_DEFAULT, PRISTINE },
	{ "... of a higher thread", "is chrome, thread, names hot, storm, orphan, nice -6, calm",
	  "SCHED_NORMAL nice -7 io realtime 4", PRISTINE },
	{ "a thread that nobody heard of, that execs", "is chrome, thread, names hot, storm, thread, execs cmd, calm",
	  BY_DEFAULT, PRISTINE },
	{ "a reload that takes the class away", "is gnome-shell, nice -3, reload other",
	  BY_DEFAULT, PRISTINE },
	{ "... and with it the lowest nice value", "is chrome, names hot, reload other, storm, fork, nice 0, calm",
	  BY_DEFAULT, PRISTINE },
	{ "a crash", "is gnome-shell, kill, nice -3, start rules, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "a crash, and a start with other classes", "is chrome, names hot, kill, nice -6, start other",
	  BY_DEFAULT, PRISTINE },
	{ "... and an exec while nobody listens", "is gnome-shell, kill, nice -3, is gcc, start rules",
	  BACKGROUND, PRISTINE },
	{ "... after a choice that was seen", "is gnome-shell, nice -3, seen, kill, is gcc, start rules",
	  BACKGROUND, PRISTINE },
	{ "births while nobody listens", "is chrome, thread, names hot, kill, orphan, nice -6, start rules, is cmd",
	  BY_DEFAULT, PRISTINE },
};

/* The daemon starts, and then he does, with a shell. */
static struct user a_user(struct machine *m)
{
	start(m, RULES);
	spawns(m, INIT, 100, "/bin/sh");
	return (struct user){ m, 100, 100, RULES, TAME };
}

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
		good &= carries(user.m, user.tid, scripts[i].after, scripts[i].what, "it is left with");
		machine_anew(user.m);
	}
	assert_true(good);
}

/* ---- and any other order of them ---- */

static uint32_t random_state;

static uint32_t below(uint32_t n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % n;
}

static void any_step(struct user *user)
{
	static const char *const likely[] = {
		"is gnome-shell", "is chrome", "is gcc", "is make", "is kept", "is jackd", "is cmd",
		"names hot", "names bg", "names rt", "names other", "fork", "thread",
		"nice -6", "nice -5", "nice -3", "nice -1", "nice 0", "nice 2",
	};
	static const char *const others[] = {
		"execs cmd", "execs chrome", "slice 8", "slice 20", "slice 7", "util_max 256", "util_max 300", "normal",
		"batch", "priority 3", "fork-for-parent", "orphan", "storm", "calm", "calm", "behind",
		"heard", "heard", "seen", "reload other", "reload rules", "kill, nice -4, start rules",
		"kill, fork, nice -6, start other", "reset-on-fork", "io 0", "io 7", "io idle", "io none",
	};

	if (below(2))
		user_does(user, likely[below(sizeof(likely) / sizeof(likely[0]))]);
	else
		user_does(user, others[below(sizeof(others) / sizeof(others[0]))]);
}

static bool is_pristine_or_less(const struct task_attr *attr)
{
	return task_policy_is_fair(attr->policy) && attr->nice >= 0 && IO_CLASS(attr->io_priority) != IO_CLASS_REALTIME;
}

static void check(struct machine *m, bool stopped)
{
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		const struct machine_task *task = &m->tasks[i];
		const struct task *of = task->tid >= 100 ? record(m, task->tid) : NULL;

		if (of)
			assert_true(is_pristine_or_less(&of->had));
		if (task->tid >= 100 && stopped)
			assert_true(is_pristine_or_less(&task->attr));
	}
}

MACHINE_TEST(nor_by_any_other_order_of_steps)
{
	for (uint32_t seed = 1; seed <= 400; seed++) {
		struct user user = a_user(m);

		random_state = seed;
		for (int i = 0; i < 60 && user.last_tid < 140; i++) {
			any_step(&user);
			check(user.m, false);
		}
		user_does(&user, "heard, calm");
		stop(user.m);
		check(user.m, true);
		machine_anew(user.m);
	}
}
