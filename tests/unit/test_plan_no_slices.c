/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: kernels without slices. There BATCH alone may be all that a class gives. */
#include "fake_daemon.h"

static void start_old(struct machine *m, const char *json)
{
	m->kernel.slice = m->kernel.util_clamp = false;
	start(m, json);
}

/* Though the nice value, or the policy, is what its parent carried before; the two together count as that. */
MACHINE_TEST(what_a_newborn_thread_or_child_chose_stays)
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
