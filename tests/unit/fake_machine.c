/* SPDX-License-Identifier: GPL-2.0-only */
#include "fake_machine.h"

#include <errno.h>

#define TICK_MS	   10
#define JSON_MAX   4096
#define ROUNDS_MAX 16

struct machine_task *machine_task(struct machine *m, pid_t tid)
{
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		if (m->tasks[i].tid == tid)
			return &m->tasks[i];
	}
	return NULL;
}

static struct machine_task *living(struct machine *m, pid_t tid)
{
	struct machine_task *task = machine_task(m, tid);

	if (!task)
		fail_msg("the test means task %d, which does not exist", (int)tid);
	return task;
}

struct task *record(struct machine *m, pid_t tid)
{
	return tasks_find(plan_tasks(m->plan), tid);
}

void passes(struct machine *m, uint32_t ms)
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
	};
	return task;
}

int machine_on(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	if (!m)
		return -1;
	m->ms = 1000000;
	m->pace = 10000;
	m->kernel = (struct attr_caps){ true, true, 3 * MS };
	m->asked.machine = m->asked_parent.machine = m;
	m->asked.parent = &m->asked_parent;
	set_command(new_task(m, INIT), "/usr/lib/systemd/systemd");
	snprintf(new_task(m, KTHREADD)->comm, TASK_COMM_LEN, "kthreadd");
	passes(m, 1000);
	*state = m;
	return 0;
}

int machine_off(void **state)
{
	struct machine *m = *state;

	plan_free(m->plan);
	config_free(m->config);
	config_free(m->old_config);
	free(m->legacy_tags);
	free(m);
	return 0;
}

/* ---- facts ---- */

static pid_t tgid_of(struct machine *m, pid_t tid)
{
	const struct machine_task *task = machine_task(m, tid);

	return task ? task->tgid : tid;
}

static struct task_attr attr_shown(const struct machine *m, const struct machine_task *task)
{
	struct task_attr attr = task->attr;

	if (m->kernel.slice && !attr.slice_ns && task_policy_is_fair(attr.policy))
		attr.slice_ns = m->kernel.base_slice_ns;
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
		facts->argv = leader->argv;
		facts->argv_size = leader->argv_size;
		break;
	case FACT_CGROUP:
		facts->cgroup = "/";
		break;
	case FACT_UID:
		facts->uid = leader->uid;
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
	case FACT_AGAIN:
		facts->execs_again = m->execs_again;
		break;
	case FACT_BASE:
		m->caps.base_slice_ns = m->kernel.base_slice_ns;
		break;
	}
	facts->have |= fact;
	return 0;
}

static struct facts *facts_of(struct machine *m, pid_t tid, pid_t tgid)
{
	m->asked.facts = (struct facts){ .fetch = fetch, .tid = tid, .tgid = tgid };
	return &m->asked.facts;
}

/* ---- actions ---- */

static int kernel_sets(struct machine *m, const struct plan_action *action)
{
	struct machine_task *task = machine_task(m, action->tid);
	const struct task_attr *want = &action->want, *from = &action->from;

	if (!task)
		return -ESRCH;
	if (m->refuse)
		return -m->refuse;
	if (!m->kernel.util_clamp &&
	    (want->util_min != from->util_min || want->util_max != from->util_max))
		return -EOPNOTSUPP;
	if (m->ignore)
		return 0;
	task->attr = *want;
	if (!m->kernel.slice)
		task->attr.slice_ns = 0;
	return 0;
}

static void act(struct machine *m, const struct plan_action *action)
{
	int r = kernel_sets(m, action);
	struct machine_task *task = machine_task(m, action->tid);
	struct task_attr now = task_attr_pristine;

	if (r == 0) {
		now = attr_shown(m, task);
		if (!action->want.slice_ns && now.slice_ns != m->caps.base_slice_ns)
			m->caps.base_slice_ns = m->kernel.base_slice_ns;
	}
	plan_applied(m->plan, action, r, &now, m->ms);
}

/* What holds of every action, whatever the test is about. */
static void check_action(struct machine *m, const struct plan_action *action)
{
	const struct machine_task *task = machine_task(m, action->tid);

	struct task_attr from = action->from;

	assert_false(task_attr_equal(&action->from, &action->want));
	if (!task)
		return;
	/* A slice that is also the base slice may or may not be the task's own. */
	if (from.slice_ns == m->kernel.base_slice_ns)
		from.slice_ns = task->attr.slice_ns;
	assert_true(task_attr_equal(&from, &task->attr));
	assert_int_not_equal(task->tgid, DAEMON);
	assert_int_equal(action->deadline != NULL, action->want.policy == POLICY_DEADLINE);
}

static void wants(struct machine *m, bool act_now, const struct plan_action *action)
{
	if (!act_now)
		return;
	m->actions++;
	m->last = *action;
	check_action(m, action);
	if (m->hold) {
		m->held = *action;
		m->has_held = true;
		return;
	}
	act(m, action);
}

void carry_out(struct machine *m)
{
	assert_true(m->has_held);
	m->has_held = m->hold = false;
	act(m, &m->held);
}

/* ---- events ---- */

static void deliver(struct machine *m, const struct machine_event *event)
{
	struct facts *facts = facts_of(m, event->tid, event->tgid);
	struct plan_action action;
	bool acts = false;

	switch (event->what) {
	case FORKED: {
		const struct plan_fork fork = {
			.tid = event->tid,
			.tgid = event->tgid,
			.parent_tid = event->parent_tid,
			.parent_tgid = event->parent_tgid,
			.start = event->start,
			.ms = event->ms,
		};

		acts = plan_forked(m->plan, &fork, facts, &action);
		break;
	}
	case EXECED:
		if (m->late && plan_postpone(m->plan, event->tgid, true))
			return;
		acts = plan_execed(m->plan, facts, event->ms, &action);
		break;
	case RENAMED:
		if (m->late && plan_postpone(m->plan, event->tid, false))
			return;
		memcpy(facts->comm, event->comm, sizeof(facts->comm));
		facts->have |= FACT_COMM;
		acts = plan_renamed(m->plan, facts, &action);
		break;
	}
	wants(m, acts, &action);
}

static void settle(struct machine *m, bool leaders)
{
	struct plan_action action;
	uint32_t cursor = 0;
	struct task *task;

	while ((task = tasks_next(plan_tasks(m->plan), &cursor))) {
		if (plan_is_postponed(task) && leaders == (task->tid == task->tgid))
			wants(m,
			      plan_settle(m->plan, task, facts_of(m, task->tid, task->tgid),
					  &action),
			      &action);
	}
}

void hear(struct machine *m)
{
	size_t n = m->n_queued;

	m->n_queued = 0;
	for (size_t i = 0; i < n; i++)
		deliver(m, &m->queue[i]);
	settle(m, true);
	settle(m, false);
}

static void announce(struct machine *m, const struct machine_event *event)
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

/* ---- what happens ---- */

/* As sched_fork does it. */
static struct task_attr attr_copied(const struct task_attr *attr)
{
	struct task_attr copy = *attr;

	if (!copy.reset_on_fork)
		return copy;
	if (!task_policy_is_fair(copy.policy)) {
		copy.policy = POLICY_NORMAL;
		copy.nice = 0;
	}
	return (struct task_attr){
		.policy = copy.policy,
		.nice = copy.nice < 0 ? 0 : copy.nice,
		.util_max = UTIL_FULL,
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
	task->uid = from->uid;
	memcpy(task->comm, from->comm, sizeof(task->comm));
	memcpy(task->exe, from->exe, sizeof(task->exe));
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

void ends_fork(struct machine *m, pid_t child)
{
	const struct machine_task *task = living(m, child);

	announce(m, &(struct machine_event){
			    .what = FORKED,
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

/* The thread that execs takes the leader's id; the others die. */
void execs(struct machine *m, pid_t tid, const char *command)
{
	struct machine_task *task = living(m, tid), *leader = living(m, task->tgid);

	passes(m, m->pace);
	leader->attr = task->attr;
	set_command(leader, command);
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		task = &m->tasks[i];
		if (task->tid && task->tgid == leader->tid && task != leader)
			*task = (struct machine_task){ 0 };
	}
	announce(m, &(struct machine_event){
			    .what = EXECED, .tid = leader->tid, .tgid = leader->tid });
}

void renames(struct machine *m, pid_t tid, const char *comm)
{
	struct machine_task *task = living(m, tid);
	struct machine_event event = { .what = RENAMED, .tid = tid, .tgid = task->tgid };

	passes(m, m->pace);
	snprintf(task->comm, sizeof(task->comm), "%s", comm);
	memcpy(event.comm, task->comm, sizeof(event.comm));
	announce(m, &event);
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
	living(m, tid)->attr.nice = (int8_t)nice;
}

void chrt(struct machine *m, pid_t tid, enum task_policy policy, int priority)
{
	struct task_attr *attr = &living(m, tid)->attr;

	attr->policy = policy;
	attr->rt_priority = (uint8_t)priority;
	if (!task_policy_is_fair(policy)) {
		attr->nice = 0;
		attr->slice_ns = 0;
	}
}

void sets(struct machine *m, pid_t tid, struct task_attr attr)
{
	living(m, tid)->attr = attr;
}

/* ---- the daemon's part ---- */

/* Rules in an order of files; they stay alive until the next configuration is in force. */
static void parse(struct machine *m, const char *const *texts, size_t n)
{
	static const char *const paths[] = { "rules.json", "over.json" };
	char json[2][JSON_MAX];
	struct config_file files[2];
	struct config_errors errors = { 0 };

	for (size_t i = 0; i < n; i++) {
		int size = snprintf(json[i], JSON_MAX, "{ %s }", texts[i]);

		assert_in_range(size, 0, JSON_MAX - 1);
		for (char *p = json[i]; (p = strchr(p, '\''));)
			*p = '"';
		files[i] = (struct config_file){ paths[i], json[i], size, CONFIG_RULES };
	}
	config_free(m->old_config);
	m->old_config = m->config;
	m->config = NULL;
	config_parse(files, n, NULL, &m->config, &errors);
	for (size_t i = 0; i < errors.count; i++)
		print_error("%s: %s\n", errors.items[i].path, errors.items[i].message);
	config_errors_clear(&errors);
	assert_non_null(m->config);
}

static void put_in_force(struct machine *m)
{
	assert_int_equal(plan_set_config(m->plan, m->config), 0);
}

void set_config(struct machine *m, const char *json)
{
	parse(m, &json, 1);
	put_in_force(m);
}

static bool see(struct machine *m, const struct machine_task *task)
{
	const struct plan_seen seen = {
		.tid = task->tid,
		.tgid = task->tgid,
		.parent_tgid = living(m, task->tgid)->parent
				       ? tgid_of(m, living(m, task->tgid)->parent)
				       : 0,
		.start = task->start,
		.ms = m->ms,
	};
	struct plan_action action;

	if (plan_is_seen(m->plan, task->tid))
		return false;
	wants(m, plan_seen(m->plan, &seen, facts_of(m, task->tid, task->tgid), &action), &action);
	return true;
}

/* The oldest process, after the one given, whose leader is still there. */
static const struct machine_task *next_process(const struct machine *m,
					       const struct machine_task *after)
{
	const struct machine_task *next = NULL;

	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		const struct machine_task *task = &m->tasks[i];

		if (!task->tid || task->tid != task->tgid)
			continue;
		if (after && (task->start < after->start ||
			      (task->start == after->start && task->tid <= after->tid)))
			continue;
		if (!next || task->start < next->start ||
		    (task->start == next->start && task->tid < next->tid))
			next = task;
	}
	return next;
}

void scan(struct machine *m)
{
	const struct machine_task *process = NULL;

	plan_scan_begin(m->plan);
	while ((process = next_process(m, process))) {
		see(m, process);
		for (size_t i = 0; i < MACHINE_TASKS; i++) {
			const struct machine_task *task = &m->tasks[i];

			if (task->tid && task != process && task->tgid == process->tid)
				see(m, task);
		}
	}
	hear(m);
}

static struct task *no_chunk(void *context)
{
	(void)context;
	return NULL;
}

void start(struct machine *m, const char *json)
{
	static const struct tasks_memory none = { .grow = no_chunk };

	m->caps = m->kernel;
	if (!m->n_legacy)
		m->listens_since = m->ms / TICK_MS;
	m->plan = plan_new(&m->caps, DAEMON, m->listens_since, m->no_memory ? &none : NULL);
	assert_non_null(m->plan);
	assert_int_equal(plan_adopt(m->plan, m->legacy, m->n_legacy, m->legacy_tags,
				    m->n_legacy_tags),
			 0);
	passes(m, m->pace);
	set_config(m, json);
	scan(m);
	passes(m, m->pace);
	count_from_here(m);
}

void reload(struct machine *m, const char *json)
{
	passes(m, m->pace);
	set_config(m, json);
	scan(m);
	passes(m, m->pace);
}

void reload_over(struct machine *m, const char *json, const char *over)
{
	const char *const texts[] = { json, over };

	passes(m, m->pace);
	parse(m, texts, 2);
	put_in_force(m);
	scan(m);
	passes(m, m->pace);
}

void crash(struct machine *m)
{
	const struct tag *tags = rules_tags(m->config->rules, &m->n_legacy_tags);
	const struct task *task;
	uint32_t cursor = 0;

	m->legacy_tags = calloc(m->n_legacy_tags, sizeof(*m->legacy_tags));
	for (size_t i = 0; i < m->n_legacy_tags; i++)
		m->legacy_tags[i] = tags[i].attr;
	while ((task = tasks_next(plan_tasks(m->plan), &cursor))) {
		if (task->flags & TASK_OWNED)
			m->legacy[m->n_legacy++] = *task;
	}
	plan_free(m->plan);
	m->plan = NULL;
}

void stop(struct machine *m)
{
	unsigned before;

	hear(m);
	plan_undo_begin(m->plan);
	for (int i = 0; i < ROUNDS_MAX; i++) {
		struct plan_action action;
		struct task *task;
		uint32_t cursor = 0;

		before = m->actions;
		while ((task = tasks_next(plan_tasks(m->plan), &cursor)))
			wants(m,
			      plan_undo(m->plan, task, facts_of(m, task->tid, task->tgid), &action),
			      &action);
		hear(m);
		if (m->actions == before)
			break;
	}
	scan(m);
}

/* ---- what is so ---- */

void count_from_here(struct machine *m)
{
	m->fetches = m->fetched = m->actions = 0;
}

void check_carries(struct machine *m, pid_t tid, const char *attr, const char *file, int line)
{
	const struct machine_task *task = machine_task(m, tid);
	char text[TASK_ATTR_TEXT_MAX];

	if (!task) {
		print_error("task %d does not exist\n", (int)tid);
		_fail(file, line);
	}
	_assert_string_equal(task_attr_text(&task->attr, text), attr, file, line);
}

void check_task(struct machine *m, pid_t tid, const char *attr, enum reason reason,
		const char *file, int line)
{
	const struct task *task = record(m, tid);

	check_carries(m, tid, attr, file, line);
	if (!task) {
		print_error("the plan does not know task %d\n", (int)tid);
		_fail(file, line);
	}
	_assert_string_equal(reason_name(task->reason), reason_name(reason), file, line);
}
