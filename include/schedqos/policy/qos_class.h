/* SPDX-License-Identifier: GPL-2.0-only */
/* A QoS class is a name for a set of scheduling attributes. The plan computes from it what a task is to carry. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <schedqos/policy/source.h>
#include <schedqos/policy/task_attr.h>

#define QOS_PREFIX "QOS_"
#define QOS_DEFAULT_NAME "QOS_DEFAULT"

/* Period of the application for which the slices of a mapping are meant, as upstream plans it. */
#define QOS_DEFAULT_PERIOD_NS 16000000ULL

enum qos_has {
	QOS_HAS_POLICY = 1 << 0,
	QOS_HAS_NICE = 1 << 1,
	QOS_HAS_PRIORITY = 1 << 2,
	QOS_HAS_RUNTIME = 1 << 3,
	QOS_HAS_DEADLINE = 1 << 4,
	QOS_HAS_PERIOD = 1 << 5,
	QOS_HAS_UTIL_MIN = 1 << 6,
	QOS_HAS_UTIL_MAX = 1 << 7,
	QOS_HAS_IO_CLASS = 1 << 8,
	QOS_HAS_IO_LEVEL = 1 << 9, /* only together with QOS_HAS_IO_CLASS */
};

/* The attributes of a class. The class does not change an attribute whose bit is missing in `has`. */
struct qos_attr {
	uint16_t has; /* enum qos_has */
	uint8_t policy;
	int8_t nice;
	uint8_t priority;
	uint8_t io_class; /* enum io_class */
	uint8_t io_level; /* 0..7, 0 is the highest; IO_LEVEL_DEFAULT if not in `has` */
	uint16_t util_min, util_max;
	uint64_t runtime;  /* ns; fair: the custom slice, 0 for none; SCHED_DEADLINE: the budget */
	uint64_t deadline; /* ns; SCHED_DEADLINE only */
	uint64_t period;   /* ns; SCHED_DEADLINE only */
};

struct qos_class {
	const char *name;
	struct qos_attr attr;
	struct source source; /* place of the last definition, which may have changed an earlier one */
};

/* The announcement's mapping: the five classes that exist without a configuration. */
#define QOS_BUILTIN_COUNT 5
extern const struct qos_class qos_builtin[QOS_BUILTIN_COUNT];

/* Returns the class of that name, or NULL. */
const struct qos_class *qos_class_find(const struct qos_class *classes, size_t n_classes, const char *name);

/* Returns whether both have the same attributes with the same values. */
bool qos_attr_equal(const struct qos_attr *a, const struct qos_attr *b);

/*
 * Returns `base` with the attributes that `over` has in place of its own. If `over` changes the kind of policy (fair,
 * real-time, deadline), drops the attributes of `base` that have no meaning for the new kind. If `over` has an I/O
 * class, drops the I/O level of `base`.
 */
struct qos_attr qos_attr_merge(const struct qos_attr *base, const struct qos_attr *over);

/*
 * Scales attributes to an application with this period (ns; 0: not known, returns them unchanged). The slice of a fair
 * class becomes runtime * period / 16 ms, within SLICE_MIN_NS..SLICE_MAX_NS. All else stays.
 */
struct qos_attr qos_attr_scale(const struct qos_attr *attr, uint64_t period_ns);

/*
 * Returns the attributes that take privilege (enum task_attr_bit): a nice value below 0, a real-time or deadline
 * policy, real-time I/O. Every user may choose slices, clamps and SCHED_BATCH. See user_check_sched_setscheduler in
 * kernel/sched/syscalls.c, and block/ioprio.c.
 */
uint8_t qos_attr_privileged(const struct qos_attr *attr);

/*
 * Returns the attributes that a class gives a task with this `had`: `had` with the attributes of the class in place of
 * its own, except those that the kernel lacks. Keeps reset_on_fork, but sets it for SCHED_DEADLINE, because such a task
 * cannot fork without it.
 */
struct task_attr qos_attr_over(const struct qos_attr *attr, const struct task_attr *had,
			       const struct attr_caps *caps);

/*
 * Limits a task to these attributes: lowers each attribute that is higher, and raises none. SCHED_BATCH is lower than
 * SCHED_NORMAL, and a longer slice is lower than a shorter one. Does nothing unless both policies are fair.
 */
void task_attr_limit(const struct task_attr *most, const struct attr_caps *caps, struct task_attr *task);

/* The same with the attributes that the class names. A SCHED_EXT task counts as SCHED_NORMAL, and becomes it. */
void qos_attr_limit(const struct qos_attr *attr, const struct attr_caps *caps, struct task_attr *task);

/* Returns the attributes that a class gives a pristine task on a kernel that supports all of them. */
struct task_attr qos_attr_alone(const struct qos_attr *attr);

/* ---- the most that classes have given since the last start that did not follow a crash ---- */

/*
 * Bounds for the judgement. An attribute beyond the bounds cannot come from a class, so somebody with privilege chose
 * it.
 */
struct given {
	int8_t lowest_nice;   /* lowest nice value of any class, else GIVEN_NICE_NONE */
	uint8_t highest_rank; /* highest attr_rank of any class */
	uint8_t highest_io;   /* highest real-time I/O priority of any class, else 0 */
	int8_t raised_nice;   /* highest nice value in the `had` of a task that a class gave a lower one, else -20 */
	bool has_io_priority; /* some class has an I/O class */
	bool raised_idle;     /* a class has taken a task out of SCHED_IDLE */
};
#define GIVEN_NICE_NONE 20

void given_init(struct given *given);

/* Notes the attributes of a class. */
void given_add(struct given *given, const struct qos_attr *attr);

/* Notes that a task with this `had` carries these attributes by its class. */
void given_note_raise(struct given *given, const struct task_attr *had, const struct task_attr *carries);

/*
 * Lowers the `had` of a task whose parent is unknown. A class may have raised that parent, so `had` must be no more
 * than the `had` of any task that a class has raised.
 */
void given_lower(const struct given *given, const struct task_attr *carries, struct task_attr *had);
