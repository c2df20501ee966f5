/* SPDX-License-Identifier: GPL-2.0-only */
/* Fetches what tasks have used, as the daemon counts it, and subtracts two such answers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cjson/cJSON.h>

/* A class, or the tasks of one class that belong to the same app. The texts belong to the answer, and are escaped. */
struct use_line {
	const char *class;	/* NULL: none */
	const char *kind;	/* "rule", "program", "kernel", "others" or "lost" */
	const char *name;	/* of the rule or program; NULL if none */
	const char *visibility; /* "visible", "hidden" or "focused" */
	/* of the class, 0 is the highest; tasks without a class come last */
	size_t rank;
	pid_t example;
	uint64_t living, ended; /* tasks that live now; tasks that ended */
	uint64_t cpu_us, ending_us, run_us, delay_us, waits;
	uint64_t longest_us;
};

struct use_lines {
	struct use_line *lines;
	size_t count;
};

/* The daemon's answer. Starts as all zeroes. */
struct use_answer {
	cJSON *json;
	struct use_lines apps; /* each app once */
};

/*
 * Asks the daemon, which counts from the first call until this program ends. Returns 0; or an exit status after logging
 * the reason.
 */
int use_ask(struct use_answer *ret);
void use_clear(struct use_answer *answer);

/*
 * Returns the use between two answers: apps that lived or ended in between, in new memory for the caller to free. Their
 * texts belong to the later answer. `lines` is NULL if out of memory.
 */
struct use_lines use_between(const struct use_answer *before, const struct use_answer *now);

/* Adds up the use of apps by class, the highest first. The caller frees `lines`, which is NULL if out of memory. */
struct use_lines use_by_class(const struct use_lines *apps);
