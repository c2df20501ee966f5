/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>

#include "top.h"

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* ---- keys ---- */

const char top_key_letters[] = "cdwtn";
static const char *const key_names[TOP_KEYS] = { "cpu", "delay", "wait", "tasks", "name" };

int top_key_find(const char *name)
{
	for (int i = 0; i < TOP_KEYS; i++) {
		if (strcmp(key_names[i], name) == 0)
			return i;
	}
	return -EINVAL;
}

const char *top_key_name(enum top_key key)
{
	return key_names[key];
}

double top_delay_per_second(const struct task_row *row)
{
	return row->usage.run_ns ? (double)row->usage.delay_ns * 1e3 / (double)row->usage.run_ns : 0;
}

double top_delay_per_wait(const struct task_row *row)
{
	return row->usage.waits ? (double)row->usage.delay_ns / 1e3 / (double)row->usage.waits : 0;
}

static int compare_apps(const struct task_row *a, const struct task_row *b)
{
	int order = task_text_compare(a->app, b->app);

	/* The programs of a rule are one app. */
	if (!order && !a->app)
		order = strcmp(a->usage.comm, b->usage.comm);
	return order ? order : task_text_compare(a->class, b->class);
}

static double value_of(const struct task_row *row, enum top_key key)
{
	switch (key) {
	case TOP_BY_CPU:
		return (double)row->usage.run_ns;
	case TOP_BY_DELAY:
		return top_delay_per_second(row);
	case TOP_BY_WAIT:
		return top_delay_per_wait(row);
	case TOP_BY_TASKS:
		return (double)row->tasks;
	case TOP_BY_NAME:
		break;
	}
	return 0;
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const enum top_key key = *(const enum top_key *)context;
	const struct task_row *first = a, *second = b;
	int order = COMPARE(value_of(second, key), value_of(first, key));

	if (!order)
		order = compare_apps(first, second);
	return order ? order : COMPARE(first->tid, second->tid);
}

void top_sort(struct task_row *rows, size_t n, enum top_key key)
{
	if (n)
		qsort_r(rows, n, sizeof(*rows), compare_rows, &key);
}

/* ---- what was used in between ---- */

/* Of tasks with the same id the one that has used least comes first: it may have gone on. */
static int compare_usages(const void *a, const void *b)
{
	const struct task_usage *first = a, *second = b;
	int order = COMPARE(first->tid, second->tid);

	return order ? order : COMPARE(first->run_ns, second->run_ns);
}

static int compare_ids(const void *a, const void *b)
{
	return COMPARE(((const struct task_usage *)a)->tid, ((const struct task_usage *)b)->tid);
}

static const struct task_usage *find(const struct task_usage *all, size_t n, pid_t tid)
{
	const struct task_usage key = { .tid = tid };

	return n ? bsearch(&key, all, n, sizeof(key), compare_ids) : NULL;
}

/* All of it, if the id is another task's by now. */
static struct task_usage usage_since(const struct task_usage *before, const struct task_usage *now)
{
	struct task_usage used = *now;

	if (!before || now->run_ns < before->run_ns || now->delay_ns < before->delay_ns || now->waits < before->waits)
		return used;
	used.run_ns -= before->run_ns;
	used.delay_ns -= before->delay_ns;
	used.waits -= before->waits;
	return used;
}

/* Takes the exits that have been heard of: before the living tasks are listed. 0 or -errno. */
static int drain(struct top_sampler *sampler, uint64_t *lost)
{
	struct task_usage one, *all;
	int r;

	sampler->n_ended = 0;
	while ((r = usage_next_exit(sampler->source, &one)) != 0) {
		*lost += r == -ENOBUFS;
		if (r == -ENOBUFS)
			continue;
		if (r < 0)
			return r;
		/* Room for powers of two. */
		if (!(sampler->n_ended & (sampler->n_ended - 1))) {
			all = reallocarray(sampler->ended, sampler->n_ended * 2 + 1, sizeof(*all));
			if (!all)
				return -ENOMEM;
			sampler->ended = all;
		}
		sampler->ended[sampler->n_ended++] = one;
	}
	if (sampler->n_ended)
		qsort(sampler->ended, sampler->n_ended, sizeof(one), compare_usages);
	return 0;
}

static const struct task_row *find_row(const struct task_row *rows, size_t n, pid_t tid)
{
	const struct task_row key = { .tid = tid };

	return n ? bsearch(&key, rows, n, sizeof(key), task_rows_compare_tids) : NULL;
}

/* One that has ended: as the daemon has it, if it still knows it. */
static struct task_row row_of_ended(const struct tasks *tasks, const struct task_usage *ended)
{
	const struct task_row *known = find_row(tasks->rows, tasks->n_rows, ended->tid);
	struct task_row row = known ? *known : (struct task_row){ .tid = ended->tid, .tgid = ended->tgid };

	row.tasks = 0;
	row.ended = 1;
	row.usage = *ended;
	return row;
}

static bool is_living(const struct tasks *tasks, pid_t tid)
{
	const struct task_row *row = find_row(tasks->rows, tasks->n_rows, tid);

	return row && row->usage.tid;
}

/*
 * What each task, living or not, has used, by tid; and what it had used so far, for the next frame, in which one that has
 * ended and is not buried yet is there once more.
 */
static int make_rows(struct top_sampler *sampler, struct top_frame *frame)
{
	const struct tasks *tasks = &sampler->tasks;
	const size_t room = tasks->n_rows + sampler->n_ended;
	struct task_usage *last = calloc(room + 1, sizeof(*last));
	size_t n = 0, n_last = 0;

	frame->tasks = calloc(room + 1, sizeof(*frame->tasks));
	if (!last || !frame->tasks) {
		free(last);
		return -ENOMEM;
	}
	for (size_t i = 0; i < room; i++) {
		const bool ended = i >= tasks->n_rows;
		const struct task_row row = ended ? row_of_ended(tasks, &sampler->ended[i - tasks->n_rows]) : tasks->rows[i];
		const struct task_usage *before = ended ? NULL : find(sampler->ended, sampler->n_ended, row.tid);

		if (!row.usage.tid)
			continue;
		if (!before)
			before = find(sampler->last, sampler->n_last, row.tid);
		if (!ended || !is_living(tasks, row.tid))
			last[n_last++] = row.usage;
		frame->tasks[n] = row;
		/* What a task has used before the first frame is not counted. */
		frame->tasks[n].usage = usage_since(sampler->looked_at_ns ? before : &row.usage, &row.usage);
		n++;
	}
	frame->n_tasks = n;
	if (n) {
		qsort(last, n_last, sizeof(*last), compare_usages);
		qsort(frame->tasks, n, sizeof(*frame->tasks), task_rows_compare_tids);
	}
	free(sampler->last);
	sampler->last = last;
	sampler->n_last = n_last;
	return 0;
}

/* ---- sums ---- */

/* Of the first living one, if there is any, which can be explained. */
static void add(struct task_row *to, const struct task_row *one)
{
	if (!to->tasks && one->tasks) {
		to->tid = one->tid;
		to->tgid = one->tgid;
	}
	task_row_add(to, one);
}

/* A thread may have a name of its own; what its process is called is the leader's. */
static void name_by_leader(struct top_frame *frame)
{
	for (size_t i = 0; i < frame->n_tasks; i++) {
		struct task_row *row = &frame->tasks[i];
		const struct task_row *leader = find_row(frame->tasks, frame->n_tasks, row->tgid);

		if (leader && leader != row)
			memcpy(row->usage.comm, leader->usage.comm, sizeof(row->usage.comm));
	}
}

static void keep(struct top_frame *frame, const struct task_filter *filter)
{
	size_t count = 0;

	for (size_t i = 0; i < frame->n_tasks; i++) {
		if (!task_filter_keeps(filter, &frame->tasks[i], frame->tasks[i].usage.comm))
			continue;
		frame->tasks[count++] = frame->tasks[i];
		add(&frame->all, &frame->tasks[i]);
	}
	frame->n_tasks = count;
}

/* Those of no class, or of none that is known, come last. */
static void add_classes(const struct tasks *tasks, struct top_frame *frame)
{
	for (size_t i = 0; i < tasks->n_classes; i++)
		frame->classes[i].class = tasks->classes[i];
	frame->n_classes = tasks->n_classes + 1;
	for (size_t i = 0; i < frame->n_tasks; i++) {
		const struct task_row *task = &frame->tasks[i];

		add(&frame->classes[task->class ? task->rank : tasks->n_classes], task);
	}
}

static void add_apps(struct top_frame *frame)
{
	top_sort(frame->tasks, frame->n_tasks, TOP_BY_NAME);
	for (size_t i = 0; i < frame->n_tasks; i++) {
		const struct task_row *task = &frame->tasks[i];

		if (!frame->n_apps || compare_apps(task, &frame->apps[frame->n_apps - 1]) != 0)
			frame->apps[frame->n_apps++] = *task;
		else
			add(&frame->apps[frame->n_apps - 1], task);
	}
}

static int add_up(const struct tasks *tasks, const struct task_filter *filter, struct top_frame *frame)
{
	name_by_leader(frame);
	keep(frame, filter);
	frame->apps = calloc(frame->n_tasks + 1, sizeof(*frame->apps));
	frame->classes = calloc(tasks->n_classes + 1, sizeof(*frame->classes));
	if (!frame->apps || !frame->classes)
		return -ENOMEM;
	add_classes(tasks, frame);
	add_apps(frame);
	return 0;
}

/* The living ones: those that have ended are heard of. */
static int read_living(struct top_sampler *sampler)
{
	struct tasks *tasks = &sampler->tasks;
	int r = usage_read(sampler->source, tasks->rows, tasks->n_rows);

	for (size_t i = 0; i < tasks->n_rows; i++) {
		if (tasks->rows[i].flags & BUS_TASK_ENDED)
			tasks->rows[i].usage.tid = 0;
	}
	return r;
}

int top_frame_next(struct top_sampler *sampler, sd_bus *bus, const struct task_filter *filter, struct top_frame *frame)
{
	uint64_t lost = 0;
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int r = drain(sampler, &lost);

	top_frame_clear(frame);
	tasks_clear(&sampler->tasks);
	if (r < 0)
		log_error("hearing of tasks that end: %s", strerror(-r));
	if (r == 0)
		r = tasks_read(bus, true, &sampler->tasks);
	if (r == 0)
		r = read_living(sampler);
	if (r < 0)
		return r;
	frame->ns = sampler->looked_at_ns ? now - sampler->looked_at_ns : 0;
	frame->lost = lost;
	r = make_rows(sampler, frame);
	if (r == 0)
		r = add_up(&sampler->tasks, filter, frame);
	sampler->looked_at_ns = now;
	if (r < 0)
		log_error("%s", strerror(-r));
	return r;
}

void top_frame_clear(struct top_frame *frame)
{
	free(frame->tasks);
	free(frame->apps);
	free(frame->classes);
	*frame = (struct top_frame){ 0 };
}

void top_sampler_clear(struct top_sampler *sampler)
{
	usage_close(sampler->source);
	tasks_clear(&sampler->tasks);
	free(sampler->last);
	free(sampler->ended);
}
