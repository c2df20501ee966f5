/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tasks have used and how long they had to wait for it, by the kernel's generic netlink family
 * TASKSTATS (Documentation/accounting/taskstats.rst): of living tasks, and of each task at its
 * exit. It takes CAP_NET_ADMIN and the initial PID and user namespaces. The figures of the CPU are
 * there even with kernel.task_delayacct off (delayacct_add_tsk in kernel/delayacct.c).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct task_usage {
	pid_t tid;
	pid_t tgid;	   /* 0 where the kernel does not say (before 5.19) */
	pid_t ppid;	   /* of the process's parent */
	uid_t uid;	   /* real */
	char comm[16];	   /* raw, not escaped */
	uint64_t run_ns;   /* CPU time used */
	uint64_t delay_ns; /* time spent ready to run, waiting for a CPU */
	uint64_t waits;	   /* times it got a CPU */
};

struct taskstats_source;

/* Returns 0, or -errno: -ENOENT if the kernel has no such family, -EPERM. */
int taskstats_open(struct taskstats_source **ret);
void taskstats_free(struct taskstats_source *stats);

/*
 * Asks for n tasks (all[i].tid). Fills in the rest; tid becomes 0 for one that is gone. Returns 0; or -errno, with the
 * rest of them not filled in.
 */
int taskstats_read(struct taskstats_source *stats, struct task_usage *all, size_t n);

/* From now on hears of every exit. Returns 0 or -errno. */
int taskstats_listen(struct taskstats_source *stats);

/* The next exit: 1, 0 if there is none now, -ENOBUFS if the kernel dropped some, or another -errno.
 */
int taskstats_next_exit(struct taskstats_source *stats, struct task_usage *ret);

/*
 * One message of the family: the usage of a task. Aligned as netlink messages are. Returns 1; 0 if it is about something
 * else; -ESRCH or another error that it reports; -EBADMSG.
 */
int taskstats_decode(const void *message, size_t size, struct task_usage *ret);
