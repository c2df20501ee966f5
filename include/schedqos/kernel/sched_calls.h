/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The system calls by which a program changes what a task carries: sched_setattr, sched_setscheduler, sched_setparam,
 * setpriority and ioprio_set, heard as they end. The kernel says who is meant when a call begins, and how it went when it
 * ends. Calls of 32-bit programs on a 64-bit kernel are not told (trace_get_syscall_nr in trace_syscalls.c, 6.18).
 *
 * While this is subscribed to, every system call of the machine takes some 50 to 90 ns longer (measured: getppid).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <schedqos/kernel/trace.h>

/* For a call for many tasks that found none. */
#define SCHED_CALL_NOBODY (-1)

/* A call, even one that failed. */
struct sched_call {
	bool has_ended; /* else it has begun, for one task */
	pid_t caller; /* the thread, in the initial PID namespace */
	pid_t task;   /* whom it meant, in the caller's PID namespace; 0: any number of tasks, or not known; or nobody */
	uint64_t ns;  /* CLOCK_MONOTONIC */
};

/* Calls in progress: as a rule not more than one for each CPU. One that is displaced ends as one for unknown tasks. */
#define SCHED_CALLS_MAX 64
struct sched_calls {
	struct sched_call_begun {
		pid_t caller; /* 0: none */
		pid_t task;
	} begun[SCHED_CALLS_MAX]; /* at the place that the caller's id gives */
};

/*
 * Subscribes; the calls of the thread `except` are not reported. It takes ten descriptors for each CPU. Returns 0 or
 * -errno as tracefs_open, tracefs_look_up and trace_open: -ENOENT without CONFIG_FTRACE_SYSCALLS.
 */
int sched_calls_open(pid_t except, struct trace **ret);

/* Takes the next event of that trace, in their order. Returns whether *ret is filled in. */
bool sched_calls_pair(struct sched_calls *calls, const struct trace_event *event, struct sched_call *ret);

/* Why sched_calls_open failed, for people. errno is positive. Static storage, or as strerror. */
const char *sched_calls_fault(int error);
