/* SPDX-License-Identifier: GPL-2.0-only */
/* The cgroups that have the cpu controller. A nice value ranks tasks within one of them; outside of it counts its weight. */
#pragma once

#include <limits.h>
#include <sys/types.h>

#include <schedqos/kernel/host.h>

/* Where they can be. */
struct cpu_hierarchies {
	int root; /* of all files but those of processes, as in host.h */
	struct cgroup_mount mounts[8];
	size_t count;
};

struct cpu_hierarchies cpu_hierarchies_find(int root);

/* Strings are raw: whoever may make cgroups has chosen the path. */
struct cpu_group {
	char path[PATH_MAX]; /* "" for the root, in which tasks compete one by one; "autogroup-7" for one of these */
	char weight[32];     /* as its file has it; "idle" under cpu.idle; "nice 0" of an autogroup */
	unsigned load;	     /* the same, where 1024 is what a task of nice 0 weighs; 0: an autogroup */
	int nice;	     /* of an autogroup, which weighs what a task of that nice value does */
	bool has_quota;	     /* cpu.max, cpu.cfs_quota_us */
	struct cgroup_mount mount;
};

/* The innermost that the task is in. 0 or -errno: -ESRCH when the task is gone. */
int cpu_group_of(const struct cpu_hierarchies *where, int proc, pid_t tid, struct cpu_group *ret);

/* The one around it. False at the root. */
bool cpu_group_up(const struct cpu_hierarchies *where, struct cpu_group *group);

/*
 * Takes each of two groups to the one that is directly below what is around both; to the root's "", if it is around the
 * other. Returns the length of the path of what is around both.
 */
size_t cpu_groups_part(const struct cpu_hierarchies *where, struct cpu_group *a, struct cpu_group *b);
