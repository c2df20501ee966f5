/* SPDX-License-Identifier: GPL-2.0-only */
#include "top_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* ---- keys ---- */

static const char *const key_names[TOP_KEYS] = {
	[TOP_BY_CPU] = "cpu",	  [TOP_BY_DELAY] = "delay", [TOP_BY_WAIT] = "wait",
	[TOP_BY_TASKS] = "tasks", [TOP_BY_NAME] = "name",
};

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

double top_delay_per_second(const struct top_sum *sum)
{
	return sum->run_ns ? (double)sum->delay_ns * 1e3 / (double)sum->run_ns : 0;
}

double top_delay_per_wait(const struct top_sum *sum)
{
	return sum->waits ? (double)sum->delay_ns / 1e3 / (double)sum->waits : 0;
}

static int compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return COMPARE(!a, !b);
	return strcmp(a, b);
}

static int compare_names(const struct top_sum *a, const struct top_sum *b)
{
	int order = compare_texts(a->rule, b->rule);

	/* The programs of a rule are one app. */
	if (!order && !a->rule)
		order = compare_texts(a->program, b->program);
	return order ? order : compare_texts(a->class, b->class);
}

static double value_of(const struct top_sum *sum, enum top_key key)
{
	switch (key) {
	case TOP_BY_CPU:
		return (double)sum->run_ns;
	case TOP_BY_DELAY:
		return top_delay_per_second(sum);
	case TOP_BY_WAIT:
		return top_delay_per_wait(sum);
	case TOP_BY_TASKS:
		return (double)sum->tasks;
	case TOP_BY_NAME:
		break;
	}
	return 0;
}

static int compare_sums(const void *a, const void *b, void *context)
{
	const enum top_key key = *(const enum top_key *)context;
	const struct top_sum *first = a, *second = b;
	int order = COMPARE(value_of(second, key), value_of(first, key));

	if (!order)
		order = compare_names(first, second);
	return order ? order : COMPARE(first->tid, second->tid);
}

void top_sort(struct top_sum *sums, size_t n, enum top_key key)
{
	if (n)
		qsort_r(sums, n, sizeof(*sums), compare_sums, &key);
}

bool top_is_of(const struct top_sum *task, const struct top_sum *app)
{
	return compare_names(task, app) == 0;
}

/* ---- sums ---- */

static void add(struct top_sum *to, const struct top_sum *one)
{
	if (!to->tasks && one->tasks) {
		to->tid = one->tid;
		to->tgid = one->tgid;
	}
	to->tasks += one->tasks;
	to->ended += one->ended;
	to->refused += one->refused;
	to->differ += one->differ;
	to->run_ns += one->run_ns;
	to->delay_ns += one->delay_ns;
	to->waits += one->waits;
}

static int compare_tids(const void *a, const void *b)
{
	return ((const struct listed_task *)a)->tid - ((const struct listed_task *)b)->tid;
}

static const struct listed_task *find_listed(const struct task_list *list, pid_t tid)
{
	const struct listed_task key = { .tid = tid };

	return bsearch(&key, list->tasks, list->n_tasks, sizeof(key), compare_tids);
}

static int compare_samples(const void *a, const void *b)
{
	return ((const struct sample *)a)->usage.tid - ((const struct sample *)b)->usage.tid;
}

/* A thread may have a name of its own; what its process is called is the leader's. */
static const char *program_of(const struct sample_frame *samples, const struct sample *sample,
			      pid_t tgid)
{
	const struct sample key = { .usage.tid = tgid };
	const struct sample *leader = NULL;

	if (tgid && tgid != sample->usage.tid)
		leader = bsearch(&key, samples->all, samples->count, sizeof(key), compare_samples);
	return leader ? leader->usage.comm : sample->usage.comm;
}

static struct top_sum sum_of(const struct task_list *list, const struct sample_frame *samples,
			     const struct sample *sample, const struct listed_task *task)
{
	const struct task_usage *usage = &sample->usage;
	struct top_sum sum = {
		.tid = usage->tid,
		.tgid = task ? task->tgid : usage->tgid,
		.tasks = !sample->has_ended,
		.ended = sample->has_ended,
		.run_ns = usage->run_ns,
		.delay_ns = usage->delay_ns,
		.waits = usage->waits,
	};

	sum.program = program_of(samples, sample, sum.tgid);
	if (!task)
		return sum;
	sum.class = task_list_class(list, task);
	sum.rule = task_list_app(list, task);
	sum.refused = strcmp(task_list_reason(list, task), "refused") == 0;
	sum.differ = (task->flags & BUS_TASK_DIFFERS) != 0;
	return sum;
}

static bool is_kept(const struct task_filter *filter, const struct task_list *list,
		    const struct listed_task *task, const struct top_sum *sum, uid_t uid)
{
	const bool by_daemon =
		filter->class || filter->reason || filter->left_alone || filter->differs;

	if (by_daemon && (!task || !task_filter_keeps(filter, list, task)))
		return false;
	return task_filter_keeps_named(filter, sum->rule, sum->program, uid);
}

static void make_tasks(const struct task_list *list, const struct task_filter *filter,
		       struct top_frame *frame)
{
	const struct sample_frame *samples = &frame->samples;

	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->all[i];
		const struct listed_task *task = find_listed(list, sample->usage.tid);
		struct top_sum sum = sum_of(list, samples, sample, task);

		if (!is_kept(filter, list, task, &sum, sample->usage.uid))
			continue;
		frame->tasks[frame->n_tasks++] = sum;
		add(&frame->all, &sum);
	}
}

/* Those of no class, or of none that is known, come last. */
static void make_classes(const struct task_list *list, struct top_frame *frame)
{
	for (size_t i = 0; i < list->n_classes; i++)
		frame->classes[i].class = list->classes[i];
	frame->n_classes = list->n_classes + 1;
	for (size_t i = 0; i < frame->n_tasks; i++) {
		size_t class = 0;

		while (class < list->n_classes && frame->tasks[i].class != list->classes[class])
			class ++;
		add(&frame->classes[class], &frame->tasks[i]);
	}
}

static void make_apps(struct top_frame *frame)
{
	top_sort(frame->tasks, frame->n_tasks, TOP_BY_NAME);
	for (size_t i = 0; i < frame->n_tasks; i++) {
		const struct top_sum *task = &frame->tasks[i];

		if (!frame->n_apps || !top_is_of(task, &frame->apps[frame->n_apps - 1]))
			frame->apps[frame->n_apps++] = (struct top_sum){
				.class = task->class,
				.rule = task->rule,
				.program = task->program,
				.tid = task->tid,
				.tgid = task->tgid,
			};
		add(&frame->apps[frame->n_apps - 1], task);
	}
}

int top_frame_make(struct task_list *list, const struct sample_frame *samples,
		   const struct task_filter *filter, struct top_frame *ret)
{
	*ret = (struct top_frame){ .samples = *samples };
	ret->tasks = calloc(samples->count + 1, sizeof(*ret->tasks));
	ret->apps = calloc(samples->count + 1, sizeof(*ret->apps));
	ret->classes = calloc(list->n_classes + 1, sizeof(*ret->classes));
	if (!ret->tasks || !ret->apps || !ret->classes) {
		top_frame_clear(ret);
		return -ENOMEM;
	}
	qsort(list->tasks, list->n_tasks, sizeof(*list->tasks), compare_tids);
	make_tasks(list, filter, ret);
	make_classes(list, ret);
	make_apps(ret);
	return 0;
}

void top_frame_clear(struct top_frame *frame)
{
	free(frame->tasks);
	free(frame->apps);
	free(frame->classes);
	*frame = (struct top_frame){ 0 };
}
