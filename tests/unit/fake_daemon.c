/* SPDX-License-Identifier: GPL-2.0-only */
#include "fake_daemon.h"

#include <errno.h>

#define JSON_MAX 4096

struct task *record(struct machine *m, pid_t tid)
{
	return tasks_find(plan_tasks(m->plan), tid);
}

/* ---- actions ---- */

static void act(struct machine *m, const struct plan_action *action)
{
	struct machine_task *task = machine_task(m, action->tid);
	const struct task *known = record(m, action->tid);
	const bool is_another = task && known && !task_is_same_start(known->start, (uint32_t)task->start);
	int r = is_another ? -ESRCH : kernel_sets(m, action);
	struct task_attr now = task_attr_pristine;

	if (r == 0) {
		now = attr_shown(m, task);
		if (!action->want.slice_ns && now.slice_ns != m->caps.base_slice_ns)
			m->caps.base_slice_ns = m->kernel.base_slice_ns;
	}
	m->result = plan_applied(m->plan, action, r, &now);
}

/* Checks what must hold for every action, whatever the test is about. */
static void check_action(struct machine *m, const struct plan_action *action)
{
	const struct machine_task *task = machine_task(m, action->tid);

	struct task_attr from = action->from;

	assert_true(attr_difference(&action->from, &action->want) || action->from.nice != action->want.nice);
	if (!task)
		return;
	/* A slice that is also the base slice may or may not be the task's own. */
	if (from.slice_ns == m->kernel.base_slice_ns)
		from.slice_ns = task->attr.slice_ns;
	if (!m->caps.io_priority)
		from.io_priority = task->attr.io_priority;
	assert_int_equal(attr_difference(&from, &task->attr), 0);
	assert_int_not_equal(task->tgid, DAEMON);
	assert_int_equal(action->deadline != NULL,
			 action->want.policy == POLICY_DEADLINE && action->from.policy != POLICY_DEADLINE);
	assert_true(action->want.util_min <= action->want.util_max);
}

static void wants(struct machine *m, const struct plan_action *action)
{
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

static void book(struct machine *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		plan_book(m->plan, &m->queue[i]);
	m->n_queued -= n;
	memmove(m->queue, m->queue + n, m->n_queued * sizeof(m->queue[0]));
}

static void decide(struct machine *m)
{
	struct plan_action action;
	enum plan_step step;
	struct plan_mark mark;

	while (plan_next(m->plan, &mark)) {
		step = plan_decide(m->plan, &mark, facts_of(m, mark.tid, mark.tgid), &action);
		if (step == PLAN_BOOK_FIRST) {
			book(m, m->n_queued);
			mark.is_booked = true;
			step = plan_decide(m->plan, &mark, facts_of(m, mark.tid, mark.tgid), &action);
		}
		assert_int_not_equal(step, PLAN_BOOK_FIRST);
		if (step == PLAN_SET)
			wants(m, &action);
	}
}

void hear_first(struct machine *m, size_t n)
{
	assert_in_range(n, 0, m->n_queued);
	book(m, n);
	decide(m);
}

void hear(struct machine *m)
{
	hear_first(m, m->n_queued);
}

/* ---- from its start to its stop ---- */

/* Parses the configuration, which lives until the next one is in force. */
static void parse(struct machine *m, const char *text)
{
	char json[JSON_MAX];
	const int size = snprintf(json, sizeof(json), "{ %s }", text);
	const struct config_file file = { .path = "rules.json", .text = json, .size = size };
	struct config_errors errors = { 0 };

	assert_in_range(size, 0, JSON_MAX - 1);
	for (char *p = json; (p = strchr(p, '\''));)
		*p = '"';
	config_free(m->old_config);
	m->old_config = m->config;
	m->config = NULL;
	config_parse(&file, 1, NULL, NULL, &m->config, &errors);
	for (size_t i = 0; i < errors.count; i++)
		print_error("%s\n", errors.items[i].text);
	config_errors_clear(&errors);
	assert_non_null(m->config);
}

void set_config(struct machine *m, const char *json)
{
	parse(m, json);
	assert_int_equal(plan_set_config(m->plan, m->config), 0);
	/* Do as applier_enable_io_priority does. */
	m->caps.io_priority = m->kernel.io_priority && plan_given(m->plan)->has_io_priority;
}

static void meet(struct machine *m, const struct machine_task *task)
{
	const struct plan_found met = {
		.tid = task->tid,
		.tgid = task->tgid,
		.parent_tgid = living(m, task->tgid)->parent
				       ? tgid_of(m, living(m, task->tgid)->parent)
				       : 0,
		.start = task->start,
	};

	if (!plan_is_seen(m->plan, task->tid))
		plan_book_found(m->plan, &met, facts_of(m, task->tid, task->tgid));
}

/* Returns the oldest process, after the given one, whose leader has not ended. */
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
		meet(m, process);
		for (size_t i = 0; i < MACHINE_TASKS; i++) {
			const struct machine_task *task = &m->tasks[i];

			if (task->tid && task != process && task->tgid == process->tid)
				meet(m, task);
		}
	}
	hear(m);
}

void mark_enforced(struct machine *m)
{
	uint32_t cursor = 0;
	const struct task *task;

	while ((task = tasks_next(plan_tasks(m->plan), &cursor))) {
		if (plan_enforces(m->plan, task))
			plan_mark_changed(m->plan, task->tid);
	}
}

void look_at_enforced(struct machine *m)
{
	mark_enforced(m);
	hear(m);
}

static struct task *no_chunk(void *context)
{
	(void)context;
	return NULL;
}

/* Makes a plan with the records that an earlier one has left. */
static void take_over(struct machine *m, bool stopped)
{
	static const struct tasks_memory none = { .grow = no_chunk };

	m->caps = m->kernel;
	m->plan = plan_new(&m->caps, DAEMON, m->listens_since, m->no_memory ? &none : NULL);
	assert_non_null(m->plan);
	assert_int_equal(plan_adopt(m->plan, m->legacy, m->n_legacy, m->n_legacy ? &m->legacy_given : NULL,
				    stopped),
			 0);
}

void start(struct machine *m, const char *json)
{
	if (!m->n_legacy)
		m->listens_since = m->ms / TICK_MS;
	take_over(m, false);
	passes(m, m->pace);
	set_config(m, json);
	scan(m);
	passes(m, m->pace);
	count_from_here(m);
}

void start_and_run(struct machine *m, const char *json, const char *command)
{
	start(m, json);
	spawns(m, INIT, 100, command);
}

void reload(struct machine *m, const char *json)
{
	passes(m, m->pace);
	set_config(m, json);
	scan(m);
	passes(m, m->pace);
}

/* Keeps the records that the state file would keep. */
static void leave_behind(struct machine *m)
{
	const struct task *task;
	uint32_t cursor = 0;

	m->n_legacy = 0;
	m->legacy_given = *plan_given(m->plan);
	while ((task = tasks_next(plan_tasks(m->plan), &cursor))) {
		assert_in_range(m->n_legacy, 0, MACHINE_RECORDS - 1);
		m->legacy[m->n_legacy++] = *task;
	}
	plan_free(m->plan);
	m->plan = NULL;
}

void crash(struct machine *m)
{
	leave_behind(m);
}

void stop(struct machine *m)
{
	hear(m);
	plan_undo_begin(m->plan);
	hear(m);
	scan(m);
}

static void undo_what_is_left(struct machine *m, bool stopped)
{
	take_over(m, stopped);
	set_config(m, "");
	plan_undo_begin(m->plan);
	scan(m);
}

void restores(struct machine *m)
{
	undo_what_is_left(m, false);
}

void looks_again(struct machine *m)
{
	leave_behind(m);
	undo_what_is_left(m, true);
}

void stops_without_trace(struct machine *m)
{
	m->deaf = m->lossy = false;
	stop(m);
	assert_carries_what_it_would(m);
}

/* ---- what is asked for at run time ---- */

uint16_t asks(struct machine *m, struct override override, pid_t pid)
{
	uint16_t number;

	override.pid = pid;
	assert_int_equal(plan_override_add(m->plan, &override, &number), 0);
	if (pid)
		assert_int_equal(plan_override_join(m->plan, number, pid), 0);
	hear(m);
	return number;
}

/*
 * Ends an override. Limits that it may have masked return to the processes for which they were requested, but not to
 * the descendants of these.
 */
void ends(struct machine *m, uint16_t number)
{
	uint16_t masked = 0;

	overrides_end(plan_overrides(m->plan), number);
	while ((masked = overrides_next_masked(plan_overrides(m->plan), masked)))
		plan_override_join(m->plan, masked, overrides_get(plan_overrides(m->plan), masked)->pid);
	plan_remove_ended(m->plan);
	if (!m->deaf)
		hear(m);
}

/* ---- what is so ---- */

void assert_carries_what_it_would(struct machine *m)
{
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		struct machine_task *task = &m->tasks[i];
		struct task_attr without = task->without;
		char text[TASK_ATTR_TEXT_MAX];

		if (!task->tid)
			continue;
		if (!task_policy_is_fair(without.policy) || without.policy == POLICY_IDLE)
			without.slice_ns = 0;
		assert_carries(m, task->tid, task_attr_text(&without, text));
		assert_int_equal(task->attr.nice, without.nice);
		assert_int_equal(task->attr.reset_on_fork, without.reset_on_fork);
	}
}

void count_from_here(struct machine *m)
{
	m->fetches = m->fetched = m->actions = 0;
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
	_assert_string_equal(reason_name(task_reason(task)), reason_name(reason), file, line);
}
