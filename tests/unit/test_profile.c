/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies how profiles are applied to a made-up machine, how refusals are reported, and that everything is put back,
 * also after a kill at any moment.
 */
#include "machine_case.h"

#include <sys/wait.h>

PROFILE_TEST(a_profile_is_applied_and_put_back)
{
	apply(&fast);
	assert_results(5, 0, 0, 0);
	assert_true(result.base_slice);
	assert_string_equal(get(BASE_SLICE), "16000000\n");
	assert_string_equal(get(GOVERNOR0), "schedutil\n");
	assert_string_equal(get(GOVERNOR1), "schedutil\n");
	assert_string_equal(get(SYSCTL "sched_rr_timeslice_ms"), "50\n");
	assert_string_equal(get(VDA "nr_requests"), "64\n");
	assert_string_equal(get("sys/block/sda/queue/nr_requests"), "32\n");
	assert_string_equal(machine_profile(machine), "fast");
	assert_int_equal(machine_count_changed(machine), 5);
	/* Another run puts the knobs back, from the record alone. */
	close_machine();
	start(0);
	assert_string_equal(machine_profile(machine), "fast");
	apply(NULL);
	assert_results(0, 0, 5, 0);
	assert_true(result.base_slice);
	assert_null(machine_profile(machine));
	assert_all_put_back();
}

PROFILE_TEST(a_second_profile_keeps_the_values_before_the_first)
{
	apply(&fast);
	apply(&other);
	assert_results(3, 0, 2, 0);
	assert_string_equal(get(BASE_SLICE), "4000000\n");
	assert_string_equal(get(GOVERNOR1), "performance\n");
	assert_string_equal(get(SYSCTL "sched_rr_timeslice_ms"), "100\n");
	assert_string_equal(get(VDA "nr_requests"), "256\n");
	assert_string_equal(machine_profile(machine), "other");
	/* Nothing is written twice. */
	n_writes = 0;
	apply(&other);
	assert_results(0, 3, 0, 0);
	assert_int_equal(n_writes, 0);
	assert_false(result.base_slice);
	apply(NULL);
	assert_all_put_back();
}

/* A knob's new value depends on its record, its present value and the wanted value. */
PROFILE_TEST(a_knob_is_set_or_put_back_only_if_nobody_else_changed_it)
{
	static const struct {
		const char *before, *set; /* the record; before NULL: there is none; set NULL: killed while writing */
		const char *present, *wanted;
		const char *then;    /* the value after the profile was applied */
		const char *at_last; /* ... and after all was put back */
	} cases[] = {
		{ NULL, NULL, "A", NULL, "A", "A" },
		{ NULL, NULL, "A", "A", "A", "A" },
		{ NULL, NULL, "A", "B", "B", "A" },
		/* The record says that we changed A to B. */
		{ "A", "B", "B", NULL, "A", "A" },
		{ "A", "B", "B", "B", "B", "A" },
		{ "A", "B", "B", "C", "C", "A" },
		{ "A", "B", "B", "A", "A", "A" },
		/* Somebody has changed the knob since, to another value or back. */
		{ "A", "B", "X", NULL, "X", "X" },
		{ "A", "B", "A", NULL, "A", "A" },
		{ "A", "B", "X", "B", "B", "X" },
		{ "A", "B", "X", "X", "X", "X" },
		{ "A", "B", "A", "A", "A", "A" },
		{ "A", "B", "A", "B", "B", "A" },
		/* The daemon was killed before, during or after the write; the kernel turned our B into b. */
		{ "A", NULL, "A", NULL, "A", "A" },
		{ "A", NULL, "b", NULL, "A", "A" },
		{ "A", NULL, "C", "D", "D", "A" },
		{ "A", NULL, "C", "C", "C", "A" },
		{ "A", NULL, "A", "A", "A", "A" },
	};
	struct knob knob = KNOB(KNOB_DEBUGFS, "x", "");
	const struct sched_profile profile = { "x", &knob, 1, { 0 } };
	char text[256], set[64] = "";

	for (size_t i = 0; i < COUNT(cases); i++) {
		close_machine();
		put(SCHED "x", cases[i].present);
		if (cases[i].set)
			snprintf(set, sizeof(set), ",\"set\":\"%s\"", cases[i].set);
		snprintf(text, sizeof(text), "{\"tree\":\"debugfs\",\"path\":\"x\",\"before\":\"%s\"%s}", cases[i].before,
			 cases[i].set ? set : "");
		put_state(cases[i].before ? text : "");
		start(0);
		knob.values = &cases[i].wanted;
		apply(cases[i].wanted ? &profile : NULL);
		if (strncmp(get(SCHED "x"), cases[i].then, 1) != 0)
			fail_msg("case %zu: %s", i, get(SCHED "x"));
		apply(NULL);
		if (strncmp(get(SCHED "x"), cases[i].at_last, 1) != 0)
			fail_msg("case %zu, at last: %s", i, get(SCHED "x"));
		assert_null(get(STATE));
	}
}

/* Checks that this is the only refusal. */
static void assert_refusal(const char *text)
{
	size_t count;
	char *const *refusals = machine_refusals(machine, &count);

	assert_int_equal(count, 1);
	assert_string_equal(refusals[0], text);
}

PROFILE_TEST(a_missing_knob_is_refused_and_the_rest_set)
{
	const struct {
		struct knob knob;
		size_t refused;
		const char *refusal;
	} missing[] = {
		{ KNOB(KNOB_DEBUGFS, "none", "1"), 1,
		  "/sys/kernel/debug/sched/none: No such file or directory (this kernel has no such knob there)" },
		/* Refusals of many processors share a line. */
		{ KNOB(KNOB_CPUFREQ, "boost", "1"), 2,
		  "/sys/devices/system/cpu/cpufreq/policy0/boost: No such file or directory (this machine has no frequency scaling)" },
		{ BLOCK("nvme0n1", "scheduler", "none"), 1, "/sys/block/nvme0n1/queue/scheduler: No such file or directory" },
	};

	for (size_t i = 0; i < COUNT(missing); i++) {
		/* Only a glob may match nothing. */
		struct knob knobs[] = { missing[i].knob, BLOCK("nvme*", "scheduler", "none"), BLOCK("vda", "nr_requests", "64") };
		const struct sched_profile profile = { "missing", knobs, COUNT(knobs), { 0 } };

		apply(&profile);
		assert_results(1, 0, 0, missing[i].refused);
		assert_refusal(missing[i].refusal);
		apply(NULL);
		assert_all_put_back();
	}
}

/* Under lockdown the knob cannot even be opened. */
PROFILE_TEST(a_closed_knob_is_refused_and_the_rest_set)
{
	closed = "base_slice_ns";
	why_closed = EPERM;
	apply(&fast);
	assert_results(4, 0, 0, 1);
	assert_false(result.base_slice);
	assert_refusal("/sys/kernel/debug/sched/base_slice_ns: Operation not permitted (kernel lockdown, or no "
		       "CAP_SYS_ADMIN to mount it)");
	/* A knob that cannot be put back stays on record. */
	closed = "policy0/scaling_governor";
	apply(NULL);
	assert_results(0, 0, 3, 1);
	closed = NULL;
	apply(NULL);
	assert_all_put_back();
}

PROFILE_TEST(the_later_of_two_values_counts)
{
	struct knob knobs[] = { BLOCK("*", "nr_requests", "10"), BLOCK("vda", "nr_requests", "20") };
	const struct sched_profile profile = { "two", knobs, 2, { 0 } };

	apply(&profile);
	assert_results(2, 0, 0, 0);
	assert_string_equal(get("sys/block/sda/queue/nr_requests"), "10\n");
	assert_string_equal(get(VDA "nr_requests"), "20\n");
	apply(NULL);
	assert_all_put_back();
}

PROFILE_TEST(autogroup_is_a_knob)
{
	struct knob knobs[] = { KNOB(KNOB_SYSCTL, "kernel/sched_autogroup_enabled", "1") };
	const struct sched_profile wants_it = { "wants", knobs, 1, { 0 } };

	assert_int_equal(machine_apply(machine, NULL, true, &result), 0);
	assert_string_equal(get(AUTOGROUP), "0\n");
	/* A profile that names the knob decides. */
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
}

PROFILE_TEST(the_record_of_a_device_that_is_gone_is_removed)
{
	apply(&fast);
	take_away(VDA "nr_requests");
	apply(NULL);
	assert_results(0, 0, 4, 0);
	assert_null(get(STATE));
}

PROFILE_TEST(each_feature_is_a_knob_of_its_own)
{
	struct knob knobs[] = { KNOB(KNOB_DEBUGFS, "features", "NO_HRTICK", "WA_X", "NO_GONE") };
	const struct sched_profile profile = { "features", knobs, 1, { 0 } };

	put(SCHED "features", "HRTICK WA_X\n");
	apply(&profile);
	/* Unlike the kernel's file, this one holds the text that was written last. */
	assert_results(1, 1, 0, 1);
	assert_string_equal(get(SCHED "features"), "NO_HRTICK\n");
	assert_refusal("/sys/kernel/debug/sched/features GONE: Invalid argument (the kernel takes no such value)");
	apply(NULL);
	assert_string_equal(get(SCHED "features"), "HRTICK\n");
}

PROFILE_TEST(a_list_is_written_in_order)
{
	struct knob knobs[] = { KNOB(KNOB_DEBUGFS, "base_slice_ns", "1", "2", "5") };
	const struct sched_profile profile = { "list", knobs, 1, { 0 } };

	apply(&profile);
	assert_int_equal(n_writes, 3);
	assert_string_equal(get(BASE_SLICE), "5\n");
	apply(NULL);
	assert_all_put_back();
}

/* ---- disks ---- */

PROFILE_TEST(a_disk_scheduler_that_somebody_set_stays_with_its_settings)
{
	apply(&deep);
	put(VDA "scheduler", "kyber\n");
	put(VDA "nr_requests", "99\n");
	apply(NULL);
	assert_results(0, 0, 0, 0);
	assert_string_equal(get(VDA "scheduler"), "kyber\n");
	assert_string_equal(get(VDA "nr_requests"), "99\n");
	assert_null(get(STATE));
}

PROFILE_TEST(a_wanted_queue_depth_is_set_after_the_scheduler_resets_it)
{
	/* The second time the scheduler is already right, so it is not ours to put back. */
	for (int i = 0; i < 2; i++) {
		put(VDA "nr_requests", i ? "64\n" : "256\n");
		depth_of_new_queue = "111\n";
		apply(&deep);
		assert_string_equal(get(VDA "scheduler"), "bfq\n");
		assert_string_equal(get(VDA "nr_requests"), "64\n");
		apply(NULL);
		assert_string_equal(get(VDA "scheduler"), "none\n");
		assert_string_equal(get(VDA "nr_requests"), i ? "111\n" : "256\n");
		assert_null(get(STATE));
	}
}

/* ---- the record ---- */

PROFILE_TEST(a_foreign_record_is_refused)
{
	static const struct {
		int error;
		const char *text;
	} bad[] = {
		{ -EBADMSG, "" },
		{ -EBADMSG, "{" },
		{ -EBADMSG, "[]" },
		{ -EBADMSG, "{\"version\":3,\"knobs\":[]}" },
		{ -ESTALE, "{\"version\":3,\"boot_id\":\"another\",\"knobs\":["
			   "{\"tree\":\"debugfs\",\"path\":\"x\",\"before\":\"1\",\"set\":\"2\"}]}" },
	};
	static const char *const bad_knobs[] = {
		"1",
		"{}",
		"{\"tree\":\"debugfs\",\"path\":\"\",\"before\":\"1\"}",
		"{\"tree\":\"proc\",\"path\":\"x\",\"before\":\"1\"}",
		"{\"tree\":\"debugfs\",\"path\":\"x\"}",
		"{\"tree\":\"debugfs\",\"path\":\"x\",\"before\":\"1\",\"set\":1}",
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		close_machine();
		put_record(bad[i].text);
		start(bad[i].error == -ESTALE ? 0 : bad[i].error);
	}
	assert_int_equal(machine_count_changed(machine), 0);
	for (size_t i = 0; i < COUNT(bad_knobs); i++) {
		close_machine();
		put_state(bad_knobs[i]);
		start(-EBADMSG);
	}
	put_state("");
	assert_int_equal(chmod(whole(STATE), 0660), 0);
	start(-EPERM);
}

PROFILE_TEST(a_record_with_a_path_that_leads_out_of_the_tree_is_refused)
{
	close_machine();
	put("sys/kernel/debug/secret", "B\n");
	put_state("{\"tree\":\"debugfs\",\"path\":\"../secret\",\"before\":\"A\",\"set\":\"B\"}");
	start(0);
	apply(NULL);
	assert_string_equal(get("sys/kernel/debug/secret"), "B\n");
}

PROFILE_TEST(no_knob_is_written_if_it_cannot_be_recorded)
{
	take_away("run");
	assert_int_equal(machine_apply(machine, &fast, true, &result), -ENOENT);
	assert_all_put_back();
	assert_int_equal(machine_count_changed(machine), 0);
	assert_null(machine_profile(machine));
	make_folder("run");
}

/* Applies profiles in a child process, which is killed at this moment. Returns whether it survived. */
static bool use_profiles_until_killed(unsigned when)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		fuse = when;
		machine_apply(machine, &fast, true, &result);
		machine_apply(machine, &other, true, &result);
		machine_apply(machine, &deep, true, &result);
		machine_apply(machine, NULL, true, &result);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status);
}

PROFILE_TEST(everything_is_put_back_after_a_kill_at_any_moment)
{
	unsigned when = 1;

	depth_of_new_queue = "111\n";
	while (!use_profiles_until_killed(when)) {
		close_machine();
		start(0);
		apply(NULL);
		assert_int_equal(result.refused, 0);
		assert_all_put_back();
		when++;
	}
	/* With three profiles of two to seven knobs, it was killed in many places. */
	assert_true(when > 60);
	assert_string_equal(get(AUTOGROUP), "0\n");
}
