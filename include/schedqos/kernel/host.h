/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties of this machine that matter to scheduling. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a small file of /proc or /sys, without trailing spaces. 0 or -errno. */
int host_read(const char *path, char *buf, size_t size);

/* The kernel's random id of this boot. 0 or -errno. */
#define BOOT_ID_SIZE 37
int host_boot_id(char ret[BOOT_ID_SIZE]);

/* "none [integrity] confidentiality": the one in brackets, in place. False if there is none. */
bool host_parse_lockdown(char *text);

/* The length of a kernel tick, 1 s / CONFIG_HZ, by which the coarse clocks advance. 0 if unknown. */
uint64_t host_tick_ns(void);

/* The name of a namespace ("user", "PID", "time") in which we are not in the initial one; NULL if there is none. */
const char *host_other_namespace(void);

/* A cgroup hierarchy in which the cpu controller can be. */
struct cgroup_mount {
	unsigned version; /* 1: one with that controller; 2 */
	char path[256];
};

/* Finds up to max of them in the text of /proc/self/mountinfo. Returns their number. */
size_t host_parse_cgroups(const char *mountinfo, struct cgroup_mount *ret, size_t max);
size_t host_cgroups(struct cgroup_mount *ret, size_t max);

/*
 * The folder of a cgroup, whose path is as procfs_cgroup has it: in the unified hierarchy, else in systemd's named one.
 * Returns 0, -ENOENT if there is no such cgroup, or another -errno.
 */
int host_cgroup_folder(const char *cgroup, char *ret, size_t size);

/* The cgroups with tasks in them that the cpu controller divides time among. */
struct cgroup_groups {
	size_t count;
	char names[160]; /* the first few */
};

/* hierarchy: a descriptor of its root folder. Adds to *ret. 0 or -errno. */
int host_cpu_groups(int hierarchy, unsigned version, struct cgroup_groups *ret);
