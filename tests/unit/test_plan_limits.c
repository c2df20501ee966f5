/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies that a limit lowers every fair task, raises none, and gives back at its end what it has lowered. */
#include "fake_daemon.h"

#define APP "'app': { 'qos': 'QOS_USER_INTERACTIVE' }"
#define GROUP "'schedqos': { 'groups': { 'bg': { 'max': 'QOS_BACKGROUND' } } }"

static uint16_t limits(struct machine *m, const char *qos)
{
	return asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .limit.class = qos }, 100);
}

/* Starts a process that chooses these attributes, and then the daemon. */
static void chose(struct machine *m, const char *json, struct task_attr attr)
{
	forks(m, INIT, 100);
	sets(m, 100, attr);
	execs(m, 100, "/bin/any");
	start(m, json);
}

/* Limits a task that chose this policy. */
static uint16_t limits_policy(struct machine *m, const char *json, enum task_policy policy, const char *qos)
{
	struct task_attr attr = task_attr_pristine;

	attr.policy = policy;
	chose(m, json, attr);
	return limits(m, qos);
}

static struct task_attr with_slice(uint32_t ms)
{
	struct task_attr attr = task_attr_pristine;

	attr.slice_ns = ms * MS;
	return attr;
}

MACHINE_TEST(a_chosen_slice_escapes_no_limit)
{
	uint16_t number;

	chose(m, "", with_slice(5));
	assert_task(m, 100, "SCHED_NORMAL nice 0 slice 5 ms", REASON_CHOSEN);
	number = limits(m, "QOS_BACKGROUND");
	assert_task(m, 100, BACKGROUND, REASON_CHOSEN);
	assert_true(m->last.is_above_limit);
	ends(m, number);
	assert_task(m, 100, "SCHED_NORMAL nice 0 slice 5 ms", REASON_CHOSEN);
	assert_false(m->last.is_above_limit);
	stops_without_trace(m);
}

MACHINE_TEST(a_limit_counts_a_task_that_a_class_has_made_real_time)
{
	start_and_run(m, "'QOS_RT': { 'sched_policy': 'SCHED_RR', 'sched_priority': 3 }, 'app': { 'qos': 'QOS_RT' }",
		      "/bin/app");
	assert_task(m, 100, "SCHED_RR priority 3", REASON_RULE);
	limits(m, "QOS_BACKGROUND");
	assert_carries(m, 100, BACKGROUND);
	assert_true(m->last.is_above_limit);
}

MACHINE_TEST(a_chosen_sched_batch_escapes_no_limit)
{
	const uint16_t number = limits_policy(m, "", POLICY_BATCH, "QOS_BACKGROUND");

	assert_carries(m, 100, BACKGROUND);
	/* A child that chooses attributes under the limit does not escape it, either, once it is looked at. */
	forks(m, 100, 101);
	sets(m, 101, with_slice(1));
	execs(m, 101, "/bin/other");
	assert_carries(m, 101, BACKGROUND);
	ends(m, number);
	assert_carries(m, 100, "SCHED_BATCH nice 0");
	stop(m);
	assert_carries(m, 100, "SCHED_BATCH nice 0");
}

MACHINE_TEST(a_limit_lowers_a_task_without_a_class)
{
	chose(m, "'schedqos': { 'default': 'none', 'groups': { 'bg': { 'max': 'QOS_UTILITY' } } }", task_attr_pristine);
	moves(m, 100, "/bg");
	assert_task(m, 100, UTILITY, REASON_NO_RULE);
	moves(m, 100, "/");
	assert_task(m, 100, PRISTINE, REASON_NO_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(a_group_that_denies_one_class_lowers_to_the_highest_other)
{
	struct task_attr attr = with_slice(4);

	attr.nice = -9;
	chose(m, "'schedqos': { 'groups': { 'bg': { 'QOS_USER_INTERACTIVE': false } } }", attr);
	moves(m, 100, "/bg");
	assert_carries(m, 100, INITIATED);
	stops_without_trace(m);
}

MACHINE_TEST(hidden_windows_lower_what_was_chosen)
{
	const struct override hidden = { .kind = OVERRIDE_SHOWN, .visibility.shown = SHOWN_HIDDEN };

	chose(m, "'schedqos': { 'focus': 'QOS_USER_INITIATED' }", with_slice(5));
	ends(m, asks(m, hidden, 100));
	asks(m, hidden, 100);
	assert_carries(m, 100, UTILITY);
	stops_without_trace(m);
}

MACHINE_TEST(hidden_windows_lower_a_task_without_a_class)
{
	const struct override hidden = { .kind = OVERRIDE_SHOWN, .visibility.shown = SHOWN_HIDDEN };

	chose(m, "'schedqos': { 'default': 'none', 'focus': 'QOS_USER_INITIATED' }", task_attr_pristine);
	asks(m, hidden, 100);
	assert_task(m, 100, UTILITY, REASON_NO_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(a_limit_raises_nobody)
{
	struct task_attr attr = with_slice(50);

	attr.nice = 10;
	attr.util_max = 100;
	chose(m, "", attr);
	limits(m, "QOS_USER_INTERACTIVE");
	assert_carries(m, 100, "SCHED_NORMAL nice 10 slice 50 ms util 0..100");
	limits(m, "QOS_BACKGROUND");
	assert_carries(m, 100, "SCHED_BATCH nice 10 slice 50 ms util 0..100");
	chrt(m, 100, POLICY_IDLE, 0);
	scan(m);
	count_from_here(m);
	limits(m, "QOS_UTILITY");
	assert_no_action(m);
	assert_int_equal(living(m, 100)->attr.policy, POLICY_IDLE);
}

/* Real time takes privilege, and such tasks do not get classes, either. */
MACHINE_TEST(a_limit_leaves_real_time_alone)
{
	struct task_attr attr = task_attr_pristine;

	attr.policy = POLICY_RR;
	attr.rt_priority = 5;
	chose(m, "", attr);
	limits(m, "QOS_BACKGROUND");
	assert_carries(m, 100, "SCHED_RR priority 5");
}

/* Anybody may choose SCHED_EXT, and without a sched_ext scheduler such a task is fair. */
MACHINE_TEST(sched_ext_escapes_no_limit)
{
	const uint16_t number = limits_policy(m, "", POLICY_EXT, "QOS_BACKGROUND");

	assert_carries(m, 100, BACKGROUND);
	chrt(m, 100, POLICY_EXT, 0);
	execs(m, 100, "/bin/other");
	assert_carries(m, 100, BACKGROUND);
	count_from_here(m);
	scan(m);
	assert_no_action(m);
	ends(m, number);
	assert_carries(m, 100, "SCHED_EXT");
	stops_without_trace(m);
}

/* Its child is fair, but keeps the nice value that somebody gave: reset-on-fork resets only a negative one. */
MACHINE_TEST(a_limited_sched_ext_task_raises_no_child)
{
	struct task_attr attr = task_attr_pristine;

	attr.policy = POLICY_EXT;
	attr.nice = 19;
	attr.reset_on_fork = 1;
	chose(m, "", attr);
	limits(m, "QOS_USER_INITIATED");
	forks(m, 100, 101);
	execs(m, 101, "/bin/other");
	assert_int_equal(living(m, 101)->attr.nice, 19);
	stop(m);
	assert_int_equal(living(m, 101)->attr.nice, 19);
	assert_int_equal(living(m, 100)->attr.nice, 19);
}

MACHINE_TEST(a_limit_without_a_policy_lowers_sched_ext)
{
	const uint16_t number = limits_policy(m, "'QOS_NICE': { 'sched_nice': 10 }", POLICY_EXT, "QOS_NICE");

	assert_carries(m, 100, "SCHED_NORMAL nice 10");
	ends(m, number);
	assert_carries(m, 100, "SCHED_EXT");
	stops_without_trace(m);
}

/* The values of the first limit must not become the task's choice when the second limit begins. */
MACHINE_TEST(a_choice_returns_after_several_limits)
{
	start_and_run(m, APP ", 'schedqos': { 'groups': { 'low': { 'max': 'QOS_BACKGROUND' }, 'mid': { 'max': 'QOS_UTILITY' } } }",
		      "/bin/app");
	renice(m, 100, -1);
	renice(m, 100, 0);
	scan(m);
	moves(m, 100, "/low");
	moves(m, 100, "/mid");
	forks(m, 100, 101);
	moves(m, 100, "/low");
	moves(m, 100, "/");
	moves(m, 101, "/");
	assert_task(m, 100, "SCHED_NORMAL nice 0 slice 8 ms", REASON_CHANGED);
	assert_task(m, 101, "SCHED_NORMAL nice 0 slice 8 ms", REASON_CHANGED);
	stops_without_trace(m);
}

MACHINE_TEST(a_limit_lasts_over_a_crash_and_gives_back_at_the_stop)
{
	chose(m, GROUP, with_slice(5));
	moves(m, 100, "/bg");
	assert_carries(m, 100, BACKGROUND);
	crash(m);
	start(m, GROUP);
	assert_carries(m, 100, BACKGROUND);
	moves(m, 100, "/");
	assert_carries(m, 100, "SCHED_NORMAL nice 0 slice 5 ms");
	stops_without_trace(m);
}

/* ---- a cgroup whose path cannot be read ---- */

MACHINE_TEST(an_unknown_cgroup_lifts_no_limit)
{
	start_and_run(m, GROUP ", " APP, "/bin/app");
	moves(m, 100, "/bg");
	moves(m, 100, UNKNOWN_CGROUP);
	assert_carries(m, 100, BACKGROUND);
	forks(m, 100, 101);
	execs(m, 101, "/bin/app");
	assert_carries(m, 101, BACKGROUND);
	reload(m, GROUP ", " APP);
	assert_carries(m, 100, BACKGROUND);
	assert_carries(m, 101, BACKGROUND);
	moves(m, 101, "/");
	assert_carries(m, 101, INTERACTIVE);
	stops_without_trace(m);
}

MACHINE_TEST(an_unknown_cgroup_frees_no_child_of_its_parent_s_limit)
{
	start_and_run(m, GROUP ", " APP, "/bin/app");
	forks(m, 100, 101);
	moves(m, 101, UNKNOWN_CGROUP);
	execs(m, 101, "/bin/app");
	assert_carries(m, 101, INTERACTIVE);
	moves(m, 100, "/bg");
	execs(m, 101, "/bin/app");
	assert_carries(m, 101, BACKGROUND);
	stops_without_trace(m);
}

MACHINE_TEST(a_limit_at_run_time_holds_in_an_unknown_cgroup)
{
	start_and_run(m, GROUP ", " APP, "/bin/app");
	moves(m, 100, UNKNOWN_CGROUP);
	assert_carries(m, 100, INTERACTIVE);
	limits(m, "QOS_UTILITY");
	assert_carries(m, 100, UTILITY);
	stops_without_trace(m);
}

/* A reload may bring a higher class, or rename one. */
MACHINE_TEST(a_limit_in_an_unknown_cgroup_denies_a_new_class_above_it)
{
	start_and_run(m, "'QOS_TOP': { 'sched_nice': -8 }, 'schedqos': { 'groups': { 'bg': { 'max': 'QOS_BACKGROUND' } } },"
			 "'app': { 'qos': 'QOS_TOP' }", "/bin/app");
	moves(m, 100, "/bg");
	moves(m, 100, UNKNOWN_CGROUP);
	assert_int_equal(living(m, 100)->attr.nice, 4);
	reload(m, "'QOS_HIGH': { 'sched_nice': -8 }, 'schedqos': { 'groups': { 'bg': { 'max': 'QOS_BACKGROUND' } } },"
		  "'app': { 'qos': 'QOS_HIGH' }");
	assert_int_equal(living(m, 100)->attr.nice, 4);
}

/* The lower class may have attributes that are higher. */
MACHINE_TEST(no_attribute_of_the_class_in_place_of_a_denied_one_is_higher)
{
	const struct override limit = { .kind = OVERRIDE_LIMIT, .uid = 1000, .limit.class = "QOS_LOW" };
	const struct task_attr *attr;

	start(m, "'QOS_COPY': { 'sched_policy': 'SCHED_BATCH', 'sched_nice': 2, 'sched_runtime': 20000000, 'io_class': 'idle' },"
		 "'QOS_LOW': { 'sched_nice': 3, 'sched_runtime': 100000, 'io_class': 'best-effort', 'io_priority': 0,"
		 "'sched_util_min': 1024 }, 'rsync': { 'qos': 'QOS_COPY' }");
	forks(m, INIT, 100);
	living(m, 100)->uid = 1000;
	execs(m, 100, "/bin/rsync");
	asks(m, limit, 100);
	attr = &living(m, 100)->attr;
	assert_int_equal(attr->nice, 3);
	assert_int_equal(attr->policy, POLICY_BATCH);
	assert_int_equal(attr->slice_ns, 20 * MS);
	assert_int_equal(attr->util_min, 0);
	assert_int_equal(attr->io_priority, IO_PRIORITY(IO_CLASS_IDLE, 0));
}

/* The class that a limit allows may rise; then it is still allowed. */
MACHINE_TEST(a_limit_in_an_unknown_cgroup_allows_its_class_though_that_rises)
{
	static const char *const group = "'schedqos': { 'groups': { 'bg': { 'max': 'QOS_MID' } } }, 'app': { 'qos': 'QOS_MID' }";
	char low[256], high[256];

	snprintf(low, sizeof(low), "'QOS_MID': { 'sched_nice': 0 }, %s", group);
	snprintf(high, sizeof(high), "'QOS_MID': { 'sched_nice': -1 }, %s", group);
	start_and_run(m, low, "/bin/app");
	moves(m, 100, "/bg");
	moves(m, 100, UNKNOWN_CGROUP);
	reload(m, high);
	assert_int_equal(living(m, 100)->attr.nice, -1);
	reload(m, low);
	assert_int_equal(living(m, 100)->attr.nice, 0);
}
