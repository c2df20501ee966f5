/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of machine schedqos runs on, as far as it bears on scheduling. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a small file of /proc or /sys, without spaces at its end. 0 or -errno. */
int host_read(const char *path, char *buf, size_t size);

/* The id that the kernel drew at boot. 0 or -errno. */
#define BOOT_ID_SIZE 37
int host_boot_id(char ret[BOOT_ID_SIZE]);

/* "none [integrity] confidentiality": the one in brackets, in place. False if there is none. */
bool host_parse_lockdown(char *text);

/* Of a tick: 1 s / CONFIG_HZ. The coarse clocks advance by it. 0 if that cannot be told. */
uint64_t host_tick_ns(void);

/* Of the namespaces that events, tasks' ids and starts are of, one that is not the initial one: "PID"; or NULL. */
const char *host_other_namespace(void);

/* A cgroup hierarchy in which the cpu controller can be. */
struct cgroup_mount {
	unsigned version; /* 1: one with that controller; 2 */
	char path[256];
};

/* Finds up to max of them in the text of /proc/self/mountinfo. Returns their number. */
size_t host_parse_cgroups(const char *mountinfo, struct cgroup_mount *ret, size_t max);
size_t host_cgroups(struct cgroup_mount *ret, size_t max);

/* The cgroups with tasks in them among which the cpu controller divides. */
struct cgroup_groups {
	size_t count;
	char names[160]; /* the first few */
};

/* hierarchy: a descriptor of its root folder. Adds to *ret. 0 or -errno. */
int host_cpu_groups(int hierarchy, unsigned version, struct cgroup_groups *ret);
