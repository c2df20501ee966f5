/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the bench's tools: the clock, scheduling attributes, strict number parsing, errors. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* struct sched_attr without util clamp (48 bytes), which every kernel takes. */
struct bench_attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};
_Static_assert(sizeof(struct bench_attr) == 48, "SCHED_ATTR_SIZE_VER0");

/* Prints what failed to stderr, with errno, and exits 1. */
void die(const char *what) __attribute__((noreturn));

/* CLOCK_MONOTONIC. */
uint64_t now_ns(void);

/* A decimal number from 0 to max, or die. */
uint64_t parse_number(const char *text, uint64_t max);

/* "POLICY:NICE:SLICE_NS", all numbers; a slice of 0 stands for any. Or die. */
struct bench_attr parse_attr(const char *text);

/* tid 0 is the caller. Both return false when the task is gone or the kernel refuses. */
bool attr_get(pid_t tid, struct bench_attr *ret);
bool attr_set(pid_t tid, const struct bench_attr *attr);

/* Returns whether policy, nice and slice are as wanted. */
bool attr_is(const struct bench_attr *attr, const struct bench_attr *want);

/* Polls the task's attributes (tid 0: the caller's) until they are as wanted. False after a second. */
bool attr_await(pid_t tid, const struct bench_attr *want);

/* Has the caller killed when its parent ends, however that happens. To be called after fork. */
void end_with(pid_t parent);
