/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tasks had used when they ended, by the kernel's generic netlink family TASKSTATS
 * (Documentation/accounting/taskstats.rst). It takes CAP_NET_ADMIN and the initial PID and user namespaces. The figures of
 * the CPU are there even with kernel.task_delayacct off (delayacct_add_tsk in kernel/delayacct.c).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct nl_sock;

struct task_exit {
	pid_t tid;
	char comm[16];	   /* raw, not escaped */
	uint64_t run_ns;   /* CPU time used */
	uint64_t delay_ns; /* time spent ready to run, waiting for a CPU */
	uint64_t waits;	   /* times it got a CPU */
};

/* From now on hears of every exit, until nl_socket_free(). Returns 0 or -errno. */
int taskstats_listen(struct nl_sock **ret);

/* The next exit: 1, 0 if there is none now, -ENOBUFS if the kernel dropped some, or another -errno. */
int taskstats_next_exit(struct nl_sock *socket, struct task_exit *ret);

/* One message of the family, aligned as netlink messages are. Returns 1; 0 if it is about something else; -EBADMSG. */
int taskstats_decode(const void *message, size_t size, struct task_exit *ret);
