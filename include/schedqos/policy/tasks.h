/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of tasks: one small record each, found by tid, with no allocation once it has grown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <schedqos/policy/qos_class.h>

/* Why a task has its class, or none. */
enum reason {
	/* What its class comes from. */
	REASON_NONE,	  /* not decided yet */
	REASON_RULE,	  /* its process's rule */
	REASON_THREAD,	  /* a thread rule */
	REASON_INHERITED, /* the inherit rule of an ancestor */
	REASON_DEFAULT,	  /* no rule: QOS_DEFAULT */
	REASON_NO_RULE,	  /* no rule, and the default is none: left alone */
	REASON_OVERRIDE,  /* what was asked for at run time, over the rules */
	REASON_UNIT,	  /* no rule: its unit's class */
	/* What came of that: for people. */
	REASON_CHOSEN,	 /* left alone: somebody had chosen its attributes */
	REASON_CHANGED,	 /* somebody changed some of its attributes after us: they stay, the others are the class's */
	REASON_NOT_FAIR, /* left alone: real-time, deadline or sched_ext */
	REASON_REFUSED,	 /* the kernel refused */
	REASON_NOT_KEPT, /* the kernel accepted, but something else is read back */
	REASON_UNDONE,	 /* put back at the stop */
};
#define REASON_COUNT (REASON_UNDONE + 1)

/* The result of the last decision. */
enum task_state {
	TASK_UNDECIDED,	 /* what its record assigns has yet to take effect */
	TASK_TAGGED,	 /* it carries its class, except for what is theirs */
	TASK_LEFT_ALONE, /* it carries what it had */
	TASK_NOT_FAIR,	 /* real-time, deadline or sched_ext by somebody's choice */
	TASK_REFUSED,	 /* the kernel refused its class */
	TASK_NOT_KEPT,	 /* the kernel accepted that, but something else is read back */
	TASK_UNDONE,	 /* put back at the stop */
};

enum task_flag {
	TASK_COPY = 1 << 0,    /* its record is a copy: nobody has looked at the task since its fork */
	TASK_FRESH = 1 << 1,   /* just set: no child is known to carry all of that yet. A copy: it may not itself */
	TASK_SETTING = 1 << 2, /* about to be set to what is known */
	TASK_TOUCHED = 1 << 3, /* a class was put on it, on an ancestor or, if a leader, on one of its threads */
	TASK_MIXED = 1 << 4,   /* leader: the records of its threads differ, or have */
	TASK_UNHEARD = 1 << 5, /* a copy whose birth no event told of: its origin may be somebody else's */
	TASK_IN_DOUBT = 1 << 6, /* its record may be another thread's: they differed at its birth, or it called exec */
	TASK_OWNERS = 1 << 7,  /* leader: it runs as nobody but the user who has asked for SLOT_USERS_CLASS */
};

/* What has to be decided about a task; each includes those before it. */
enum due {
	DUE_NOTHING,
	DUE_LOOK,  /* what does it carry? Its record has its class */
	DUE_MATCH, /* its program, or a thread's name, may be another than its record says */
	DUE_EXEC,  /* it called exec, or its parent did and was still due when it was born */
};

/* What may have been asked for a process at run time, at most one of each: see overrides.h. */
enum override_slot {
	SLOT_CLASS,	  /* root's: gives it a class */
	SLOT_LIMIT,	  /* root's: the lowest of those that limit it */
	SLOT_USERS_CLASS, /* the same two of a user's: whether they count is found out at each match */
	SLOT_USERS_LIMIT,
	SLOT_SHOWN, /* what is seen of the app that it is of; likewise */
	OVERRIDE_SLOTS,
};

/* What the person at the screen sees or plays of an app. */
enum shown {
	SHOWN_VISIBLE, /* or nobody has said anything */
	SHOWN_HIDDEN,
	SHOWN_FOCUSED, /* or played */
};

/* The class that the configuration, or an override, assigns to a task, before its limit. */
struct assignment {
	uint16_t tag;  /* TAG_NONE: none */
	uint16_t rule; /* id of the rule that the class comes from; 0: none */
	uint8_t by;    /* enum reason, what it comes from */
};

struct task {
	int32_t tid; /* 0: a free record */
	int32_t tgid;
	uint32_t start;	  /* clock ticks since boot, as in /proc/PID/stat, cut to 32 bits */
	uint32_t next; /* private to tasks.c, as next_thread and last_thread */
	uint32_t next_thread : 24;
	uint32_t scan : 8; /* number of the last scan that found it, or a task it was forked from */
	uint32_t last_thread : 24;
	uint32_t flags : 8; /* enum task_flag */
	struct task_attr had;	/* what it would carry without us */
	struct task_attr known; /* what it carries: last found, or set since; what its policy hides as last known */
	struct task_attr prev;	/* what it carried before we last set it; `known` once a choice was found */
	uint16_t app;		/* leader: id of its process's rule; 0: none */
	uint16_t inherit;	/* leader: id of the nearest inherit rule that applies to it or an ancestor; 0: none */
	uint16_t limit;		/* leader: number of the limit of its cgroup and overrides; 0: none */
	uint16_t unit;		/* leader: the class that its unit gives where no rule does; TAG_DEFAULT: none */
	struct assignment own;
	uint16_t tag;		/* the same under the limit; TAG_NONE: not decided since that gives something else */
	uint16_t joined[OVERRIDE_SLOTS]; /* leader: numbers of the overrides for its process; 0: none */
	uint8_t state : 4;	/* enum task_state */
	uint8_t shown : 4;	/* leader: enum shown, of SLOT_SHOWN, as far as it counts */
	uint8_t theirs : 6;	/* enum task_attr_bit: what somebody has chosen since a rule or override took effect */
	uint8_t due : 2;	/* enum due */
};
_Static_assert(sizeof(struct task) == 88, "kept for every task of the machine, and in a crash");

/*
 * Keeps the compiler from moving writes to records across it. The records of a killed daemon are read from its
 * memory: each that has a tid is believed, and the task judged by it. So a record gets its tid last, had is written
 * before theirs and both before known, and what is about to be set is recorded, with TASK_SETTING, before it is set.
 */
#define task_publish() __asm__ volatile("" ::: "memory")

struct tasks;

/* Records are allocated in chunks of this many. */
#define TASKS_CHUNK 1024
#define TASKS_CHUNK_BYTES (TASKS_CHUNK * sizeof(struct task))

/*
 * Memory for the records. `grow` returns TASKS_CHUNK_BYTES of zeroed memory, aligned for a struct task, or NULL; the
 * memory stays until `release` is called for it. If the memory outlives the program, the records can be read after a
 * crash (see task_publish), and so can `given`, where the plan keeps the bounds of its judgement. given may be NULL.
 */
struct tasks_memory {
	struct task *(*grow)(void *context);
	void (*release)(void *context, struct task *chunk);
	void *context;
	struct given *given;
};

/* memory is copied; NULL: the heap. Returns NULL without memory. */
struct tasks *tasks_new(const struct tasks_memory *memory);
void tasks_free(struct tasks *tasks);

size_t tasks_count(const struct tasks *tasks);
size_t tasks_memory(const struct tasks *tasks); /* bytes allocated */

/* The task's record, or NULL. Records do not move. */
struct task *tasks_find(const struct tasks *tasks, pid_t tid);

/*
 * Puts a copy of `from` into the table, in place of a record of that tid. A thread is linked to its leader,
 * if that has a record. NULL without memory.
 */
struct task *tasks_put(struct tasks *tasks, const struct task *from);

/*
 * The record of the process's leader, or NULL. Where forks were lost, what has its id may be a thread of another
 * process that has ended.
 */
struct task *tasks_leader(const struct tasks *tasks, pid_t tgid);

/*
 * Whether the task with this id that started then, as /proc has it, is the one on record. A recorded start may be late
 * by any time, since a fork can be preempted before it sends its event; but a task with the same id that started
 * earlier would have ended before the one on record was born.
 */
bool task_is_same_start(uint32_t recorded, uint32_t from_proc);

/* Unless it is NULL. A leader's goes with those of its process's other threads: they cannot outlive it. */
void tasks_remove(struct tasks *tasks, struct task *task);

/* The next thread of the same process, youngest first; begin with the leader. NULL at the end. */
struct task *tasks_next_thread(const struct tasks *tasks, const struct task *task);

/*
 * Every record once: start with *cursor = 0 and call until NULL. The one just returned may be removed;
 * records added meanwhile may or may not be returned.
 */
struct task *tasks_next(const struct tasks *tasks, uint32_t *cursor);

/* ---- for people ---- */

/* Of a record. */
enum reason task_reason(const struct task *task);

/* "rule", "thread-rule", ...: stable names for output. Static storage. */
const char *reason_name(enum reason reason);
