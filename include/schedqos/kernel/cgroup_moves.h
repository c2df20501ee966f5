/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves of processes between cgroups, which no other interface of the kernel reports. */
#pragma once

#include <schedqos/kernel/trace.h>

/*
 * Subscribes to the tracepoint cgroup:cgroup_attach_task (since 4.14). Its events have the tid in fields[0]: the process's
 * leader, or a thread that is moved alone. There is none for a process that is created in another cgroup than its
 * parent's (CLONE_INTO_CGROUP). Returns 0 or -errno as tracefs_open, tracefs_look_up and trace_open.
 */
int cgroup_moves_open(struct trace **ret);

/* Why that failed, for people. errno is positive. Static storage, or as strerror. */
const char *cgroup_moves_fault(int error);
