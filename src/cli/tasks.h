/* SPDX-License-Identifier: GPL-2.0-only */
/* Fetches the daemon's list of all tasks, for `schedqos list`. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <systemd/sd-bus.h>

/* A task, or several that are shown as one. The strings belong to struct task_list. */
struct task_row {
	pid_t tid, tgid;
	const char *class; /* NULL: none */
	const char *app;   /* its rule's pattern, escaped; NULL if none */
	const char *reason;
	uint16_t rank; /* its class's rank, 0 is the highest; BUS_NO_CLASS if none */
	int16_t nice;
	uint64_t slice_ns; /* its custom slice; 0 if it has the base slice */
	uint8_t policy;	   /* the kernel's number */
	uint8_t flags;	   /* enum bus_task_flag */
	/* For the caller to fill in: user, parent and name (raw), and the use of all tasks that this row stands for. */
	uid_t uid;
	pid_t ppid;
	char comm[16];
	size_t tasks, differ, refused;
	uint64_t run_ns, delay_ns, waits;
};

/* Starts as all zeroes. */
struct task_list {
	sd_bus_message *reply;
	struct task_row *rows; /* sorted by tid */
	size_t n_rows;
	const char **classes; /* highest first */
	size_t n_classes;
	const char **reasons;
	size_t n_reasons;
};

/* Asks the daemon for all tasks. Returns 0; or -errno after logging the reason. */
int tasks_read(struct task_list *ret);
void tasks_clear(struct task_list *tasks);

/* Reads the use of this task since it began; leaves it 0 if the kernel does not report it. */
void task_row_read_use(int proc, struct task_row *row);

/* Compares two rows; 0 means that they are shown as one. */
typedef int task_row_compare(const struct task_row *a, const struct task_row *b);

/*
 * Sorts the rows and merges equal ones into one, which is the leader's if it is among them. Returns the number of rows
 * left.
 */
size_t task_rows_merge(struct task_row *rows, size_t count, task_row_compare *compare);

/* Compares two texts for sorting; NULL comes last. */
int task_text_compare(const char *a, const char *b);
#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))
