/* SPDX-License-Identifier: GPL-2.0-only */
/* The scheduling attributes of a task, and a QoS class: a name for those that a role deserves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what a task carries, small enough to be kept for every task of a machine ---- */

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

/* ---- a place in the configuration ---- */

struct source {
	uint32_t line;	 /* from 1; 0: built in, no file */
	uint16_t column; /* from 1, in bytes */
	uint16_t file;	 /* index into the configuration's files; later files override earlier ones */
};

/* Later files first, then earlier lines: negative, 0 or positive as for qsort. */
static inline int source_compare(const struct source *a, const struct source *b)
{
	if (a->file != b->file)
		return a->file > b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->column > b->column) - (a->column < b->column);
}

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
	QOS_RAISED = 1 << 15,	   /* no class, and it gives nothing: see given_note_raise */
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
 * Lowers each attribute that is more than a limit to this class allows, and raises none: SCHED_BATCH counts as less than
 * SCHED_NORMAL, and a longer slice as less than a shorter one. Does nothing if the class or the task is not fair.
 */
void qos_attr_limit(const struct qos_attr *attr, const struct attr_caps *caps, struct task_attr *task);

/* What a pristine task is to carry with it, where the kernel lacks nothing. */
struct task_attr qos_attr_alone(const struct qos_attr *attr);

/* ---- what classes have given since the last start after a boot or stop: what a task carries may be ours by one of
 * these ---- */

struct given {
	struct qos_attr *attrs; /* each once; NULL when there are none */
	size_t count;
	int8_t lowest_nice; /* of any of them, else GIVEN_NICE_NONE */
	int highest_rank;   /* of any of them: see attr_rank */
	bool has_io_priority; /* any of them has an I/O class */
	uint8_t highest_io;   /* the highest real-time I/O priority of any of them, else 0 */
	int8_t raised_nice;   /* the highest `had` above which a class was ever put on a task, else -20 */
	bool raised_idle;     /* a class has taken a task out of SCHED_IDLE */
};
#define GIVEN_NICE_NONE 20

void given_init(struct given *given);

/* Adds attr if it is not there yet. 0 or -ENOMEM. given_clear frees. */
int given_add(struct given *given, const struct qos_attr *attr);
void given_clear(struct given *given);

/*
 * A task that had this carries this by its class: so much privilege can be ours on others. It is kept among the
 * classes, so that it outlives us as these do.
 */
void given_note_raise(struct given *given, const struct task_attr *had, const struct task_attr *carries);

/*
 * Of a task that nobody knows who made: if a class can have given it what it carries, it had no more than whoever got
 * that.
 */
void given_lower(const struct given *given, const struct task_attr *carries, struct task_attr *had);

/*
 * Whether the task may carry something of a class: its slice; or its policy and nice value, if it has no slice and
 * takes privilege, or there are no slices here: what anybody may choose tells of nothing.
 */
bool given_fits(const struct given *given, const struct task_attr *carries, const struct attr_caps *caps);
