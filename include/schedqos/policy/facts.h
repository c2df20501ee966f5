/* SPDX-License-Identifier: GPL-2.0-only */
/* The facts about a task that a decision may need. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include <schedqos/policy/task_attr.h>

#define TASK_COMM_LEN 16 /* with the closing NUL, as in the kernel */

/*
 * Largest length in bytes of names and arguments that are compared; longer ones match nothing. A process chooses them
 * itself, may call exec in a loop, and they may be as long as its stack.
 */
#define FACTS_NAME_MAX	   255
#define FACTS_ARGUMENT_MAX 4095

enum fact {
	FACT_ATTR = 1 << 0,   /* attr */
	FACT_COMM = 1 << 1,   /* comm */
	FACT_EXE = 1 << 2,    /* exe */
	FACT_ARGV = 1 << 3,   /* argv, argv_size */
	FACT_CGROUP = 1 << 4, /* cgroup */
	FACT_UID = 1 << 5,    /* uid */
	FACT_PARENT = 1 << 6, /* parent: its exe, argv and comm can be asked for */
	FACT_BASE = 1 << 7,   /* the base slice in the plan's capabilities is current */
	FACT_STAT = 1 << 8,   /* start, ppid, tty */
	FACT_USERNS = 1 << 9, /* initial_userns */
	FACT_OWNER = 1 << 10, /* owner */
	FACT_SEAT = 1 << 11,  /* at_seat */
};

/*
 * Facts cost a system call each, so each is fetched when a decision first asks for it; a test fills them in beforehand.
 */
struct facts {
	unsigned have; /* enum fact: what is filled in below */
	/*
	 * Fills in one more fact and sets its bit, or returns -errno: -ESRCH when the task is gone. A fact
	 * that a living task does not have (exe of a kernel thread) is the empty string. NULL: there
	 * is only what is in `have`, all else is -ENODATA.
	 */
	int (*fetch)(struct facts *facts, enum fact fact);
	/* Reads the attributes of another task, in the form of attr. Returns 0 or -errno. NULL: no way to read. */
	int (*look)(struct facts *facts, pid_t tid, struct task_attr *ret);
	pid_t tid;	    /* the task, for fetch */
	pid_t tgid;
	/* As the kernel reports it: slice_ns is the base slice if the task has none of its own. */
	struct task_attr attr;
	char comm[TASK_COMM_LEN];
	const char *exe;    /* full path */
	bool exe_is_unknown; /* it is empty, being longer than the kernel tells: matches nothing */
	const char *argv;   /* NUL-separated, as in /proc/PID/cmdline, and always NUL-terminated */
	size_t argv_size;   /* with the last NUL */
	bool argv_is_unread; /* argv is empty: reading it would have meant waiting for the process */
	bool argv_is_deferred; /* argv is empty: it is read after the decision, which nearly always needs none of it */
	bool argv_matters;     /* the decision depends on argv: do not defer reading it */
	const char *cgroup; /* path in the unified hierarchy, or systemd's */
	bool cgroup_is_unknown; /* likewise */
	uid_t uid;	    /* real */
	uid_t owner; /* as whom alone it runs: real, effective and saved, with no capability; (uid_t)-1: there is none
		      */
	/* cgroup, uid, owner or at_seat is unknown, because reading about this user's processes costs too much. */
	bool is_spared;
	struct facts *parent;
	uint64_t start; /* of the task: ticks since boot */
	pid_t ppid;	/* the process's living parent */
	int32_t tty;	/* its terminal, 0: none */
	bool initial_userns; /* it is in the initial user namespace, not in one made since */
	bool at_seat; /* its user has a session at a seat, or nobody can know; or it may raise itself */
};

/* Fetches a fact unless it is there. Returns 0 or -errno as fetch does. */
static inline int facts_need(struct facts *facts, enum fact fact)
{
	if (facts->have & fact)
		return 0;
	return facts->fetch ? facts->fetch(facts, fact) : -ENODATA;
}

/* The argument after this one of facts->argv, or NULL. */
static inline const char *facts_next_arg(const struct facts *facts, const char *arg)
{
	const char *next = arg + strlen(arg) + 1;

	return next < facts->argv + facts->argv_size ? next : NULL;
}

/*
 * The base name of the script, module or jar that an interpreter, by its argv[0], was told to run: the first argument
 * that is neither an option nor the value of one. NULL: argv[0] is none that is known; or it runs nothing, a program
 * text (-c), or what it reads. Of facts only argv is used; the result points into it.
 */
const char *interpreter_script(const struct facts *facts);

/* Returns whether a program of this name is an interpreter whose arguments interpreter_script understands. */
bool interpreter_is_known(const char *program);
