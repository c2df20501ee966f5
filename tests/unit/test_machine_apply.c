/* SPDX-License-Identifier: GPL-2.0-only */
/* Applying profiles to a made-up machine, refusals, and putting everything back. */
#include "machine_case.h"

#include "../../src/machine/machine_private.h"

static void a_profile_is_applied_and_put_back(void **state)
{
	(void)state;
	apply(&fast);
	assert_results(5, 0, 0, 0);
	assert_true(result.base_slice);
	assert_string_equal(get("sched/base_slice_ns"), "16000000\n");
	assert_string_equal(get(GOVERNOR0), "schedutil\n");
	assert_string_equal(get(GOVERNOR1), "schedutil\n");
	assert_string_equal(get("sys/kernel/sched_rr_timeslice_ms"), "50\n");
	assert_string_equal(get("devices/vda/queue/nr_requests"), "64\n");
	assert_string_equal(get("devices/sda/queue/nr_requests"), "32\n");
	assert_string_equal(machine_profile(machine), "fast");
	assert_int_equal(machine_count_changed(machine), 5);
	apply(NULL);
	assert_results(0, 0, 5, 0);
	assert_true(result.base_slice);
	assert_null(machine_profile(machine));
	assert_all_put_back();
}

static struct timespec written_at(const char *path)
{
	char whole[512];
	struct stat stat_buf;

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	assert_int_equal(stat(whole, &stat_buf), 0);
	return stat_buf.st_mtim;
}

static void unchanged_knobs_are_not_written(void **state)
{
	struct timespec before, after;

	(void)state;
	before = written_at(GOVERNOR0);
	apply(&other);
	assert_results(2, 1, 0, 0);
	after = written_at(GOVERNOR0);
	assert_memory_equal(&before, &after, sizeof(before));
	before = written_at(GOVERNOR1);
	apply(&other);
	assert_results(0, 3, 0, 0);
	assert_false(result.base_slice);
	after = written_at(GOVERNOR1);
	assert_memory_equal(&before, &after, sizeof(before));
	/* The value was there before us, and is not ours to put back. */
	put(GOVERNOR0, "ondemand\n");
	apply(NULL);
	assert_results(0, 0, 2, 0);
	assert_string_equal(get(GOVERNOR0), "ondemand\n");
}

static void second_profile_keeps_the_values_before_the_first(void **state)
{
	(void)state;
	apply(&fast);
	apply(&other);
	/* performance is what policy0 had before, and what is wanted: it counts as put back. */
	assert_results(3, 0, 2, 0);
	assert_string_equal(get("sched/base_slice_ns"), "4000000\n");
	assert_string_equal(get(GOVERNOR1), "performance\n");
	assert_string_equal(get("sys/kernel/sched_rr_timeslice_ms"), "100\n");
	assert_string_equal(get("devices/vda/queue/nr_requests"), "256\n");
	assert_string_equal(machine_profile(machine), "other");
	apply(NULL);
	assert_all_put_back();
}

static void knobs_changed_by_others_are_left_alone(void **state)
{
	(void)state;
	apply(&fast);
	put(GOVERNOR0, "ondemand\n");
	put("sched/base_slice_ns", "5000000\n");
	apply(NULL);
	assert_results(0, 0, 3, 0);
	assert_string_equal(get(GOVERNOR0), "ondemand\n");
	assert_string_equal(get(GOVERNOR1), "powersave\n");
	assert_string_equal(get("sched/base_slice_ns"), "5000000\n");
	assert_null(get(STATE));
}

static void new_profile_records_the_values_of_others(void **state)
{
	(void)state;
	apply(&fast);
	put("sched/base_slice_ns", "5000000\n");
	apply(&other);
	assert_string_equal(get("sched/base_slice_ns"), "4000000\n");
	apply(NULL);
	assert_string_equal(get("sched/base_slice_ns"), "5000000\n");
}

/* The only refusal. */
static void assert_refusal(const char *text)
{
	size_t count;
	const struct refusal *refusals = machine_refusals(machine, &count);

	assert_int_equal(count, 1);
	assert_string_equal(refusals[0].text, text);
}

static void missing_knobs_are_refused_and_the_rest_set(void **state)
{
	(void)state;
	take_away("sched/base_slice_ns");
	apply(&fast);
	assert_results(4, 0, 0, 1);
	assert_false(result.base_slice);
	assert_refusal("/sys/kernel/debug/sched/base_slice_ns: No such file or directory (this kernel "
		   "has no such knob there)");
	assert_string_equal(get(GOVERNOR1), "schedutil\n");
}

static void a_refusal_is_new_once(void **state)
{
	const struct refusal *refusals;
	size_t count;

	(void)state;
	take_away("sched/base_slice_ns");
	apply(&fast);
	refusals = machine_refusals(machine, &count);
	assert_true(count == 1 && refusals[0].is_new);
	apply(&fast);
	refusals = machine_refusals(machine, &count);
	assert_true(count == 1 && !refusals[0].is_new);
	apply(NULL);
	machine_refusals(machine, &count);
	assert_int_equal(count, 0);
}

static void refusals_of_one_reason_are_one_line(void **state)
{
	struct knob many[] = { KNOB(KNOB_CPUFREQ, "boost", "1") };
	const struct sched_profile profile = { "many", many, 1, { 0 } };

	(void)state;
	make_folder("cpufreq/policy2");
	make_folder("cpufreq/policy3");
	make_folder("cpufreq/policy4");
	make_folder("cpufreq/policy5");
	apply(&profile);
	assert_results(0, 0, 0, 6);
	assert_refusal("/sys/devices/system/cpu/cpufreq: policy0/boost, policy1/boost, policy2/boost, "
		   "policy3/boost and 2 more: No such file or directory (this machine has no "
		   "frequency scaling)");
}

static void unavailable_tree_is_one_refusal(void **state)
{
	struct knobs knobs = open_trees();

	(void)state;
	close_machine();
	close(knobs.tree[KNOB_CPUFREQ]);
	knobs.tree[KNOB_CPUFREQ] = -ENOENT;
	assert_int_equal(machine_new_at(&knobs, open_folder("run"), &machine), 0);
	apply(&fast);
	assert_results(3, 0, 0, 1);
	assert_refusal("/sys/devices/system/cpu/cpufreq/scaling_governor: No such file or directory "
		   "(this machine has no frequency scaling)");
}

static void only_a_glob_may_match_nothing(void **state)
{
	struct knob knobs[] = { BLOCK("nvme*", "scheduler", "none"),
				BLOCK("nvme0n1", "scheduler", "none") };
	const struct sched_profile profile = { "nvme", knobs, 2, { 0 } };

	(void)state;
	apply(&profile);
	assert_results(0, 0, 0, 1);
	assert_refusal("/sys/block/nvme0n1/queue/scheduler: No such file or directory");
}

static void later_of_two_values_counts(void **state)
{
	struct knob knobs[] = { BLOCK("*", "nr_requests", "10"),
				BLOCK("vda", "nr_requests", "20") };
	const struct sched_profile profile = { "two", knobs, 2, { 0 } };

	(void)state;
	apply(&profile);
	assert_results(2, 0, 0, 0);
	assert_string_equal(get("devices/sda/queue/nr_requests"), "10\n");
	assert_string_equal(get("devices/vda/queue/nr_requests"), "20\n");
	apply(NULL);
	assert_all_put_back();
}

static void autogroup_is_a_knob(void **state)
{
	struct knob knobs[] = { KNOB(KNOB_SYSCTL, "kernel/sched_autogroup_enabled", "1") };
	const struct sched_profile wants_it = { "wants", knobs, 1, { 0 } };
	size_t count;

	(void)state;
	assert_int_equal(machine_apply(machine, NULL, true, &result), 0);
	assert_results(1, 0, 0, 0);
	assert_string_equal(get(AUTOGROUP), "0\n");
	/* A profile that names it decides. */
	assert_int_equal(machine_apply(machine, &wants_it, true, &result), 0);
	assert_string_equal(get(AUTOGROUP), "1\n");
	assert_int_equal(machine_apply(machine, NULL, true, &result), 0);
	apply(NULL);
	assert_all_put_back();
	/* A kernel without autogroups is no error, unless a profile names the knob. */
	take_away(AUTOGROUP);
	assert_int_equal(machine_apply(machine, &wants_it, true, &result), 0);
	assert_results(0, 0, 0, 1);
	assert_int_equal(machine_apply(machine, NULL, true, &result), 0);
	assert_results(0, 0, 0, 0);
	machine_refusals(machine, &count);
	assert_int_equal(count, 0);
}

static void a_device_that_is_gone_is_forgotten(void **state)
{
	size_t count;

	(void)state;
	apply(&fast);
	take_away("block/vda");
	apply(NULL);
	assert_results(0, 0, 4, 0);
	machine_refusals(machine, &count);
	assert_int_equal(count, 0);
	assert_null(get(STATE));
}

static void each_feature_is_a_knob(void **state)
{
	struct knob knobs[] = { KNOB(KNOB_DEBUGFS, "features", "NO_HRTICK", "WA_X") };
	const struct sched_profile profile = { "features", knobs, 1, { 0 } };

	(void)state;
	put("sched/features", "HRTICK WA_X\n");
	apply(&profile);
	/* Unlike the kernel's, this file holds just what was written last. */
	assert_results(1, 1, 0, 0);
	assert_string_equal(get("sched/features"), "NO_HRTICK\n");
	assert_int_equal(machine_count_changed(machine), 1);
	apply(NULL);
	assert_string_equal(get("sched/features"), "HRTICK\n");
}

static void knobs_in_folders_of_debugfs(void **state)
{
	struct knob knobs[] = { KNOB(KNOB_DEBUGFS, "llc_balancing/enabled", "0"),
				KNOB(KNOB_DEBUGFS, "cgroup_mode", "max"),
				KNOB(KNOB_DEBUGFS, "llc_balancing/other", "1"),
				KNOB(KNOB_DEBUGFS, "base_slice_ns", "4000000") };
	const struct sched_profile profile = { "folders", knobs, COUNT(knobs), { 0 } };

	(void)state;
	put("sched/llc_balancing/enabled", "1\n");
	put("sched/cgroup_mode", "up smp (concur) max tasks \n");
	apply(&profile);
	assert_results(3, 0, 0, 1);
	assert_refusal("/sys/kernel/debug/sched/llc_balancing/other: No such file or directory (this kernel "
		       "has no such knob there)");
	assert_string_equal(get("sched/llc_balancing/enabled"), "0\n");
	assert_string_equal(get("sched/cgroup_mode"), "max\n");
	/* By another run, from the record alone. */
	close_machine();
	start(0);
	apply(NULL);
	assert_results(0, 0, 3, 0);
	assert_string_equal(get("sched/llc_balancing/enabled"), "1\n");
	assert_string_equal(get("sched/cgroup_mode"), "concur\n");
	assert_all_put_back();
}

static void a_knob_behind_a_link_is_refused(void **state)
{
	struct knob knobs[] = { KNOB(KNOB_DEBUGFS, "up/secret", "1"), KNOB(KNOB_DEBUGFS, "link", "1") };
	const struct sched_profile profile = { "links", knobs, COUNT(knobs), { 0 } };
	const struct refusal *refusals;
	size_t count;

	(void)state;
	put("secret", "secret\n");
	make_link("..", "sched/up");
	make_link("../secret", "sched/link");
	apply(&profile);
	assert_results(0, 0, 0, 2);
	refusals = machine_refusals(machine, &count);
	assert_int_equal(count, 2);
	assert_non_null(strstr(refusals[0].text, "sched/up/secret: Not a directory (a file, or a symbolic link"));
	assert_non_null(strstr(refusals[1].text, "sched/link: Too many levels"));
	assert_string_equal(get("secret"), "secret\n");
}

static void a_missing_feature_is_named(void **state)
{
	struct knob knobs[] = { KNOB(KNOB_DEBUGFS, "features", "NO_RUN_TO_PARITY", "HRTICK") };
	const struct sched_profile profile = { "features", knobs, 1, { 0 } };

	(void)state;
	put("sched/features", "NO_HRTICK WA_X\n");
	apply(&profile);
	assert_results(1, 0, 0, 1);
	assert_refusal("/sys/kernel/debug/sched/features RUN_TO_PARITY: Invalid argument (the kernel takes no such "
		       "value)");
	assert_string_equal(get("sched/features"), "HRTICK\n");
}

static void lists_are_written_in_order(void **state)
{
	struct knob knobs[] = { KNOB(KNOB_DEBUGFS, "base_slice_ns", "1", "2", "5") };
	const struct sched_profile profile = { "list", knobs, 1, { 0 } };

	(void)state;
	apply(&profile);
	assert_results(1, 0, 0, 0);
	assert_string_equal(get("sched/base_slice_ns"), "5\n");
	apply(NULL);
	assert_all_put_back();
}

/* ---- processors that go online and offline ---- */

static void refresh(void)
{
	assert_int_equal(machine_refresh(machine, &fast, &result), 0);
}

static void new_policy_gets_the_profile_and_is_put_back(void **state)
{
	(void)state;
	apply(&fast);
	put(GOVERNOR2, "ondemand\n");
	refresh();
	assert_results(1, 0, 0, 0);
	assert_string_equal(get(GOVERNOR2), "schedutil\n");
	assert_int_equal(machine_count_changed(machine), 6);
	close_machine();
	start(0);
	apply(NULL);
	assert_results(0, 0, 6, 0);
	assert_string_equal(get(GOVERNOR2), "ondemand\n");
	assert_all_put_back();
}

static void new_policy_leaves_other_knobs_alone(void **state)
{
	(void)state;
	apply(&fast);
	put(GOVERNOR0, "ondemand\n");
	put(AUTOGROUP, "0\n");
	put("sched/base_slice_ns", "5000000\n");
	n_writes = 0;
	refresh();
	assert_results(0, 0, 0, 0);
	put(GOVERNOR2, "ondemand\n");
	refresh();
	assert_results(1, 0, 0, 0);
	assert_int_equal(n_writes, 1);
	refresh();
	assert_results(0, 0, 0, 0);
	put(GOVERNOR2, "ondemand\n");
	refresh();
	assert_string_equal(get(GOVERNOR2), "ondemand\n");
	assert_string_equal(get(GOVERNOR0), "ondemand\n");
	assert_string_equal(get("sched/base_slice_ns"), "5000000\n");
	assert_string_equal(machine_profile(machine), "fast");
}

static void returning_policy_is_new(void **state)
{
	(void)state;
	put(GOVERNOR2, "ondemand\n");
	apply(&fast);
	take_away(GOVERNOR2);
	take_away("cpufreq/policy2");
	refresh();
	put(GOVERNOR2, "powersave\n");
	refresh();
	assert_string_equal(get(GOVERNOR2), "schedutil\n");
}

/* The kernel computes it anew when a processor comes or goes. At the end it gets what it would have by then. */
static void lost_base_slice_is_set_again(void **state)
{
	(void)state;
	apply(&fast);
	put("sched/base_slice_ns", "1500000\n");
	refresh();
	assert_results(1, 0, 0, 0);
	assert_true(result.base_slice);
	assert_string_equal(get("sched/base_slice_ns"), "16000000\n");
	n_writes = 0;
	refresh();
	assert_int_equal(n_writes, 0);
	apply(NULL);
	assert_string_equal(get("sched/base_slice_ns"), "1500000\n");
}

/* A policy whose processors are all offline cannot be read. That is no refusal; it is new once one comes online. */
static void policy_without_processors_is_deferred(void **state)
{
	(void)state;
	put(GOVERNOR2, "ondemand\n");
	busy = "policy2";
	apply(&fast);
	assert_results(5, 0, 0, 0);
	refresh();
	assert_results(0, 0, 0, 0);
	busy = NULL;
	refresh();
	assert_results(1, 0, 0, 0);
	assert_string_equal(get(GOVERNOR2), "schedutil\n");
	/* What cannot be put back when the machine is closed stays on record. */
	busy = "policy2";
	apply(NULL);
	assert_results(0, 0, 5, 1);
	assert_refusal("/sys/devices/system/cpu/cpufreq/policy2/scaling_governor: Device or resource busy (its "
		   "processors are offline)");
	busy = NULL;
	apply(NULL);
	assert_string_equal(get(GOVERNOR2), "ondemand\n");
	assert_all_put_back();
}

static void new_policy_keeps_earlier_refusals(void **state)
{
	const struct refusal *refusals;
	size_t count;

	(void)state;
	take_away("sched/base_slice_ns");
	apply(&fast);
	put("cpufreq/policy2/other", "");
	refresh();
	refusals = machine_refusals(machine, &count);
	assert_int_equal(count, 2);
	assert_false(refusals[0].is_new);
	assert_true(refusals[1].is_new);
	refresh();
	refusals = machine_refusals(machine, &count);
	assert_int_equal(count, 2);
	assert_false(refusals[1].is_new);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		PROFILE_TEST(a_profile_is_applied_and_put_back),
		PROFILE_TEST(unchanged_knobs_are_not_written),
		PROFILE_TEST(second_profile_keeps_the_values_before_the_first),
		PROFILE_TEST(knobs_changed_by_others_are_left_alone),
		PROFILE_TEST(new_profile_records_the_values_of_others),
		PROFILE_TEST(missing_knobs_are_refused_and_the_rest_set),
		PROFILE_TEST(a_refusal_is_new_once),
		PROFILE_TEST(refusals_of_one_reason_are_one_line),
		PROFILE_TEST(unavailable_tree_is_one_refusal),
		PROFILE_TEST(only_a_glob_may_match_nothing),
		PROFILE_TEST(later_of_two_values_counts),
		PROFILE_TEST(autogroup_is_a_knob),
		PROFILE_TEST(a_device_that_is_gone_is_forgotten),
		PROFILE_TEST(each_feature_is_a_knob),
		PROFILE_TEST(knobs_in_folders_of_debugfs),
		PROFILE_TEST(a_knob_behind_a_link_is_refused),
		PROFILE_TEST(a_missing_feature_is_named),
		PROFILE_TEST(lists_are_written_in_order),
		PROFILE_TEST(new_policy_gets_the_profile_and_is_put_back),
		PROFILE_TEST(new_policy_leaves_other_knobs_alone),
		PROFILE_TEST(lost_base_slice_is_set_again),
		PROFILE_TEST(returning_policy_is_new),
		PROFILE_TEST(policy_without_processors_is_deferred),
		PROFILE_TEST(new_policy_keeps_earlier_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
