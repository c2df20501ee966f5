/* SPDX-License-Identifier: GPL-2.0-only */
/* One frame of `top`: what tasks have used since the last one, added up by class and by app. */
#pragma once

#include <schedqos/measure/sampler.h>

#include "task_list.h"
#include "task_filter.h"

enum top_key {
	TOP_BY_CPU,
	TOP_BY_DELAY, /* per second of running */
	TOP_BY_WAIT,  /* per wait */
	TOP_BY_TASKS,
	TOP_BY_NAME,
};
#define TOP_KEYS (TOP_BY_NAME + 1)

/* The key of that name, or -EINVAL. */
int top_key_find(const char *name);
const char *top_key_name(enum top_key key);

/* A sum: of a class, of an app, or one task. */
struct top_sum {
	const char *class;   /* NULL: none */
	const char *rule;    /* of an app: its pattern, escaped; NULL: none, then the program's name
				counts */
	const char *program; /* raw; NULL in a class's sum */
	pid_t tid, tgid;     /* of any of its tasks, a living one if there is one */
	size_t tasks, ended, refused, differ;
	uint64_t run_ns, delay_ns, waits;
};

/* Waiting for a CPU in ms for each second of running, and in us each time; 0 where it has not run,
 * or not waited. */
double top_delay_per_second(const struct top_sum *sum);
double top_delay_per_wait(const struct top_sum *sum);

struct top_frame {
	struct sample_frame samples;
	struct top_sum *tasks; /* one for each sample that is shown */
	size_t n_tasks;
	struct top_sum *classes; /* the highest first, those without tasks too, unless filtered */
	size_t n_classes;
	struct top_sum *apps; /* by class and app */
	size_t n_apps;
	struct top_sum all;
};

/* Fills in the sums of the tasks that the filter keeps. list is sorted by tid. The strings are its,
 * or the samples'. */
int top_frame_make(struct task_list *list, const struct sample_frame *samples,
		   const struct task_filter *filter, struct top_frame *ret);
void top_frame_clear(struct top_frame *frame);

void top_sort(struct top_sum *sums, size_t n, enum top_key key);

/* Whether the task is one of the app's. */
bool top_is_of(const struct top_sum *task, const struct top_sum *app);
