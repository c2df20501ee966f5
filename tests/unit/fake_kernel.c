/* SPDX-License-Identifier: GPL-2.0-only */
#include "fake_kernel.h"

struct fake_kernel kernel;
struct applier applier;

static int fake_get(pid_t tid, struct ksched_attr *ret)
{
	kernel.n_gets++;
	kernel.n_own_gets += tid == 0;
	*ret = tid ? kernel.others : kernel.own;
	return kernel.get_result;
}

/* Keeps only attributes that take privilege. */
static void keep(const struct ksched_attr *attr)
{
	kernel.others.nice = attr->nice;
	if (!(attr->flags & KSCHED_FLAG_KEEP_POLICY))
		kernel.others.policy = attr->policy;
}

static void keep_own(const struct ksched_attr *attr)
{
	kernel.own = *attr;
	if (!attr->runtime)
		kernel.own.runtime = kernel.base_slice_ns;
}

/* Records one more call. Returns 0, or the error with which it is refused. */
static int call(const char *text)
{
	const size_t length = strlen(kernel.calls);

	snprintf(kernel.calls + length, sizeof(kernel.calls) - length, "%s%s", length ? ", " : "",
		 text);
	return ++kernel.n_calls == kernel.refused ? kernel.why_refused : 0;
}

static void put_clamp(char *end, const char *name, uint32_t value)
{
	if (value == KSCHED_UTIL_RESET)
		sprintf(end, " %s reset", name);
	else
		sprintf(end, " %s %u", name, value);
}

static const char *set_text(pid_t tid, const struct ksched_attr *attr, char text[256])
{
	static const char *const policies[] = { "NORMAL", "FIFO", "RR",	     "BATCH",
						"",	  "IDLE", "DEADLINE" };
	char *end = text;

	end += sprintf(end, "%s%s nice %d", tid ? "" : "own: ",
		       attr->flags & KSCHED_FLAG_KEEP_POLICY ? "keep" : policies[attr->policy],
		       attr->nice);
	if (attr->priority)
		end += sprintf(end, " priority %u", attr->priority);
	if (attr->runtime)
		end += sprintf(end, " runtime %llu", (unsigned long long)attr->runtime);
	if (attr->deadline)
		end += sprintf(end, " of %llu in %llu", (unsigned long long)attr->deadline,
			       (unsigned long long)attr->period);
	if (attr->flags & KSCHED_FLAG_RESET_ON_FORK)
		end = stpcpy(end, " reset-on-fork");
	if (attr->flags & KSCHED_FLAG_UTIL_CLAMP_MIN)
		put_clamp(end, "min", attr->util_min);
	if (attr->flags & KSCHED_FLAG_UTIL_CLAMP_MAX)
		put_clamp(text + strlen(text), "max", attr->util_max);
	return text;
}

static int fake_set(pid_t tid, struct ksched_attr *attr)
{
	char text[256];
	int r = call(set_text(tid, attr, text));

	if (kernel.n_overtaken)
		kernel.n_overtaken--;
	else if (tid && r == 0)
		keep(attr);
	else if (r == 0)
		keep_own(attr);
	return r;
}

static int fake_get_nice(pid_t tid, int *ret)
{
	(void)tid;
	*ret = kernel.nice;
	return 0;
}

static int fake_replace_nice(pid_t tid, int from, int to)
{
	char text[64];
	int r;

	(void)tid;
	snprintf(text, sizeof(text), "nice from %d to %d", from, to);
	r = call(text);
	if (r == 0)
		kernel.nice = kernel.others.nice = to;
	return r;
}

static int fake_get_io(pid_t tid)
{
	(void)tid;
	kernel.n_io_gets++;
	return kernel.io;
}

static int fake_set_io(pid_t tid, int value)
{
	assert_int_equal(tid, 7);
	kernel.io_set = value;
	return kernel.io_result;
}

static const struct sched_ops fake_ops = { fake_get,	      fake_set,	   fake_get_nice,
					   fake_replace_nice, fake_get_io, fake_set_io };

int kernel_on(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.own = kernel.others = (struct ksched_attr){ .runtime = 3 * MS, .util_max = 1024 };
	kernel.base_slice_ns = 3 * MS;
	kernel.io_set = -1;
	applier = (struct applier){ &fake_ops, { true, true, 3 * MS, false } };
	return 0;
}

struct plan_action action_to(struct task_attr want)
{
	return (struct plan_action){ .tid = 7, .from = task_attr_pristine, .want = want };
}

void apply(const struct plan_action *action)
{
	struct task_attr now;

	assert_int_equal(applier_apply(&applier, action, &now), 0);
}
