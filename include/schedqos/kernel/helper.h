/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs work that may block in a helper process, which we can leave behind. A task that waits for a file system which
 * does not answer may be impossible to kill, and so may its whole process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Maximum number of helpers left behind; no more are started until one of them has ended. */
#define HELPERS_LEFT_MAX 8

struct helper_process {
	pid_t pid; /* 0 if none */
	int fd;	   /* SOCK_SEQPACKET, to and from the helper */
	/* the helper ends, as soon as the kernel lets it, when we close this or end */
	int leash;
	int kept_on;  /* the CPU to which it is bound, plus 1; 0 if not bound */
	void *shared; /* memory shared with the helper; NULL if none */
};

/* Starts as all zeroes, except for serve and shared_size. */
struct helper {
	/* Runs in the helper, with a socket to serve until that is closed. The helper inherits all our memory. */
	void (*serve)(int fd);
	size_t shared_size;
	struct helper_process now;
	/* processes left behind; the extra entry is for the present one when all are ended */
	pid_t left[HELPERS_LEFT_MAX + 1];
	size_t n_left;
};

/*
 * Returns the socket of the helper, which it starts if needed. The socket stays the same until helper_leave. Returns
 * -EAGAIN if too many helpers are left behind, or another -errno.
 */
int helper_need(struct helper *helper);

/* Leaves a helper behind that does not answer, or has ended. Never waits. */
void helper_leave(struct helper *helper);

/* Ends a helper that has answered its only question and returns from serve. Waits until it has ended. */
void helper_end(struct helper *helper);

/*
 * Returns the helper's state as in /proc/PID/stat: 'R' if it waits only for a CPU, 'Z' if it has ended or there is
 * none; NUL if unknown. proc is a descriptor of /proc.
 */
char helper_state(const struct helper *helper, int proc);

/* Returns the CPU time of the present helper, in ns. */
uint64_t helper_cpu_ns(const struct helper *helper);

/* Ends all helpers. A later helper_need starts a new one. Never waits. */
void helper_close(struct helper *helper);

/*
 * ---- reading arguments, in a helper because that may block ----
 *
 * Tried on Linux 6.18, with a thread of the target process asleep in mmap() of a FUSE file that is never served
 * (fuse_file_mmap waits for a locked folio), so that it holds its own mmap lock for writing:
 *	- Reading cmdline waits in mmap_read_lock_killable (__access_remote_vm in mm/memory.c) until the target
 *	  proceeds. Only a fatal signal ends the wait, and it ends the reader's whole process.
 *	- exe, stat, status, comm, cgroup, ns/user, the list of threads, sched_getattr and sched_setattr do not wait.
 *	- But a task that reads cmdline, stat or status holds a reference to the target's memory meanwhile
 *	  (get_task_mm). If the target ends during that time, the reader drops the last reference (mmput), and
 *	  exit_aio waits there for pending asynchronous I/O, which no signal ends.
 */

/* Maximum number of bytes of arguments that are read. */
#define READER_BYTES (64 * 1024)

/* Maximum number of unanswered questions. */
#define READER_QUESTIONS_MAX 64

struct reader_question {
	pid_t tid;	 /* id of any thread */
	uint32_t number; /* chosen by the caller */
	uint32_t place;	 /* place of the answer, below READER_QUESTIONS_MAX */
	/* the answer: size of the arguments, each with its NUL; or -errno, as procfs_argv returns */
	int32_t size;
};

/*
 * Asks a helper to read arguments; reader starts as all zeroes. The helper answers in shared memory, in the order of
 * the questions, and wakes us once for all of them. From then on it runs on our CPU, because waking each other across
 * CPUs takes interrupts. With no question, only starts the helper. Returns 0 or -errno: as helper_need, or -EAGAIN if
 * there are too many questions.
 */
int reader_ask(struct helper *reader, const struct reader_question *questions, size_t count);

/* Waits until everything is answered, or until the timeout. */
void reader_wait(struct helper *reader, uint32_t timeout_us);

/*
 * Returns the next answered question; NULL if there is none yet. Its text stays valid until another answer takes its
 * place, or the helper is left behind.
 */
const struct reader_question *reader_take(struct helper *reader, const char **ret_text);

/* Returns the question that the helper works on; NULL if it has answered all. */
const struct reader_question *reader_current(const struct helper *reader);
