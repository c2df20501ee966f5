/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan, as a specification: policies that are not ours to touch, and what the kernel lacks,
 * refuses and forgets.
 */
#include "fake_daemon.h"

#include <errno.h>

/* ---- other policies ---- */

#define BUDGET                                                                         \
	"'QOS_BUDGET': { 'sched_policy': 'SCHED_DEADLINE', 'sched_runtime': 5000000, " \
	"'sched_deadline': 10000000, 'sched_period': 16666666 }, "                     \
	"'mixer': { 'qos': 'QOS_BUDGET' }"

static void a_deadline_class_comes_with_its_budget(void **state)
{
	struct machine *m = *state;

	start(m, BUDGET);
	spawns(m, INIT, 100, "/usr/bin/mixer");
	assert_task(m, 100, "SCHED_DEADLINE", REASON_RULE);
	assert_int_equal(m->last.deadline->runtime, 5000000);
	assert_int_equal(m->last.deadline->deadline, 10000000);
	assert_int_equal(m->last.deadline->period, 16666666);
	/* Else it could not fork. */
	assert_int_equal(machine_task(m, 100)->attr.reset_on_fork, 1);
	stop(m);
	assert_carries(m, 100, PRISTINE);
	assert_int_equal(machine_task(m, 100)->attr.reset_on_fork, 0);
}

static void a_task_leaves_a_deadline_class(void **state)
{
	struct machine *m = *state;

	start(m, BUDGET);
	spawns(m, INIT, 100, "/usr/bin/mixer");
	execs(m, 100, "/usr/bin/vi");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	assert_int_equal(machine_task(m, 100)->attr.reset_on_fork, 0);
}

static void a_child_of_a_deadline_task_is_born_without_it(void **state)
{
	struct machine *m = *state;

	start(m, BUDGET);
	spawns(m, INIT, 100, "/usr/bin/mixer");
	spawns(m, 100, 101, "/usr/bin/vi");
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	stop(m);
	assert_carries(m, 101, PRISTINE);
}

static void a_real_time_class_is_for_whom_a_rule_names(void **state)
{
	struct machine *m = *state;

	start(m, "'QOS_RT': { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 5 }, "
		 "'jackd': { 'qos': 'QOS_RT' }");
	spawns(m, INIT, 100, "/usr/bin/jackd");
	assert_task(m, 100, "SCHED_FIFO priority 5", REASON_RULE);
	spawns(m, 100, 101, "/usr/bin/vi");
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
}

static void tasks_that_are_not_fair_are_left_alone(void **state)
{
	static const struct {
		enum task_policy policy;
		int priority;
		const char *text;
	} cases[] = {
		{ POLICY_FIFO, 10, "SCHED_FIFO priority 10" },
		{ POLICY_RR, 20, "SCHED_RR priority 20" },
		{ POLICY_DEADLINE, 0, "SCHED_DEADLINE" },
		{ POLICY_EXT, 0, "SCHED_EXT" },
	};
	struct machine *m = *state;

	spawns(m, INIT, 90, "/usr/bin/chrome");
	chrt(m, 90, POLICY_FIFO, 50);
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'enforce': true }, "
		 "'schedqos': { 'default': 'all' }");
	assert_task(m, 90, "SCHED_FIFO priority 50", REASON_NOT_FAIR);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pid_t tid = (pid_t)(100 + i);

		m->lossy = true;
		forks(m, KTHREADD, tid);
		m->lossy = false;
		chrt(m, tid, cases[i].policy, cases[i].priority);
		execs(m, tid, "/usr/bin/chrome");
		renames(m, tid, "other");
		assert_task(m, tid, cases[i].text, REASON_NOT_FAIR);
	}
	stop(m);
	assert_carries(m, 90, "SCHED_FIFO priority 50");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_carries(m, (pid_t)(100 + i), cases[i].text);
}

static void our_clamp_does_not_stay_on_what_becomes_real_time(void **state)
{
	struct machine *m = *state;

	start(m, "");
	spawns(m, INIT, 100, "/usr/bin/chrt");
	assert_carries(m, 100, BY_DEFAULT);
	chrt(m, 100, POLICY_FIFO, 7);
	execs(m, 100, "/usr/bin/jackd");
	assert_task(m, 100, "SCHED_FIFO priority 7", REASON_NOT_FAIR);
	spawns(m, INIT, 200, "/usr/bin/uclampset");
	sets(m, 200, (struct task_attr){ .policy = POLICY_RR, .rt_priority = 3, .util_max = 300 });
	execs(m, 200, "/usr/bin/jackd");
	assert_task(m, 200, "SCHED_RR priority 3 util 0..300", REASON_NOT_FAIR);
	stop(m);
	assert_carries(m, 100, "SCHED_FIFO priority 7");
	assert_carries(m, 200, "SCHED_RR priority 3 util 0..300");
}

static void a_tagged_task_that_becomes_real_time_is_left_alone(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	chrt(m, 100, POLICY_FIFO, 1);
	execs(m, 100, "/usr/bin/chrome");
	assert_task(m, 100, "SCHED_FIFO priority 1", REASON_NOT_FAIR);
	chrt(m, 100, POLICY_NORMAL, 0);
	execs(m, 100, "/usr/bin/chrome");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
}

static void kernel_threads_are_left_alone(void **state)
{
	struct machine *m = *state;

	forks(m, KTHREADD, 40);
	start(m, "'schedqos': { 'default': 'all' }");
	forks(m, KTHREADD, 41);
	forks(m, KTHREADD, 42);
	assert_no_fetch(m);
	scan(m);
	assert_unknown(m, KTHREADD);
	assert_unknown(m, 40);
	assert_unknown(m, 41);
	assert_carries(m, 40, PRISTINE);
	assert_carries(m, 42, PRISTINE);
}

static void a_kernel_s_helper_program_is_tagged(void **state)
{
	struct machine *m = *state;

	start(m, "'modprobe': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, KTHREADD, 41, "/sbin/modprobe");
	assert_task(m, 41, BACKGROUND, REASON_RULE);
	scan(m);
	assert_task(m, 41, BACKGROUND, REASON_RULE);
}

static void schedqos_leaves_itself_alone(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, DAEMON, "/usr/bin/schedqos");
	renice(m, DAEMON, -20);
	start(m, "'schedqos': { 'default': 'all' }");
	execs(m, DAEMON, "/usr/bin/schedqos");
	clones(m, DAEMON, 51);
	forks(m, DAEMON, 52);
	assert_no_fetch(m);
	scan(m);
	assert_unknown(m, DAEMON);
	assert_unknown(m, 51);
	assert_carries(m, DAEMON, "SCHED_NORMAL nice -20");
	assert_carries(m, 51, "SCHED_NORMAL nice -20");
}

/* ---- what the kernel lacks, refuses and forgets ---- */

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
	m->deaf = m->late = true;
	execs(m, 101, "/usr/bin/vi");
	m->deaf = false;
	hear(m);
	m->late = false;
	vi_is_tagged_and_put_back(m);
}

static void without_slices_a_thread_s_unheard_exec_is_still_known_as_ours(void **state)
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

/* The set still met the thread, reading back no longer. */
static void without_slices_a_thread_that_execs_while_it_is_read_is_known_as_ours(void **state)
{
	struct machine *m = *state;
	struct task_attr of_leader;

	chrome_has_a_thread(m);
	of_leader = machine_task(m, 100)->attr;
	m->hold = true;
	renames(m, 101, "bg");
	assert_true(m->has_held);
	m->hold = m->has_held = false;
	machine_task(m, 101)->attr = m->held.want;
	m->deaf = true;
	execs(m, 101, "/usr/bin/vi");
	assert_false(plan_applied(m->plan, &m->held, 0, &of_leader, m->ms));
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

static void without_slices_a_child_born_unheard_is_put_back_after_its_parent(void **state)
{
	struct machine *m = *state;

	m->kernel.slice = false;
	start(m, "'app': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/usr/bin/app");
	m->lossy = true;
	forks(m, 100, 101);
	forks(m, 101, 102);
	stop(m);
	assert_carries(m, 100, PRISTINE);
	assert_carries(m, 101, PRISTINE);
	assert_carries(m, 102, PRISTINE);
}

static void a_kernel_without_slices_gets_the_rest(void **state)
{
	struct machine *m = *state;

	m->kernel.slice = false;
	start(m, "'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/usr/bin/gcc");
	assert_task(m, 100, "SCHED_BATCH nice 4 util 0..256", REASON_RULE);
	count_from_here(m);
	scan(m);
	assert_no_action(m);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void a_kernel_without_clamps_gets_the_rest(void **state)
{
	struct machine *m = *state;

	m->kernel.util_clamp = false;
	start(m, "'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/usr/bin/gcc");
	assert_task(m, 100, "SCHED_BATCH nice 4 slice 20 ms", REASON_RULE);
}

static void a_refusal_is_on_record_and_tried_again_at_exec(void **state)
{
	struct machine *m = *state;

	start(m, "'schedqos': { 'default': 'none' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	m->refuse = EPERM;
	spawns(m, INIT, 100, "/usr/bin/gcc");
	assert_task(m, 100, PRISTINE, REASON_REFUSED);
	assert_int_equal(record(m, 100)->error, EPERM);
	assert_int_equal(record(m, 100)->tag, TAG_NONE);
	forks(m, 100, 101);
	assert_task(m, 101, PRISTINE, REASON_REFUSED);
	m->refuse = 0;
	execs(m, 100, "/usr/bin/gcc");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	assert_int_equal(record(m, 100)->error, 0);
}

static void a_rename_is_no_reason_to_try_again(void **state)
{
	struct machine *m = *state;

	start(m, "'gcc': { 'qos': 'QOS_BACKGROUND' }");
	m->refuse = EPERM;
	spawns(m, INIT, 100, "/usr/bin/gcc");
	m->refuse = 0;
	count_from_here(m);
	renames(m, 100, "cc1");
	assert_no_fetch(m);
}

static void a_refused_task_still_has_something_to_undo(void **state)
{
	struct machine *m = *state;

	start(m, "'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/usr/bin/vi");
	m->refuse = EPERM;
	execs(m, 100, "/usr/bin/gcc");
	assert_task(m, 100, BY_DEFAULT, REASON_REFUSED);
	m->refuse = 0;
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void a_refused_undo_ends(void **state)
{
	struct machine *m = *state;

	start(m, "");
	m->refuse = EPERM;
	stop(m);
	assert_task(m, INIT, BY_DEFAULT, REASON_REFUSED);
}

static void what_is_not_kept_is_not_tagged(void **state)
{
	struct machine *m = *state;

	start(m, "'schedqos': { 'default': 'none' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	m->ignore = true;
	spawns(m, INIT, 100, "/usr/bin/gcc");
	assert_task(m, 100, PRISTINE, REASON_NOT_KEPT);
	assert_int_equal(record(m, 100)->tag, TAG_NONE);
	assert_false(record(m, 100)->flags & TASK_OWNED);
}

static void what_is_kept_in_part_is_undone(void **state)
{
	struct machine *m = *state;

	start(m, "'schedqos': { 'default': 'none' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	/* It says that it has slices, but does not keep them. */
	m->caps.slice = true;
	m->kernel.slice = false;
	spawns(m, INIT, 100, "/usr/bin/gcc");
	assert_task(m, 100, "SCHED_BATCH nice 4 util 0..256", REASON_NOT_KEPT);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void a_task_that_ends_before_it_is_set_does_not_count_as_set(void **state)
{
	struct machine *m = *state;

	start(m, "'gcc': { 'qos': 'QOS_BACKGROUND' }");
	forks(m, INIT, 100);
	m->hold = true;
	execs(m, 100, "/usr/bin/gcc");
	exits(m, 100);
	carry_out(m);
	assert_int_not_equal(record(m, 100)->reason, REASON_RULE);
}

static void a_task_that_ends_before_it_is_looked_at_is_left_alone(void **state)
{
	struct machine *m = *state;

	start(m, "'gcc': { 'qos': 'QOS_BACKGROUND' }");
	forks(m, INIT, 100);
	m->deaf = true;
	execs(m, 100, "/usr/bin/gcc");
	exits(m, 100);
	count_from_here(m);
	hear(m);
	assert_no_action(m);
}

static void an_exit_is_the_end_of_the_record(void **state)
{
	struct machine *m = *state;
	const struct task_attr pristine = task_attr_pristine;

	start(m, "");
	forks(m, INIT, 100);
	plan_exited(m->plan, 100);
	plan_exited(m->plan, 100);
	assert_unknown(m, 100);
	/* An action that is reported after its task's end is of no interest. */
	assert_false(plan_applied(m->plan, &(struct plan_action){ .tid = 100 }, 0, &pristine, 0));
	assert_unknown(m, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(a_deadline_class_comes_with_its_budget),
		MACHINE_TEST(a_task_leaves_a_deadline_class),
		MACHINE_TEST(a_child_of_a_deadline_task_is_born_without_it),
		MACHINE_TEST(a_real_time_class_is_for_whom_a_rule_names),
		MACHINE_TEST(tasks_that_are_not_fair_are_left_alone),
		MACHINE_TEST(our_clamp_does_not_stay_on_what_becomes_real_time),
		MACHINE_TEST(a_tagged_task_that_becomes_real_time_is_left_alone),
		MACHINE_TEST(kernel_threads_are_left_alone),
		MACHINE_TEST(a_kernel_s_helper_program_is_tagged),
		MACHINE_TEST(schedqos_leaves_itself_alone),
		MACHINE_TEST(without_slices_a_thread_that_execs_is_still_known_as_ours),
		MACHINE_TEST(without_slices_a_thread_s_late_exec_is_still_known_as_ours),
		MACHINE_TEST(without_slices_a_thread_s_unheard_exec_is_still_known_as_ours),
		MACHINE_TEST(without_slices_a_thread_that_execs_while_it_is_read_is_known_as_ours),
		MACHINE_TEST(without_slices_an_orphan_of_a_dead_child_is_still_known_as_ours),
		MACHINE_TEST(without_slices_a_child_born_unheard_is_put_back_after_its_parent),
		MACHINE_TEST(a_kernel_without_slices_gets_the_rest),
		MACHINE_TEST(a_kernel_without_clamps_gets_the_rest),
		MACHINE_TEST(a_refusal_is_on_record_and_tried_again_at_exec),
		MACHINE_TEST(a_rename_is_no_reason_to_try_again),
		MACHINE_TEST(a_refused_task_still_has_something_to_undo),
		MACHINE_TEST(a_refused_undo_ends),
		MACHINE_TEST(what_is_not_kept_is_not_tagged),
		MACHINE_TEST(what_is_kept_in_part_is_undone),
		MACHINE_TEST(a_task_that_ends_before_it_is_set_does_not_count_as_set),
		MACHINE_TEST(a_task_that_ends_before_it_is_looked_at_is_left_alone),
		MACHINE_TEST(an_exit_is_the_end_of_the_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
