/* SPDX-License-Identifier: GPL-2.0-only */
/* The facts about a task that the plan and the rules need to decide. The tagger fetches them from /proc. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include <schedqos/policy/task_attr.h>

#define TASK_COMM_LEN 16 /* bytes, including the NUL, as in the kernel */

/*
 * Greatest length in bytes of a name and of an argument that patterns are compared with; longer ones match nothing.
 * The limit bounds our work: a process chooses its arguments, may call exec in a loop, and arguments may be as long as
 * its stack.
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
	FACT_PARENT = 1 << 6, /* parent; its exe, argv and comm can then be fetched */
	FACT_BASE = 1 << 7,   /* the base slice in the plan's capabilities is current */
	FACT_STAT = 1 << 8,   /* start, ppid, tty */
	FACT_USERNS = 1 << 9, /* initial_userns */
	FACT_OWNER = 1 << 10, /* owner */
	FACT_SEAT = 1 << 11,  /* at_seat */
};

/*
 * The facts about one task. A fact costs a system call, so it is fetched when a decision first needs it. Tests fill in
 * the facts beforehand.
 */
struct facts {
	unsigned have; /* enum fact: the facts that are filled in */
	/*
	 * Fills in one more fact and sets its bit. Returns 0 or -errno: -ESRCH if the task has ended. A fact that a
	 * living task lacks, such as the exe of a kernel thread, is the empty string. If fetch is NULL, every fact
	 * that is not in `have` fails with -ENODATA.
	 */
	int (*fetch)(struct facts *facts, enum fact fact);
	/* Reads the attributes of another task, in the form of attr. Returns 0 or -errno. NULL: they cannot be read. */
	int (*read_other)(struct facts *facts, pid_t tid, struct task_attr *ret);
	pid_t tid;	    /* the task, for fetch */
	pid_t tgid;
	/* As the kernel reports them: slice_ns is the base slice if the task has no custom slice. */
	struct task_attr attr;
	char comm[TASK_COMM_LEN];
	const char *exe;    /* full path */
	bool exe_is_unknown; /* exe is empty because the path is too long for the kernel to report: matches nothing */
	const char *argv;   /* separated by NULs as in /proc/PID/cmdline, and always NUL-terminated */
	size_t argv_size;   /* bytes, including the last NUL */
	bool argv_is_unread; /* argv is empty because reading it could have blocked on the process */
	bool argv_is_deferred; /* argv is empty: it is read after the decision, which rarely needs it */
	bool argv_matters;     /* the decision depends on argv: do not defer reading it */
	const char *cgroup; /* path in the unified hierarchy, or systemd's */
	bool cgroup_is_unknown; /* cgroup is empty: the path is too long, or too costly to read */
	uid_t uid;	    /* real */
	/*
	 * The only user with whose privileges the process runs: its real, effective and saved uid, if they are equal
	 * and it has no capability; else (uid_t)-1.
	 */
	uid_t owner;
	/* cgroup, uid, owner or at_seat was not read, because reading about this user's processes costs too much. */
	bool is_spared;
	struct facts *parent;
	uint64_t start; /* start of the task, in ticks since boot */
	pid_t ppid;	/* the process's living parent */
	int32_t tty;	/* the process's terminal, 0 for none */
	bool initial_userns; /* the process is in the initial user namespace */
	/*
	 * The process's user has a session at a seat, or sessions cannot be looked up, or the process may raise itself.
	 */
	bool at_seat;
};

/* Fetches a fact unless it is filled in. Returns 0 or -errno, like fetch. */
static inline int facts_need(struct facts *facts, enum fact fact)
{
	if (facts->have & fact)
		return 0;
	return facts->fetch ? facts->fetch(facts, fact) : -ENODATA;
}

/* Returns the argument of facts->argv after `arg`, or NULL. */
static inline const char *facts_next_arg(const struct facts *facts, const char *arg)
{
	const char *next = arg + strlen(arg) + 1;

	return next < facts->argv + facts->argv_size ? next : NULL;
}

/*
 * Returns the base name of the script, module or jar that an interpreter runs: the first argument that is neither an
 * option nor the value of one. Returns NULL if argv[0] names no known interpreter, or if the interpreter runs no file:
 * it has no such argument, or its program is an argument (-c) or comes from standard input. Reads no fact but argv, and
 * the result points into argv.
 */
const char *interpreter_script(const struct facts *facts);

/* Returns whether interpreter_script understands the arguments of a program of this name. */
bool interpreter_is_known(const char *program);
