/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each task has used since the last look, those included that were born and have ended in
 * between. A look costs 2.2 us a task (6.18, taskstats).
 */
#pragma once

#include <schedqos/measure/usage.h>

/* A task, and what it has used in the interval. */
struct sample {
	struct task_usage usage;
	bool has_ended;
};

/* Each array is sorted by tid; an id that was used twice is there twice. */
struct sample_frame {
	struct sample *all;
	size_t count;
	uint64_t ns;	/* the interval; 0 for the first look, in which nothing has been used yet */
	uint64_t exits; /* tasks that ended in it */
	uint64_t lost;	/* times that the kernel dropped exits */
};

struct sampler;

/* Returns 0 or -errno, as usage_open. */
int sampler_open(struct sampler **ret);
void sampler_free(struct sampler *sampler);

/* Whether tasks that end between two looks are counted. */
bool sampler_hears_exits(const struct sampler *sampler);

/* Takes the exits that have been heard of. To be called before the living tasks are listed. 0 or
 * -errno. */
int sampler_drain(struct sampler *sampler);

/* Looks at these tasks, now being CLOCK_MONOTONIC in ns. The frame lives until the next look. 0 or
 * -errno. */
int sampler_look(struct sampler *sampler, const pid_t *living, size_t n, uint64_t now,
		 struct sample_frame *ret);

/* What was used between two readings of a task; all of the later one if the id is another task's by
 * now. */
struct task_usage usage_between(const struct task_usage *before, const struct task_usage *now);
