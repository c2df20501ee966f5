/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of tasks: one small record each, found by tid, with no allocation once it has grown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <schedqos/policy/attr.h>

/* What a task is wished to carry, and by what. */
enum wished_by {
	WISHED_BY_NONE,	     /* not matched yet */
	WISHED_BY_RULE,	     /* its process's rule */
	WISHED_BY_THREAD,    /* a thread rule */
	WISHED_BY_INHERITED, /* the inherit rule of an ancestor */
	WISHED_BY_DEFAULT,   /* no rule: QOS_DEFAULT */
	WISHED_BY_NOBODY,    /* no rule, and the default is none: to be left alone */
};

/* What came of it. */
enum task_state {
	TASK_UNDECIDED,
	TASK_TAGGED,	 /* it carries its class, but for what is theirs */
	TASK_LEFT_ALONE, /* at what it had */
	TASK_NOT_FAIR,	 /* real-time, deadline or sched_ext by somebody's choice */
	TASK_REFUSED,	 /* the kernel refused its class */
	TASK_NOT_KEPT,	 /* the kernel accepted that, but something else is read back */
	TASK_UNDONE,	 /* put back at the stop */
};

/* The two together, for people. */
enum reason {
	REASON_NONE,	  /* not decided yet */
	REASON_RULE,	  /* its process's rule */
	REASON_THREAD,	  /* a thread rule */
	REASON_INHERITED, /* the inherit rule of an ancestor */
	REASON_DEFAULT,	  /* no rule: QOS_DEFAULT */
	REASON_NO_RULE,	  /* left alone: no rule, and the default is none */
	REASON_CHOSEN,	  /* left alone: somebody had chosen its attributes */
	REASON_CHANGED,	  /* somebody changed some of its attributes after us: they stay, the others are the class's */
	REASON_NOT_FAIR,  /* left alone: real-time, deadline or sched_ext */
	REASON_REFUSED,	  /* the kernel refused */
	REASON_NOT_KEPT,  /* the kernel accepted, but something else is read back */
	REASON_UNDONE,	  /* put back at the stop */
};
#define REASON_COUNT (REASON_UNDONE + 1)

/* "rule", "thread-rule", ...: stable names for status and explain. Static storage. */
const char *reason_name(enum reason reason);

enum task_flag {
	TASK_SCANNED = 1 << 0, /* found in /proc; its FORK event has not been heard */
	TASK_MIXED = 1 << 1,   /* leader: the records of its process's threads differ */
	TASK_COPIED = 1 << 2,  /* its record is its parent's: nobody has looked at it since its fork */
	TASK_HEARSAY = 1 << 3, /* there is reason to doubt its record: see plan.h */
};

/* What is to be decided about a task; each includes those before it. */
enum due {
	DUE_NOTHING,
	DUE_LOOK,  /* what does it carry? */
	DUE_CLASS, /* its new name brought another class, which is in its record */
	DUE_MATCH, /* its program, or a thread's name, may be another than its record says */
	DUE_EXEC,  /* it has called exec, or was born of one that had and was still to be decided */
	DUE_ENDED, /* nothing more: a thread whose process has called exec, kept until that is decided */
};

struct task {
	int32_t tid; /* 0: a free record */
	int32_t tgid;
	uint32_t start;	     /* clock ticks since boot, as in /proc/PID/stat, cut to 32 bits */
	uint32_t changed_ms; /* when its record last changed but by an event; CLOCK_MONOTONIC, cut to 32 bits */
	uint32_t matched_ms; /* leader: when its program was last read */
	uint32_t app;	     /* leader: id of its process's rule; 0: none */
	uint32_t inherit;    /* leader: id of the nearest inherit rule that applies to it or an ancestor; 0: none */
	uint32_t rule;	     /* id of the rule that wishes its class; 0: none does */
	uint32_t next, next_thread, last_thread; /* private to tasks.c */
	struct task_attr had;	 /* what it would carry without us */
	struct task_attr known;	 /* what we last asked for, or found; what its policy hides as last known */
	struct task_attr before; /* what was known until changed_ms */
	uint16_t tag;		 /* the class that is wished; TAG_NONE: none */
	uint8_t wished_by;	 /* enum wished_by */
	uint8_t state;		 /* enum task_state */
	uint8_t theirs;		 /* enum task_attr_bit: what somebody has chosen since the class was put on */
	uint8_t flags;		 /* enum task_flag */
	uint8_t due;		 /* enum due */
	uint8_t scan;		 /* number of the last scan that met it, or whom it was born of */
};
_Static_assert(sizeof(struct task) <= 100, "kept for every task of the machine, and in a crash");

enum reason task_reason(const struct task *task);

/*
 * Keeps the compiler from moving writes to records across it: whoever reads the memory of a killed daemon believes what
 * has a tid, and merges it with what is found. So a record gets its tid last, had is written before theirs and those
 * before known, and what is about to be set is written, with TASK_HEARSAY, before it is set.
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

/*
 * Puts a copy of `from` into the table, in place of a record of that tid. A thread is put among those of its process,
 * if there is a record of its leader. NULL without memory.
 */
struct task *tasks_put(struct tasks *tasks, const struct task *from);

/* Of a leader, the records of its process's other threads go as well: they cannot outlive it. */
void tasks_remove(struct tasks *tasks, struct task *task);

/* The next thread's record of the same process, the youngest first: begin with the leader. NULL at the end. */
struct task *tasks_next_thread(const struct tasks *tasks, const struct task *task);

/*
 * Every record once: start with *cursor = 0 and call until NULL. The one just returned may be removed;
 * records added meanwhile may or may not be met.
 */
struct task *tasks_next(const struct tasks *tasks, uint32_t *cursor);
