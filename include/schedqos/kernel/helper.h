/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What may block is done by another process, which can be left behind: a task that waits for a file system that does
 * not answer may not even be killable, and then neither is its process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* So many that hang are left behind; then no more are started until one of them has ended. */
#define HELPERS_LEFT_MAX 8

struct helper_process {
	pid_t pid; /* 0: none */
	int fd;	   /* SOCK_SEQPACKET, to it and from it */
	int leash; /* when we close it, or end, the process ends as soon as the kernel lets it */
	int kept_on; /* the CPU where it has to run, plus 1; 0: any */
	void *shared; /* memory that it and we write to; NULL: none */
};

/* All zeroes but for serve and shared_size. */
struct helper {
	/* Runs in the other process, with a socket to serve until that is closed. It inherits all memory. */
	void (*serve)(int fd);
	size_t shared_size;
	struct helper_process now;
	pid_t left[HELPERS_LEFT_MAX + 1]; /* that one as well, when all are ended */
	size_t n_left;
};

/* The socket of a process that serves; the same until helper_leave. -EAGAIN if there can be none now, or -errno. */
int helper_need(struct helper *helper);

/* It does not answer, or has ended: leaves it behind. Never waits. */
void helper_leave(struct helper *helper);

/* It has answered all that it ever serves, and returns from that: waits until it has ended. */
void helper_end(struct helper *helper);

/*
 * Of the process that serves, as in /proc/PID/stat: 'R' if it waits for nothing but a CPU, 'Z' if it has ended or there
 * is none; NUL if it cannot be told. proc: descriptor of /proc.
 */
char helper_state(const struct helper *helper, int proc);

/* The CPU time of the process that serves now, ns. */
uint64_t helper_cpu_ns(const struct helper *helper);

/* Ends all. If one is needed later, it is started then. Never waits. */
void helper_close(struct helper *helper);

/*
 * ---- arguments, read by a helper, since that may block ----
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

/* Arguments beyond this are not read. */
#define READER_BYTES (64 * 1024)

/* Of one message. */
#define READER_QUESTIONS_MAX 64

struct reader_question {
	pid_t tid;	 /* any thread's */
	uint32_t number; /* the caller's */
	uint32_t place;	 /* of the answer, below READER_QUESTIONS_MAX */
	int32_t size; /* the answer, of the arguments, each with its NUL; or -errno: as procfs_argv of the mounted /proc
		       */
};

/*
 * A helper that reads arguments starts as all zeroes. It answers in memory that it shares with us, in the order of
 * asking, and we are woken once for all that it was asked. From then on it runs on our CPU: to wake it on another takes
 * an interrupt there, and to be woken by it another here. With no question it is started ahead. 0, or -errno: as
 * helper_need, or -EAGAIN if it has too many questions already.
 */
int reader_ask(struct helper *reader, const struct reader_question *questions, size_t count);

/* Waits until all is answered. */
void reader_wait(struct helper *reader, uint32_t timeout_us);

/*
 * The next question that is answered; NULL: none yet. Its text stays until another answer takes its place or the helper
 * is left.
 */
const struct reader_question *reader_take(struct helper *reader, const char **ret_text);

/* The question that it is about to answer; NULL: it has answered all. */
const struct reader_question *reader_current(const struct helper *reader);
