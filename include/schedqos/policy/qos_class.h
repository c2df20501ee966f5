/* SPDX-License-Identifier: GPL-2.0-only */
/* A QoS class: a name for the scheduling attributes that a role deserves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <schedqos/policy/source.h>
#include <schedqos/policy/task_attr.h>

#define QOS_PREFIX "QOS_"
#define QOS_DEFAULT_NAME "QOS_DEFAULT"

/* The slices of a mapping are meant for an application with this period, as upstream plans it. */
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
	QOS_HAS_IO_LEVEL = 1 << 9, /* with QOS_HAS_IO_CLASS only */
};

/* The attributes of a class. One whose bit is not in `has` is left as the task has it. */
struct qos_attr {
	uint16_t has; /* enum qos_has */
	uint8_t policy;
	int8_t nice;
	uint8_t priority;
	uint8_t io_class; /* enum io_class */
	uint8_t io_level; /* 0..7; without it IO_LEVEL_DEFAULT */
	uint16_t util_min, util_max;
	uint64_t runtime;  /* ns; fair: the custom slice, 0 for none; DEADLINE: the budget */
	uint64_t deadline; /* ns; DEADLINE only */
	uint64_t period;   /* ns; DEADLINE only */
};

struct qos_class {
	const char *name;
	struct qos_attr attr;
	struct source source; /* where it was last defined or overridden */
};

/* The announcement's mapping: the five classes that exist without any configuration. */
#define QOS_BUILTIN_COUNT 5
extern const struct qos_class qos_builtin[QOS_BUILTIN_COUNT];

/* The class of that name, or NULL. */
const struct qos_class *qos_class_find(const struct qos_class *classes, size_t n_classes, const char *name);

/* Whether both have the same attributes, with the same values. */
bool qos_attr_equal(const struct qos_attr *a, const struct qos_attr *b);

/*
 * Merges `over` into `base`: attributes that over has win. If over changes the kind of policy (fair,
 * real-time, deadline), base's attributes that mean nothing to the new kind are dropped. If over has an I/O class,
 * base's level is dropped.
 */
struct qos_attr qos_attr_merge(const struct qos_attr *base, const struct qos_attr *over);

/*
 * The class's attributes for an application with the given period (ns, 0: not known). A fair class's
 * slice becomes runtime * period / 16 ms, kept within SLICE_MIN_NS..SLICE_MAX_NS; others stay.
 */
struct qos_attr qos_attr_scale(const struct qos_attr *attr, uint64_t period_ns);

/*
 * What of it takes privilege, as enum task_attr_bit (user_check_sched_setscheduler in kernel/sched/syscalls.c,
 * block/ioprio.c): a nice value below 0, a real-time or deadline policy, real-time I/O. Slices, clamps and SCHED_BATCH
 * anybody may choose.
 */
uint8_t qos_attr_raises(const struct qos_attr *attr);

/*
 * What a task that had `had` is to carry with the class: attr's attributes, except those that the kernel lacks,
 * in place of had's. reset_on_fork stays had's, but is 1 for DEADLINE, which otherwise cannot fork.
 */
struct task_attr qos_attr_over(const struct qos_attr *attr, const struct task_attr *had,
			       const struct attr_caps *caps);

/*
 * Lowers each attribute that is more than a limit to this class allows, and raises none. SCHED_BATCH is less than
 * SCHED_NORMAL, and a longer slice is less than a shorter one. Does nothing if the class or the task is not fair.
 */
void qos_attr_limit(const struct qos_attr *attr, const struct attr_caps *caps, struct task_attr *task);

/* What a pristine task is to carry with it, where the kernel lacks nothing. */
struct task_attr qos_attr_alone(const struct qos_attr *attr);

/* ---- what classes have given since the last start that did not follow a crash: what others cannot have taken ---- */

struct given {
	int8_t lowest_nice;   /* of any class, else GIVEN_NICE_NONE */
	uint8_t highest_rank; /* of any class: see attr_rank */
	uint8_t highest_io;   /* the highest real-time I/O priority of any class, else 0 */
	int8_t raised_nice;   /* the highest `had` above which a class was ever put on a task, else -20 */
	bool has_io_priority; /* any class has an I/O class */
	bool raised_idle;     /* a class has taken a task out of SCHED_IDLE */
};
#define GIVEN_NICE_NONE 20

void given_init(struct given *given);

/* Notes the attributes of a class. */
void given_add(struct given *given, const struct qos_attr *attr);

/* Notes that a task which had this carries that by its class. */
void given_note_raise(struct given *given, const struct task_attr *had, const struct task_attr *carries);

/* Lowers the `had` of a task that may be anybody's child: it had no more than any task that a class has raised. */
void given_lower(const struct given *given, const struct task_attr *carries, struct task_attr *had);
