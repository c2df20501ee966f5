/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of a machine's mounts are cgroup hierarchies. */
#include "test.h"

#include <schedqos/kernel/host.h>

TEST(hierarchies_are_found_among_mounts)
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

	assert_int_equal(host_parse_cgroups(mountinfo, mounts, 4), 2);
	assert_int_equal(mounts[0].version, 1);
	assert_string_equal(mounts[0].path, "/sys/fs/cgroup/cpu,cpuacct");
	assert_int_equal(mounts[1].version, 2);
	assert_string_equal(mounts[1].path, "/sys/fs/cgroup/unified");
	assert_int_equal(host_parse_cgroups(mountinfo, mounts, 1), 1);
	assert_int_equal(host_parse_cgroups("", mounts, 4), 0);
}
