/* SPDX-License-Identifier: GPL-2.0-only */
/* What tasks use, as the daemon counts it: two answers and their difference. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cjson/cJSON.h>

/* A class, or the tasks of a class that are one app. The texts are those of the answer, and safe to show. */
struct use_line {
	const char *class;	/* NULL: none */
	const char *kind;	/* "rule", "program", "kernel", "others" or "lost" */
	const char *name;	/* of the rule or program, or NULL */
	const char *visibility; /* "visible", "hidden" or "focused" */
	size_t rank;		/* of the class, 0 being the highest; none comes last */
	pid_t example;
	uint64_t living, ended; /* tasks: that live now, and that have ended in between */
	uint64_t cpu_us, ending_us, run_us, delay_us, waits;
	uint64_t longest_us;
};

struct use_lines {
	struct use_line *lines;
	size_t count;
};

/* An answer. Starts as all zeroes. */
struct use_answer {
	cJSON *json;
	struct use_lines apps; /* each once */
};

/* Asks the daemon, which counts from now on until this program ends. 0, or an exit status after saying why. */
int use_ask(struct use_answer *ret);
void use_clear(struct use_answer *answer);

/*
 * The difference: the apps that have lived in between, in new memory, which the caller frees. Their texts are those of
 * the later answer. Without memory it is empty, with lines NULL.
 */
struct use_lines use_between(const struct use_answer *before, const struct use_answer *now);

/* The same by class, the highest first. Returns an empty one without memory; the caller frees the lines. */
struct use_lines use_by_class(const struct use_lines *apps);
