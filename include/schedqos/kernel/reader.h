/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads arguments in a separate process, for callers that must not block.
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
 * So only a process that can be abandoned is safe.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* So many hung readers are abandoned; then no more are started until one of them has ended. */
#define READERS_LOST_MAX 8

/* Starts as all zeroes. */
struct reader {
	pid_t pid; /* 0: none at the moment */
	int fd;
	pid_t lost[READERS_LOST_MAX];
	size_t n_lost;
};

/*
 * As procfs_argv of the mounted /proc, for at most 64 KiB. -EAGAIN if that would take longer than patience_ms
 * (below 1000), or no reader can be started now; -EMFILE, -ENFILE or -ENOMEM if these are the reason.
 */
ssize_t reader_argv(struct reader *reader, pid_t tid, uint32_t patience_ms, char *buf, size_t size);

/* Ends the reader; if one is needed later, it is started then. */
void reader_close(struct reader *reader);
