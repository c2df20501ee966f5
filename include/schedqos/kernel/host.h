/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties of this machine that matter to scheduling. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Here, root is the descriptor of a folder that stands for /, or AT_FDCWD for / itself. Paths begin with a slash. */

/* The path as the *at functions need it with that root. */
const char *host_path(int root, const char *path);

/* Reads a small file of /proc or /sys, without trailing spaces. 0 or -errno. */
int host_read_at(int root, const char *path, char *buf, size_t size);
int host_read(const char *path, char *buf, size_t size);

/* The kernel's random id of this boot. 0 or -errno. */
#define BOOT_ID_SIZE 37
int host_boot_id(char ret[BOOT_ID_SIZE]);

/* The name of a namespace ("user", "PID", "time") in which we are not in the initial one; NULL if there is none. */
const char *host_other_namespace(int root);

/* A cgroup hierarchy in which the cpu controller can be. */
struct cgroup_mount {
	unsigned version; /* 1: one with that controller; 2 */
	char path[256];
};

/*
 * The folder of a cgroup, whose path is as procfs_cgroup has it: in the unified hierarchy, else in systemd's named one.
 * Returns 0, -ENOENT if there is no such cgroup, or another -errno.
 */
int host_cgroup_folder(const char *cgroup, char *ret, size_t size);

/*
 * ---- the cgroups that have the cpu controller. A nice value ranks tasks within one of them; outside of it counts its
 * weight ----
 */

/* Where they can be. */
struct cpu_hierarchies {
	int root; /* of all files but those of processes */
	struct cgroup_mount mounts[8];
	size_t count;
};

struct cpu_hierarchies cpu_hierarchies_find(int root);

/* Strings are raw: whoever may make cgroups has chosen the path. */
struct cpu_group {
	char path[PATH_MAX]; /* "" for the root, in which tasks compete one by one, or within their autogroups */
	char weight[32];     /* as its file has it; "idle" under cpu.idle */
	unsigned load;	     /* the same, where 1024 is what a task of nice 0 weighs; 0 for the root */
	struct cgroup_mount mount;
};

/* The innermost that the task is in. 0 or -errno: -ESRCH when the task is gone. */
int cpu_group_of(const struct cpu_hierarchies *where, int proc, pid_t tid, struct cpu_group *ret);

/*
 * Takes each of two groups to the one that is directly below what is around both; to the root's "", if it is around the
 * other.
 */
void cpu_groups_part(const struct cpu_hierarchies *where, struct cpu_group *a, struct cpu_group *b);

/* ---- uevents for processors that come or go (NETLINK_KOBJECT_UEVENT) ---- */

/*
 * Returns a socket that becomes readable when a processor has come online, has gone offline or was removed, on x86 also
 * when a suspend has done so, or -errno. Events are sent to the initial network namespace only.
 */
int uevent_open(void);

/* Discards everything queued in it, or in a timer. */
void uevent_drain(int fd);

/* Attaches the filter that uevent_open uses to a socket. 0 or -errno. */
int uevent_filter(int fd);

/*
 * Mounts a file system of the kernel's own, such as debugfs, in no namespace at all: no other process sees it, and it
 * goes away with the last descriptor of it. Returns one of its root, or -errno: -ENODEV if this kernel has none, -EPERM
 * without CAP_SYS_ADMIN, -ENOSYS before Linux 5.2.
 */
int host_mount_detached(const char *type);
