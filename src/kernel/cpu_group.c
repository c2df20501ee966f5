/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the cgroup with the cpu controller that contains a task, and its weight, for explain. */
#include <schedqos/kernel/host.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>

/* Weight of a cgroup with cpu.idle (WEIGHT_IDLEPRIO in kernel/sched/sched.h). */
#define LOAD_IDLE 3

static bool read_group_file(int root, const struct cpu_group *group, const char *name, char *ret, size_t size)
{
	char path[sizeof(group->mount.path) + sizeof(group->path) + 32];

	snprintf(path, sizeof(path), "%s%s/%s", group->mount.path, group->path, name);
	return host_read_at(root, path, ret, size) == 0;
}

/* Reads the weight of a cgroup. Returns false if the cgroup does not have the cpu controller. */
static bool read_group(int root, struct cpu_group *group)
{
	const bool v2 = group->mount.version == 2;
	char text[64] = "";

	if (!read_group_file(root, group, v2 ? "cpu.weight" : "cpu.shares", group->weight, sizeof(group->weight)))
		return false;
	group->load = (unsigned)strtoul(group->weight, NULL, 10);
	if (v2)
		group->load = (group->load * 1024 + 50) / 100;
	if (read_group_file(root, group, "cpu.idle", text, sizeof(text)) && strcmp(text, "1") == 0) {
		strcpy(group->weight, "idle");
		group->load = LOAD_IDLE;
	}
	return true;
}

int cpu_group_of(const struct cpu_hierarchies *where, int proc, pid_t tid, struct cpu_group *ret)
{
	char text[8192], *last;
	const ssize_t n = procfs_read(proc, tid, "cgroup", text, sizeof(text));
	size_t length;

	if (n < 0)
		return (int)n;
	for (size_t i = 0; i < where->count; i++) {
		const char *path = procfs_parse_cgroup(text, where->mounts[i].version == 2 ? "" : "cpu", &length);

		if (!path || length >= sizeof(ret->path))
			continue;
		ret->mount = where->mounts[i];
		memcpy(ret->path, path, length);
		ret->path[length] = '\0';
		for (int level = 0; level < CGROUP_LEVELS_MAX; level++) {
			last = strrchr(ret->path, '/');
			if (!last || !ret->path[1])
				break;
			if (read_group(where->root, ret))
				return 0;
			*last = '\0';
		}
	}
	*ret = (struct cpu_group){ 0 };
	return 0;
}

/* Returns the length of the path's first component, including the slash before it. */
static size_t part_length(const char *path)
{
	return *path ? 1 + strcspn(path + 1, "/") : 0;
}

/*
 * Cuts the cgroup's path off after the component that follows its first `around` bytes. Without such a component the
 * cgroup becomes the root's "".
 */
static void cut(const struct cpu_hierarchies *where, struct cpu_group *group, size_t around)
{
	const size_t n = part_length(group->path + around);

	if (!n)
		*group = (struct cpu_group){ 0 };
	else if (group->path[around + n]) {
		group->path[around + n] = '\0';
		read_group(where->root, group);
	}
}

void cpu_groups_part(const struct cpu_hierarchies *where, struct cpu_group *a, struct cpu_group *b)
{
	size_t around = 0, n;

	while ((n = part_length(a->path + around)) && n == part_length(b->path + around) &&
	       memcmp(a->path + around, b->path + around, n) == 0)
		around += n;
	cut(where, a, around);
	cut(where, b, around);
}
