/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's calls for attributes, made up for the tests of the applier. */
#pragma once

#include "test.h"

#include "../../src/tagging/apply.h"

#define MS 1000000U

/* The calls that were made, and what they return. */
struct fake_kernel {
	char calls[4096];	   /* those that set something, with a comma between */
	unsigned n_calls, refused; /* the number of the one that is, from 1 */
	int why_refused;
	unsigned n_overtaken;		/* so many of them somebody else's overtake */
	struct ksched_attr own, others; /* returned by get(0) and get(tid) */
	int get_result;
	unsigned n_gets, n_own_gets;
	int nice;		   /* returned by get_nice */
	int io, io_set, io_result; /* returned by get_io; given to set_io, -1 for never, and what
				      that returns */
	unsigned n_io_gets;
};
extern struct fake_kernel kernel;

extern struct applier applier;

/* For cmocka: a kernel with slices and clamps, and an applier that uses it. */
int kernel_on(void **state);
#define KERNEL_TEST(name) TEST_IN(name, kernel_on, NULL)

/* For task 7, from pristine to this. */
struct plan_action action_to(struct task_attr want);

/* Carries it out, which must succeed. */
void apply(const struct plan_action *action);
