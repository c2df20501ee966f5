/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of tasks: one small record each, found by tid, with no allocation once it has grown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <schedqos/policy/attr.h>

/* Why a task carries what it carries. */
enum reason {
	REASON_NONE,	  /* not decided yet */
	REASON_RULE,	  /* its process's rule */
	REASON_THREAD,	  /* a thread rule */
	REASON_INHERITED, /* the inherit rule of an ancestor */
	REASON_DEFAULT,	  /* no rule: QOS_DEFAULT */
	REASON_NO_RULE,	  /* left alone: no rule, and the default is none */
	REASON_CHOSEN,	  /* left alone: somebody had chosen its attributes */
	REASON_CHANGED,	  /* left alone: somebody changed its attributes after us */
	REASON_NOT_FAIR,  /* left alone: real-time, deadline or sched_ext */
	REASON_REFUSED,	  /* the kernel refused; errno in task.error */
	REASON_NOT_KEPT,  /* the kernel accepted, but something else is read back */
	REASON_UNDONE,	  /* put back at the stop */
};
#define REASON_COUNT (REASON_UNDONE + 1)

/* "rule", "thread-rule", ...: stable names for status and explain. Static storage. */
const char *reason_name(enum reason reason);

/* The task carries its tag's attributes. */
bool reason_is_tagged(enum reason reason);

enum task_flag {
	TASK_OWNED = 1 << 0,	/* it carries what we set (or inherited it): there is something to undo */
	TASK_SCANNED = 1 << 1,	/* found in /proc; its FORK event has not been seen */
	TASK_THREADED = 1 << 2, /* leader: has had other threads since its last exec */
	TASK_MIXED = 1 << 3,	/* leader: its threads do not all have one tag */
	TASK_NICE = 1 << 4,	/* runs nice(1), or what execs again at once, as nice(1) does; or was born of such */
	TASK_EXECED = 1 << 5,	/* has called exec, or its origin has, and is still to be decided */
	TASK_RENAMED = 1 << 6,	/* has a new name, likewise */
	TASK_AHEAD = 1 << 7,	/* at changed_ms /proc was asked about it, and showed more than had been heard of */
};

struct task {
	int32_t tid; /* 0: a free record */
	int32_t tgid;
	uint32_t start;	     /* clock ticks since boot, as in /proc/PID/stat, cut to 32 bits */
	uint32_t changed_ms; /* when it was last set, or TASK_AHEAD (leader: any thread); CLOCK_MONOTONIC */
	uint32_t app;	     /* id of its process's rule, 0: none; of use in the leader's record only */
	uint32_t inherit;    /* id of the nearest inherit rule among it and its ancestors; likewise */
	int32_t heir_of;     /* likewise: the parent, if its exec was still to be decided at the fork */
	uint32_t next;	     /* private to tasks.c */
	struct task_attr had;	/* what it, or the ancestor it inherited from, had before us */
	struct task_attr known; /* what it carried when we last set or looked */
	uint16_t tag;		/* TAG_NONE: none */
	uint8_t reason;		/* enum reason */
	uint8_t error;		/* errno of REASON_REFUSED */
	uint8_t flags;		/* enum task_flag */
	uint8_t scan;		/* number of the last scan that examined it, or its origin */
	uint8_t program;	/* leader: some bits of a hash of what its last exec was seen to run */
	int8_t nice_doubt;	/* leader: how much of had.nice is ours, if that exec was seen too early */
};
_Static_assert(sizeof(struct task) == 64, "kept for every task of the machine, and in a crash");

/*
 * Keeps the compiler from moving writes to records across it. A record must not have TASK_OWNED while its tid, start,
 * or had are being changed: whoever reads the memory of a killed daemon believes owned records only.
 */
#define task_publish() __asm__ volatile("" ::: "memory")

struct tasks;

/* Records are asked for in chunks of this many. */
#define TASKS_CHUNK 1024
#define TASKS_CHUNK_BYTES (TASKS_CHUNK * sizeof(struct task))

/*
 * Where the records live. grow gives TASKS_CHUNK_BYTES more of zeroed memory, aligned for a struct task, that stays
 * until `release` is called for each chunk, or NULL. Whoever gives memory that outlives the program (see
 * task_publish) can find in it, after a crash, what each task had.
 */
struct tasks_memory {
	struct task *(*grow)(void *context);
	void (*release)(void *context, struct task *chunk);
	void *context;
};

/* memory is copied; NULL: the heap. Returns NULL without memory. */
struct tasks *tasks_new(const struct tasks_memory *memory);
void tasks_free(struct tasks *tasks);

size_t tasks_count(const struct tasks *tasks);
size_t tasks_memory(const struct tasks *tasks); /* bytes allocated */
uint64_t tasks_failed(const struct tasks *tasks); /* records for which there was no memory */

/* The task's record, or NULL. Records do not move. */
struct task *tasks_find(const struct tasks *tasks, pid_t tid);

/* A record for the tid with everything else zero, in place of one that is there. NULL without memory. */
struct task *tasks_add(struct tasks *tasks, pid_t tid);

void tasks_remove(struct tasks *tasks, struct task *task);

/*
 * Every record once: start with *cursor = 0 and call until NULL. The one just returned may be removed;
 * records added meanwhile may or may not be met.
 */
struct task *tasks_next(const struct tasks *tasks, uint32_t *cursor);
