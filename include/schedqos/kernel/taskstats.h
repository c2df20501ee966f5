/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's taskstats (generic netlink, CONFIG_TASKSTATS): what a task has used and how long it has waited for a
 * CPU. A listener gets a record of every task that ends; any task can be asked about. Both take CAP_NET_ADMIN in the
 * initial network, PID and user namespaces.
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
	uint64_t cpu_ns; /* as the machine's ticks have it: sampled, and adding up to /proc/stat */
	uint64_t run_ns; /* as the scheduler measured it, up to the last time that it looked: a tick ago at most */
	uint64_t delay_ns, waits; /* ready to run but waiting for a CPU, and how often it got one */
	uint64_t longest_ns;	  /* of these waits, if has_longest */
	uint64_t age_us;	  /* since its birth */
	uint64_t rss_kb;	  /* the most memory that its process had */
	bool has_delays;	  /* run_ns, delay_ns and waits are counted (CONFIG_TASK_DELAY_ACCT) */
	bool has_longest;	  /* since Linux 6.14 */
	bool ends_process;	  /* a record of an end: no other thread of its process is left */
};

struct taskstats;

/*
 * Looks the family up and opens the socket for questions. Returns 0 or -errno: -ENOENT if the kernel has no taskstats,
 * or this is not the initial network namespace.
 */
int taskstats_open(struct taskstats **ret);
void taskstats_close(struct taskstats *stats);

/*
 * Has the kernel report each task that ends on any CPU, into a receive buffer of this many bytes. Returns 0 or -errno:
 * -EPERM without CAP_NET_ADMIN, -EINVAL outside the initial PID or user namespace.
 */
int taskstats_listen(struct taskstats *stats, int buffer_size);
void taskstats_ignore(struct taskstats *stats);

/* Readable when a task has ended; -1 while nobody listens. */
int taskstats_fd(const struct taskstats *stats);

/*
 * Receives the records of up to max ended tasks without waiting. Returns their number, 0 if there was none
 * (*ret_drained: the queue was empty), or -errno: -ENOBUFS when the kernel has dropped records, after which receiving
 * goes on.
 */
int taskstats_receive(struct taskstats *stats, struct task_use *records, size_t max, bool *ret_drained);

/* Largest number of tasks in one request. */
#define TASKSTATS_ASK_MAX 32

/*
 * Asks about these tasks, which may be zombies. Returns how many of them there are, with what they have used in records
 * (in order), or -errno: -EPERM, -EPROTO if the answers cannot be read.
 */
int taskstats_ask(struct taskstats *stats, const pid_t *tids, size_t n, struct task_use *records);

/*
 * Decodes one datagram of the family. Returns 1 and the task; 0 for another message; -errno of an error that the kernel
 * has reported; -EBADMSG if the datagram is malformed, or of a kernel before 5.19.
 */
int taskstats_decode(const void *datagram, size_t size, int family, struct task_use *ret);
