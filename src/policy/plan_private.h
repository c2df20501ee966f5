/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the plan share. */
#pragma once

#include <schedqos/policy/overrides.h>
#include <schedqos/policy/plan.h>

/*
 * copy_process copies the attributes early and sends the fork event at the end. In between it copies the parent's
 * memory maps, which takes many milliseconds for a big process. So if the event is this close to a change of the
 * parent's record, the attributes may have been copied before the change.
 */
#define FORK_MAX_MS 2000

/* Base slices remembered in one run; after that the oldest is forgotten. */
#define BASES_MAX 16

struct mark {
	struct plan_due due;
	uint32_t ms; /* of the event */
};

/* The tasks that are due, in the order of marking; those before `first` are done. */
struct marks {
	struct mark *all;
	size_t first, count, size;
};

struct plan {
	const struct attr_caps *caps;
	pid_t self;
	uint64_t start;
	uint8_t scan;
	bool events_lost; /* before this scan */
	bool undoing;
	bool is_behind; /* the queue has not been empty since behind_ms */
	uint32_t behind_ms;
	uint32_t aged_ms; /* when old times were last brought forward */
	struct tasks *tasks;
	const struct config *config;
	struct limits *limits; /* of the configuration's groups */
	struct overrides *overrides;
	bool was_overridden; /* there has been an override */
	struct given given;
	uint32_t bases[BASES_MAX]; /* base slices seen since the start, ns; a ring */
	size_t n_bases;
	struct marks from_events;
	struct marks from_scan;
	uint64_t marks_failed;
};

/* The class that the configuration assigns to a task, before its cgroup limits it. */
struct assignment {
	uint16_t tag;
	uint32_t rule;
	enum assigned_by by;
};

/* plan.c: notes what the configuration's classes can give from now on. 0 or -ENOMEM. */
int plan_give_classes(struct plan *plan, const struct config *config);

/* plan_due.c */

/* Appends a mark for an event at ms. Without memory that is counted, and a scan finds the task. */
void plan_push(struct plan *plan, struct marks *marks, struct plan_due due, uint32_t ms);

/* parent: the record of its parent, from which it may inherit a rule, or NULL. */
struct plan_due plan_due_of(pid_t tid, pid_t tgid, const struct task *parent);

/* Marks the task as due because of an event at ms; parent as in plan_due_of. */
void plan_mark(struct plan *plan, struct task *task, enum due due, const struct task *parent, uint32_t ms);

/* plan_book.c */

/* The record of a new child or thread, a copy of its origin's. leader: whose rules and overrides it starts with. */
struct task plan_copy(struct plan *plan, const struct task *origin, const struct task *leader, pid_t tid, pid_t tgid);

/*
 * Whether the task with this id that started then, as /proc has it, is the one on record. A recorded start may be late by
 * any time, since a fork can be preempted before it sends its event; but a task with the same id that started earlier
 * would have ended before the one on record was born.
 */
bool plan_is_same_start(uint32_t recorded, uint32_t from_proc);

/* Whether the task is never touched: our own process, and kernel threads, each of which is a process of its own. */
bool plan_is_excluded(const struct plan *plan, pid_t tid, pid_t tgid, pid_t parent_tgid);

/* plan_scan.c */

/*
 * Books a task that we received an event of but have no record for, because its parent has none either. Returns NULL
 * if it is gone or excluded, or without memory.
 */
struct task *plan_book_missed(struct plan *plan, const struct plan_due *due, struct facts *facts);

/* plan_owner.c */

/* The part of a record that the merge needs. */
struct merge plan_merge_of(const struct task *task);

/* In such an order that if we are killed halfway, merging what is there gives the same result. See task_publish(). */
void plan_record_merge(struct task *task, const struct merge *merge);

/* Whether the records of two tasks differ in attributes or class. */
bool plan_differ(const struct task *a, const struct task *b);

/* Whether the records of the process's threads differ. */
bool plan_is_mixed(const struct plan *plan, const struct task *leader);

/*
 * The merge of a record that is uncertain. other: the record that the task can have copied, NULL for none. If the task
 * carries what was known before its own last changed, nobody touched it.
 */
struct merge plan_merge_uncertain(const struct plan *plan, const struct task *task, const struct task *other,
				  const struct task_attr *actual);

/* Merges what the task carries into its record, which is certain from then on. */
void plan_reconcile(const struct plan *plan, struct task *task, struct facts *facts, const struct task_attr *actual);

/* plan_assign.c */

/* The rule in force with this id, or NULL. */
const struct rule *plan_rule_of(const struct plan *plan, uint32_t id);

/* The record of the process's leader, or NULL. */
struct task *plan_leader_of(const struct plan *plan, const struct task *task);

/* Whether the process's rule has thread rules. leader may be NULL: then it has not. */
bool plan_has_thread_rules(const struct plan *plan, const struct task *leader);

/* Whether a rename can change anything under this rule, which may be NULL: one with thread rules picks the class by name. */
bool plan_uses_renames(const struct rule *rule);

/* The class for a task of this process. comm: its name, or NULL if the rule has no thread rules. */
struct assignment plan_assign(const struct plan *plan, const struct task *leader, const char *comm);

/*
 * Matches the process's program and cgroup against the rules and groups again, as far as they can be read now. If that
 * brings another rule or limit, the process's threads are due as well. 0 or -errno: -ESRCH if the process is about to
 * end.
 */
int plan_match(struct plan *plan, struct task *leader, enum due due, struct facts *facts);

/* Marks the process's other threads as due. */
void plan_mark_threads(struct plan *plan, const struct task *leader, uint32_t ms);

/* What becomes of the task's own class under the limit of its cgroup and overrides. */
uint16_t plan_limited(const struct plan *plan, const struct task *task, uint16_t own);

/* The attributes of the task's class on top of had. What is theirs is not considered yet. */
struct task_attr plan_class_over(const struct plan *plan, const struct task *task);

/* The class's own attributes. */
const struct qos_attr *plan_tag_attr(const struct plan *plan, uint16_t tag);

/* plan_decide.c */

/*
 * Reads what the task carries. The slice is 0 where it has none of its own; what its policy hides is taken from
 * known. 0 or -errno.
 */
int plan_look(const struct plan *plan, struct facts *facts, const struct task_attr *known, struct task_attr *ret);

/*
 * What the task is to carry, by its record. chosen: the values of what is theirs, most often what is known. takes_effect:
 * a rule takes effect now.
 */
struct task_attr plan_target(const struct plan *plan, const struct task *task, const struct task_attr *chosen,
			     bool takes_effect);

/* Remembers the kernel's current base slice. */
void plan_note_base(struct plan *plan);
