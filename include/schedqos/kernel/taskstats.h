/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the kernel's taskstats (generic netlink, CONFIG_TASKSTATS): the CPU time of each task, and the time that it
 * waited for a CPU. A listener gets a record of every task that ends; any existing task can be asked about. Both need
 * CAP_NET_ADMIN in the initial network, PID and user namespaces.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The CPU time and waits of one task (a thread) since its birth. */
struct task_use {
	pid_t tid, tgid, ppid;
	uid_t uid;	 /* real */
	char comm[16];	 /* raw, NUL-terminated */
	uint64_t cpu_ns; /* sampled at ticks; these add up to /proc/stat */
	/* as the scheduler measured it, up to its last update, which is at most a tick ago */
	uint64_t run_ns;
	/* time that it was ready to run but waited for a CPU, and number of times that it got one */
	uint64_t delay_ns, waits;
	uint64_t longest_ns;	  /* the longest of these waits, if has_longest */
	uint64_t age_us;	  /* since its birth */
	uint64_t rss_kb;	  /* peak resident memory of its process */
	/* run_ns, delay_ns and waits are valid (CONFIG_TASK_DELAY_ACCT) */
	bool has_delays;
	bool has_longest;  /* longest_ns is valid (since Linux 6.14) */
	bool ends_process; /* in a record of an end: this was the last thread of its process */
};

struct taskstats;

/*
 * Opens the sockets, and has the kernel report each task that ends on any CPU, into a receive buffer of this many
 * bytes. Returns 0 or -errno: -ENOENT if the kernel has no taskstats, or this is not the initial network namespace;
 * -EPERM without CAP_NET_ADMIN; -EINVAL outside the initial PID or user namespace.
 */
int taskstats_open(struct taskstats **ret, int buffer_size);

/* Ends the reports. Ignores NULL. */
void taskstats_close(struct taskstats *stats);

/*
 * Receives the records of up to max ended tasks without waiting. Returns their number, which may be 0, or -errno:
 * -ENOBUFS if the kernel has dropped records; receiving can go on after that. *ret_drained tells whether the queue is
 * empty.
 */
int taskstats_receive(struct taskstats *stats, struct task_use *records, size_t max, bool *ret_drained);

/* Largest number of tasks in one request. */
#define TASKSTATS_ASK_MAX 32

/*
 * Asks about up to TASKSTATS_ASK_MAX tasks, which may be zombies. Stores a record for each that exists, in order, and
 * returns their number, or -errno: -EPERM without the capability, -EPROTO if the answers cannot be read.
 */
int taskstats_ask(struct taskstats *stats, const pid_t *tids, size_t n, struct task_use *records);

/*
 * Decodes one datagram of the family. Returns 1 and the task; 0 for another message; the -errno that the kernel
 * reported; or -EBADMSG if the datagram is malformed, or from a kernel before 5.19.
 */
int taskstats_decode(const void *datagram, size_t size, int family, struct task_use *ret);
