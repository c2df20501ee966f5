/* SPDX-License-Identifier: GPL-2.0-only */
#include "bench.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define AWAIT_NS 1000000000ULL

/* Reading the clock costs more than reading our attributes, so it is read only every so many times. */
#define LOOKS_PER_CLOCK 64

void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t parse_number(const char *text, uint64_t max)
{
	char *end;
	uint64_t number;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || number > max) {
		errno = EINVAL;
		die(text);
	}
	return number;
}

struct bench_attr parse_attr(const char *text)
{
	struct bench_attr attr = { .size = sizeof(attr) };
	unsigned long long slice;
	int end = 0;

	if (sscanf(text, "%u:%d:%llu%n", &attr.policy, &attr.nice, &slice, &end) != 3 ||
	    text[end]) {
		errno = EINVAL;
		die(text);
	}
	attr.runtime = slice;
	return attr;
}

bool attr_set(pid_t tid, const struct bench_attr *attr)
{
	return syscall(SYS_sched_setattr, tid, attr, 0) == 0;
}

bool attr_get(pid_t tid, struct bench_attr *ret)
{
	return syscall(SYS_sched_getattr, tid, ret, sizeof(*ret), 0) == 0;
}

bool attr_is(const struct bench_attr *attr, const struct bench_attr *want)
{
	return attr->policy == want->policy && attr->nice == want->nice &&
	       (!want->runtime || attr->runtime == want->runtime);
}

bool attr_await(pid_t tid, const struct bench_attr *want)
{
	uint64_t end = now_ns() + AWAIT_NS;
	struct bench_attr attr;

	do {
		for (int i = 0; i < LOOKS_PER_CLOCK; i++) {
			if (attr_get(tid, &attr) && attr_is(&attr, want))
				return true;
		}
	} while (now_ns() < end);
	return false;
}

void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}
