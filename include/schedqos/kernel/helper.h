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
};

/* All zeroes but for serve and has_spare. */
struct helper {
	/* Runs in the other process, with a socket to serve until that is closed. It inherits all memory. */
	void (*serve)(int fd);
	bool has_spare; /* another one is started ahead */
	struct helper_process now, spare;
	pid_t left[HELPERS_LEFT_MAX + 2]; /* those two as well, when all are ended */
	size_t n_left;
};

/* The socket of a process that serves; the same until helper_leave. -EAGAIN if there can be none now, or -errno. */
int helper_need(struct helper *helper);

/* It does not answer, or has ended: leaves it behind. Never waits. */
void helper_leave(struct helper *helper);

/* It has answered all that it ever serves, and returns from that: waits until it has ended. */
void helper_end(struct helper *helper);

/* Whether the process that serves does not wait for anything but a CPU. proc: descriptor of /proc. */
bool helper_is_runnable(const struct helper *helper, int proc);

/* The CPU time of the processes that serve now and that are in reserve, ns. */
uint64_t helper_cpu_ns(const struct helper *helper);

/* Ends all. If one is needed later, it is started then. Never waits. */
void helper_close(struct helper *helper);
