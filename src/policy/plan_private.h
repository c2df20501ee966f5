/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the plan share. */
#pragma once

#include <schedqos/policy/plan.h>

/* More changes of the base slice than this in one run, and the oldest is forgotten. */
#define BASES_MAX 16

struct mark {
	struct plan_due due;
	uint32_t ms; /* of the event */
};

/* Who is due, from `first` on, in the order of marking. */
struct marks {
	struct mark *all;
	size_t first, count, size;
};

struct plan {
	const struct attr_caps *caps;
	pid_t self;
	uint64_t start;
	uint8_t scan;
	bool unheard; /* the scan is because events have not been heard */
	bool undoing;
	bool is_behind; /* the queue has not been empty since behind_ms */
	uint32_t behind_ms;
	uint32_t aged_ms; /* when old times were last brought forward */
	struct tasks *tasks;
	const struct config *config;
	struct given given;
	uint32_t bases[BASES_MAX]; /* base slices seen since the start, ns; a ring */
	size_t n_bases;
	struct marks heard; /* of events */
	struct marks met;   /* of a scan */
	uint64_t marks_failed;
};

/* What the configuration has for a task. */
struct wish {
	uint16_t tag;
	uint32_t rule;
	enum wished_by by;
};

/* plan_book.c */

/* Adds to who is due. Without memory it is counted, and a scan finds the task. */
void plan_push(struct plan *plan, struct marks *marks, const struct mark *mark);

/* Names the parent, NULL for none, by its present record. */
void plan_name_parent(struct plan_due *due, const struct task *parent);

/* Notes what is to be decided about the task, of an event at ms; parent as in plan_name_parent. */
void plan_mark(struct plan *plan, struct task *task, enum due due, const struct task *parent, uint32_t ms);

/* A copy of the record for a child or thread: what it is born with. */
struct task plan_copy(const struct task *origin, const struct task *leader, pid_t tid, pid_t tgid);

/* Has the task inherit what the parent named does, if there is still a record of that. */
void plan_inherit(const struct plan *plan, struct task *task, const struct plan_due *due);

/* Whether the start told by a fork's event and the one read from /proc can be the same task's. */
bool plan_is_same_start(uint32_t from_event, uint32_t from_proc);

/* Our own process, and the kernel's threads, which are processes of one thread: none of our business. */
bool plan_is_excluded(const struct plan *plan, pid_t tid, pid_t tgid, pid_t parent_tgid);

/* Whether the records of two tasks tell different things of what they carry. */
bool plan_differ(const struct task *a, const struct task *b);

/* Whether the records of the process's threads differ. */
bool plan_is_mixed(const struct plan *plan, const struct task *leader);

/* plan_scan.c */

/*
 * Books a task that has no record, though an event of it has been heard: its parent's have not. NULL: it is gone, none of our
 * business, or there is no memory.
 */
struct task *plan_unheard(struct plan *plan, const struct plan_due *due, struct facts *facts);

/* plan_wish.c */

/* The rule in force with this id, or NULL. */
const struct rule *plan_rule_of(const struct plan *plan, uint32_t id);

/* The record of the process's leader, or NULL. */
struct task *plan_leader_of(const struct plan *plan, const struct task *task);

/* Whether threads of this process (NULL: an unknown one) have classes by name. */
bool plan_asks_name(const struct plan *plan, const struct task *leader);

/* Whether a rename may change anything by this rule (or NULL): one that enforces looks again at whoever renames itself. */
bool plan_uses_renames(const struct rule *rule);

/* What the configuration has for a task of this process, which is called comm: NULL if no name is asked for. */
struct wish plan_wish(const struct plan *plan, const struct task *leader, const char *comm);

/*
 * Finds the rule for a process anew, by its program, as far as that can be read now. Returns 0 or -errno: -ESRCH for
 * one that is about to end.
 */
int plan_match(const struct plan *plan, struct task *leader, enum due due, struct facts *facts);

/* What the task is to carry by its record, had being as it is, before anything that is theirs. */
struct task_attr plan_class_over(const struct plan *plan, const struct task *task);

/* The class's own attributes: for a deadline. */
const struct qos_attr *plan_tag_attr(const struct plan *plan, uint16_t tag);

/* plan_decide.c */

/* What the task carries, with no slice where it has none of its own; what its policy hides as in known. 0 or -errno. */
int plan_look(const struct plan *plan, struct facts *facts, const struct task_attr *known, struct task_attr *ret);

/* Notes the kernel's base slice of now. */
void plan_note_base(struct plan *plan);
