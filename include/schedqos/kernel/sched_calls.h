/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The system calls by which a program changes what a task carries: sched_setattr, sched_setscheduler, sched_setparam,
 * setpriority and ioprio_set, heard as they end, even if they fail. The event says who called, not for whom. Calls of
 * 32-bit programs on a 64-bit kernel are not told (trace_get_syscall_nr in trace_syscalls.c, 6.18).
 *
 * While this is subscribed to, every system call of the machine takes some 50 to 90 ns longer (measured: getppid).
 */
#pragma once

#include <schedqos/kernel/trace.h>

/*
 * Subscribes; the calls of the thread `except` are not reported. It takes five descriptors for each CPU. Returns 0 or
 * -errno as tracefs_open, tracefs_look_up and trace_open: -ENOENT without CONFIG_FTRACE_SYSCALLS.
 */
int sched_calls_open(pid_t except, struct trace **ret);

/* Why sched_calls_open failed, for people. errno is positive. Static storage, or as strerror. */
const char *sched_calls_fault(int error);
