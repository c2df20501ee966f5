/* SPDX-License-Identifier: GPL-2.0-only */
#include "fake_user.h"

#include <errno.h>

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

void user_does(struct user *user, const char *script)
{
	while (*script) {
		size_t length = strcspn(script, ",");

		takes_step(user, script, length);
		script += length + strspn(script + length, ", ");
	}
}

struct user a_user(struct machine *m)
{
	start(m, RULES);
	spawns(m, INIT, 100, "/bin/sh");
	return (struct user){ m, 100, 100 };
}
