/* SPDX-License-Identifier: GPL-2.0-only */
/* A made-up kernel with the calls for attributes, for the tests of the applier. */
#pragma once

#include "test.h"

#include "../../src/tagging/apply.h"

#define MS 1000000U

/* The calls that were made, and their results. */
struct fake_kernel {
	char calls[4096];	   /* calls that set something, separated by commas */
	unsigned n_calls, refused; /* refused: number of the call that fails, from 1 */
	int why_refused;
	unsigned n_overtaken;		/* number of sets that are lost: somebody else sets the task right after */
	struct ksched_attr own, others; /* returned by get(0) and get(tid) */
	uint64_t base_slice_ns;		/* of our own task, if it is set without a slice */
	int get_result;
	unsigned n_gets, n_own_gets;
	int nice;		   /* returned by get_nice */
	int io, io_set, io_result; /* returned by get_io; passed to set_io, -1 if never called; returned by
				      set_io */
	unsigned n_io_gets;
};
extern struct fake_kernel kernel;

extern struct applier applier;

/* Sets up, for cmocka, a kernel with slices and clamps, and an applier that uses it. */
int kernel_on(void **state);
#define KERNEL_TEST(name) TEST_IN(name, kernel_on, NULL)

/* Returns an action that changes task 7 from pristine to `want`. */
struct plan_action action_to(struct task_attr want);

/* Carries out the action, which must succeed. */
void apply(const struct plan_action *action);
