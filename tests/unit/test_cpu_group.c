/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies in which cpu cgroup a task is, and below which common cgroup two tasks are ranked. Uses a made-up machine.
 */
#include "made_up_tree.h"

#include <schedqos/kernel/host.h>

static struct cpu_hierarchies where;
static int root, proc;

static int set_up(void **state)
{
	if (make_trees(state) < 0)
		return -1;
	put("proc/self/mounts", "cgroup2 /v2 cgroup2 rw 0 0\n");
	put("proc/1/comm", "init\n");
	put("v2/user/cpu.weight", "100\n");
	put("v2/user/app/cpu.weight", "244\n");
	put("v2/user/app/cpu.idle", "0\n");
	put("v2/user/idle/cpu.weight", "0\n");
	put("v2/user/idle/cpu.idle", "1\n");
	put("v2/user2/cpu.weight", "1\n");
	root = open_folder("");
	proc = open_folder("proc");
	where = cpu_hierarchies_find(root);
	return 0;
}

static int tear_down(void **state)
{
	close(root);
	close(proc);
	return remove_trees(state);
}

static struct cpu_group group_of(const char *cgroup)
{
	struct cpu_group group;

	put("proc/5/cgroup", cgroup);
	assert_int_equal(cpu_group_of(&where, proc, 5, &group), 0);
	return group;
}

static void assert_group(struct cpu_group group, const char *path, const char *weight, unsigned load)
{
	assert_string_equal(group.path, path);
	assert_string_equal(group.weight, weight);
	assert_int_equal(group.load, load);
}

#define TEST_CPU_GROUP_TEST(name) TEST_IN(name, set_up, tear_down)

TEST_CPU_GROUP_TEST(the_innermost_cgroup_with_the_controller_counts)
{
	struct cpu_group group = group_of("0::/user/app\n");

	assert_group(group, "/user/app", "244", 2499);
	assert_group(group_of("0::/user/app/no/controller\n"), "/user/app", "244", 2499);
	assert_group(group_of("0::/user2\n"), "/user2", "1", 10);
	assert_group(group_of("0::/user/idle\n"), "/user/idle", "idle", 3);
	assert_group(group_of("0::/\n"), "", "", 0);
	assert_group(group_of("0::/other\n"), "", "", 0);
	assert_int_equal(cpu_group_of(&where, proc, 6, &group), -ESRCH);
}

TEST_CPU_GROUP_TEST(cgroups_of_version_1_are_read)
{
	put("proc/self/mounts", "cgroup2 /v2 cgroup2 rw 0 0\ncgroup /v1 cgroup rw,cpu 0 0\n");
	where = cpu_hierarchies_find(root);
	put("v1/cpu.shares", "1024\n");
	put("v1/a/cpu.shares", "2048\n");
	put("v1/a/b/cpu.shares", "2\n");
	assert_group(group_of("1:cpu:/a/b\n0::/nothing\n"), "/a/b", "2", 2);
	assert_group(group_of("1:cpu:/\n0::/nothing\n"), "", "", 0);
}

TEST_CPU_GROUP_TEST(two_cgroups_are_compared_below_their_common_one)
{
	static const struct {
		const char *a, *b, *below_a, *below_b;
	} table[] = {
		{ "/user/app", "/user2", "/user", "/user2" },
		{ "/user/app", "/user/idle", "/user/app", "/user/idle" },
		{ "/user/app", "/user", "/user/app", "" },
		{ "/user", "/user", "", "" },
		{ "/", "/user/app", "", "/user" },
		{ "/", "/", "", "" },
	};

	for (size_t i = 0; i < COUNT(table); i++) {
		struct cpu_group a, b;
		char text[64];

		snprintf(text, sizeof(text), "0::%s\n", table[i].a);
		a = group_of(text);
		snprintf(text, sizeof(text), "0::%s\n", table[i].b);
		b = group_of(text);
		cpu_groups_part(&where, &a, &b);
		assert_string_equal(a.path, table[i].below_a);
		assert_string_equal(b.path, table[i].below_b);
		if (strcmp(a.path, "/user") == 0)
			assert_group(a, "/user", "100", 1024);
	}
}

/* ---- the mounts that are cgroup hierarchies ---- */

TEST_CPU_GROUP_TEST(hierarchies_are_found_among_mounts)
{
	put("proc/self/mounts", "sysfs /sys sysfs rw,relatime 0 0\n"
				"cgroup /sys/fs/cgroup/cpuacct cgroup rw,cpuacct 0 0\n"
				"cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n"
				"cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n"
				"cgroup2 /sys/fs/cgroup/unified cgroup2 rw,nosuid,nsdelegate 0 0\n"
				"cgroup2 /tmp/a\\040cgroup2 tmpfs rw,cpu 0 0\n"
				"broken\n");
	where = cpu_hierarchies_find(root);
	assert_int_equal(where.count, 2);
	assert_int_equal(where.mounts[0].version, 1);
	assert_string_equal(where.mounts[0].path, "/sys/fs/cgroup/cpu,cpuacct");
	assert_int_equal(where.mounts[1].version, 2);
	assert_string_equal(where.mounts[1].path, "/sys/fs/cgroup/unified");
	put("proc/self/mounts", "");
	assert_int_equal(cpu_hierarchies_find(root).count, 0);
}
