/* SPDX-License-Identifier: GPL-2.0-only */
/* A change of a block queue's scheduler changes other knobs: all of them are put back. */
#include "machine_case.h"

static void knobs_lost_with_a_scheduler_are_put_back(void **state)
{
	struct knob knobs[] = { BLOCK("vda", "scheduler", "bfq") };
	const struct sched_profile profile = { "bfq", knobs, 1, { 0 } };

	(void)state;
	put("devices/vda/queue/iosched/read_expire", "77\n");
	put("devices/vda/queue/wbt_lat_usec", "75000\n");
	put("devices/vda/queue/nr_requests", "100\n");
	apply(&profile);
	assert_results(1, 0, 0, 0);
	assert_int_equal(machine_count_changed(machine), 4);
	/* A knob that did not exist is not lost, and does not invalidate the record. */
	apply(NULL);
	take_away("devices/vda/queue/wbt_lat_usec");
	apply(&profile);
	close_machine();
	start(0);
	assert_int_equal(machine_count_changed(machine), 3);
	put("devices/vda/queue/wbt_lat_usec", "75000\n");
	/* As if we had been killed after the write that made the kernel do it. */
	close_machine();
	put_state("{\"tree\":\"block\",\"path\":\"vda/"
		  "scheduler\",\"before\":\"none\",\"set\":\"bfq\"},"
		  "{\"tree\":\"block\",\"path\":\"vda/nr_requests\",\"cause\":\"vda/scheduler\","
		  "\"before\":\"100\",\"set\":\"64\"},"
		  "{\"tree\":\"block\",\"path\":\"vda/wbt_lat_usec\",\"cause\":\"vda/scheduler\","
		  "\"before\":\"75000\",\"writing\":true},"
		  "{\"tree\":\"block\",\"path\":\"vda/iosched/read_expire\",\"cause\":"
		  "\"vda/scheduler\",\"before\":\"77\"}",
		  boot_id());
	put("devices/vda/queue/nr_requests", "64\n");
	put("devices/vda/queue/wbt_lat_usec", "0\n");
	take_away("devices/vda/queue/iosched/read_expire");
	start(0);
	apply(NULL);
	assert_results(0, 0, 3, 0);
	assert_string_equal(get("devices/vda/queue/scheduler"), "none\n");
	assert_string_equal(get("devices/vda/queue/nr_requests"), "100\n");
	assert_string_equal(get("devices/vda/queue/wbt_lat_usec"), "75000\n");
	assert_null(get(STATE));
}

static void scheduler_set_by_others_is_left_alone_with_its_knobs(void **state)
{
	struct knob knobs[] = { BLOCK("vda", "scheduler", "bfq") };
	const struct sched_profile profile = { "bfq", knobs, 1, { 0 } };

	(void)state;
	apply(&profile);
	put("devices/vda/queue/scheduler", "kyber\n");
	apply(NULL);
	assert_results(0, 0, 0, 0);
	assert_string_equal(get("devices/vda/queue/scheduler"), "kyber\n");
	assert_null(get(STATE));
}

static void queue_depth_is_set_after_its_scheduler(void **state)
{
	(void)state;
	depth_of_new_queue = "111\n";
	apply(&deep);
	assert_results(2, 0, 0, 0);
	assert_string_equal(get("devices/vda/queue/nr_requests"), "64\n");
	close_machine();
	start(0);
	apply(NULL);
	assert_results(0, 0, 2, 0);
	assert_all_put_back();
}

static void queue_depth_is_kept_without_being_asked_for(void **state)
{
	struct knob knobs[] = { BLOCK("vda", "scheduler", "bfq") };
	const struct sched_profile profile = { "bfq", knobs, 1, { 0 } };

	(void)state;
	depth_of_new_queue = "111\n";
	apply(&profile);
	assert_string_equal(get("devices/vda/queue/nr_requests"), "111\n");
	/* Also by way of a third scheduler. */
	knobs[0].values = VALUES("kyber");
	depth_of_new_queue = "112\n";
	apply(&profile);
	assert_string_equal(get("devices/vda/queue/nr_requests"), "112\n");
	n_writes = 0;
	/* A value that the kernel restores itself is not written. */
	depth_of_new_queue = "256\n";
	apply(NULL);
	assert_int_equal(n_writes, 1);
	assert_all_put_back();
}

static void right_queue_depth_survives_its_scheduler(void **state)
{
	(void)state;
	put("devices/vda/queue/nr_requests", "64\n");
	depth_of_new_queue = "111\n";
	apply(&deep);
	assert_string_equal(get("devices/vda/queue/nr_requests"), "64\n");
	/* Another scheduler, the same depth. */
	deep_knobs[1].values = VALUES("kyber");
	apply(&deep);
	deep_knobs[1].values = VALUES("bfq");
	assert_string_equal(get("devices/vda/queue/scheduler"), "kyber\n");
	assert_string_equal(get("devices/vda/queue/nr_requests"), "64\n");
	close_machine();
	start(0);
	apply(NULL);
	assert_results(0, 0, 2, 0);
	assert_string_equal(get("devices/vda/queue/nr_requests"), "64\n");
	assert_null(get(STATE));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		PROFILE_TEST(knobs_lost_with_a_scheduler_are_put_back),
		PROFILE_TEST(scheduler_set_by_others_is_left_alone_with_its_knobs),
		PROFILE_TEST(queue_depth_is_set_after_its_scheduler),
		PROFILE_TEST(queue_depth_is_kept_without_being_asked_for),
		PROFILE_TEST(right_queue_depth_survives_its_scheduler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
