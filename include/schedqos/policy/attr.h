/* SPDX-License-Identifier: GPL-2.0-only */
/* The scheduling attributes of one task, small enough to be kept for every task of a machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
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

struct task_attr {
	uint8_t policy;	       /* enum task_policy */
	int8_t nice;	       /* -20..19; fair policies */
	uint8_t rt_priority;   /* 1..99 for FIFO and RR, else 0 */
	uint8_t reset_on_fork; /* 1: children start without it; never changed by us */
	uint32_t slice_ns;     /* custom slice; 0: none, the base slice holds (see facts.h) */
	uint16_t util_min;     /* 0..1024 */
	uint16_t util_max;     /* 0..1024; 1024: no clamp */
};
_Static_assert(sizeof(struct task_attr) == 12, "kept twice for every task");

/* The attributes that are judged one by one. A policy includes its priority. */
enum task_attr_bit {
	TASK_ATTR_POLICY = 1 << 0,
	TASK_ATTR_NICE = 1 << 1,
	TASK_ATTR_SLICE = 1 << 2,
	TASK_ATTR_UTIL_MIN = 1 << 3,
	TASK_ATTR_UTIL_MAX = 1 << 4,
};

/* What this kernel can do, probed at start. */
struct attr_caps {
	bool slice;
	bool util_clamp;
	uint32_t base_slice_ns; /* the slice of a task without one of its own; it can change at any time */
};

/* What a task carries if nobody chose anything. */
extern const struct task_attr task_attr_pristine;

/* NORMAL, BATCH and IDLE: tasks under any other policy are left alone. */
bool task_policy_is_fair(unsigned policy);

/* "SCHED_NORMAL" .. "SCHED_EXT", or "SCHED_?" for a number unknown here. Static storage. */
const char *task_policy_name(unsigned policy);

/* Whether the two are equal; reset_on_fork does not count. */
bool task_attr_equal(const struct task_attr *a, const struct task_attr *b);

/* NORMAL, nice 0, no custom slice, no clamps: nobody chose anything. */
bool task_attr_is_pristine(const struct task_attr *attr);

/* Writes e.g. "SCHED_BATCH nice 4 slice 20 ms util 0..256" into buf; returns buf. */
#define TASK_ATTR_TEXT_MAX 96
char *task_attr_text(const struct task_attr *attr, char buf[TASK_ATTR_TEXT_MAX]);
