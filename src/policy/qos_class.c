/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes what a task is to carry by a class or a limit, and keeps the bounds of the judgement. */
#include <schedqos/policy/qos_class.h>

#include <string.h>

#include <schedqos/util/cleanup.h>

/* ---- attributes of classes ---- */

enum policy_kind {
	KIND_FAIR,
	KIND_REAL_TIME,
	KIND_DEADLINE,
};

#define HAS_UTIL (QOS_HAS_UTIL_MIN | QOS_HAS_UTIL_MAX)
#define HAS_IO (QOS_HAS_IO_CLASS | QOS_HAS_IO_LEVEL)

#define BUILTIN(class_name, class_policy, class_nice, slice_ms, max)                               \
	{                                                                                          \
		.name = (class_name),                                                              \
		.attr = {                                                                          \
			.has = QOS_HAS_POLICY | QOS_HAS_NICE | QOS_HAS_RUNTIME | QOS_HAS_UTIL_MAX, \
			.policy = (class_policy),                                                  \
			.nice = (class_nice),                                                      \
			.runtime = (slice_ms)*1000000ULL,                                          \
			.util_max = (max),                                                         \
		},                                                                                 \
	}

const struct qos_class qos_builtin[QOS_BUILTIN_COUNT] = {
	BUILTIN("QOS_USER_INTERACTIVE", POLICY_NORMAL, -4, 8, UTIL_FULL),
	BUILTIN("QOS_USER_INITIATED", POLICY_NORMAL, -2, 12, 768),
	BUILTIN("QOS_UTILITY", POLICY_BATCH, 2, 16, 512),
	BUILTIN("QOS_BACKGROUND", POLICY_BATCH, 4, 20, 256),
	BUILTIN(QOS_DEFAULT_NAME, POLICY_BATCH, 2, 16, 512),
};

/* Returns the kind of a class's policy. A class without a policy counts as fair, because it leaves a fair task fair. */
static enum policy_kind kind_of(const struct qos_attr *attr)
{
	if (!(attr->has & QOS_HAS_POLICY) || task_policy_is_fair(attr->policy))
		return KIND_FAIR;
	return attr->policy == POLICY_DEADLINE ? KIND_DEADLINE : KIND_REAL_TIME;
}

/*
 * Returns the attributes to keep when the policy changes to another kind (enum qos_has). Drops runtime, because a slice
 * is not a deadline budget. Drops clamps for deadline tasks, because the kernel accepts and ignores them.
 */
static uint16_t kept_across(enum policy_kind to)
{
	return to == KIND_DEADLINE ? HAS_IO : HAS_UTIL | HAS_IO;
}

const struct qos_class *qos_class_find(const struct qos_class *classes, size_t n_classes, const char *name)
{
	for (size_t i = 0; i < n_classes; i++) {
		if (strcmp(classes[i].name, name) == 0)
			return &classes[i];
	}
	return NULL;
}

/* Offset and size of each attribute, in the order of enum qos_has. */
#define AT(member)                                                                        \
	{                                                                                 \
		offsetof(struct qos_attr, member), sizeof(((struct qos_attr *)0)->member) \
	}

static const struct {
	uint8_t offset, size;
} fields[] = {
	AT(policy), AT(nice),	  AT(priority), AT(runtime),  AT(deadline),
	AT(period), AT(util_min), AT(util_max), AT(io_class), AT(io_level),
};

bool qos_attr_equal(const struct qos_attr *a, const struct qos_attr *b)
{
	bool is_equal = a->has == b->has;

	for (size_t i = 0; i < array_size(fields); i++) {
		if (a->has & 1 << i)
			is_equal &= !memcmp((const char *)a + fields[i].offset, (const char *)b + fields[i].offset,
					    fields[i].size);
	}
	return is_equal;
}

struct qos_attr qos_attr_merge(const struct qos_attr *base, const struct qos_attr *over)
{
	struct qos_attr merged = *base;

	if ((over->has & QOS_HAS_POLICY) && kind_of(base) != kind_of(over))
		merged.has &= kept_across(kind_of(over));
	if (over->has & QOS_HAS_IO_CLASS)
		merged.has &= ~QOS_HAS_IO_LEVEL;
	for (size_t i = 0; i < array_size(fields); i++) {
		if (over->has & 1 << i)
			memcpy((char *)&merged + fields[i].offset, (const char *)over + fields[i].offset,
			       fields[i].size);
	}
	merged.has |= over->has;
	return merged;
}

struct qos_attr qos_attr_scale(const struct qos_attr *attr, uint64_t period_ns)
{
	struct qos_attr scaled = *attr;
	unsigned __int128 slice;

	if (!period_ns || !(attr->has & QOS_HAS_RUNTIME) || !attr->runtime)
		return scaled;
	if (kind_of(attr) != KIND_FAIR)
		return scaled;
	slice = (unsigned __int128)attr->runtime * period_ns + QOS_DEFAULT_PERIOD_NS / 2;
	slice /= QOS_DEFAULT_PERIOD_NS;
	if (slice < SLICE_MIN_NS)
		slice = SLICE_MIN_NS;
	if (slice > SLICE_MAX_NS)
		slice = SLICE_MAX_NS;
	scaled.runtime = slice;
	return scaled;
}

/* Puts the class's clamps on the task. A clamp may move the other one, because the kernel refuses min > max. */
static void clamps_over(const struct qos_attr *attr, struct task_attr *task)
{
	if (attr->has & QOS_HAS_UTIL_MIN) {
		task->util_min = attr->util_min;
		if (task->util_max < task->util_min)
			task->util_max = task->util_min;
	}
	if (attr->has & QOS_HAS_UTIL_MAX) {
		task->util_max = attr->util_max;
		if (task->util_min > task->util_max)
			task->util_min = task->util_max;
	}
}

static uint32_t slice_of(const struct qos_attr *attr)
{
	if (attr->runtime == 0 || attr->runtime > SLICE_MAX_NS)
		return attr->runtime ? SLICE_MAX_NS : 0;
	return attr->runtime < SLICE_MIN_NS ? SLICE_MIN_NS : attr->runtime;
}

static void fair_over(const struct qos_attr *attr, const struct attr_caps *caps,
		      struct task_attr *task)
{
	task->rt_priority = 0;
	if (attr->has & QOS_HAS_NICE)
		task->nice = attr->nice;
	if ((attr->has & QOS_HAS_RUNTIME) && caps->slice)
		task->slice_ns = slice_of(attr);
}

/* Returns the I/O priority of a class that has QOS_HAS_IO_CLASS. */
static uint8_t io_priority_of(const struct qos_attr *attr)
{
	const bool has_levels = attr->io_class == IO_CLASS_REALTIME || attr->io_class == IO_CLASS_BEST_EFFORT;
	const uint8_t level = attr->has & QOS_HAS_IO_LEVEL ? attr->io_level : IO_LEVEL_DEFAULT;

	return IO_PRIORITY(attr->io_class, has_levels ? level : 0);
}

struct task_attr qos_attr_over(const struct qos_attr *attr, const struct task_attr *had,
			       const struct attr_caps *caps)
{
	struct task_attr task = *had;

	if (attr->has & QOS_HAS_POLICY)
		task.policy = attr->policy;
	if (task_policy_is_fair(task.policy)) {
		fair_over(attr, caps, &task);
	} else {
		task.slice_ns = 0; /* as sched_getattr reports it */
		task.rt_priority = attr->has & QOS_HAS_PRIORITY ? attr->priority : 0;
	}
	if (task.policy == POLICY_DEADLINE)
		task.reset_on_fork = 1;
	if (caps->util_clamp)
		clamps_over(attr, &task);
	if ((attr->has & QOS_HAS_IO_CLASS) && caps->io_priority)
		task.io_priority = io_priority_of(attr);
	return task;
}

/* Returns the longer, and so lower, of slice and limit. All in ns; 0 stands for the base slice. */
static uint32_t limit_slice(uint32_t slice, uint32_t limit, uint32_t base)
{
	return (slice ? slice : base) < (limit ? limit : base) ? limit : slice;
}

static int fair_order(unsigned policy)
{
	return policy == POLICY_IDLE ? 2 : policy == POLICY_BATCH;
}

void task_attr_limit(const struct task_attr *most, const struct attr_caps *caps, struct task_attr *task)
{
	if (!task_policy_is_fair(most->policy) || !task_policy_is_fair(task->policy))
		return;
	if (fair_order(most->policy) > fair_order(task->policy))
		task->policy = most->policy;
	if (most->nice > task->nice)
		task->nice = most->nice;
	/* SCHED_IDLE ignores the slice. */
	if (task->policy != POLICY_IDLE)
		task->slice_ns = limit_slice(task->slice_ns, most->slice_ns, caps->base_slice_ns);
	if (most->util_min < task->util_min)
		task->util_min = most->util_min;
	if (most->util_max < task->util_max)
		task->util_max = most->util_max;
	/* Limit I/O last: without an I/O priority, the policy and nice value decide, which are limited above. */
	if (task_io_order(most) > task_io_order(task))
		task->io_priority = most->io_priority;
}

void qos_attr_limit(const struct qos_attr *attr, const struct attr_caps *caps, struct task_attr *task)
{
	struct task_attr most;

	/* What SCHED_EXT is worth depends on whether a sched_ext scheduler runs. */
	if (task->policy == POLICY_EXT)
		task->policy = POLICY_NORMAL;
	most = qos_attr_over(attr, task, caps);
	task_attr_limit(&most, caps, task);
}

struct task_attr qos_attr_alone(const struct qos_attr *attr)
{
	static const struct attr_caps all = { .slice = true, .util_clamp = true, .io_priority = true };

	return qos_attr_over(attr, &task_attr_pristine, &all);
}

uint8_t qos_attr_privileged(const struct qos_attr *attr)
{
	const struct task_attr with = qos_attr_alone(attr);

	return attr_above(&with, &task_attr_pristine);
}

/* ---- bounds of the judgement ---- */

void given_init(struct given *given)
{
	*given = (struct given){ .lowest_nice = GIVEN_NICE_NONE, .raised_nice = -20 };
}

void given_add(struct given *given, const struct qos_attr *attr)
{
	const uint8_t io = attr->has & QOS_HAS_IO_CLASS ? io_priority_of(attr) : 0;

	if ((attr->has & QOS_HAS_NICE) && attr->nice < given->lowest_nice)
		given->lowest_nice = attr->nice;
	if ((attr->has & QOS_HAS_POLICY) && attr_rank(attr->policy, attr->priority) > given->highest_rank)
		given->highest_rank = (uint8_t)attr_rank(attr->policy, attr->priority);
	given->has_io_priority |= (attr->has & QOS_HAS_IO_CLASS) != 0;
	if (io_priority_is_privileged(given->highest_io, io))
		given->highest_io = io;
}

void given_note_raise(struct given *given, const struct task_attr *had, const struct task_attr *carries)
{
	if (carries->nice < had->nice && had->nice > given->raised_nice)
		given->raised_nice = had->nice;
	given->raised_idle |= had->policy == POLICY_IDLE && carries->policy != POLICY_IDLE;
}

void given_lower(const struct given *given, const struct task_attr *carries, struct task_attr *had)
{
	if (carries->nice < given->raised_nice && carries->nice >= given->lowest_nice && had->nice < given->raised_nice)
		had->nice = given->raised_nice;
	if (given->raised_idle && carries->policy != POLICY_IDLE)
		attr_copy(had, &(struct task_attr){ .policy = POLICY_IDLE }, TASK_ATTR_POLICY);
}
