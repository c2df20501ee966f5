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

struct daemon;

struct arguments {
	struct reader reader;
	struct unread unread;
	bool is_careful;	/* until careful_ms: a read of the loop's has hung */
	uint32_t careful_ms;
	unsigned old_processes; /* how many callers are about processes that may have been running for long */
	bool were_read, were_not; /* in the decision under way */
	sd_event_source *timer; /* looks again */
};

/* Needs daemon->event. hung: at which process a look has hung just now, or 0. Returns a negative errno on failure. */
int arguments_init(struct daemon *daemon, pid_t hung);
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

/* It has been decided about a task of process tgid: if arguments were wanting, it is looked at again later. */
void arguments_decided(struct daemon *daemon, pid_t tgid);
