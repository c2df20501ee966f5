/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process's arguments, without waiting for it. Right after an exec the loop reads them itself, since hardly any
 * process holds its mmap lock then, and is watched meanwhile (watch.h). Where a process may have been running for
 * long, or a read has hung of late, a reader does (reader.h). A process that has to be waited for is decided about
 * without them, and looked at again later.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>

#include <schedqos/kernel/reader.h>
#include <schedqos/policy/unread.h>

struct arguments {
	struct reader reader;
	struct unread unread;
	bool is_careful;	/* until careful_ms: a read of the loop's has hung */
	uint32_t careful_ms;
	unsigned old_processes; /* how many callers are about processes that may have been running for long */
	bool were_read, were_not; /* in the decision under way */
	sd_event_source *timer; /* of the loop's, for whoever looks again; NULL: there is no loop */
};

/* hung: at which process of proc a look has hung just now, or 0. */
void arguments_init(struct arguments *arguments, int proc, pid_t hung);
void arguments_free(struct arguments *arguments);

/* What is decided about until the end is about processes that may have been running for long. May be nested. */
void arguments_begin_old(struct arguments *arguments);
void arguments_end_old(struct arguments *arguments);

/*
 * tid: the thread whose file is read, of process tgid. As procfs_argv, but -EAGAIN when they cannot be had now; see
 * arguments_decided.
 */
ssize_t arguments_read(struct arguments *arguments, int proc, pid_t tid, pid_t tgid, char *buf, size_t size);

/* The process has become another program: there is no more reason to be wary of it. */
void arguments_exec(struct arguments *arguments, pid_t tgid);

/*
 * It has been decided about a task of process tgid: if arguments were wanting, it is to be looked at again later. False
 * if there are too many such processes for that.
 */
bool arguments_decided(struct arguments *arguments, pid_t tgid);

/*
 * The next process that is to be looked at now; false: there is none. Once it has been looked at, call
 * arguments_looked.
 */
bool arguments_next(const struct arguments *arguments, struct unread_process *ret);
void arguments_looked(struct arguments *arguments, const struct unread_process *process);
