/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: kernels without slices. There BATCH alone may be all that a class gives. */
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

/* Though the nice value, or the policy, is what its parent carried before; the two together count as that. */
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
	forks(m, 100, 103);
	sets(m, 103, (struct task_attr){ .policy = POLICY_BATCH, .nice = 2, .util_max = UTIL_FULL });
	hear(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 2");
	assert_carries(m, 102, "SCHED_BATCH nice 0");
	assert_carries(m, 103, "SCHED_NORMAL nice -4");
}

static void what_an_untagged_task_s_unseen_child_chose_stays(void **state)
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

/* Without slices: a process, and a thread that has a class of its own once it is named bg. */
static void chrome_has_a_thread(struct machine *m)
{
	m->kernel.slice = false;
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': "
		 "'QOS_BACKGROUND' } }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
}

static void without_slices_a_thread_that_execs_is_still_known_as_ours(void **state)
{
	struct machine *m = *state;

	chrome_has_a_thread(m);
	renames(m, 101, "bg");
	execs(m, 101, "/usr/bin/vi");
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void vi_is_tagged_and_put_back(struct machine *m)
{
	assert_task(m, 100, "SCHED_BATCH nice 2 util 0..512", REASON_DEFAULT);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void without_slices_a_thread_s_late_exec_is_still_known_as_ours(void **state)
{
	struct machine *m = *state;

	chrome_has_a_thread(m);
	renames(m, 101, "bg");
	m->deaf = true;
	execs(m, 101, "/usr/bin/vi");
	m->deaf = false;
	hear(m);
	vi_is_tagged_and_put_back(m);
}

static void without_slices_a_thread_s_lost_exec_is_still_known_as_ours(void **state)
{
	struct machine *m = *state;

	chrome_has_a_thread(m);
	renames(m, 101, "bg");
	m->lossy = true;
	execs(m, 101, "/usr/bin/vi");
	m->lossy = false;
	scan(m);
	vi_is_tagged_and_put_back(m);
}

/* The set still met the thread, reading back no longer: then it was set. */
static void without_slices_a_thread_that_execs_while_it_is_read_is_known_as_ours(void **state)
{
	struct machine *m = *state;

	chrome_has_a_thread(m);
	m->hold = true;
	renames(m, 101, "bg");
	assert_true(m->has_held);
	m->hold = m->has_held = false;
	machine_task(m, 101)->attr = m->held.want;
	m->deaf = true;
	execs(m, 101, "/usr/bin/vi");
	plan_applied(m->plan, &m->held, 0, &m->held.want);
	m->deaf = false;
	hear(m);
	vi_is_tagged_and_put_back(m);
}

/* Of the one in the middle nothing is left but what its own parent's record says. */
static void without_slices_an_orphan_of_a_dead_child_is_still_known_as_ours(void **state)
{
	struct machine *m = *state;

	m->kernel.slice = false;
	start(m, "'app': { 'qos': 'QOS_BACKGROUND' }");
	m->pace = 5;
	spawns(m, INIT, 100, "/usr/bin/app");
	m->deaf = true;
	forks(m, 100, 101);
	forks(m, 101, 102);
	exits(m, 101);
	m->deaf = false;
	hear(m);
	stop(m);
	assert_carries(m, 102, PRISTINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(a_child_born_before_its_parent_s_nice_was_seen_has_just_that),
		MACHINE_TEST(a_child_born_before_its_parent_s_policy_was_seen_has_just_that),
		MACHINE_TEST(what_a_newborn_thread_or_child_chose_stays),
		MACHINE_TEST(what_an_untagged_task_s_unseen_child_chose_stays),
		MACHINE_TEST(without_slices_a_thread_that_execs_is_still_known_as_ours),
		MACHINE_TEST(without_slices_a_thread_s_late_exec_is_still_known_as_ours),
		MACHINE_TEST(without_slices_a_thread_s_lost_exec_is_still_known_as_ours),
		MACHINE_TEST(without_slices_a_thread_that_execs_while_it_is_read_is_known_as_ours),
		MACHINE_TEST(without_slices_an_orphan_of_a_dead_child_is_still_known_as_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
