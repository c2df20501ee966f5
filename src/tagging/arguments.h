/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a process's arguments without waiting for the process. Right after an exec the loop reads them itself, under
 * a watch (watch.h), since hardly any process holds its mmap lock then. If the process may have been running for
 * long, or a read has hung recently, a reader does it (reader.h). A process whose arguments are not to be had
 * at once is decided without them, and read again later.
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
	bool is_careful;	/* until careful_ms: a read in the loop has hung */
	uint32_t careful_ms;
	pid_t hung;		/* whose user is still to be charged for it, or 0 */
	unsigned old_processes; /* nesting of arguments_begin_old */
	bool were_read, were_unread; /* in the present decision */
	sd_event_source *timer; /* owned by the loop: the next retry; NULL: there is no loop */
};

/* hung: the process on which an earlier loop has just hung, or 0. */
void arguments_init(struct arguments *arguments, pid_t hung);
void arguments_free(struct arguments *arguments);

/* For an hour after that. */
bool arguments_is_careful(const struct arguments *arguments);

/* Between these two, processes may have been running for long: a reader reads them. They nest. */
void arguments_begin_old(struct arguments *arguments);
void arguments_end_old(struct arguments *arguments);

/*
 * tid: the thread of process tgid whose file is read. Returns as procfs_argv does, or -EAGAIN if they cannot be read
 * now; see arguments_decided.
 */
ssize_t arguments_read(struct arguments *arguments, int proc, pid_t tid, pid_t tgid, char *buf, size_t size);

/* The process runs another program now: forgets that the arguments of the old one could not be read. */
void arguments_exec(struct arguments *arguments, pid_t tgid);

/*
 * A task of process tgid has been decided: if its arguments could not be read, schedules a retry. Returns false if too
 * many processes are waiting for one.
 */
bool arguments_decided(struct arguments *arguments, pid_t tgid);

/*
 * The next process whose retry is due; false: there is none. Call arguments_retried once its tasks have been decided
 * again.
 */
bool arguments_next(const struct arguments *arguments, struct unread_process *ret);
void arguments_retried(struct arguments *arguments, const struct unread_process *process);
