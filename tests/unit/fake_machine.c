/* SPDX-License-Identifier: GPL-2.0-only */
#include "fake_daemon.h"

#include <errno.h>

struct machine_task *machine_task(struct machine *m, pid_t tid)
{
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		if (m->tasks[i].tid == tid)
			return &m->tasks[i];
	}
	return NULL;
}

struct machine_task *living(struct machine *m, pid_t tid)
{
	struct machine_task *task = machine_task(m, tid);

	if (!task)
		fail_msg("the test means task %d, which does not exist", (int)tid);
	return task;
}

pid_t tgid_of(struct machine *m, pid_t tid)
{
	const struct machine_task *task = machine_task(m, tid);

	return task ? task->tgid : tid;
}

void passes(struct machine *m, uint64_t ms)
{
	m->ms += ms;
}

static void set_command(struct machine_task *task, const char *command)
{
	const char *end = strchrnul(command, ' '), *slash;

	snprintf(task->exe, sizeof(task->exe), "%.*s", (int)(end - command), command);
	task->argv_size = snprintf(task->argv, sizeof(task->argv), "%s", command) + 1;
	for (char *p = task->argv; (p = strchr(p, ' '));)
		*p++ = '\0';
	slash = strrchr(task->exe, '/');
	snprintf(task->comm, sizeof(task->comm), "%.15s", slash ? slash + 1 : task->exe);
}

static struct machine_task *new_task(struct machine *m, pid_t tid)
{
	struct machine_task *task;

	assert_null(machine_task(m, tid));
	task = machine_task(m, 0);
	assert_non_null(task);
	*task = (struct machine_task){
		.tid = tid,
		.tgid = tid,
		.start = m->ms / TICK_MS,
		.attr = task_attr_pristine,
		.without = task_attr_pristine,
	};
	return task;
}

static void begin(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	m->ms = 1000000;
	m->pace = 10000;
	m->kernel = (struct attr_caps){ true, true, 3 * MS, true };
	m->asked.machine = m->asked_parent.machine = m;
	m->asked.parent = &m->asked_parent;
	set_command(new_task(m, INIT), "/usr/lib/systemd/systemd");
	snprintf(new_task(m, KTHREADD)->comm, TASK_COMM_LEN, "kthreadd");
	passes(m, 1000);
}

static void end(struct machine *m)
{
	plan_free(m->plan);
	config_free(m->config);
	config_free(m->old_config);
}

int machine_on(void **state)
{
	struct machine *m = *state = malloc(sizeof(*m));

	if (!m)
		return -1;
	begin(m);
	return 0;
}

int machine_off(void **state)
{
	end(*state);
	free(*state);
	return 0;
}

void machine_anew(struct machine *m)
{
	end(m);
	begin(m);
}

/* ---- what the kernel tells and takes ---- */

struct task_attr attr_shown(const struct machine *m, const struct machine_task *task)
{
	struct task_attr attr = task->attr;

	if (!task_policy_is_fair(attr.policy))
		attr.slice_ns = 0;
	else if (m->kernel.slice && !attr.slice_ns)
		attr.slice_ns = m->kernel.base_slice_ns;
	if (!m->caps.io_priority)
		attr.io_priority = 0;
	return attr;
}

static int fetch(struct facts *facts, enum fact fact)
{
	struct machine_facts *asked = (struct machine_facts *)facts;
	struct machine *m = asked->machine;
	struct machine_task *task = machine_task(m, facts->tid);
	struct machine_task *leader = machine_task(m, facts->tgid);

	m->fetches++;
	m->fetched |= fact;
	if (!task || !leader)
		return -ESRCH;
	if (m->missing & fact)
		return m->why_missing ? -m->why_missing : -ESRCH;
	switch (fact) {
	case FACT_ATTR:
		facts->attr = attr_shown(m, task);
		break;
	case FACT_COMM:
		memcpy(facts->comm, task->comm, sizeof(facts->comm));
		break;
	case FACT_EXE:
		facts->exe = leader->exe;
		break;
	case FACT_ARGV:
		facts->argv = m->unread ? "" : leader->argv;
		facts->argv_size = m->unread ? 0 : leader->argv_size;
		facts->argv_is_unread = m->unread;
		break;
	case FACT_CGROUP:
		facts->is_spared = m->spared;
		facts->cgroup_is_unknown = m->spared || strcmp(leader->cgroup, UNKNOWN_CGROUP) == 0;
		facts->cgroup = facts->cgroup_is_unknown ? "" : leader->cgroup[0] ? leader->cgroup : "/";
		break;
	case FACT_UID:
		facts->uid = m->spared ? (uid_t)-1 : leader->uid;
		facts->is_spared = m->spared;
		break;
	case FACT_OWNER:
		facts->owner = m->spared || leader->is_privileged ? (uid_t)-1 : leader->uid;
		facts->is_spared = m->spared;
		break;
	case FACT_USERNS:
		facts->initial_userns = true;
		break;
	case FACT_SEAT:
		facts->at_seat = !m->spared && !leader->is_elsewhere;
		facts->is_spared = m->spared;
		break;
	case FACT_PARENT:
		if (!asked->parent || !leader->parent)
			break;
		asked->parent->facts = (struct facts){
			.fetch = fetch,
			.tid = tgid_of(m, leader->parent),
			.tgid = tgid_of(m, leader->parent),
		};
		facts->parent = &asked->parent->facts;
		break;
	case FACT_STAT:
		facts->start = task->start;
		facts->tty = leader->tty;
		facts->ppid = leader->parent ? tgid_of(m, leader->parent) : 0;
		break;
	case FACT_BASE:
		m->caps.base_slice_ns = m->kernel.base_slice_ns;
		break;
	}
	facts->have |= fact;
	return 0;
}

static int read_other(struct facts *facts, pid_t tid, struct task_attr *ret)
{
	struct machine *m = ((struct machine_facts *)facts)->machine;
	const struct machine_task *task = machine_task(m, tid);

	if (!task)
		return -ESRCH;
	*ret = attr_shown(m, task);
	return 0;
}

struct facts *facts_of(struct machine *m, pid_t tid, pid_t tgid)
{
	m->asked.facts = (struct facts){ .fetch = fetch, .read_other = read_other, .tid = tid, .tgid = tgid };
	return &m->asked.facts;
}

int kernel_sets(struct machine *m, const struct plan_action *action)
{
	struct machine_task *task = machine_task(m, action->tid);
	const struct task_attr *want = &action->want, *from = &action->from;
	struct task_attr hidden;

	if (!task)
		return -ESRCH;
	if (m->refuse)
		return -m->refuse;
	if (!m->kernel.util_clamp &&
	    (want->util_min != from->util_min || want->util_max != from->util_max))
		return -EOPNOTSUPP;
	/* A policy that stays is kept by the kernel: the call fails if it has been changed since. */
	if (want->policy == from->policy && want->policy != POLICY_IDLE && want->policy != task->attr.policy)
		return -EAGAIN;
	if (m->ignore)
		return 0;
	/* Hidden attributes stay as they are. */
	hidden = task->attr;
	task->attr = *want;
	if (want->io_priority == from->io_priority)
		task->attr.io_priority = hidden.io_priority;
	if (!task_policy_is_fair(want->policy) || (want->policy == POLICY_IDLE && hidden.policy == POLICY_IDLE)) {
		/* Like applier_apply, set the nice value only if it is still the same. */
		task->attr.nice = hidden.nice == from->nice ? want->nice : hidden.nice;
		task->attr.slice_ns = hidden.slice_ns;
	}
	if (!m->kernel.slice)
		task->attr.slice_ns = 0;
	return 0;
}

/* ---- what happens ---- */

static void announce(struct machine *m, const struct task_event *event)
{
	if (!m->plan || m->lossy)
		return;
	assert_true(m->n_queued < MACHINE_EVENTS);
	m->queue[m->n_queued] = *event;
	m->queue[m->n_queued].ms = m->ms;
	m->queue[m->n_queued++].start = m->ms / TICK_MS;
	if (!m->deaf)
		hear(m);
}

/* Returns the attributes of a child, as sched_fork and copy_io copy them. */
static struct task_attr attr_copied(const struct task_attr *attr)
{
	struct task_attr copy = *attr;

	if (!copy.reset_on_fork)
		return copy;
	if (copy.policy == POLICY_FIFO || copy.policy == POLICY_RR || copy.policy == POLICY_DEADLINE) {
		copy.policy = POLICY_NORMAL;
		copy.nice = 0;
	}
	return (struct task_attr){
		.policy = copy.policy,
		.nice = copy.nice < 0 ? 0 : copy.nice,
		.util_max = UTIL_FULL,
		.io_priority = copy.io_priority,
	};
}

static void is_born(struct machine *m, pid_t parent, pid_t child, bool thread)
{
	const struct machine_task *from = living(m, parent);
	struct machine_task *task;

	passes(m, m->pace);
	task = new_task(m, child);
	task->tgid = thread ? from->tgid : child;
	task->parent = thread ? from->parent : parent;
	task->attr = attr_copied(&from->attr);
	task->without = attr_copied(&from->without);
	task->unsure = from->unsure;
	task->uid = from->uid;
	task->tty = from->tty;
	task->is_privileged = from->is_privileged;
	memcpy(task->comm, from->comm, sizeof(task->comm));
	memcpy(task->exe, from->exe, sizeof(task->exe));
	memcpy(task->cgroup, living(m, from->tgid)->cgroup, sizeof(task->cgroup));
	memcpy(task->argv, from->argv, sizeof(task->argv));
	task->argv_size = from->argv_size;
}

void begins_fork(struct machine *m, pid_t parent, pid_t child)
{
	is_born(m, parent, child, false);
}

void begins_clone(struct machine *m, pid_t creator, pid_t thread)
{
	is_born(m, creator, thread, true);
}

/* /proc shows the newborn, and dates it, from here on: its attributes are older (copy_process in fork.c). */
void ends_fork(struct machine *m, pid_t child)
{
	struct machine_task *task = living(m, child);

	task->start = m->ms / TICK_MS;
	announce(m, &(struct task_event){
			    .what = EVENT_FORK,
			    .tid = child,
			    .tgid = task->tgid,
			    .parent_tid = task->parent,
			    .parent_tgid = tgid_of(m, task->parent),
		    });
}

void forks(struct machine *m, pid_t parent, pid_t child)
{
	begins_fork(m, parent, child);
	ends_fork(m, child);
}

void clones(struct machine *m, pid_t creator, pid_t thread)
{
	begins_clone(m, creator, thread);
	ends_fork(m, thread);
}

void forks_for_parent(struct machine *m, pid_t creator, pid_t child)
{
	begins_fork(m, creator, child);
	living(m, child)->parent = living(m, tgid_of(m, creator))->parent;
	ends_fork(m, child);
}

/* The thread that execs takes the leader's id; the others die. */
void execs(struct machine *m, pid_t tid, const char *command)
{
	struct machine_task *task = living(m, tid), *leader = living(m, task->tgid);

	passes(m, m->pace);
	leader->attr = task->attr;
	leader->without = task->without;
	leader->unsure = task->unsure;
	set_command(leader, command);
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		task = &m->tasks[i];
		if (task->tid && task->tgid == leader->tid && task != leader)
			*task = (struct machine_task){ 0 };
	}
	announce(m, &(struct task_event){
			    .what = EVENT_EXEC, .tid = leader->tid, .tgid = leader->tid });
}

void renames(struct machine *m, pid_t tid, const char *comm)
{
	struct machine_task *task = living(m, tid);
	struct task_event event = { .what = EVENT_RENAME, .tid = tid, .tgid = task->tgid };

	passes(m, m->pace);
	snprintf(task->comm, sizeof(task->comm), "%s", comm);
	memcpy(event.comm, task->comm, sizeof(event.comm));
	announce(m, &event);
}

void moves(struct machine *m, pid_t pid, const char *cgroup)
{
	struct machine_task *task = living(m, pid);

	passes(m, m->pace);
	snprintf(task->cgroup, sizeof(task->cgroup), "%s", cgroup);
	announce(m, &(struct task_event){ .what = EVENT_MOVE, .tid = pid });
}

/* The daemon does not listen to exits: nobody announces one. */
void exits(struct machine *m, pid_t tid)
{
	*living(m, tid) = (struct machine_task){ 0 };
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		if (m->tasks[i].tid && m->tasks[i].parent == tid)
			m->tasks[i].parent = INIT;
	}
}

void spawns(struct machine *m, pid_t parent, pid_t child, const char *command)
{
	forks(m, parent, child);
	execs(m, child, command);
}

void renice(struct machine *m, pid_t tid, int nice)
{
	struct machine_task *task = living(m, tid);

	task->attr.nice = task->without.nice = (int8_t)nice;
}

static int8_t nice_plus(int nice, int by)
{
	nice += by;
	return (int8_t)(nice > 19 ? 19 : nice < -20 ? -20 : nice);
}

void runs_nice(struct machine *m, pid_t tid, int by, const char *command)
{
	struct machine_task *task;

	execs(m, tid, "/usr/bin/nice");
	task = living(m, tid);
	task->attr.nice = nice_plus(task->attr.nice, by);
	task->without.nice = nice_plus(task->without.nice, by);
	execs(m, tid, command);
}

static void set_policy(struct task_attr *attr, enum task_policy policy, int priority)
{
	attr->policy = policy;
	attr->rt_priority = (uint8_t)priority;
}

void chrt(struct machine *m, pid_t tid, enum task_policy policy, int priority)
{
	struct machine_task *task = living(m, tid);

	set_policy(&task->attr, policy, priority);
	set_policy(&task->without, policy, priority);
}

void ionice(struct machine *m, pid_t tid, enum io_class class, unsigned level)
{
	struct machine_task *task = living(m, tid);

	task->attr.io_priority = task->without.io_priority = IO_PRIORITY(class, level);
}

void sets(struct machine *m, pid_t tid, struct task_attr attr)
{
	living(m, tid)->attr = living(m, tid)->without = attr;
}

/* ---- what is so ---- */

void check_carries(struct machine *m, pid_t tid, const char *attr, const char *file, int line)
{
	const struct machine_task *task = machine_task(m, tid);
	char text[TASK_ATTR_TEXT_MAX];
	struct task_attr shown;

	if (!task) {
		print_error("task %d does not exist\n", (int)tid);
		_fail(file, line);
	}
	shown = task->attr;
	if (!task_policy_is_fair(shown.policy) || shown.policy == POLICY_IDLE)
		shown.slice_ns = 0;
	_assert_string_equal(task_attr_text(&shown, text), attr, file, line);
}
