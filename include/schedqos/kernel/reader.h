/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads arguments in a process of its own, for who must not wait.
 *
 * Tried on Linux 6.18, with a thread of the process asleep in mmap() of a FUSE file that nobody serves (fuse_file_mmap
 * waits for a locked folio), and so holding its own mmap lock for writing:
 *	- reading cmdline waits in mmap_read_lock_killable (__access_remote_vm in mm/memory.c) until that process gets on:
 *	  only a fatal signal ends it, and such a one ends the reader's whole process;
 *	- exe, stat, status, comm, cgroup, ns/user and the list of threads, sched_getattr and sched_setattr do not wait;
 *	- but whoever reads cmdline, stat or status holds a reference of its memory meanwhile (get_task_mm). If the process
 *	  ends in that time, it is the reader who gives the memory up (mmput), and with it asynchronous I/O that is under
 *	  way: exit_aio waits for that, and no signal ends it.
 * So nothing but a process that can be left behind is safe.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* So many that no signal ends are left behind; then no more are made until one of them has ended. */
#define READERS_LOST_MAX 8

/* Starts as all zeroes. */
struct reader {
	pid_t pid; /* 0: there is none at the moment */
	int fd;
	pid_t lost[READERS_LOST_MAX];
	size_t n_lost;
};

/*
 * As procfs_argv of the mounted /proc, for at most 64 KiB. -EAGAIN when that would take longer than patience_ms
 * (below 1000), or there can be no reader now; -EMFILE, -ENFILE or -ENOMEM if it is for want of these.
 */
ssize_t reader_argv(struct reader *reader, pid_t tid, uint32_t patience_ms, char *buf, size_t size);

/* Ends it; should one be needed later, it is made then. */
void reader_close(struct reader *reader);
