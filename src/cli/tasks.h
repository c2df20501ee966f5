/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine's tasks for list and top: what the daemon says of each, what it has used, and which of them to show. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <systemd/sd-bus.h>

#include <schedqos/kernel/taskstats.h>

#include "verb.h"

/* A task, or several that are shown as one. The strings are those of struct tasks. */
struct task_row {
	pid_t tid, tgid;
	const char *class;  /* NULL: none */
	const char *app;    /* its rule's pattern, escaped; NULL: none */
	const char *reason; /* NULL: the daemon does not know the task */
	uint16_t rank;	    /* of its class, 0 being the highest; BUS_NO_CLASS: none */
	int16_t nice;
	uint32_t slice_ns; /* what it carries; 0: the base slice */
	uint8_t policy;	   /* the kernel's number */
	uint8_t flags;	   /* enum bus_task_flag */
	/* What it stands for. */
	size_t tasks, ended, differ, refused;
	struct task_usage usage; /* of all of them; names, user and parent are the first one's */
};

/* Starts as all zeroes. */
struct tasks {
	sd_bus_message *reply;
	struct task_row *rows;
	size_t n_rows;
	const char **classes; /* the highest first */
	size_t n_classes;
	const char **reasons;
	size_t n_reasons;
};

/*
 * Asks the daemon for all, with_ended also for those that have ended, as far as they are known. By tid, with nothing
 * used. 0, or -errno after logging.
 */
int tasks_read(sd_bus *bus, bool with_ended, struct tasks *ret);
void tasks_clear(struct tasks *tasks);

/* ---- rows, in task_rows.c ---- */

/* For sorting and searching by tid. */
int task_rows_compare_tids(const void *a, const void *b);

/* One more that a row stands for. */
void task_row_add(struct task_row *row, const struct task_row *one);

/* For sorting; no text comes last. */
int task_text_compare(const char *a, const char *b);

/* Joins threads of a process that agree in everything that list shows into one row, the leader's if it is one of them. */
void task_rows_join(struct task_row *rows, size_t *n);

/* By class, the highest first, rule, process. */
void task_rows_sort(struct task_row *rows, size_t n);

/* ---- what they have used ---- */

/* From taskstats, or else from /proc, which says nothing of tasks that have ended. */
struct usage_source;

/* with_exits: hears of tasks that end, if it can. 0, or -errno after logging; usage_close(NULL) does nothing. */
int usage_open(bool with_exits, struct usage_source **ret);
void usage_close(struct usage_source *source);

/* Fills in the rows' usage since each task's beginning; one that is gone has usage.tid 0. 0, or -errno after logging. */
int usage_read(struct usage_source *source, struct task_row *rows, size_t n);

/* Whether usage_next_exit hears of anything; and the next that has ended, as taskstats_next_exit. */
bool usage_hears_exits(const struct usage_source *source);
int usage_next_exit(struct usage_source *source, struct task_usage *ret);

/* ---- which ---- */

/* NULL and false: all. The strings are those of the command line. */
struct task_filter {
	const char *class, *app, *reason, *user;
	bool left_alone, differs;
	uid_t uid; /* of user */
};

/* From the command line. 0, or EXIT_USAGE after saying that there is no such user. */
int task_filter_parse(const struct command *command, struct task_filter *ret);

/* Whether there are such classes and reasons. 0, or EXIT_USAGE after saying what may have been meant. */
int task_filter_check(const struct task_filter *filter, const struct tasks *tasks, const struct verb *verb);

/* program: its name, raw. */
bool task_filter_keeps(const struct task_filter *filter, const struct task_row *row, const char *program);
