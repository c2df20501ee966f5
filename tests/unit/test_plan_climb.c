/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies that nobody climbs: whatever a user without privileges does, a task carries no more than its rule gives,
 * and after the stop no more than it would carry without us. The scripts below are ways that were once tried; fuzz_plan
 * tries random steps. The kernel lets such a user choose names, slices, clamps and policies, lower tasks, and fork in
 * every way.
 */
#include "fake_daemon.h"

#include <errno.h>

#define ALICE 1000

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

/* Rules without the class of the lowest nice value, and without any real-time class. */
#define TAME "'gcc': { 'qos': 'QOS_BACKGROUND' }"

struct user {
	struct machine *m;
	pid_t tid;	/* the task that takes the next step */
	pid_t last_tid; /* the youngest task */
};

/* ---- steps of the user ---- */

static struct machine_task *self(const struct user *user)
{
	return living(user->m, user->tid);
}

static void runs(const struct user *user, const char *name)
{
	char command[64];

	snprintf(command, sizeof(command), "/home/user/%s", name);
	execs(user->m, user->tid, command);
}

/* Execs a program of the user's own with this name, as the whole process. */
static void is(struct user *user, const char *name)
{
	user->tid = self(user)->tgid;
	runs(user, name);
}

/* Execs such a program as a thread, which gets its leader's id. */
static void execs_as(struct user *user, const char *name)
{
	pid_t tgid = self(user)->tgid;

	runs(user, name);
	user->tid = tgid;
}

static void names_itself(struct user *user, const char *name)
{
	renames(user->m, user->tid, name);
}

/* Sets the nice value, unless it would decrease: the kernel refuses that to users. */
static void nices(struct user *user, const char *to)
{
	struct machine_task *task = self(user);
	int nice = atoi(to);

	if (nice < task->attr.nice)
		return;
	task->attr.nice = (int8_t)nice;
	if (nice > task->without.nice)
		task->without.nice = (int8_t)nice;
}

static void slices(struct user *user, const char *ms)
{
	struct machine_task *task = self(user);

	if (task_policy_is_fair(task->attr.policy))
		task->attr.slice_ns = task->without.slice_ns = (uint32_t)atoi(ms) * MS;
}

static void clamps(struct user *user, const char *max)
{
	self(user)->attr.util_max = self(user)->without.util_max = (uint16_t)atoi(max);
}

/* Sets a fair policy, unless the task has SCHED_IDLE: the kernel lets no user leave that. */
static void set_fair(struct user *user, enum task_policy policy)
{
	struct machine_task *task = self(user);

	if (task->attr.policy == POLICY_IDLE)
		return;
	task->attr.policy = policy;
	task->attr.rt_priority = 0;
	if (task->without.policy != POLICY_IDLE)
		task->without.policy = policy;
}

static void normal(struct user *user, const char *unused)
{
	(void)unused;
	set_fair(user, POLICY_NORMAL);
}

static void batch(struct user *user, const char *unused)
{
	(void)unused;
	set_fair(user, POLICY_BATCH);
}

/* Sets an I/O priority. There is no step for real time, because the kernel refuses that to users. */
static void io(struct user *user, const char *to)
{
	if (strcmp(to, "none") == 0)
		ionice(user->m, user->tid, IO_CLASS_NONE, 0);
	else if (strcmp(to, "idle") == 0)
		ionice(user->m, user->tid, IO_CLASS_IDLE, 0);
	else
		ionice(user->m, user->tid, IO_CLASS_BEST_EFFORT, (unsigned)atoi(to));
}

static void idle(struct user *user, const char *unused)
{
	(void)unused;
	set_fair(user, POLICY_IDLE);
}

/* Sets the real-time priority, unless it would increase: the kernel refuses that to users. */
static void priority(struct user *user, const char *to)
{
	struct machine_task *task = self(user);

	if (task->attr.policy == POLICY_FIFO && atoi(to) <= task->attr.rt_priority)
		task->attr.rt_priority = (uint8_t)atoi(to);
}

static void resets_on_fork(struct user *user, const char *unused)
{
	(void)unused;
	self(user)->attr.reset_on_fork = self(user)->without.reset_on_fork = 1;
}

/* Forks. The child takes the next step. */
static void forks_on(struct user *user, const char *unused)
{
	(void)unused;
	forks(user->m, user->tid, ++user->last_tid);
	user->tid = user->last_tid;
}

static void clones_on(struct user *user, const char *unused)
{
	(void)unused;
	clones(user->m, user->tid, ++user->last_tid);
	user->tid = user->last_tid;
}

static void forks_for_parent_on(struct user *user, const char *unused)
{
	(void)unused;
	forks_for_parent(user->m, user->tid, ++user->last_tid);
	user->tid = user->last_tid;
}

/* Lets the parent take the next step. */
static void is_parent(struct user *user, const char *unused)
{
	(void)unused;
	user->tid = self(user)->parent;
}

static void is_youngest(struct user *user, const char *unused)
{
	(void)unused;
	user->tid = user->last_tid;
}

static void orphans_itself(struct user *user, const char *unused)
{
	pid_t middle;

	forks_on(user, unused);
	middle = user->tid;
	forks_on(user, unused);
	exits(user->m, middle);
}

/* ---- events around the user ---- */

/* Loses events from now on, as in a storm of renames. At calm, a scan makes up for the loss. */
static void storm(struct user *user, const char *unused)
{
	(void)unused;
	user->m->lossy = true;
}

static void calm(struct user *user, const char *unused)
{
	(void)unused;
	user->m->lossy = false;
	hear(user->m);
	scan(user->m);
}

/* Lets events wait from now on. At heard, they are booked. */
static void behind(struct user *user, const char *unused)
{
	(void)unused;
	user->m->deaf = true;
	user->m->pace = 5;
}

static void heard(struct user *user, const char *unused)
{
	(void)unused;
	user->m->deaf = false;
	hear(user->m);
}

static void seen(struct user *user, const char *unused)
{
	(void)unused;
	hear(user->m);
	scan(user->m);
}

static const char *rules_called(const char *name)
{
	return strcmp(name, "other") == 0 ? TAME : RULES;
}

static void reloaded(struct user *user, const char *rules)
{
	hear(user->m);
	reload(user->m, rules_called(rules));
}

static void killed(struct user *user, const char *unused)
{
	(void)unused;
	user->m->n_queued = 0;
	crash(user->m);
}

static void started(struct user *user, const char *rules)
{
	user->m->deaf = user->m->lossy = false;
	start(user->m, rules_called(rules));
}

static const struct {
	const char *name;
	void (*does)(struct user *user, const char *argument);
} steps[] = {
	{ "is", is },
	{ "execs", execs_as },
	{ "names", names_itself },
	{ "nice", nices },
	{ "slice", slices },
	{ "util_max", clamps },
	{ "io", io },
	{ "normal", normal },
	{ "batch", batch },
	{ "idle", idle },
	{ "priority", priority },
	{ "reset-on-fork", resets_on_fork },
	{ "fork", forks_on },
	{ "thread", clones_on },
	{ "fork-for-parent", forks_for_parent_on },
	{ "orphan", orphans_itself },
	{ "parent", is_parent },
	{ "youngest", is_youngest },
	{ "storm", storm },
	{ "calm", calm },
	{ "behind", behind },
	{ "heard", heard },
	{ "seen", seen },
	{ "reload", reloaded },
	{ "kill", killed },
	{ "start", started },
};

/* Takes one step, such as "nice -3". */
static void takes_step(struct user *user, const char *step, size_t length)
{
	char text[32], *argument;

	assert_in_range(length, 1, sizeof(text) - 1);
	snprintf(text, sizeof(text), "%.*s", (int)length, step);
	argument = strchrnul(text, ' ');
	if (*argument)
		*argument++ = '\0';
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (strcmp(steps[i].name, text) == 0) {
			steps[i].does(user, argument);
			return;
		}
	}
	fail_msg("no step is called %s", text);
}

/*
 * Takes the steps of a script, which has commas between them, such as "is gnome-shell, nice -3, fork, seen":
 *
 *	is NAME				the process execs a program with this name
 *	execs NAME			the thread does
 *	names NAME			renames itself
 *	nice N, slice MS, util_max N	sets an attribute, if the kernel lets users do so
 *	normal, batch, idle, priority N	likewise
 *	io N, io idle, io none		likewise; N is a level of best effort
 *	reset-on-fork			sets the flag
 *	fork, thread			makes a child or thread, which takes the next step
 *	fork-for-parent			likewise, with CLONE_PARENT
 *	orphan				likewise, but with a parent that has ended
 *	parent, youngest		the parent, or the youngest task of all, takes the next step
 *	storm, calm			events are lost from now on; no longer, and a scan finds the tasks
 *	behind, heard			events wait from now on; all are booked
 *	seen				all events are booked, and a scan finds the tasks
 *	reload rules, reload other	the daemon gets these rules
 *	kill, start rules, start other	the daemon is killed, or starts with these rules
 */
static void user_does(struct user *user, const char *script)
{
	while (*script) {
		size_t length = strcspn(script, ",");

		takes_step(user, script, length);
		script += length + strspn(script + length, ", ");
	}
}

/* ---- the ways that were tried ---- */

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

/* Starts the daemon, and then the user's shell. */
static struct user a_user(struct machine *m)
{
	start(m, RULES);
	spawns(m, INIT, 100, "/bin/sh");
	return (struct user){ m, 100, 100 };
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
		good &= carries(user.m, user.tid, scripts[i].after, scripts[i].what, "after the stop it carries");
		machine_anew(user.m);
	}
	assert_true(good);
}

/* ---- when a thread execs, the process takes over its attributes, but they do not become what the process had ---- */

#define RT   "'QOS_RT': { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 10 }, "
#define FAST "'schedqos': { 'default': 'none' }, 'app': { 'thread_qos': { 'fast': 'QOS_USER_INTERACTIVE' } }"

/* The thread lowered itself below its class, and no look has found that. */
MACHINE_TEST(a_real_time_thread_that_execs_does_not_climb)
{
	start_and_run(m, RT "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'rt': 'QOS_RT' } }", "/bin/app");
	clones(m, 100, 101);
	renames(m, 101, "rt");
	assert_int_equal(living(m, 101)->attr.policy, POLICY_FIFO);
	chrt(m, 101, POLICY_FIFO, 7);
	execs(m, 101, "/bin/app");
	stop(m);
	assert_int_equal(living(m, 100)->attr.policy, POLICY_NORMAL);
}

MACHINE_TEST(a_process_returns_to_idle_though_its_thread_that_execs_was_raised)
{
	start(m, "'app': { 'thread_qos': { 'fast': 'QOS_USER_INTERACTIVE' }, 'yield': false }");
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/bin/app");
	clones(m, 100, 101);
	renames(m, 101, "fast");
	assert_int_equal(living(m, 100)->attr.policy, POLICY_IDLE);
	assert_carries(m, 101, INTERACTIVE);
	renice(m, 101, -3);
	execs(m, 101, "/bin/other");
	stop(m);
	assert_int_equal(living(m, 100)->attr.policy, POLICY_IDLE);
}

MACHINE_TEST(a_real_time_thread_whose_exec_is_lost_does_not_climb)
{
	start_and_run(m, RT "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'rt': 'QOS_RT' } }", "/bin/app");
	clones(m, 100, 101);
	renames(m, 101, "rt");
	m->lossy = true;
	execs(m, 101, "/bin/app");
	m->lossy = false;
	scan(m);
	stop(m);
	assert_int_equal(living(m, 100)->attr.policy, POLICY_NORMAL);
}

MACHINE_TEST(a_thread_that_execs_after_a_crash_does_not_climb)
{
	start_and_run(m, FAST, "/bin/app");
	clones(m, 100, 101);
	renames(m, 101, "fast");
	crash(m);
	m->lossy = true;
	execs(m, 101, "/bin/app");
	m->lossy = false;
	start(m, FAST);
	stop(m);
	assert_in_range(living(m, 100)->attr.nice + 20, 20, 40);
}

/* The child copies the record of the leader, which never had a class. */
MACHINE_TEST(a_child_of_a_thread_s_thread_does_not_climb)
{
	start_and_run(m, FAST, "/bin/app");
	clones(m, 100, 101);
	renames(m, 101, "fast");
	assert_carries(m, 101, INTERACTIVE);
	assert_carries(m, 100, PRISTINE);
	m->deaf = true;
	clones(m, 101, 102);
	renames(m, 102, "other");
	forks(m, 102, 103);
	renice(m, 103, -3);
	m->deaf = false;
	hear(m);
	renice(m, 103, -2);
	scan(m);
	stop(m);
	assert_in_range(living(m, 103)->attr.nice + 20, 20, 40);
}

/*
 * The leader is lowered before it makes a thread. A rule raises the thread; no look has found that the leader was
 * lowered.
 */
static void a_thread_is_raised_beside_a_lowered_leader(struct machine *m)
{
	start_and_run(m,
		      "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' },"
		      " 'yield': false }",
		      "/bin/app");
	renice(m, 100, 10);
	clones(m, 100, 101);
	renames(m, 101, "bg");
	renames(m, 101, "fg");
	assert_carries(m, 101, INTERACTIVE);
	assert_int_equal(record(m, 101)->had.nice, 10);
}

MACHINE_TEST(a_process_stays_lowered_though_its_thread_that_execs_was_raised)
{
	a_thread_is_raised_beside_a_lowered_leader(m);
	execs(m, 101, "/bin/app");
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 10");
}

MACHINE_TEST(a_thread_made_by_a_raised_thread_is_lowered_again_at_the_stop)
{
	a_thread_is_raised_beside_a_lowered_leader(m);
	clones(m, 101, 102);
	stop(m);
	assert_carries(m, 102, "SCHED_NORMAL nice 10");
}

/* The leader is looked at between the two, and each of them is compared with the other's record. */
MACHINE_TEST(so_are_two_that_are_booked_before_their_leader_is_looked_at)
{
	a_thread_is_raised_beside_a_lowered_leader(m);
	m->deaf = true;
	renames(m, 100, "bg");
	clones(m, 101, 102);
	clones(m, 101, 103);
	m->deaf = false;
	hear(m);
	stop(m);
	assert_carries(m, 102, "SCHED_NORMAL nice 10");
	assert_carries(m, 103, "SCHED_NORMAL nice 10");
}

/* The fork began before the limit, and the child's own slice hides which class it copied. */
MACHINE_TEST(a_fork_under_way_does_not_get_round_a_limit)
{
	start_and_run(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE' }", "/bin/app");
	living(m, 100)->attr.slice_ns = living(m, 100)->without.slice_ns = 7 * MS;
	begins_fork(m, 100, 101);
	asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .limit.class = "QOS_BACKGROUND" }, 100);
	ends_fork(m, 101);
	assert_carries(m, 101, BACKGROUND);
	stops_without_trace(m);
}

/* The rule gives the class of the limit, but it yields, because somebody lowered the task before. */
MACHINE_TEST(a_task_returns_to_idle_when_root_s_class_ends_under_a_limit)
{
	uint16_t number;

	start(m, "'app': { 'qos': 'QOS_BACKGROUND', 'yield': true }");
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/bin/app");
	number = asks(m, (struct override){ .kind = OVERRIDE_CLASS, .request.class = "QOS_USER_INTERACTIVE" }, 100);
	assert_carries(m, 100, INTERACTIVE);
	living(m, 100)->attr.policy = POLICY_BATCH;
	asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .limit.class = "QOS_BACKGROUND" }, 100);
	assert_carries(m, 100, BACKGROUND);
	ends(m, number);
	assert_carries(m, 100, "SCHED_IDLE nice 4 util 0..256");
	stops_without_trace(m);
}

/* Root's class raises a task from SCHED_IDLE. The same class does not keep it raised if a rule or a user gives it. */
static void roots_class_comes_and_goes(struct machine *m)
{
	const uint16_t number = asks(m, (struct override){ .kind = OVERRIDE_CLASS, .request.class = "QOS_BACKGROUND" }, 100);

	assert_carries(m, 100, BACKGROUND);
	living(m, 100)->attr.policy = POLICY_NORMAL;
	ends(m, number);
	assert_carries(m, 100, "SCHED_IDLE nice 4 util 0..256");
	stops_without_trace(m);
}

MACHINE_TEST(a_task_returns_to_idle_when_a_rule_gives_the_class_that_root_s_gave)
{
	start(m, "'app': { 'qos': 'QOS_BACKGROUND' }");
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/bin/app");
	assert_carries(m, 100, "SCHED_IDLE nice 4 util 0..256");
	roots_class_comes_and_goes(m);
}

MACHINE_TEST(a_task_returns_to_idle_when_a_user_gives_the_class_that_root_s_gave)
{
	start(m, "'schedqos': { 'default': 'none' }");
	forks(m, INIT, 100);
	living(m, 100)->uid = ALICE;
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/bin/app");
	asks(m, (struct override){ .kind = OVERRIDE_CLASS, .request.class = "QOS_BACKGROUND", .uid = ALICE }, 100);
	assert_carries(m, 100, "SCHED_IDLE nice 4 util 0..256");
	roots_class_comes_and_goes(m);
}

/* The process cannot be matched at that moment, because there are no file descriptors left. */
MACHINE_TEST(the_end_of_the_focus_lowers_threads_though_their_process_cannot_be_matched)
{
	uint16_t number;

	start(m, "'x': { 'qos': 'QOS_BACKGROUND' }");
	forks(m, INIT, 100);
	living(m, 100)->uid = ALICE;
	execs(m, 100, "/usr/bin/helper");
	clones(m, 100, 101);
	number = asks(m, (struct override){ .kind = OVERRIDE_SHOWN, .uid = ALICE, .visibility.shown = SHOWN_FOCUSED },
		      100);
	assert_task(m, 101, INITIATED, REASON_DEFAULT);
	m->missing = FACT_EXE;
	m->why_missing = EMFILE;
	ends(m, number);
	m->missing = 0;
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	forks(m, 101, 102);
	stops_without_trace(m);
}

MACHINE_TEST(a_task_that_never_had_a_class_keeps_its_nice_value)
{
	start(m, "'schedqos': { 'default': 'none' }, 'QOS_HOT': { 'sched_nice': -7, 'io_class': 'realtime', 'io_priority': 4 }");
	forks(m, INIT, 100);
	ionice(m, 100, IO_CLASS_REALTIME, 6);
	execs(m, 100, "/usr/bin/vi");
	assert_carries(m, 100, PRISTINE);
	renice(m, 100, -2);
	scan(m);
	living(m, 100)->without.io_priority = 0;
	stops_without_trace(m);
}

/* Arguments cannot be read, so the name could be that of a script. */
MACHINE_TEST(the_name_of_a_task_is_not_taken_for_a_path)
{
	m->unread = true;
	start(m, "'/usr/bin/Xorg': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	execs(m, 100, "/home/user/evil");
	renames(m, 100, "/usr/bin/Xorg");
	crash(m);
	start(m, "'/usr/bin/Xorg': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
}

MACHINE_TEST(a_program_called_like_a_glob_does_not_match_it)
{
	start(m, "'[ab]x': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	execs(m, 100, "/home/user/[ab]x");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
}
