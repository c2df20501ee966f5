/* SPDX-License-Identifier: GPL-2.0-only */
/* What a listener does with an event: nothing, or the least that tagging takes. */
#pragma once

#include <stdint.h>

#include "bench.h"

#define TAGS_MAX 64

struct tag {
	char *name;
	struct bench_attr attr;
};

struct tagger {
	struct tag programs[TAGS_MAX], threads[TAGS_MAX];
	unsigned n_programs, n_threads;
	uint64_t set, races;
};

/* Adds "NAME=POLICY:NICE:SLICE_NS" to the list. Dies on anything else. */
void tagger_add(struct tag *list, unsigned *count, char *text);

/* One readlink, and one sched_setattr if it is a program of the list. */
void tagger_execed(struct tagger *tagger, pid_t pid);

/* One sched_setattr if it is a name of the list. */
void tagger_renamed(struct tagger *tagger, pid_t tid, const char *comm);
