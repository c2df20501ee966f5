/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes in one line, for tables. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <schedqos/policy/judge.h>

#define MS 1000000U

/* nice, slice in ms, clamps */
#define NORMAL(n, slice, min, max) { POLICY_NORMAL, 0, n, 0, 0, (slice)*MS, min, max }
#define BATCH(n, slice, min, max)  { POLICY_BATCH, 0, n, 0, 0, (slice)*MS, min, max }
#define IDLE(n, slice, min, max)   { POLICY_IDLE, 0, n, 0, 0, (slice)*MS, min, max }
/* I/O class and level, of a task that is pristine otherwise */
#define IO(class, level) { POLICY_NORMAL, 0, 0, 0, IO_PRIORITY(IO_CLASS_##class, level), 0, 0, UTIL_FULL }
/* priority; nice, which has no effect there; and the slice, which it hides */
#define FIFO(prio, n, slice) { POLICY_FIFO, 0, n, prio, 0, (slice)*MS, 0, UTIL_FULL }
#define RR(prio, n, slice)   { POLICY_RR, 0, n, prio, 0, (slice)*MS, 0, UTIL_FULL }
#define DEADLINE	     { POLICY_DEADLINE, 1, 0, 0, 0, 0, 0, UTIL_FULL }

/* A task that nobody set anything for, and the class of most rows. */
#define NOTHING NORMAL(0, 0, 0, UTIL_FULL)
#define OURS	BATCH(4, 20, 0, 256)

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static inline bool is_same(const char *what, const char *of, const struct task_attr *is, const struct task_attr *wanted)
{
	char a[TASK_ATTR_TEXT_MAX], b[TASK_ATTR_TEXT_MAX];

	if (memcmp(is, wanted, sizeof(*is)) == 0)
		return true;
	print_error("%s: %s is %s (nice %d, slice %u, reset-on-fork %d), not %s (nice %d, slice %u, reset-on-fork %d)\n",
		    what, of, task_attr_text(is, a), is->nice, is->slice_ns, is->reset_on_fork,
		    task_attr_text(wanted, b), wanted->nice, wanted->slice_ns, wanted->reset_on_fork);
	return false;
}
