/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan, as a specification: kernels without slices, our mark. There a newborn that carries something of ours beside
 * a choice may have chosen all of it.
 */
#include "fake_daemon.h"

static void start_old(struct machine *m, const char *json)
{
	m->kernel.slice = m->kernel.util_clamp = false;
	start(m, json);
}

/* What a command forks before we have come to its nice value, and what that forks in turn. */
static void a_child_born_before_its_parent_s_nice_was_seen_has_just_that(void **state)
{
	struct machine *m = *state;

	start_old(m, "");
	forks(m, INIT, 100);
	m->deaf = true;
	m->pace = 10;
	renice(m, 100, 19);
	execs(m, 100, "/usr/bin/cmd");
	spawns(m, 100, 101, "/bin/sh");
	forks(m, 100, 102);
	forks(m, 101, 103);
	assert_carries(m, 103, "SCHED_BATCH nice 19");
	hear(m);
	for (pid_t tid = 100; tid <= 103; tid++)
		assert_task(m, tid, "SCHED_NORMAL nice 19", REASON_CHOSEN);
}

static void a_child_born_before_its_parent_s_policy_was_seen_has_just_that(void **state)
{
	struct machine *m = *state;

	start_old(m, "'sh': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/bin/sh");
	forks(m, 100, 101);
	m->deaf = true;
	m->pace = 10;
	chrt(m, 101, POLICY_BATCH, 0);
	execs(m, 101, "/usr/bin/cmd");
	spawns(m, 101, 102, "/usr/bin/other");
	assert_carries(m, 102, "SCHED_BATCH nice -4");
	hear(m);
	assert_task(m, 101, "SCHED_BATCH nice 0", REASON_CHOSEN);
	assert_task(m, 102, "SCHED_BATCH nice 0", REASON_CHOSEN);
}

static void a_policy_that_the_child_of_a_niced_task_chose_stays(void **state)
{
	struct machine *m = *state;

	start_old(m, "");
	spawns(m, INIT, 100, "/bin/sh");
	forks(m, 100, 101);
	m->pace = 10;
	execs(m, 101, "/usr/bin/nice");
	renice(m, 101, 2 + 5);
	execs(m, 101, "/usr/bin/pool");
	assert_task(m, 101, "SCHED_NORMAL nice 5", REASON_CHOSEN);
	m->deaf = true;
	forks(m, 101, 102);
	chrt(m, 102, POLICY_BATCH, 0);
	hear(m);
	assert_carries(m, 102, "SCHED_BATCH nice 5");
}

/* Though the nice value, or the policy, is that of the class of shells. */
static void what_a_newborn_thread_or_child_chose_stays(void **state)
{
	struct machine *m = *state;

	start_old(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	m->pace = 10;
	execs(m, 100, "/usr/bin/app");
	m->deaf = true;
	clones(m, 100, 101);
	renice(m, 101, 2);
	forks(m, 100, 102);
	sets(m, 102, (struct task_attr){ .policy = POLICY_BATCH, .util_max = UTIL_FULL });
	hear(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 2");
	assert_carries(m, 102, "SCHED_BATCH nice 0");
}

static void what_an_untagged_task_s_unheard_child_chose_stays(void **state)
{
	struct machine *m = *state;

	start_old(m, "'schedqos': { 'default': 'none' }");
	m->lossy = true;
	spawns(m, INIT, 100, "/usr/bin/cmd");
	renice(m, 100, 2);
	m->lossy = false;
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 2", REASON_NO_RULE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(a_child_born_before_its_parent_s_nice_was_seen_has_just_that),
		MACHINE_TEST(a_child_born_before_its_parent_s_policy_was_seen_has_just_that),
		MACHINE_TEST(a_policy_that_the_child_of_a_niced_task_chose_stays),
		MACHINE_TEST(what_a_newborn_thread_or_child_chose_stays),
		MACHINE_TEST(what_an_untagged_task_s_unheard_child_chose_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
