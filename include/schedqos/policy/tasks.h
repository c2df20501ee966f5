/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of tasks: the plan keeps a small record of each task here and finds it by tid. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <schedqos/policy/qos_class.h>

/* Why a task has its class or was left alone. */
enum reason {
	/* Source of the class. */
	REASON_NONE,	  /* not decided yet */
	REASON_RULE,	  /* the rule of its process */
	REASON_THREAD,	  /* a thread rule */
	REASON_INHERITED, /* the inherit rule of an ancestor */
	REASON_DEFAULT,	  /* no rule: QOS_DEFAULT */
	REASON_NO_RULE,	  /* no rule, and the setting "default" is none: left alone */
	REASON_OVERRIDE,  /* an override, which comes before the rules */
	REASON_UNIT,	  /* no rule: the class of its unit */
	/* Outcome of the last decision, for output only. */
	REASON_CHOSEN,	 /* left alone: somebody had chosen its attributes */
	REASON_CHANGED,	 /* somebody chose attributes after us; the class decides the others */
	REASON_NOT_FAIR, /* left alone: real-time, deadline or sched_ext */
	REASON_REFUSED,	 /* the kernel refused */
	REASON_NOT_KEPT, /* the kernel accepted, but the task carries something else */
	REASON_UNDONE,	 /* put back at the stop */
};
#define REASON_COUNT (REASON_UNDONE + 1)

/* The result of the last decision. */
enum task_state {
	TASK_UNDECIDED,	 /* the assignment in its record has yet to take effect */
	TASK_TAGGED,	 /* it carries its class, except for the attributes in `theirs` */
	TASK_LEFT_ALONE, /* it carries `had`, or what somebody chose since */
	TASK_NOT_FAIR,	 /* real-time, deadline or sched_ext by somebody's choice */
	TASK_REFUSED,	 /* the kernel refused the class */
	TASK_NOT_KEPT,	 /* the kernel accepted the class, but the task carries something else */
	TASK_UNDONE,	 /* put back at the stop */
};

enum task_flag {
	/* Its record is a guess: not looked at since its fork, or since an exec of a process whose threads differed. */
	TASK_COPY = 1 << 0,
	TASK_FRESH = 1 << 1,   /* just set, and no child was found to carry all of that; a copy may lack it */
	TASK_SETTING = 1 << 2, /* it is being set from `prev` to `known` */
	TASK_TOUCHED = 1 << 3, /* a class was put on it, on an ancestor or, for a leader, on one of its threads */
	TASK_MIXED = 1 << 4,   /* leader: the records of its threads differ or have differed */
	TASK_UNHEARD = 1 << 5, /* a process whose birth no event reported; perhaps its parent has only adopted it */
	TASK_IN_DOUBT = 1 << 6, /* a copy of any thread of its process, or of its parent: their records differed */
	TASK_OWNERS = 1 << 7,  /* leader: it runs only with the privileges of the user of its SLOT_USERS_CLASS */
};

/* The decision that a task is due for. Each value includes those before it. */
enum due {
	DUE_NOTHING,
	DUE_LOOK,  /* its attributes may have changed; the class in its record is right */
	DUE_MATCH, /* its rule, class or limit may have changed: by program, name, cgroup, override or reload */
	DUE_EXEC,  /* it called exec, or its parent did and was still due when the task was born */
};

/* The kinds of overrides that a record can have, at most one of each; see overrides.h. */
enum override_slot {
	SLOT_CLASS,	  /* root's class */
	SLOT_LIMIT,	  /* the lowest of root's limits */
	SLOT_USERS_CLASS, /* a user's class and limit; each match checks whether they apply */
	SLOT_USERS_LIMIT,
	SLOT_SHOWN, /* the visibility of its app; each match checks whether it applies */
	OVERRIDE_SLOTS,
};

/* How much of an app its user sees. */
enum shown {
	SHOWN_VISIBLE, /* also if no client has reported anything */
	SHOWN_HIDDEN,
	SHOWN_FOCUSED, /* also if it is a game that is played */
};

/* The class that the configuration or an override assigns to a task, before focus and limits. */
struct assignment {
	uint16_t tag;  /* TAG_NONE: none */
	uint16_t rule; /* id of the rule that gives the class; 0: none */
	uint8_t by;    /* enum reason: source of the class */
};

struct task {
	int32_t tid; /* 0: a free record */
	int32_t tgid;
	uint32_t start;	  /* ticks since boot, as in /proc/PID/stat, truncated to 32 bits */
	uint32_t next; /* private to tasks.c, like next_thread and last_thread */
	uint32_t next_thread : 24;
	uint32_t scan : 8; /* number of the last scan that found it, or found its origin before the fork */
	uint32_t last_thread : 24;
	uint32_t flags : 8; /* enum task_flag */
	struct task_attr had;	/* attributes that it would carry without us */
	struct task_attr known; /* attributes that it carries: last found, or set since; the last visible slice */
	struct task_attr prev;	/* attributes before we last set it; `known` once a choice was found */
	uint16_t rule;		/* leader: id of the rule that matches its process; 0: none. See also `own` */
	uint16_t inherit;	/* leader: id of the nearest inherit rule that applies to it or an ancestor; 0: none */
	uint16_t limit;		/* leader: number of the limit by its cgroup and overrides (groups.h); 0: none */
	uint16_t unit;		/* leader: tag that its unit gives if no rule does; TAG_DEFAULT: none */
	struct assignment own;	/* class before focus and limit; its rule may be inherited, unlike `rule` */
	uint16_t tag;		/* tag of `own` after focus and limit; TAG_NONE: none, or to be decided again */
	uint16_t joined[OVERRIDE_SLOTS]; /* leader: numbers of the overrides that cover its process; 0: none */
	uint8_t state : 4;	/* enum task_state */
	uint8_t shown : 4;	/* leader: enum shown, from SLOT_SHOWN if that applies */
	uint8_t theirs : 6;	/* enum task_attr_bit: chosen by somebody since a rule or override took effect */
	uint8_t due : 2;	/* enum due */
};
_Static_assert(sizeof(struct task) == 88, "kept for every task of the machine, and in a crash");

/*
 * Keeps the compiler from moving writes to records across this point. After a crash the next daemon reads the records
 * from memory and trusts each that has a tid. So the order of writes matters: a record gets its tid last; `had` is
 * written before `theirs`, and both before `known`; TASK_SETTING and the new attributes are recorded before the task is
 * set.
 */
#define task_publish() __asm__ volatile("" ::: "memory")

struct tasks;

/* Number of records that are allocated at once. */
#define TASKS_CHUNK 1024
#define TASKS_CHUNK_BYTES (TASKS_CHUNK * sizeof(struct task))

/*
 * Memory for the records. `grow` returns TASKS_CHUNK_BYTES of zeroed memory, aligned for a struct task, or NULL; the
 * memory stays until `release` is called for it. If the memory outlives the program, the records and `given` can be
 * read after a crash (see task_publish). `given` holds the bounds of the judgement; it may be NULL.
 */
struct tasks_memory {
	struct task *(*grow)(void *context);
	void (*release)(void *context, struct task *chunk);
	void *context;
	struct given *given;
};

/* Makes an empty table. memory: copied; NULL for the heap. Returns NULL if out of memory. */
struct tasks *tasks_new(const struct tasks_memory *memory);
void tasks_free(struct tasks *tasks);

size_t tasks_count(const struct tasks *tasks);
size_t tasks_memory(const struct tasks *tasks); /* bytes allocated */

/* Returns the record of the task, or NULL. Records do not move. */
struct task *tasks_find(const struct tasks *tasks, pid_t tid);

/*
 * Puts a copy of `from` into the table, removes an earlier record of that tid, and returns the copy. Links a thread to
 * its leader, if the leader has a record. Returns NULL if out of memory.
 */
struct task *tasks_put(struct tasks *tasks, const struct task *from);

/*
 * Returns the record of the process's leader, or NULL. After a loss of events, a record with this tid may be that of
 * another process's thread, which has ended; such a record is not returned.
 */
struct task *tasks_leader(const struct tasks *tasks, pid_t tgid);

/*
 * Returns whether a task in /proc is the one on record with the same id, by their starts in ticks. The recorded start
 * may be later by any time, because a fork can be preempted before it sends its event. An earlier start in /proc still
 * means the same task: an older task with this id would have ended before the one on record was born.
 */
bool task_is_same_start(uint32_t recorded, uint32_t from_proc);

/* Removes a record; ignores NULL. Removing a leader also removes its threads, because they cannot outlive it. */
void tasks_remove(struct tasks *tasks, struct task *task);

/* Returns the next thread of the same process, youngest first, or NULL at the end. Begin with the leader. */
struct task *tasks_next_thread(const struct tasks *tasks, const struct task *task);

/*
 * Returns every record once, and then NULL. Start with *cursor = 0. The record just returned may be removed; records
 * added meanwhile may or may not be returned.
 */
struct task *tasks_next(const struct tasks *tasks, uint32_t *cursor);

/* ---- for output ---- */

/* Returns the outcome of the last decision if it explains the task, else the source of its class. */
enum reason task_reason(const struct task *task);

/* Returns the stable name of a reason for output: "rule", "thread-rule", ... Static storage. */
const char *reason_name(enum reason reason);
