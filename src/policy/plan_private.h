/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files of the plan, a section each. Files call only sections below their own, if any. */
#pragma once

#include <schedqos/policy/overrides.h>
#include <schedqos/policy/plan.h>

/* Number of base slices to remember; the oldest is forgotten first. */
#define BASES_MAX 16

/* The tasks that are due, in the order in which they were marked; those before `first` are done. */
struct marks {
	struct plan_mark *all;
	size_t first, count, size;
};

struct plan {
	const struct attr_caps *caps;
	pid_t self;
	uint64_t start;
	uint8_t scan;
	bool undoing;
	bool stopped; /* the records are those of a daemon that has put all their tasks back */
	struct tasks *tasks;
	const struct config *config;
	struct limits *limits; /* of groups, overrides and hidden windows; struct task.limit is the number of one */
	struct overrides *overrides;
	struct units units;
	struct given *given; /* in memory that outlives us, or own_given */
	struct given own_given;
	uint32_t bases[BASES_MAX]; /* base slices seen since the start, ns; a ring */
	size_t n_bases;
	struct marks marks;
	uint64_t failed; /* see plan_failed */
};

/*
 * When a task is decided about. At an exec, and if the task gets another class or rule, a rule takes effect: choices
 * that were made before end. The end of an override brings another class, too, but its rule has held all along.
 */
enum moment {
	MOMENT_LOOK,	     /* after a fork, a renice or a change of limits: the class and rule are as before */
	MOMENT_OVERRIDE_END, /* the task returns to the class of its rule */
	MOMENT_OTHER_CLASS, /* at first sight, and if a rename, move, reload or override brings another class or rule */
	MOMENT_EXEC,
};

/* A decision about one task. It goes through the numbered stages; each fills in its field from the others. */
struct decision {
	struct task *task;	      /* its record, which the stages update */
	const struct plan_mark *mark; /* how it was marked as due */
	enum due due;		      /* why it was due */
	bool is_first_look;	      /* it was a copy until now */
	struct facts *facts;
	struct assignment assignment; /* 1. match: its class */
	struct task_attr actual;      /* 2. look: the attributes that it carries */
	enum moment moment;	      /* 3. compare the class with that of the record */
	uint8_t chosen;		      /* 4. judge: `theirs`, before a rule takes effect */
	struct task_attr want;	      /* 5. put the class on the record: the attributes that it is to carry */
};

/* ---- plan_book.c ---- */

/* Marks the task as due. */
void plan_make_due(struct plan *plan, struct task *task, enum due due);

/* Marks all threads of the process but the leader as due to be matched. */
void plan_mark_threads(struct plan *plan, const struct task *leader);

/* Marks every process as due to be matched, because the meaning of cgroups has changed. */
void plan_mark_processes(struct plan *plan);

/*
 * Books a task that an event named but that has no record, and marks it as due. It may have none because its parent had
 * none at the fork.
 */
void plan_book_unrecorded(struct plan *plan, const struct plan_mark *mark, struct facts *facts);

/* ---- plan_assign.c ---- */

/* Returns the rule in force with this id, or NULL. */
const struct rule *plan_rule_of(const struct plan *plan, uint32_t id);

/* Returns the class for a task of this process. comm: the task's name, or NULL if the rule has no thread rules. */
struct assignment plan_assign(const struct plan *plan, const struct task *leader, const char *comm);

/*
 * Matches the decision's process against rules, groups, units and overrides again, as far as its facts can be read.
 * Returns 1 if the result has changed, so that its threads have to be matched as well; 0 if not; or -errno: -ESRCH if
 * the process is about to end.
 */
int plan_match(struct plan *plan, const struct decision *decision);

/* Returns the tag of the task's own class after the focus has raised it and the limit has lowered it. */
uint16_t plan_effective_tag(const struct plan *plan, const struct task *task);

/* Returns the attributes of the highest class that the limit allows the task, or NULL without a limit. */
const struct qos_attr *plan_limit_attr(const struct plan *plan, const struct task *task);

/* Returns `had` with the attributes of the task's class in place of its own. */
struct task_attr plan_class_attr(const struct plan *plan, const struct task *task);

/*
 * Returns `had` with the attributes of the task's class in place of its own, except those that would raise a task that
 * somebody lowered without leave to do so. Ignores `theirs`.
 */
struct task_attr plan_class_allowed(const struct plan *plan, const struct task *task);

/* ---- plan_judge.c ---- */

/*
 * Judges the attributes that the decision's task carries, and updates its record. Returns false, and changes nothing,
 * if somebody seems to have chosen them and events have to be heard first.
 */
bool plan_judge(const struct plan *plan, const struct decision *decision);

/* Compares the attributes that a task carries with its own record only, and updates had, known, theirs and prev. */
void judge_by_own_record(struct task *task, const struct task_attr *actual, const struct given *given);

/* ---- plan_look.c ---- */

/*
 * Reads the attributes that the task carries. The slice is 0 if the task has no custom slice or its policy hides the
 * slice. Returns 0 or -errno.
 */
int plan_read_attr(const struct plan *plan, struct facts *facts, const struct task_attr *known, struct task_attr *ret);

/* Changes the slice to 0 if it is a base slice and not the one in `known`. */
void plan_make_comparable(const struct plan *plan, struct task_attr *attr, const struct task_attr *known);

/* Remembers the kernel's current base slice. */
void plan_note_base(struct plan *plan);
