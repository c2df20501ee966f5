/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads attributes of tasks and sets those that the plan has decided. */
#include "apply.h"

#include <errno.h>
#include <string.h>

#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>

/* The daemon acts for all other tasks and must not have to wait for them. */
#define OWN_NICE (-20)

/*
 * A task that wakes up preempts one within its slice only if its own slice is shorter, whatever their nice values
 * (PREEMPT_SHORT and RUN_TO_PARITY in kernel/sched/features.h, since Linux 6.12). With the base slice, the
 * daemon often waited for the program that had just called execve: of programs started by vfork on an idle machine, 12
 * in 100 had their class when main began; with this slice, 99 (2 CPUs, 6.18). It is longer than that of
 * QOS_USER_INTERACTIVE in the mapping "balanced", so the daemon does not preempt such tasks.
 */
#define OWN_SLICE_NS 650000

const struct sched_ops sched_ops_kernel = {
	.get = ksched_get,
	.set = ksched_set,
	.get_nice = ksched_get_nice,
	.replace_nice = ksched_replace_nice,
	.get_io = kio_priority_get,
	.set_io = kio_priority_set,
};

static bool is_real_time(uint32_t policy)
{
	return policy == POLICY_FIFO || policy == POLICY_RR;
}

static struct task_attr attr_from_kernel(const struct ksched_attr *from,
					 const struct attr_caps *caps)
{
	struct task_attr attr = {
		.policy = (uint8_t)from->policy,
		.reset_on_fork = !!(from->flags & KSCHED_FLAG_RESET_ON_FORK),
		.util_max = UTIL_FULL,
	};

	if (task_policy_is_fair(from->policy)) {
		attr.nice = (int8_t)from->nice;
		if (caps->slice)
			attr.slice_ns = from->runtime < UINT32_MAX ? (uint32_t)from->runtime :
								     UINT32_MAX;
	} else {
		attr.rt_priority = (uint8_t)from->priority;
	}
	if (caps->util_clamp) {
		attr.util_min = (uint16_t)from->util_min;
		attr.util_max = (uint16_t)from->util_max;
		/* 1024 is the default of a real-time task (sched_util_clamp_min_rt_default), not somebody's choice. */
		if (is_real_time(from->policy) && attr.util_min == UTIL_FULL)
			attr.util_min = 0;
	}
	return attr;
}

static bool keeps_policy(const struct plan_action *action)
{
	return action->want.policy == action->from.policy && action->want.policy != POLICY_DEADLINE &&
	       action->want.rt_priority == action->from.rt_priority;
}

/*
 * Converts the wanted attributes. Resets a clamp that should have its default, because it then follows the system's
 * default.
 */
static struct ksched_attr attr_to_kernel(const struct plan_action *action,
					 const struct attr_caps *caps)
{
	const struct task_attr *want = &action->want;
	struct ksched_attr attr = {
		.policy = want->policy,
		.flags = want->reset_on_fork ? KSCHED_FLAG_RESET_ON_FORK : 0,
		.nice = want->nice,
		.priority = want->rt_priority,
		/* Without a sched_ext scheduler the kernel would take a slice of our class for the task's own. */
		.runtime = want->policy == POLICY_EXT ? 0 : want->slice_ns,
	};

	/*
	 * If the policy stays, the kernel keeps it, and reset-on-fork with it. If somebody has made the task real-time
	 * since it was read, the call then fails instead of undoing that.
	 */
	if (keeps_policy(action))
		attr.flags = KSCHED_FLAG_KEEP_POLICY;
	if (action->deadline) {
		attr.runtime = action->deadline->runtime;
		attr.deadline = action->deadline->deadline;
		attr.period = action->deadline->period;
	}
	/*
	 * Set both clamps or none. The kernel compares one alone with the other that the task has, and refuses the
	 * whole call if util_min is above util_max (uclamp_validate). The owner may change that at any time, and
	 * under real time util_min is 1024, even if the same call makes the task fair (7.2). A util_min of 0 that
	 * somebody chose becomes the default, which differs from it only under real time.
	 */
	if (caps->util_clamp && (want->util_min != action->from.util_min || want->util_max != action->from.util_max ||
				 (is_real_time(action->from.policy) && want->util_max < UTIL_FULL))) {
		attr.flags |= KSCHED_FLAG_UTIL_CLAMP_MIN | KSCHED_FLAG_UTIL_CLAMP_MAX;
		attr.util_min = want->util_min ? want->util_min : KSCHED_UTIL_RESET;
		attr.util_max = want->util_max < UTIL_FULL ? want->util_max : KSCHED_UTIL_RESET;
	}
	return attr;
}

/* Returns whether sched_setattr sets nice and slice under this policy (fair_policy() in kernel/sched/sched.h). */
static bool has_nice_and_slice(unsigned policy)
{
	return policy == POLICY_NORMAL || policy == POLICY_BATCH;
}

/*
 * Sets the slice of a task that has these attributes, and changes nothing else. Fails if somebody has made the task
 * real-time since it was read. Returns 0 or -errno.
 */
static int set_slice(const struct applier *applier, pid_t tid, struct ksched_attr *attr, uint64_t slice_ns)
{
	attr->flags = KSCHED_FLAG_KEEP_POLICY;
	attr->runtime = slice_ns;
	return applier->ops->set(tid, attr);
}

/* Returns our own slice: shorter than the base slice, whatever that is. */
static uint64_t own_slice_ns(const struct applier *applier)
{
	const uint32_t half = applier->caps.base_slice_ns / 2;

	return OWN_SLICE_NS < applier->caps.base_slice_ns || !half ? OWN_SLICE_NS : half;
}

int applier_refresh_base(struct applier *applier)
{
	struct ksched_attr attr;
	int r = applier->ops->get(0, &attr);

	/* Somebody may have given us another policy; under SCHED_IDLE a slice cannot be set. */
	if (r < 0 || !applier->caps.slice || !has_nice_and_slice(attr.policy))
		return r;
	/* With a runtime of 0 the kernel uses its present base slice (__setparam_fair in syscalls.c). */
	r = set_slice(applier, 0, &attr, 0);
	if (r == 0)
		r = applier->ops->get(0, &attr);
	if (r == 0)
		applier->caps.base_slice_ns = (uint32_t)attr.runtime;
	set_slice(applier, 0, &attr, own_slice_ns(applier));
	return r;
}

int applier_refresh_slice(struct applier *applier, pid_t tid, uint32_t old_base_ns)
{
	struct ksched_attr attr;
	int r = applier->ops->get(tid, &attr);

	if (r < 0 || !task_policy_is_fair(attr.policy) || attr.runtime != old_base_ns)
		return r;
	return set_slice(applier, tid, &attr, 0);
}

int applier_prioritize_self(struct applier *applier)
{
	struct ksched_attr attr = { .policy = POLICY_NORMAL, .nice = OWN_NICE };

	if (applier->caps.util_clamp) {
		attr.flags = KSCHED_FLAG_UTIL_CLAMP_MIN | KSCHED_FLAG_UTIL_CLAMP_MAX;
		attr.util_min = attr.util_max = KSCHED_UTIL_RESET;
	}
	if (applier->ops->set(0, &attr) < 0) {
		attr.nice = 0;
		applier->ops->set(0, &attr);
	}
	return applier_refresh_base(applier);
}

int applier_open(struct applier *applier)
{
	struct ksched_features features;
	int r = ksched_probe(&features);

	if (r < 0)
		return r;
	applier->ops = &sched_ops_kernel;
	applier->caps.slice = features.slice;
	applier->caps.util_clamp = features.util_clamp;
	return applier_prioritize_self(applier);
}

void applier_enable_io_priority(struct applier *applier, const struct given *given)
{
	int r;

	if (applier->caps.io_priority || !given->has_io_priority)
		return;
	r = applier->ops->get_io(0);
	applier->caps.io_priority = r >= 0;
	if (r < 0)
		log_notice("this kernel has no I/O priorities (%s): io_class and io_priority are left out",
			   strerror(-r));
}

/* Level and hint in the kernel's value, without bits of hints that it does not define. */
#define KERNEL_DATA 0x3f

static uint8_t io_from_kernel(int value)
{
	return (uint8_t)IO_PRIORITY(value >> KIO_CLASS_SHIFT, value & KERNEL_DATA);
}

static int io_to_kernel(uint8_t io_priority)
{
	return IO_CLASS(io_priority) << KIO_CLASS_SHIFT | (io_priority & KERNEL_DATA);
}

static int look_at_io(const struct applier *applier, pid_t tid, struct task_attr *attr)
{
	const int r = applier->ops->get_io(tid);

	if (r < 0)
		return r;
	attr->io_priority = io_from_kernel(r);
	return 0;
}

static int look_at_nice(const struct applier *applier, pid_t tid, struct task_attr *attr)
{
	int nice;
	const int r = applier->ops->get_nice(tid, &nice);

	if (r == 0)
		attr->nice = (int8_t)nice;
	return r;
}

int applier_read(const struct applier *applier, pid_t tid, struct task_attr *ret)
{
	struct ksched_attr attr;
	int r = applier->ops->get(tid, &attr);

	if (r < 0)
		return r;
	*ret = attr_from_kernel(&attr, &applier->caps);
	if (!task_policy_is_fair(ret->policy))
		r = look_at_nice(applier, tid, ret);
	return r == 0 && applier->caps.io_priority ? look_at_io(applier, tid, ret) : r;
}

/*
 * Shrinks the bandwidth of a SCHED_DEADLINE task before the task is taken out of the policy. 6.18 leaks that bandwidth
 * if the task sleeps: the bandwidth left for others shrinks each time, until no task can be admitted.
 * sched_dl_overflow() counts these values as 0: 1024 ns in 2^22 us, in units of 2^-20. If the kernel refuses them
 * (sched_deadline_period_max_us is lower), the task leaves the policy anyway.
 */
static void shrink_bandwidth(struct applier *applier, pid_t tid)
{
	struct ksched_attr attr = {
		.policy = POLICY_DEADLINE,
		.flags = KSCHED_FLAG_RESET_ON_FORK, /* without it, a fork by the task fails */
		.runtime = 1024,
		.deadline = UINT64_C(4194304000),
		.period = UINT64_C(4194304000),
	};

	applier->ops->set(tid, &attr);
}

/* Returns whether somebody has changed the policy that should have been kept. */
static bool policy_has_changed(const struct applier *applier, const struct plan_action *action)
{
	struct task_attr now;

	return applier_read(applier, action->tid, &now) == 0 &&
	       (now.policy != action->from.policy || now.rt_priority != action->from.rt_priority);
}

static int set_attr(struct applier *applier, const struct plan_action *action)
{
	struct ksched_attr attr = attr_to_kernel(action, &applier->caps);
	int r;

	if (action->from.policy == POLICY_DEADLINE && attr.policy != POLICY_DEADLINE)
		shrink_bandwidth(applier, action->tid);
	r = applier->ops->set(action->tid, &attr);
	return r == -EINVAL && keeps_policy(action) && policy_has_changed(applier, action) ? -EAGAIN : r;
}

/*
 * Moves a task from SCHED_NORMAL or SCHED_BATCH into SCHED_IDLE. Sets nice and slice first, under the present policy,
 * because SCHED_IDLE ignores them. A task that is already SCHED_IDLE never leaves it for that, since its owner could
 * then set SCHED_NORMAL.
 */
static int set_attr_idle(struct applier *applier, const struct plan_action *action)
{
	struct plan_action first = *action, second = *action;
	int r;

	first.want.policy = action->from.policy;
	second.from = first.want;
	r = set_attr(applier, &first);
	if (r == 0)
		set_attr(applier, &second);
	return r;
}

static int read_attr_back(struct applier *applier, const struct plan_action *action, struct task_attr *ret)
{
	int r = applier_read(applier, action->tid, ret);

	/*
	 * The task was set and is gone. It may be a thread that has called exec since, and that still carries the
	 * attributes, under its leader's id. On a kernel without slices only our record tells them from somebody else's
	 * choice.
	 */
	if (r == -ESRCH) {
		*ret = action->want;
		return 0;
	}
	if (r == 0 && !action->want.slice_ns && task_policy_is_fair(ret->policy) &&
	    ret->slice_ns != applier->caps.base_slice_ns)
		applier_refresh_base(applier);
	return r;
}

/*
 * Sets all that differs. Returns an error only if nothing was set: else the plan finds the failure in what is read
 * back.
 */
static int set_action(struct applier *applier, const struct plan_action *action)
{
	const uint8_t changed = attr_difference(&action->from, &action->want);
	const bool from_fair = has_nice_and_slice(action->from.policy), to_idle = action->want.policy == POLICY_IDLE;
	/* Other policies: sched_setattr ignores the nice value, so set it apart. */
	const uint8_t apart = has_nice_and_slice(action->want.policy) || (from_fair && to_idle) ? 0 : TASK_ATTR_NICE;
	bool is_set = false;
	int r = 0;

	if (changed & ~(TASK_ATTR_IO_PRIORITY | apart)) {
		r = from_fair && to_idle ? set_attr_idle(applier, action) : set_attr(applier, action);
		is_set = r == 0;
	}
	if (r == 0 && (changed & apart)) {
		r = applier->ops->replace_nice(action->tid, action->from.nice, action->want.nice);
		is_set |= r == 0;
	}
	if (r == 0 && (changed & TASK_ATTR_IO_PRIORITY))
		r = applier->ops->set_io(action->tid, io_to_kernel(action->want.io_priority));
	return is_set ? 0 : r;
}

/*
 * Returns whether a call of the task's owner has overtaken ours. The kernel checks what the owner may choose before it
 * takes the lock under which that is set (__sched_setscheduler() in kernel/sched/syscalls.c, 6.18). So a call that was
 * checked before ours can take effect after it; an owner who calls all the time beats a single call of ours nearly
 * always (19 of 20 times here). A value above what we set, but not above the previous one, can be such a call.
 */
static bool was_overtaken(const struct plan_action *action, const struct task_attr *now)
{
	return attr_above(now, &action->want) & ~attr_above(now, &action->from);
}

/*
 * Waits for a random time. The owner's calls fail once ours comes between one that takes effect and the check of the
 * next. Without delays our calls fall into step with the owner's and come equally late each time: 64 of them failed 9
 * of 20 times, but 1 in 100 with such delays.
 */
static void wait_up_to_2_us(uint32_t *random)
{
	const uint64_t until = clock_ns(CLOCK_MONOTONIC) + (*random >> 8) % 2000;

	*random = *random * 1664525 + 1013904223;
	while (clock_ns(CLOCK_MONOTONIC) < until)
		;
}

static void set_until_it_holds(struct applier *applier, const struct plan_action *action, struct task_attr *now)
{
	struct task_attr found;
	uint32_t random = (uint32_t)action->tid;

	/* Repeating would put the task into SCHED_DEADLINE again (see shrink_bandwidth). */
	if (action->from.policy == POLICY_DEADLINE)
		return;
	for (int i = 0; i < APPLY_AGAIN_MAX && was_overtaken(action, now); i++) {
		wait_up_to_2_us(&random);
		if (set_action(applier, action) < 0 || read_attr_back(applier, action, &found) < 0)
			return;
		*now = found;
	}
}

int applier_apply(struct applier *applier, const struct plan_action *action, struct task_attr *ret)
{
	int r = set_action(applier, action);

	if (r == 0)
		r = read_attr_back(applier, action, ret);
	if (r == 0)
		set_until_it_holds(applier, action, ret);
	return r;
}
