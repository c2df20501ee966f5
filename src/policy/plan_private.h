/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the plan share. Each calls only what stands below it in this list. */
#pragma once

#include <schedqos/policy/overrides.h>
#include <schedqos/policy/plan.h>

#include "judge.h"

/* Base slices remembered in one run; after that the oldest is forgotten. */
#define BASES_MAX 16

/* The tasks that are due, in the order of marking; those before `first` are done. */
struct marks {
	struct plan_due *all;
	size_t first, count, size;
};

struct plan {
	const struct attr_caps *caps;
	pid_t self;
	uint64_t start;
	uint8_t scan;
	bool undoing;
	bool stopped; /* the records are those of a daemon that has put everything on record back */
	struct tasks *tasks;
	const struct config *config;
	struct limits *limits; /* of the configuration's groups */
	struct overrides *overrides;
	struct units units;
	struct given *given; /* in memory that outlives us, or else own_given */
	struct given own_given;
	uint32_t bases[BASES_MAX]; /* base slices seen since the start, ns; a ring */
	size_t n_bases;
	struct marks marks;
	uint64_t failed; /* see plan_failed */
};

/* ---- plan_book.c ---- */

/* Marks the task as due; or its process's other threads, as may be another program's. */
void plan_mark(struct plan *plan, struct task *task, enum due due);
void plan_mark_threads(struct plan *plan, const struct task *leader);

/* Marks every process: its cgroup may mean something else now. */
void plan_mark_processes(struct plan *plan);

/*
 * Books a task that we received an event of but have no record for, because its parent has none either: it is due then.
 */
void plan_book_missed(struct plan *plan, const struct plan_due *due, struct facts *facts);

/* ---- plan_assign.c ---- */

/* The rule in force with this id, or NULL. */
const struct rule *plan_rule_of(const struct plan *plan, uint32_t id);

/* The class for a task of this process. comm: its name, or NULL if the rule has no thread rules. */
struct assignment plan_assign(const struct plan *plan, const struct task *leader, const char *comm);

/*
 * Matches the process's program and cgroup against the rules and groups again, as far as they can be read now. If that
 * brings another rule or limit, its threads are to be matched as well. 1: it does; 0 or -errno: -ESRCH if the process
 * is about to end.
 */
int plan_match(struct plan *plan, struct task *leader, enum due due, struct facts *facts);

/* What becomes of the task's own class by the focus, and under the limit of its cgroup and overrides. */
uint16_t plan_limited(const struct plan *plan, const struct task *task, const struct assignment *own);

/* The most that the task may carry under that limit, or NULL if there is none. */
const struct qos_attr *plan_limit_of(const struct plan *plan, const struct task *task);

/* The attributes of the task's class on top of had. What is theirs is not considered yet. */
struct task_attr plan_class_over(const struct plan *plan, const struct task *task);

/* ---- judge.c ---- */

/*
 * Reads what the task carries. The slice is 0 where it has none of its own, which plan_make_comparable sees to, or its
 * policy hides it. 0 or -errno.
 */
int plan_look(const struct plan *plan, struct facts *facts, const struct task_attr *known, struct task_attr *ret);
void plan_make_comparable(const struct plan *plan, struct task_attr *attr, const struct task_attr *known);

/* Remembers the kernel's current base slice. */
void plan_note_base(struct plan *plan);

/* Judges what the task carries: its record is true from then on. */
void plan_judge(const struct plan *plan, struct task *task, const struct plan_due *due, struct facts *facts,
		const struct task_attr *actual);
