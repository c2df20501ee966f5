/* SPDX-License-Identifier: GPL-2.0-only */
/* The scheduling attributes that a task carries, small enough for the plan to keep several for each task. */
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

/* Range of the custom slice in ns. The kernel silently clamps a slice to it (fair.c, since 6.12). */
#define SLICE_MIN_NS 100000U
#define SLICE_MAX_NS 100000000U

/* The kernel's I/O classes, by its numbers (include/uapi/linux/ioprio.h). */
enum io_class {
	IO_CLASS_NONE = 0, /* not chosen: nice and policy decide */
	IO_CLASS_REALTIME = 1,
	IO_CLASS_BEST_EFFORT = 2,
	IO_CLASS_IDLE = 3,
};

/* Levels of IO_CLASS_REALTIME and IO_CLASS_BEST_EFFORT; 0 is the highest. */
#define IO_LEVELS 8
#define IO_LEVEL_DEFAULT 4

/*
 * An I/O priority in one byte, 0 for none: 2 bits class, 3 bits hint, 3 bits level. The hint is the kernel's hint to
 * the device, 0..7; we never change the hint alone.
 */
#define IO_PRIORITY(class, level) ((uint8_t)((class) << 6 | (level)))
#define IO_CLASS(io_priority) ((enum io_class)((io_priority) >> 6))
#define IO_LEVEL(io_priority) ((io_priority) & 7)

struct task_attr {
	uint8_t policy : 4;	   /* enum task_policy */
	uint8_t reset_on_fork : 4; /* 1: children start without these attributes */
	int8_t nice;		   /* -20..19; used by fair policies */
	uint8_t rt_priority;	   /* 1..99 for FIFO and RR, else 0 */
	uint8_t io_priority;	   /* IO_PRIORITY(); also 0 while no class gives one (see struct attr_caps) */
	uint32_t slice_ns;	   /* custom slice; 0: none, the kernel uses the base slice */
	uint16_t util_min;	   /* 0..1024 */
	uint16_t util_max;	   /* 0..1024; 1024: no clamp */
};
_Static_assert(sizeof(struct task_attr) == 12, "kept three times for every task");

/* The attributes that are judged one by one. The policy includes its real-time priority. */
enum task_attr_bit {
	TASK_ATTR_POLICY = 1 << 0,
	TASK_ATTR_NICE = 1 << 1,
	TASK_ATTR_SLICE = 1 << 2,
	TASK_ATTR_UTIL_MIN = 1 << 3,
	TASK_ATTR_UTIL_MAX = 1 << 4,
	TASK_ATTR_IO_PRIORITY = 1 << 5,
};

/* The attributes that this kernel supports, as probed at the start. */
struct attr_caps {
	bool slice;
	bool util_clamp;
	uint32_t base_slice_ns; /* slice in ns of a task without a custom slice; can change at any time */
	bool io_priority; /* false until a class first gives one: reading I/O priorities costs a system call */
};

/* The attributes of a task for which nobody chose any. */
extern const struct task_attr task_attr_pristine;

/* Returns whether the policy is SCHED_NORMAL, SCHED_BATCH or SCHED_IDLE. The plan leaves other tasks alone. */
static inline bool task_policy_is_fair(unsigned policy)
{
	return policy == POLICY_NORMAL || policy == POLICY_BATCH || policy == POLICY_IDLE;
}

/* A word of a configuration and its number in our structs. If two words have one number, we print the first. */
struct word {
	const char *text;
	int number;
};

/*
 * The words for enum task_policy, with SCHED_EXT last, because no class may have it; and for enum io_class, in the
 * order of the enum.
 */
extern const struct word task_policy_words[8], io_class_words[4];

/* Returns "SCHED_NORMAL" .. "SCHED_EXT", or "SCHED_?" for an unknown number. Static storage. */
const char *task_policy_name(unsigned policy);

/*
 * Returns the attributes that differ (enum task_attr_bit). If `actual` is not fair, its policy hides the slice, so the
 * slices count as equal.
 */
uint8_t attr_difference(const struct task_attr *actual, const struct task_attr *known);

/* Copies the attributes in bits (enum task_attr_bit). */
void attr_copy(struct task_attr *to, const struct task_attr *from, uint8_t bits);

/* Returns the precedence in the scheduler: 0 for fair tasks, the priority under FIFO and RR, 100 for SCHED_DEADLINE. */
int attr_rank(unsigned policy, unsigned priority);

/*
 * Returns the attributes of `attr` that take more privilege than those of `than` (enum task_attr_bit): a higher
 * real-time priority, any policy but SCHED_IDLE in place of SCHED_IDLE, a lower nice value, a higher real-time I/O
 * priority.
 */
uint8_t attr_above(const struct task_attr *attr, const struct task_attr *than);

/* Returns, for each attribute, the one that takes less privilege, or that of `a` if privilege does not decide. */
struct task_attr attr_least(const struct task_attr *a, const struct task_attr *b);

/*
 * Returns the attributes that the kernel gives a child of a task with these attributes; see reset-on-fork in
 * sched_fork, core.c.
 */
struct task_attr attr_after_fork(const struct task_attr *attr);

/* Returns whether all attributes are equal, including a hidden slice. Ignores reset_on_fork. */
bool task_attr_equal(const struct task_attr *a, const struct task_attr *b);

/* Returns whether nobody chose anything: SCHED_NORMAL, nice 0, no custom slice, clamps or I/O priority. */
bool task_attr_is_pristine(const struct task_attr *attr);

/* Returns "none", "realtime", "best-effort" or "idle", as in a configuration. Static storage. */
const char *io_class_name(enum io_class class);

/*
 * Returns whether a task needs privilege to change its I/O priority from `from` to `to`: only for a higher real-time
 * one. See ioprio_check_cap in block/ioprio.c.
 */
bool io_priority_is_privileged(uint8_t from, uint8_t to);

/*
 * Returns the place of the task's I/O among that of others: 0..7 for real time, 8..15 for best effort, 16 for idle. A
 * lower place comes first. If the task has no I/O priority, nice and policy decide (task_nice_ioclass and
 * task_nice_ioprio in include/linux/ioprio.h).
 */
unsigned task_io_order(const struct task_attr *attr);

/* Writes text such as "SCHED_BATCH nice 4 slice 20 ms util 0..256 io idle" into buf and returns buf. */
#define TASK_ATTR_TEXT_MAX 128
char *task_attr_text(const struct task_attr *attr, char buf[TASK_ATTR_TEXT_MAX]);
