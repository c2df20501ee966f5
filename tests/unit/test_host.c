/* SPDX-License-Identifier: GPL-2.0-only */
/* What is read of the machine: lockdown, mounts, and which cgroups the cpu controller divides. */
#include "made_up_tree.h"

#include <schedqos/kernel/host.h>

static void lockdown_is_the_one_in_brackets(void **state)
{
	char none[] = "[none] integrity confidentiality",
	     some[] = "none [integrity] confidentiality", bad[] = "none", open_only[] = "[none";

	(void)state;
	assert_true(host_parse_lockdown(none));
	assert_string_equal(none, "none");
	assert_true(host_parse_lockdown(some));
	assert_string_equal(some, "integrity");
	assert_false(host_parse_lockdown(bad));
	assert_false(host_parse_lockdown(open_only));
}

static void hierarchies_are_found_among_mounts(void **state)
{
	static const char mountinfo[] =
		"22 1 0:20 / /sys rw,relatime shared:7 - sysfs sysfs rw\n"
		"30 22 0:26 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n"
		"31 22 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 master:1 - cgroup cgroup "
		"rw,cpu,cpuacct\n"
		"32 22 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
		"33 22 0:29 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
		"34 22 0:30 / /tmp/a\\040cgroup2 rw - tmpfs cgroup2 rw,cpu\n"
		"broken\n";
	struct cgroup_mount mounts[4];

	(void)state;
	assert_int_equal(host_parse_cgroups(mountinfo, mounts, 4), 2);
	assert_int_equal(mounts[0].version, 1);
	assert_string_equal(mounts[0].path, "/sys/fs/cgroup/cpu,cpuacct");
	assert_int_equal(mounts[1].version, 2);
	assert_string_equal(mounts[1].path, "/sys/fs/cgroup/unified");
	assert_int_equal(host_parse_cgroups(mountinfo, mounts, 1), 1);
	assert_int_equal(host_parse_cgroups("", mounts, 4), 0);
}

/* A group of version 2. */
static void make_group(const char *path, const char *controllers, const char *events)
{
	char file[512];

	make_folder(path);
	snprintf(file, sizeof(file), "%s/cgroup.subtree_control", path);
	put(file, controllers);
	snprintf(file, sizeof(file), "%s/cgroup.events", path);
	put(file, events);
}

static struct cgroup_groups look(const char *path, unsigned version)
{
	struct cgroup_groups groups = { 0 };
	int fd = open_folder(path);

	assert_int_equal(host_cpu_groups(fd, version, &groups), 0);
	close(fd);
	return groups;
}

#define POPULATED "populated 1\nfrozen 0\n"
#define EMPTY	  "populated 0\nfrozen 0\n"

static void groups_of_version_2(void **state)
{
	struct cgroup_groups groups;

	(void)state;
	put("v2/cgroup.subtree_control", "cpuset memory\n");
	make_group("v2/system.slice", "cpu memory\n", POPULATED);
	assert_int_equal(look("v2", 2).count, 0);
	put("v2/cgroup.subtree_control", "cpuset cpu memory\n");
	make_group("v2/system.slice/a.service", "", POPULATED);
	make_group("v2/system.slice/idle.service", "", EMPTY);
	make_group("v2/user.slice", "memory\n", POPULATED);
	/* These are not divided: the controller ends above them. */
	make_group("v2/user.slice/one", "", POPULATED);
	make_group("v2/user.slice/two", "", POPULATED);
	make_group("v2/empty.slice", "cpu\n", EMPTY);
	groups = look("v2", 2);
	assert_int_equal(groups.count, 2);
	assert_non_null(strstr(groups.names, "a.service"));
	assert_non_null(strstr(groups.names, "user.slice"));
	assert_null(strstr(groups.names, "idle"));
}

static void groups_of_version_1(void **state)
{
	(void)state;
	put("v1/cgroup.procs", "1\n2\n");
	assert_int_equal(look("v1", 1).count, 0);
	put("v1/empty/cgroup.procs", "");
	assert_int_equal(look("v1", 1).count, 0);
	put("v1/empty/below/cgroup.procs", "77\n");
	put("v1/other/cgroup.procs", "78\n");
	assert_int_equal(look("v1", 1).count, 2);
}

static void names_do_not_overflow(void **state)
{
	struct cgroup_groups groups;
	char path[300], name[200];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 10; i++) {
		snprintf(path, sizeof(path), "v1/%d%s/cgroup.procs", i, i % 2 ? name : "");
		put(path, "1\n");
	}
	groups = look("v1", 1);
	assert_int_equal(groups.count, 10);
	assert_true(strlen(groups.names) < sizeof(groups.names) - strlen(", ..."));
}

static void names_are_safe_for_a_terminal(void **state)
{
	(void)state;
	put("v1/\033[2J\377/cgroup.procs", "1\n");
	assert_string_equal(look("v1", 1).names, "\\x1b[2J\\xff");
}

static void ticks(void **state)
{
	uint64_t tick = host_tick_ns();

	(void)state;
	/* CONFIG_HZ is 100 to 1000 on what runs this. */
	assert_in_range(tick, 900000, 10100000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_trees, remove_trees)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lockdown_is_the_one_in_brackets),
		cmocka_unit_test(hierarchies_are_found_among_mounts),
		TEST(groups_of_version_2),
		TEST(groups_of_version_1),
		TEST(names_do_not_overflow),
		TEST(names_are_safe_for_a_terminal),
		cmocka_unit_test(ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
