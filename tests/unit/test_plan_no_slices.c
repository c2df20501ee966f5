/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how the plan judges choices on kernels without slices, where a class may give nothing but SCHED_BATCH. */
#include "fake_daemon.h"

static void start_old(struct machine *m, const char *json)
{
	m->kernel.slice = m->kernel.util_clamp = false;
	start(m, json);
}

/*
 * Each chose a value that its parent carried before. Only a child that carries both values counts as a copy of the
 * parent.
 */
MACHINE_TEST(a_single_value_that_a_newborn_task_chose_stays)
{
	start_old(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	m->pace = 10;
	execs(m, 100, "/usr/bin/app");
	m->deaf = true;
	clones(m, 100, 101);
	renice(m, 101, 2);
	forks(m, 100, 102);
	sets(m, 102, (struct task_attr){ .policy = POLICY_BATCH, .util_max = UTIL_FULL });
	forks(m, 100, 103);
	sets(m, 103, (struct task_attr){ .policy = POLICY_BATCH, .nice = 2, .util_max = UTIL_FULL });
	hear(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 2");
	assert_carries(m, 102, "SCHED_BATCH nice 0");
	assert_carries(m, 103, "SCHED_NORMAL nice -4");
}
