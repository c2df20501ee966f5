/* SPDX-License-Identifier: GPL-2.0-only */
/* The scheduling attributes that a task carries, small enough to be kept for every task of a machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The kernel's policies, by its numbers (include/uapi/linux/sched.h), under names of our own. */
enum task_policy {
	POLICY_NORMAL = 0,
	POLICY_FIFO = 1,
	POLICY_RR = 2,
	POLICY_BATCH = 3,
	POLICY_IDLE = 5,
	POLICY_DEADLINE = 6,
	POLICY_EXT = 7,
};

/* util_max of a task that has no clamp (SCHED_CAPACITY_SCALE). */
#define UTIL_FULL 1024

/* The custom slice the kernel accepts, in ns; it clamps silently (fair.c, since 6.12). */
#define SLICE_MIN_NS 100000U
#define SLICE_MAX_NS 100000000U

/* The kernel's I/O classes, by its numbers (include/uapi/linux/ioprio.h). */
enum io_class {
	IO_CLASS_NONE = 0, /* nothing chosen: nice and policy decide */
	IO_CLASS_REALTIME = 1,
	IO_CLASS_BEST_EFFORT = 2,
	IO_CLASS_IDLE = 3,
};

/* Levels of IO_CLASS_REALTIME and IO_CLASS_BEST_EFFORT; 0 is the highest. */
#define IO_LEVELS 8
#define IO_LEVEL_DEFAULT 4

/*
 * An I/O priority in one byte: the class, the kernel's hint to the device (0..7, all that it defines; never changed by
 * itself), the level. 0: none.
 */
#define IO_PRIORITY(class, level) ((uint8_t)((class) << 6 | (level)))
#define IO_CLASS(io_priority) ((enum io_class)((io_priority) >> 6))
#define IO_LEVEL(io_priority) ((io_priority) & 7)

struct task_attr {
	uint8_t policy : 4;	   /* enum task_policy */
	uint8_t reset_on_fork : 4; /* 1: children start without it; never changed by us */
	int8_t nice;		   /* -20..19; fair policies */
	uint8_t rt_priority;	   /* 1..99 for FIFO and RR, else 0 */
	uint8_t io_priority;	   /* IO_PRIORITY(); 0 as well if no class of ours gives one (see struct attr_caps) */
	uint32_t slice_ns;	   /* custom slice; 0: none, the base slice holds (see struct facts) */
	uint16_t util_min;	   /* 0..1024 */
	uint16_t util_max;	   /* 0..1024; 1024: no clamp */
};
_Static_assert(sizeof(struct task_attr) == 12, "kept twice for every task");

/* The attributes that are judged one by one. A policy includes its priority. */
enum task_attr_bit {
	TASK_ATTR_POLICY = 1 << 0,
	TASK_ATTR_NICE = 1 << 1,
	TASK_ATTR_SLICE = 1 << 2,
	TASK_ATTR_UTIL_MIN = 1 << 3,
	TASK_ATTR_UTIL_MAX = 1 << 4,
	TASK_ATTR_IO_PRIORITY = 1 << 5,
};

/* What this kernel can do, probed at start. */
struct attr_caps {
	bool slice;
	bool util_clamp;
	uint32_t base_slice_ns; /* the slice of a task without one of its own; it can change at any time */
	bool io_priority; /* from when a class first gives one: until then none is read, which would cost a call */
};

/* What a task carries if nobody chose anything. */
extern const struct task_attr task_attr_pristine;

/* NORMAL, BATCH and IDLE: tasks under any other policy are left alone. */
bool task_policy_is_fair(unsigned policy);

/* A word of a configuration, and what it is in a struct of ours. Of two words for one number the first is written. */
struct word {
	const char *text;
	int number;
};

/* enum task_policy, SCHED_EXT last, which no class may have; enum io_class, in its order */
extern const struct word task_policy_words[8], io_class_words[4];

/* "SCHED_NORMAL" .. "SCHED_EXT", or "SCHED_?" for a number unknown here. Static storage. */
const char *task_policy_name(unsigned policy);

/*
 * The attributes in which the two differ (enum task_attr_bit). What actual's policy hides (the slice of a task that
 * is not fair) counts as equal.
 */
uint8_t attr_difference(const struct task_attr *actual, const struct task_attr *known);

/* Copies the attributes that bits (enum task_attr_bit) name. */
void attr_copy(struct task_attr *to, const struct task_attr *from, uint8_t bits);

/* Precedence in the scheduler: 0 for fair tasks, the priority for real-time ones, 100 for SCHED_DEADLINE. */
int attr_rank(unsigned policy, unsigned priority);

/*
 * Which attributes of `attr` take more privilege than those of `than`: a higher real-time priority, any policy after
 * SCHED_IDLE, a lower nice value, a higher real-time I/O priority (enum task_attr_bit).
 */
uint8_t attr_above(const struct task_attr *attr, const struct task_attr *than);

/* Of each attribute the one that takes less privilege; a's, where that says nothing. */
struct task_attr attr_least(const struct task_attr *a, const struct task_attr *b);

/* What the kernel gives the child of a task that carries attr (sched_fork in core.c, with its reset-on-fork). */
struct task_attr attr_after_fork(const struct task_attr *attr);

/* Whether the two are equal; reset_on_fork does not count. */
bool task_attr_equal(const struct task_attr *a, const struct task_attr *b);

/* NORMAL, nice 0, no custom slice, no clamps, no I/O priority: nobody chose anything. */
bool task_attr_is_pristine(const struct task_attr *attr);

/* "none", "realtime", "best-effort", "idle", as in a configuration. Static storage. */
const char *io_class_name(enum io_class class);

/* Whether somebody who has `from` needs privilege for `to` (ioprio_check_cap in block/ioprio.c): only for real time. */
bool io_priority_is_privileged(uint8_t from, uint8_t to);

/*
 * Where the task's I/O comes among others: 0..7 for real time, 8..15 for best effort, 16 for idle. Where none is set,
 * nice and policy decide (task_nice_ioclass and task_nice_ioprio in include/linux/ioprio.h).
 */
unsigned task_io_order(const struct task_attr *attr);

/* Writes e.g. "SCHED_BATCH nice 4 slice 20 ms util 0..256 io idle" into buf; returns buf. */
#define TASK_ATTR_TEXT_MAX 128
char *task_attr_text(const struct task_attr *attr, char buf[TASK_ATTR_TEXT_MAX]);
