/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads arguments by a helper (helper.h), since that may block.
 *
 * Tried on Linux 6.18, with a thread of the target process asleep in mmap() of a FUSE file that is never served
 * (fuse_file_mmap waits for a locked folio), and so holding its own mmap lock for writing:
 *	- reading cmdline waits in mmap_read_lock_killable (__access_remote_vm in mm/memory.c) until the target
 *	  proceeds: only a fatal signal ends that, and it ends the reader's whole process;
 *	- exe, stat, status, comm, cgroup, ns/user and the list of threads, sched_getattr and sched_setattr do not
 *	  wait;
 *	- but a task that reads cmdline, stat or status holds a reference to the target's memory meanwhile
 *	  (get_task_mm). If the target ends during that time, the reader drops the last reference (mmput), and
 *	  exit_aio waits there for asynchronous I/O under way, which no signal ends.
 */
#pragma once

#include <schedqos/kernel/helper.h>

#include <stdint.h>

/* Arguments beyond this are not read. */
#define READER_BYTES (64 * 1024)

/* Of one message. */
#define READER_QUESTIONS_MAX 64

struct reader_question {
	pid_t tid;	 /* any thread's */
	uint32_t number; /* comes back with the answer */
};

struct reader_answer {
	uint32_t number;
	int32_t size; /* of the arguments, each with its NUL, or -errno: as procfs_argv of the mounted /proc */
};

/* Starts as all zeroes. */
struct reader {
	struct helper helper;
};

/* Asks all of it in one message; with none the helper is started ahead. 0, or -errno: as helper_need, or -EAGAIN if it has not read what it was asked before. */
int reader_ask(struct reader *reader, const struct reader_question *questions, size_t count);

/*
 * The next answer, in the order of the questions; what is more than size is cut off. 1; 0: not there yet, after 2 ms if
 * it is to wait; -ENOTCONN: the helper has ended, leave it.
 */
int reader_take(struct reader *reader, bool wait, struct reader_answer *ret, char *buf, size_t size);

/* Waits for up to timeout_ms until there is something to take. */
void reader_wait(const struct reader *reader, int timeout_ms);

/* It has ended, or does not answer: the next question goes to another. Never waits. */
void reader_leave(struct reader *reader);

/* Ends it; if one is needed later, it is started then. Never waits. */
void reader_close(struct reader *reader);

/*
 * All of that for one task, without other questions under way: as procfs_argv, or -EAGAIN if it takes longer than
 * patience_ms or no helper can be had.
 */
ssize_t reader_argv(struct reader *reader, pid_t tid, uint32_t patience_ms, char *buf, size_t size);
