/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan: nobody climbs. Whatever somebody without privileges does, he gets no more than his rule gives, and after
 * the stop no more than he had. Here are the ways that were once tried; any order of such steps tries fuzz_plan.
 *
 * The kernel lets him choose names, slices, clamps and policies, lower himself, and fork in every way.
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

/* The same without the class of the lowest nice, or anything that is real-time. */
#define TAME "'gcc': { 'qos': 'QOS_BACKGROUND' }"

struct user {
	struct machine *m;
	pid_t tid;	/* of his tasks, the one that does the next step */
	pid_t last_tid; /* of his youngest */
};

/* ---- what he may do ---- */

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

/* Any program may be called so: exec -a. */
static void is(struct user *user, const char *name)
{
	user->tid = self(user)->tgid;
	runs(user, name);
}

/* A thread does; it takes its leader's id. */
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

/* Upwards only. */
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

/* Not out of SCHED_IDLE. */
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

/* Any but real time, of which there is no step: the kernel refuses it. */
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

/* In real time only downwards. */
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

/* Then the child, or thread, does the rest. */
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

/* Its parent goes on. */
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

/* ---- and what happens about him ---- */

/* A storm of renames: events are lost, until they are not and a scan makes good for them. */
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

/* No event is booked until many have happened. */
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

/* A step: "nice -3". */
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
 * Steps with a comma between, e.g. "is gnome-shell, nice -3, fork, seen":
 *
 *	is NAME, execs NAME		exec under that name; as a thread
 *	names NAME			renames itself
 *	nice N, slice MS, util_max N	if he may
 *	io N, io idle, io none		by ionice, N being a level of best effort
 *	normal, batch, idle, priority N	likewise
 *	reset-on-fork
 *	fork, thread, fork-for-parent	and the new one does the next step (CLONE_PARENT)
 *	orphan				of a child that is gone
 *	parent, youngest		its parent does the next step; the youngest of all
 *	storm, calm			events are lost; no longer, and a scan makes good for it
 *	behind, heard			events wait; all are booked
 *	seen				all are booked, and a scan finds every task
 *	reload rules, reload other
 *	kill, start rules, start other	the daemon
 */
static void user_does(struct user *user, const char *script)
{
	while (*script) {
		size_t length = strcspn(script, ",");

		takes_step(user, script, length);
		script += length + strspn(script + length, ", ");
	}
}

/* ---- the ways ---- */

static const struct {
	const char *what, *script;
	const char *carries, *after;
} scripts[] = {
	{ "a name in turn with nice's", "is gnome-shell, is nice, is gnome-shell, is nice, is gnome-shell",
	  INTERACTIVE, PRISTINE },
	{ "another class's slice, and nice's name", "is gnome-shell, slice 20, is nice, is gnome-shell, slice 20, is nice",
	  "SCHED_NORMAL nice 0 slice 20 ms", "SCHED_NORMAL nice 0 slice 20 ms" },
	{ "touches the nice value, to have it taken for its own", "is gnome-shell, nice -3, is cmd",
	  BY_DEFAULT, PRISTINE },
	{ "... and is met by nobody but the stop", "is gnome-shell, nice -3",
	  "SCHED_NORMAL nice -3 slice 8 ms", PRISTINE },
	{ "... and is looked at", "is gnome-shell, nice -3, seen, nice -2, seen",
	  "SCHED_NORMAL nice -2 slice 8 ms", PRISTINE },
	{ "... at the very value", "is gnome-shell, nice -4, slice 7, is cmd",
	  "SCHED_NORMAL nice 0 slice 7 ms", "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "lowers itself to what a class gives, beside a parent that has not", "is gnome-shell, batch, nice 4, slice 20, seen",
	  "SCHED_BATCH nice 4 slice 20 ms", "SCHED_BATCH nice 4 slice 20 ms" },
	{ "... between the nice values of two classes", "is chrome, thread, names hot, nice -5, execs cmd",
	  BY_DEFAULT, PRISTINE },
	{ "... by a thread of a thread", "is chrome, thread, names hot, thread, nice -6, seen",
	  "SCHED_NORMAL nice -6 io realtime 4", PRISTINE },
	{ "a thread of a higher class that execs", "is chrome, thread, names hot, execs cmd",
	  BY_DEFAULT, PRISTINE },
	{ "... and what it forks meanwhile", "is chrome, thread, names hot, behind, fork, nice -6, is cmd, heard",
	  BY_DEFAULT, PRISTINE },
	{ "a child before anybody looks", "behind, is gnome-shell, heard, behind, fork, nice -3, heard",
	  "SCHED_NORMAL nice -3 slice 8 ms", PRISTINE },
	{ "a child that was born before the class was", "behind, is gnome-shell, fork, slice 7, heard",
	  INTERACTIVE, "SCHED_NORMAL nice 0 slice 7 ms" },
	{ "... with another class's slice", "behind, is gnome-shell, fork, slice 20, heard",
	  INTERACTIVE, "SCHED_NORMAL nice 0 slice 20 ms" },
	{ "... of another policy", "behind, is gcc, fork, slice 8, heard",
	  BACKGROUND, "SCHED_NORMAL nice 0 slice 8 ms" },
	{ "... of whom both were lowered before, to what its class gives", "behind, nice 4, slice 20, is gcc, fork, heard",
	  BACKGROUND, "SCHED_NORMAL nice 4 slice 20 ms" },
	{ "a child for its parent", "is gnome-shell, fork-for-parent",
	  INTERACTIVE, "SCHED_NORMAL nice 0 slice 8 ms" },
	{ "... that execs", "is gnome-shell, fork-for-parent, is cmd",
	  "SCHED_NORMAL nice 0 slice 8 ms", "SCHED_NORMAL nice 0 slice 8 ms" },
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
	  "SCHED_NORMAL nice 0 slice 20 ms", "SCHED_NORMAL nice 0 slice 20 ms" },
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
	{ "... that is looked at again", "is gnome-shell, storm, fork, calm, nice -3, seen",
	  "SCHED_NORMAL nice -3 slice 8 ms", PRISTINE },
	{ "an orphan that nobody heard of", "is gnome-shell, storm, orphan, slice 20, is cmd, calm",
	  "SCHED_NORMAL nice 0 slice 20 ms", "SCHED_NORMAL nice 0 slice 20 ms" },
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
	{ "whom an administrator lowered, and a rule raised", "nice 15, is raised, kill, orphan, start rules",
	  INTERACTIVE, "SCHED_NORMAL nice 15 slice 8 ms" },
	{ "births while nobody listens", "is chrome, thread, names hot, kill, orphan, nice -6, start rules, is cmd",
	  BY_DEFAULT, PRISTINE },
};

/* The daemon starts, and then he does, with a shell. */
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
		good &= carries(user.m, user.tid, scripts[i].after, scripts[i].what, "it is left with");
		machine_anew(user.m);
	}
	assert_true(good);
}

/* ---- what one thread has by a class is not what its process had, though that takes over its attributes ---- */

#define RT   "'QOS_RT': { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 10 }, "
#define FAST "'schedqos': { 'default': 'none' }, 'app': { 'thread_qos': { 'fast': 'QOS_USER_INTERACTIVE' } }"

/* What it has chosen below its class no record knows. */
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

MACHINE_TEST(a_thread_raised_from_idle_that_execs_stays_there)
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

MACHINE_TEST(a_real_time_thread_that_execs_unheard_does_not_climb)
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

MACHINE_TEST(a_thread_that_takes_over_in_a_crash_does_not_climb)
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

/* The leader, whose record it copies, never had a class. */
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

/* Somebody lowers all of its threads, of which the leader is not looked at. */
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

MACHINE_TEST(a_raised_thread_that_execs_is_not_its_leader)
{
	a_thread_is_raised_beside_a_lowered_leader(m);
	execs(m, 101, "/bin/app");
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 10");
}

MACHINE_TEST(a_raised_thread_s_thread_is_not_its_leader_s)
{
	a_thread_is_raised_beside_a_lowered_leader(m);
	clones(m, 101, 102);
	stop(m);
	assert_carries(m, 102, "SCHED_NORMAL nice 10");
}

/* Though the leader is looked at in between, and the two know each other. */
MACHINE_TEST(nor_are_two_that_are_booked_before_their_leader_is_looked_at)
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

/* Its fork began before, and its own slice hides which class it has copied. */
MACHINE_TEST(a_child_on_its_way_does_not_get_round_a_limit)
{
	start_and_run(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE' }", "/bin/app");
	living(m, 100)->attr.slice_ns = living(m, 100)->without.slice_ns = 7 * MS;
	begins_fork(m, 100, 101);
	asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .limit.class = "QOS_BACKGROUND" }, 100);
	ends_fork(m, 101);
	assert_carries(m, 101, BACKGROUND);
	stops_without_trace(m);
}

/* The class that its end brings is the same, but left off: somebody had lowered the task. */
MACHINE_TEST(a_class_that_root_ends_under_a_limit_leaves_nobody_out_of_idle)
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

/* What the class of root has raised, the same class by somebody else does not. */
static void roots_class_comes_and_goes(struct machine *m)
{
	const uint16_t number = asks(m, (struct override){ .kind = OVERRIDE_CLASS, .request.class = "QOS_BACKGROUND" }, 100);

	assert_carries(m, 100, BACKGROUND);
	living(m, 100)->attr.policy = POLICY_NORMAL;
	ends(m, number);
	assert_carries(m, 100, "SCHED_IDLE nice 4 util 0..256");
	stops_without_trace(m);
}

MACHINE_TEST(a_class_that_root_ends_before_the_same_of_a_rule)
{
	start(m, "'app': { 'qos': 'QOS_BACKGROUND' }");
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/bin/app");
	assert_carries(m, 100, "SCHED_IDLE nice 4 util 0..256");
	roots_class_comes_and_goes(m);
}

MACHINE_TEST(a_class_that_root_ends_before_the_same_of_a_user)
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

/* Its process cannot be matched for now, as without descriptors. */
MACHINE_TEST(a_focus_that_ends_does_so_for_threads)
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

MACHINE_TEST(what_never_had_a_class_keeps_a_nice_value)
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

/* Arguments cannot be read, so the name might be that of a script. */
MACHINE_TEST(a_name_is_no_path)
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

MACHINE_TEST(the_text_of_a_glob_is_no_name)
{
	start(m, "'[ab]x': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	execs(m, 100, "/home/user/[ab]x");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
}
