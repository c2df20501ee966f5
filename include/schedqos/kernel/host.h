/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties of this machine that matter to scheduling. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * In this file, root is the descriptor of a folder that stands for /, or AT_FDCWD for / itself. Paths begin with a
 * slash.
 */

/* Returns the path in the form that openat and similar calls need with that root. */
const char *host_path(int root, const char *path);

/*
 * Reads a small file of /proc or /sys into at most size - 1 bytes and a NUL, without trailing spaces and newlines.
 * Returns 0 or -errno.
 */
int host_read_at(int root, const char *path, char *buf, size_t size);
int host_read(const char *path, char *buf, size_t size);

/* Reads the kernel's random id of this boot. Returns 0 or -errno. */
#define BOOT_ID_SIZE 37
int host_boot_id(char ret[BOOT_ID_SIZE]);

/*
 * Returns the name of the first of the "user", "PID" and "time" namespaces in which we are not in the initial one; NULL
 * if there is none.
 */
const char *host_other_namespace(int root);

/*
 * Returns whether a sched_ext scheduler decides about fair tasks, and its name, "" if it has none. Returns false for one
 * that was loaded with SCX_OPS_SWITCH_PARTIAL: it decides about SCHED_EXT tasks only
 * (Documentation/scheduler/sched-ext.rst).
 */
bool host_sched_ext(int root, char *name, size_t size);

/* A mounted cgroup hierarchy that may have the cpu controller. */
struct cgroup_mount {
	unsigned version; /* 1 (mounted with that controller) or 2 */
	char path[256];
};

/*
 * Finds the folder of a cgroup, whose path is as procfs_cgroup returns it: first in the unified hierarchy, then in
 * systemd's named one. Returns 0, -ENAMETOOLONG, or -ENOENT if there is no such cgroup.
 */
int host_cgroup_folder(const char *cgroup, char *ret, size_t size);

/* ---- cgroups with the cpu controller: nice values rank tasks within one of them, weights rank the cgroups ---- */

/* The mounted hierarchies in which such cgroups can be. */
struct cpu_hierarchies {
	int root; /* for all files except those of processes */
	struct cgroup_mount mounts[8];
	size_t count;
};

struct cpu_hierarchies cpu_hierarchies_find(int root);

/* A cgroup with the cpu controller. Its strings are raw: anybody who may create cgroups chooses the path. */
struct cpu_group {
	char path[PATH_MAX]; /* "" for the root, where tasks compete one by one, or within their autogroups */
	char weight[32];     /* as in its file; "idle" if cpu.idle is set */
	unsigned load;	     /* the weight on the scheduler's scale, where a task of nice 0 has 1024; 0 for the root */
	struct cgroup_mount mount;
};

/*
 * Longest path of a cgroup, in levels, with which work is done at each level. Users can nest cgroups as deep as they
 * like, and the time to open or compare the path of each level grows with the square of their number.
 */
#define CGROUP_LEVELS_MAX 128

/*
 * Finds the innermost such cgroup that contains the task, among CGROUP_LEVELS_MAX levels from the task's own upwards.
 * Returns 0 or -errno: -ESRCH if the task is gone.
 */
int cpu_group_of(const struct cpu_hierarchies *where, int proc, pid_t tid, struct cpu_group *ret);

/*
 * Replaces each of two cgroups by the child of their nearest common ancestor that contains it. A cgroup that is that
 * ancestor itself becomes the root's "".
 */
void cpu_groups_part(const struct cpu_hierarchies *where, struct cpu_group *a, struct cpu_group *b);

/* ---- uevents of CPUs that come or go (NETLINK_KOBJECT_UEVENT) ---- */

/*
 * Returns a socket that becomes readable when a CPU has come online, gone offline or been removed (on x86 also when a
 * suspend did so), or -errno. The kernel sends these events to the initial network namespace only.
 */
int uevent_open(void);

/* Discards everything queued in that socket; also resets a timerfd. */
void uevent_drain(int fd);

/* Attaches the filter of uevent_open to a socket. Returns 0 or -errno. */
int uevent_filter(int fd);

/*
 * Mounts a file system of the kernel, such as debugfs, without attaching it to any namespace: no other process sees it,
 * and it goes away with the last descriptor of it. Returns a descriptor of its root, or -errno: -ENODEV if this kernel
 * has no such file system, -EPERM without CAP_SYS_ADMIN, -ENOSYS before Linux 5.2.
 */
int host_mount_detached(const char *type);

/* Returns whether the user has a session at a seat, by logind's files; false without logind. */
bool host_has_seat(uid_t uid);
