/* SPDX-License-Identifier: GPL-2.0-only */
/* Knobs in made-up trees: what is read, what is written, and that no path leads out. */
#include "made_up_tree.h"

static struct knobs knobs;

static int set_up(void **state)
{
	if (make_trees(state) < 0)
		return -1;
	put("secret", "secret\n");
	put("sched/base_slice_ns", "3000000\n");
	put("sched/features", "PLACE_LAG NO_HRTICK NO_HRTICK_DL NO_X X_Y\n");
	put("sched/preempt", "none voluntary (full) lazy \n");
	put("sched/cgroup_mode", "up smp (concur) max tasks \n");
	put("sched/llc_balancing/enabled", "1\n");
	put("sys/kernel/sched_autogroup_enabled", "1\n");
	put("cpufreq/policy0/scaling_governor", "performance\n");
	put("cpufreq/policy12/scaling_governor", "powersave\n");
	put("cpufreq/boost", "1\n");
	put("devices/vda/queue/scheduler", "none [mq-deadline] kyber bfq \n");
	put("devices/vda/queue/nr_requests", "256\n");
	put("devices/vda/queue/iosched/read_expire", "500\n");
	put("devices/vda/removable", "0\n");
	make_link("../devices/vda", "block/vda");
	put("devices/dm-0/queue/scheduler", "none\n");
	make_link("../devices/dm-0", "block/dm-0");
	knobs = open_trees();
	return 0;
}

static int tear_down(void **state)
{
	knobs_close(&knobs);
	return remove_trees(state);
}

static void reads(enum knob_tree tree, const char *path, const char *word, const char *want)
{
	char buf[KNOBS_VALUE_MAX];

	assert_int_equal(knobs_read(&knobs, tree, path, word, buf), 0);
	assert_string_equal(buf, want);
}

static void refuses(enum knob_tree tree, const char *path, int error)
{
	char buf[KNOBS_VALUE_MAX];

	assert_int_equal(knobs_read(&knobs, tree, path, NULL, buf), error);
	assert_int_equal(knobs_write(&knobs, tree, path, "evil"), error);
	assert_string_equal(get("secret"), "secret\n");
}

static void values_are_read_in_the_form_they_are_written(void **state)
{
	char buf[KNOBS_VALUE_MAX];

	(void)state;
	reads(KNOB_DEBUGFS, "base_slice_ns", NULL, "3000000");
	reads(KNOB_DEBUGFS, "features", "HRTICK", "NO_HRTICK");
	reads(KNOB_DEBUGFS, "features", "HRTICK_DL", "NO_HRTICK_DL");
	reads(KNOB_DEBUGFS, "features", "PLACE_LAG", "PLACE_LAG");
	reads(KNOB_DEBUGFS, "features", "X_Y", "X_Y");
	reads(KNOB_DEBUGFS, "preempt", NULL, "full");
	reads(KNOB_DEBUGFS, "cgroup_mode", NULL, "concur");
	reads(KNOB_DEBUGFS, "llc_balancing/enabled", NULL, "1");
	assert_int_equal(knobs_read(&knobs, KNOB_DEBUGFS, "features", "HRTIC", buf), -EINVAL);
	assert_int_equal(knobs_read(&knobs, KNOB_DEBUGFS, "features", "", buf), -EINVAL);
	reads(KNOB_SYSCTL, "kernel/sched_autogroup_enabled", NULL, "1");
	reads(KNOB_CPUFREQ, "policy12/scaling_governor", NULL, "powersave");
	reads(KNOB_BLOCK, "vda/scheduler", NULL, "mq-deadline");
	reads(KNOB_BLOCK, "vda/nr_requests", NULL, "256");
	/* A device with one scheduler only has no brackets. */
	reads(KNOB_BLOCK, "dm-0/scheduler", NULL, "none");
}

static void values_are_written_whole(void **state)
{
	(void)state;
	assert_int_equal(knobs_write(&knobs, KNOB_BLOCK, "vda/scheduler", "bfq"), 0);
	assert_string_equal(get("devices/vda/queue/scheduler"), "bfq\n");
	assert_int_equal(knobs_write(&knobs, KNOB_SYSCTL, "kernel/sched_autogroup_enabled", "0"),
			 0);
	assert_string_equal(get("sys/kernel/sched_autogroup_enabled"), "0\n");
	assert_int_equal(knobs_write(&knobs, KNOB_DEBUGFS, "llc_balancing/enabled", "0"), 0);
	assert_string_equal(get("sched/llc_balancing/enabled"), "0\n");
	assert_int_equal(knobs_write(&knobs, KNOB_DEBUGFS, "features", "HRTICK"), 0);
	assert_string_equal(get("sched/features"), "HRTICK\n");
}

static void missing_and_unfit_knobs_are_errors(void **state)
{
	static char large[KNOBS_VALUE_MAX + 10];
	char buf[KNOBS_VALUE_MAX];

	(void)state;
	refuses(KNOB_DEBUGFS, "min_granularity_ns", -ENOENT);
	refuses(KNOB_BLOCK, "vdb/scheduler", -ENOENT);
	refuses(KNOB_BLOCK, "vda", -EINVAL);
	refuses(KNOB_CPUFREQ, "policy1/scaling_governor", -ENOENT);
	memset(large, 'x', sizeof(large) - 1);
	put("sched/large", large);
	assert_int_equal(knobs_read(&knobs, KNOB_DEBUGFS, "large", NULL, buf), -EMSGSIZE);
	assert_int_equal(knobs_write(&knobs, KNOB_DEBUGFS, "base_slice_ns", large), -EMSGSIZE);
	assert_string_equal(get("sched/base_slice_ns"), "3000000\n");
	/* No new file is ever made. */
	assert_null(get("sched/min_granularity_ns"));
}

static void no_path_leads_out(void **state)
{
	char absolute[128];

	(void)state;
	snprintf(absolute, sizeof(absolute), "%s/secret", top);
	refuses(KNOB_DEBUGFS, "../secret", -EXDEV);
	refuses(KNOB_SYSCTL, "kernel/../../secret", -EXDEV);
	refuses(KNOB_DEBUGFS, absolute, -EXDEV);
	refuses(KNOB_DEBUGFS, "", -ENOENT);
	refuses(KNOB_DEBUGFS, "llc_balancing/../../secret", -EXDEV);
	refuses(KNOB_DEBUGFS, "llc_balancing//enabled", -EXDEV);
	refuses(KNOB_DEBUGFS, "llc_balancing", -EISDIR);
	refuses(KNOB_DEBUGFS, "base_slice_ns/x", -ENOTDIR);
	refuses(KNOB_DEBUGFS, "llc_balancing/disabled", -ENOENT);
	refuses(KNOB_DEBUGFS, "cache/enabled", -ENOENT);
	refuses(KNOB_BLOCK, "vda/../removable", -EXDEV);
	refuses(KNOB_BLOCK, "vda/../../../secret", -EXDEV);
	refuses(KNOB_BLOCK, "../vda/scheduler", -EXDEV);
	refuses(KNOB_BLOCK, "./scheduler", -EXDEV);
	refuses(KNOB_BLOCK, "/scheduler", -EINVAL);
	assert_string_equal(get("devices/vda/removable"), "0\n");
}

static void no_link_is_followed_but_a_devices(void **state)
{
	(void)state;
	make_link("../secret", "sched/link");
	refuses(KNOB_DEBUGFS, "link", -ELOOP);
	make_link("base_slice_ns", "sched/inside");
	refuses(KNOB_DEBUGFS, "inside", -ELOOP);
	make_link("..", "sched/up");
	refuses(KNOB_DEBUGFS, "up/secret", -ENOTDIR);
	make_link("llc_balancing", "sched/same");
	refuses(KNOB_DEBUGFS, "same/enabled", -ENOTDIR);
	make_link("../../secret", "sched/llc_balancing/link");
	refuses(KNOB_DEBUGFS, "llc_balancing/link", -ELOOP);
	make_link("kernel", "sys/folder");
	refuses(KNOB_SYSCTL, "folder/sched_autogroup_enabled", -ENOTDIR);
	make_link("../../secret", "cpufreq/policy0/link");
	refuses(KNOB_CPUFREQ, "policy0/link", -ELOOP);
	make_link("../../../secret", "devices/vda/queue/link");
	refuses(KNOB_BLOCK, "vda/link", -ELOOP);
	make_folder("devices/vdb");
	make_link("../vda/queue", "devices/vdb/queue");
	make_link("../devices/vdb", "block/vdb");
	refuses(KNOB_BLOCK, "vdb/scheduler", -ENOTDIR);
	refuses(KNOB_SYSCTL, "kernel/sched_autogroup_enabled/", -ENOTDIR);
	/* To another file system, however that is reached: a magic link, a device's link. */
	make_link("/proc/self/root", "sys/magic");
	refuses(KNOB_SYSCTL, "magic/etc/hostname", -ENOTDIR);
	make_link("/proc/sys/kernel", "block/proc");
	refuses(KNOB_BLOCK, "proc/scheduler", -EXDEV);
}

static void a_fifo_does_not_hang(void **state)
{
	char path[128], buf[KNOBS_VALUE_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/sched/fifo", top);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(knobs_write(&knobs, KNOB_DEBUGFS, "fifo", "x"), -ENXIO);
	assert_int_equal(knobs_read(&knobs, KNOB_DEBUGFS, "fifo", NULL, buf), 0);
}

static void units_are_listed_by_glob_and_in_order(void **state)
{
	struct knobs_names names;

	(void)state;
	assert_int_equal(knobs_units(&knobs, KNOB_CPUFREQ, "policy*", &names), 0);
	assert_int_equal(names.count, 2);
	assert_string_equal(names.items[0], "policy0");
	assert_string_equal(names.items[1], "policy12");
	knobs_names_clear(&names);
	assert_int_equal(knobs_units(&knobs, KNOB_BLOCK, "*", &names), 0);
	assert_int_equal(names.count, 2);
	assert_string_equal(names.items[0], "dm-0");
	knobs_names_clear(&names);
	assert_int_equal(knobs_units(&knobs, KNOB_BLOCK, "sd?", &names), 0);
	assert_int_equal(names.count, 0);
	knobs_names_clear(&names);
	close(knobs.tree[KNOB_BLOCK]);
	knobs.tree[KNOB_BLOCK] = -ENOENT;
	assert_int_equal(knobs_units(&knobs, KNOB_BLOCK, "*", &names), -ENOENT);
	refuses(KNOB_BLOCK, "vda/scheduler", -ENOENT);
}

static void what_a_scheduler_disturbs(void **state)
{
	struct knobs_names names;

	(void)state;
	assert_int_equal(knobs_disturbed(&knobs, KNOB_BLOCK, "vda/scheduler", &names), 0);
	assert_int_equal(names.count, 3);
	assert_string_equal(names.items[0], "vda/nr_requests");
	assert_string_equal(names.items[1], "vda/wbt_lat_usec");
	assert_string_equal(names.items[2], "vda/iosched/read_expire");
	reads(KNOB_BLOCK, names.items[2], NULL, "500");
	knobs_names_clear(&names);
	assert_int_equal(knobs_disturbed(&knobs, KNOB_BLOCK, "dm-0/scheduler", &names), 0);
	assert_int_equal(names.count, 2);
	knobs_names_clear(&names);
	assert_int_equal(knobs_disturbed(&knobs, KNOB_BLOCK, "vda/nr_requests", &names), 0);
	assert_int_equal(names.count, 0);
	assert_int_equal(knobs_disturbed(&knobs, KNOB_SYSCTL, "kernel/scheduler", &names), 0);
	assert_int_equal(names.count, 0);
	assert_int_equal(knobs_disturbed(&knobs, KNOB_BLOCK, "vdb/scheduler", &names), -ENOENT);
	assert_int_equal(names.count, 0);
}

static void names_for_people(void **state)
{
	char buf[KNOBS_PATH_MAX];

	(void)state;
	assert_string_equal(knobs_name(KNOB_BLOCK, "vda/scheduler", buf), "vda/queue/scheduler");
	assert_string_equal(knobs_name(KNOB_SYSCTL, "kernel/x", buf), "kernel/x");
	assert_string_equal(knobs_name(KNOB_CPUFREQ, "policy0/x", buf), "policy0/x");
	assert_string_equal(knobs_folder(KNOB_BLOCK), "/sys/block");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(values_are_read_in_the_form_they_are_written,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(values_are_written_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(missing_and_unfit_knobs_are_errors, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(no_path_leads_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_link_is_followed_but_a_devices, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_fifo_does_not_hang, set_up, tear_down),
		cmocka_unit_test_setup_teardown(units_are_listed_by_glob_and_in_order, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_a_scheduler_disturbs, set_up, tear_down),
		cmocka_unit_test(names_for_people),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
