/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine's tasks for list, as the daemon has them. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <systemd/sd-bus.h>

/* A task, or several that are shown as one. The strings are those of struct tasks. */
struct task_row {
	pid_t tid, tgid;
	const char *class;  /* NULL: none */
	const char *app;    /* its rule's pattern, escaped; NULL: none */
	const char *reason;
	uint16_t rank;	    /* of its class, 0 being the highest; BUS_NO_CLASS: none */
	int16_t nice;
	uint32_t slice_ns; /* what it carries; 0: the base slice */
	uint8_t policy;	   /* the kernel's number */
	uint8_t flags;	   /* enum bus_task_flag */
	/* For whoever shows it to fill in: its user, parent and name, raw; what all that it stands for have used. */
	uid_t uid;
	pid_t ppid;
	char comm[16];
	size_t tasks, differ, refused;
	uint64_t run_ns, delay_ns, waits;
};

/* Starts as all zeroes. */
struct tasks {
	sd_bus_message *reply;
	struct task_row *rows; /* by tid */
	size_t n_rows;
	const char **classes; /* the highest first */
	size_t n_classes;
	const char **reasons;
	size_t n_reasons;
};

/* Asks the daemon for all. 0, or -errno after logging. */
int tasks_read(struct tasks *ret);
void tasks_clear(struct tasks *tasks);

/* What this task has used since its beginning, as far as the kernel says. */
void task_row_read_use(int proc, struct task_row *row);

/* 0: they are shown as one. */
typedef int task_row_compare(const struct task_row *a, const struct task_row *b);

/*
 * Sorts rows, and makes one of those that are equal, which is that of a leader if one is among them. Returns their
 * number.
 */
size_t task_rows_merge(struct task_row *rows, size_t count, task_row_compare *compare);

/* For sorting; no text comes last. */
int task_text_compare(const char *a, const char *b);
#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))
