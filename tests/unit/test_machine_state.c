/* SPDX-License-Identifier: GPL-2.0-only */
/* What the next start puts back when a daemon was killed while applying a profile, or the state file is not ours. */
#include "machine_case.h"

#include <sys/wait.h>

static void a_killed_run_is_taken_over(void **state)
{
	(void)state;
	apply(&fast);
	close_machine();
	start(0);
	assert_string_equal(machine_profile(machine), "fast");
	assert_int_equal(machine_count_changed(machine), 5);
	apply(NULL);
	assert_results(0, 0, 5, 0);
	assert_all_put_back();
}

static void taken_over_profile_is_replaced(void **state)
{
	(void)state;
	apply(&fast);
	close_machine();
	start(0);
	apply(&other);
	assert_string_equal(get("sys/kernel/sched_rr_timeslice_ms"), "100\n");
	close_machine();
	start(0);
	apply(NULL);
	assert_all_put_back();
}

static void killed_while_writing(void **state)
{
	(void)state;
	close_machine();
	/* Recorded and not written; written, and made something else of by the kernel; changed a
	 * second time. */
	put_state("{\"tree\":\"cpufreq\",\"path\":\"policy0/scaling_governor\",\"before\":"
		  "\"performance\",\"writing\":true},"
		  "{\"tree\":\"debugfs\",\"path\":\"base_slice_ns\",\"before\":\"3000000\","
		  "\"writing\":true},"
		  "{\"tree\":\"cpufreq\",\"path\":\"policy1/scaling_governor\",\"before\":"
		  "\"powersave\",\"set\":\"schedutil\",\"writing\":true}",
		  boot_id());
	put("sched/base_slice_ns", "2999999\n");
	put(GOVERNOR1, "ondemand\n");
	start(0);
	apply(NULL);
	assert_all_put_back();
}

static void foreign_state_file_is_refused(void **state)
{
	static const char knob[] = "{\"tree\":\"debugfs\",\"path\":\"base_slice_ns\",\"before\":"
				   "\"1\",\"set\":\"3000000\"}";
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"null",
		"{\"version\":1,\"knobs\":[]}",
		"{\"version\":1,\"boot_id\":1,\"knobs\":[]}",
	};
	static const char *const bad_knobs[] = {
		"1",
		"{}",
		"{\"tree\":\"debugfs\",\"path\":\"\",\"before\":\"1\"}",
		"{\"tree\":\"proc\",\"path\":\"x\",\"before\":\"1\"}",
		"{\"tree\":\"debugfs\",\"path\":\"x\"}",
		"{\"tree\":\"debugfs\",\"path\":\"x\",\"before\":1}",
		"{\"tree\":\"debugfs\",\"path\":7,\"before\":\"1\"}",
	};
	char path[128], link_path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/" STATE, top);
	snprintf(link_path, sizeof(link_path), "%s/run/second", top);
	for (size_t i = 0; i < COUNT(bad); i++) {
		close_machine();
		put(STATE, bad[i]);
		assert_int_equal(chmod(path, 0600), 0);
		start(-EBADMSG);
		assert_int_equal(machine_count_changed(machine), 0);
	}
	for (size_t i = 0; i < COUNT(bad_knobs); i++) {
		close_machine();
		put_state(bad_knobs[i], boot_id());
		start(-EBADMSG);
		assert_int_equal(machine_count_changed(machine), 0);
	}
	close_machine();
	put_state(knob, boot_id());
	assert_int_equal(chmod(path, 0660), 0);
	start(-EPERM);
	close_machine();
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(link(path, link_path), 0);
	start(-EPERM);
	close_machine();
	assert_int_equal(remove(path), 0);
	make_link("second", STATE);
	start(-EPERM);
	apply(NULL);
	assert_string_equal(get("sched/base_slice_ns"), "3000000\n");
}

static void state_file_of_another_boot_is_ignored(void **state)
{
	(void)state;
	close_machine();
	put_state("{\"tree\":\"debugfs\",\"path\":\"base_slice_ns\",\"before\":\"1\",\"set\":"
		  "\"3000000\"}",
		  "another");
	start(0);
	assert_int_equal(machine_count_changed(machine), 0);
	apply(NULL);
	assert_all_put_back();
}

static void paths_of_a_state_file_stay_in_their_tree(void **state)
{
	(void)state;
	close_machine();
	put("secret", "B\n");
	put_state("{\"tree\":\"debugfs\",\"path\":\"../secret\",\"before\":\"A\",\"set\":\"B\"}",
		  boot_id());
	start(0);
	apply(NULL);
	assert_string_equal(get("secret"), "B\n");
}

static void nothing_is_written_that_cannot_be_recorded(void **state)
{
	struct knobs knobs = open_trees();

	(void)state;
	close_machine();
	assert_int_equal(machine_new_at(&knobs, -EROFS, &machine), -EROFS);
	assert_int_equal(machine_apply(machine, &fast, true, &result), -EROFS);
	assert_all_put_back();
}

/* In a child process. Returns whether it survived. */
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

static void everything_is_put_back_after_a_kill_at_any_moment(void **state)
{
	unsigned when = 1;

	(void)state;
	depth_of_new_queue = "111\n";
	while (!use_profiles_until_killed(when)) {
		close_machine();
		start(0);
		apply(NULL);
		assert_int_equal(result.refused, 0);
		assert_all_put_back();
		close_machine();
		start(0);
		when++;
	}
	/* Three profiles, of two to seven knobs each: it has indeed been killed in many places. */
	assert_true(when > 60);
	assert_string_equal(get(AUTOGROUP), "0\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		PROFILE_TEST(a_killed_run_is_taken_over),
		PROFILE_TEST(taken_over_profile_is_replaced),
		PROFILE_TEST(killed_while_writing),
		PROFILE_TEST(foreign_state_file_is_refused),
		PROFILE_TEST(state_file_of_another_boot_is_ignored),
		PROFILE_TEST(paths_of_a_state_file_stay_in_their_tree),
		PROFILE_TEST(nothing_is_written_that_cannot_be_recorded),
		PROFILE_TEST(everything_is_put_back_after_a_kill_at_any_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
