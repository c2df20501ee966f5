/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how knobs are read, written and compared, below a made-up root. */
#include "made_up_tree.h"

#include <stdbool.h>

#include <schedqos/kernel/knobs.h>

#define SCHED "sys/kernel/debug/sched/"
#define VDA   "sys/block/vda/queue/"

static int root;

static int set_up(void **state)
{
	if (make_trees(state) < 0)
		return -1;
	put("sys/kernel/debug/secret", "secret\n");
	put(SCHED "base_slice_ns", "3000000\n");
	put(SCHED "features", "PLACE_LAG NO_HRTICK NO_HRTICK_DL NO_X X_Y\n");
	put(SCHED "preempt", "none voluntary (full) lazy \n");
	put(SCHED "llc_balancing/enabled", "1\n");
	put("proc/sys/kernel/sched_autogroup_enabled", "1\n");
	put("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n");
	put("sys/devices/system/cpu/cpufreq/policy12/scaling_governor", "powersave\n");
	put("sys/devices/system/cpu/cpufreq/boost", "1\n");
	put("sys/devices/vda/queue/scheduler", "none [mq-deadline] kyber bfq \n");
	put("sys/devices/vda/queue/nr_requests", "256\n");
	make_folder("sys/block");
	make_link("../devices/vda", "sys/block/vda");
	put("sys/block/dm-0/queue/scheduler", "none\n");
	root = open_folder("");
	return 0;
}

static int tear_down(void **state)
{
	close(root);
	return remove_trees(state);
}

static void reads(enum knob_tree tree, const char *path, const char *want)
{
	char buf[KNOBS_VALUE_MAX];

	assert_int_equal(knobs_read(root, tree, path, buf), 0);
	assert_string_equal(buf, want);
}

static void refuses(enum knob_tree tree, const char *path, int error)
{
	char buf[KNOBS_VALUE_MAX];

	assert_int_equal(knobs_read(root, tree, path, buf), error);
	assert_int_equal(knobs_write(root, tree, path, "evil"), error);
	assert_string_equal(get("sys/kernel/debug/secret"), "secret\n");
}

#define TEST_KNOBS_TEST(name) TEST_IN(name, set_up, tear_down)

TEST_KNOBS_TEST(values_are_read_in_the_form_in_which_they_are_written)
{
	char buf[KNOBS_VALUE_MAX];

	reads(KNOB_DEBUGFS, "base_slice_ns", "3000000");
	reads(KNOB_DEBUGFS, "features HRTICK", "NO_HRTICK");
	reads(KNOB_DEBUGFS, "features HRTICK_DL", "NO_HRTICK_DL");
	reads(KNOB_DEBUGFS, "features PLACE_LAG", "PLACE_LAG");
	reads(KNOB_DEBUGFS, "features X_Y", "X_Y");
	reads(KNOB_DEBUGFS, "preempt", "full");
	reads(KNOB_DEBUGFS, "llc_balancing/enabled", "1");
	assert_int_equal(knobs_read(root, KNOB_DEBUGFS, "features HRTIC", buf), -EINVAL);
	assert_int_equal(knobs_read(root, KNOB_DEBUGFS, "features ", buf), -EINVAL);
	reads(KNOB_SYSCTL, "kernel/sched_autogroup_enabled", "1");
	reads(KNOB_CPUFREQ, "policy12/scaling_governor", "powersave");
	reads(KNOB_BLOCK, "vda/queue/scheduler", "mq-deadline");
	reads(KNOB_BLOCK, "vda/queue/nr_requests", "256");
	/* A device with a single scheduler shows no brackets. */
	reads(KNOB_BLOCK, "dm-0/queue/scheduler", "none");
}

TEST_KNOBS_TEST(a_value_is_written_completely)
{
	assert_int_equal(knobs_write(root, KNOB_BLOCK, "vda/queue/scheduler", "bfq"), 0);
	assert_string_equal(get(VDA "scheduler"), "bfq\n");
	assert_int_equal(knobs_write(root, KNOB_DEBUGFS, "features HRTICK", "HRTICK"), 0);
	assert_string_equal(get(SCHED "features"), "HRTICK\n");
}

TEST_KNOBS_TEST(missing_knobs_and_unusable_values_are_errors)
{
	static char large[KNOBS_VALUE_MAX + 10];
	char buf[KNOBS_VALUE_MAX];

	refuses(KNOB_DEBUGFS, "min_granularity_ns", -ENOENT);
	refuses(KNOB_BLOCK, "vdb/queue/scheduler", -ENOENT);
	memset(large, 'x', sizeof(large) - 1);
	put(SCHED "large", large);
	assert_int_equal(knobs_read(root, KNOB_DEBUGFS, "large", buf), -EMSGSIZE);
	assert_int_equal(knobs_write(root, KNOB_DEBUGFS, "base_slice_ns", large), -EMSGSIZE);
	assert_string_equal(get(SCHED "base_slice_ns"), "3000000\n");
	/* No file is created. */
	assert_null(get(SCHED "min_granularity_ns"));
}

TEST_KNOBS_TEST(no_path_leads_out_of_the_tree)
{
	char absolute[128];

	snprintf(absolute, sizeof(absolute), "%s/sys/kernel/debug/secret", top);
	refuses(KNOB_DEBUGFS, absolute, -EXDEV);
	refuses(KNOB_DEBUGFS, "../secret", -EXDEV);
	refuses(KNOB_DEBUGFS, "llc_balancing/../../secret", -EXDEV);
	make_link("../secret", SCHED "link");
	refuses(KNOB_DEBUGFS, "link", -ELOOP);
}

TEST_KNOBS_TEST(units_are_listed_by_glob_and_in_order)
{
	struct knobs_names names;

	assert_int_equal(knobs_units(root, KNOB_CPUFREQ, "policy*", &names), 0);
	assert_int_equal(names.count, 2);
	assert_string_equal(names.items[0], "policy0");
	assert_string_equal(names.items[1], "policy12");
	knobs_names_clear(&names);
	assert_int_equal(knobs_units(root, KNOB_BLOCK, "sd?", &names), 0);
	assert_int_equal(names.count, 0);
}

TEST(values_are_the_same_if_the_kernel_takes_them_for_the_same)
{
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{ "schedutil", "schedutil", true },
		{ "schedutil", "performance", false },
		{ "sched", "schedutil", false },
		{ "0x10", "16", true },
		{ "+5", "5", true },
		{ "-1", "18446744073709551615", false },
		{ "10", "1", false },
		{ "4096\t131072 1", "4096 131072\t1", true },
		{ "4096 131072", "4096 131072 1", false },
		{ "1", "Y", true },
		{ "on", "1", true },
		{ "0", "Y", false },
		{ "1", "2", false },
		{ "2", "Y", false },
		{ "HRTICK", "NO_HRTICK", false },
		{ "", "", true },
		{ "", "0", false },
		{ NULL, NULL, false },
		{ NULL, "", false },
		{ "0", NULL, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		if (knobs_same(cases[i].a, cases[i].b) != cases[i].same ||
		    knobs_same(cases[i].b, cases[i].a) != cases[i].same)
			fail_msg("%s and %s", cases[i].a, cases[i].b);
	}
}
