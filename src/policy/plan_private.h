/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the plan share. */
#pragma once

#include <schedqos/policy/plan.h>

/*
 * What somebody had made of what we had set on a task, when an action put the rest of it right. Such are few, and of
 * use as long as a fork of that time may still be announced.
 */
#define OVERRULED_MAX 64
struct overruled {
	pid_t tid;
	uint32_t start, ms; /* of the task, and when we came to it */
	struct task_attr from, had;
};

struct plan {
	const struct attr_caps *caps;
	pid_t self;
	uint32_t start;
	uint8_t scan;
	bool undoing;
	bool has_postponed; /* some task is (plan_late.c) */
	struct tasks *tasks;
	const struct config *config;
	struct qos_attr *retired; /* the tags of the configuration before this one */
	size_t n_retired;
	struct overruled overruled[OVERRULED_MAX]; /* a ring */
	size_t n_overruled;
};

/* What leads to a decision, for it decides whose choice counts. */
enum cause {
	CAUSE_EXEC,   /* a new program: an explicit rule wins */
	CAUSE_RENAME, /* the same program: what somebody changed since stays */
};

/* What the configuration has for a task, before we look at what it carries. */
struct wish {
	uint16_t tag;
	enum reason reason;
	bool enforce, yield;
	bool after_nice; /* nice(1) has just run in this process */
	bool seen_early; /* this program's nice value has been judged before its exec was announced */
};

/* plan_decide.c */

/* The record of the process's leader, or NULL. */
struct task *plan_leader_of(const struct plan *plan, struct task *task);

/* The rule in force with this id, or NULL. */
const struct rule *plan_rule_of(const struct plan *plan, uint32_t id);

/* Whether attr is what some tag, of this configuration or the last, makes of had: then it was us.
 */
bool plan_is_ours(const struct plan *plan, const struct task_attr *attr,
		  const struct task_attr *had);

/*
 * What the task carries, with no slice where it has none of its own; `expected` settles whether a
 * slice that is just the base slice is one. 0 or -errno.
 */
int plan_look_at(const struct plan *plan, struct facts *facts, const struct task_attr *expected,
		 struct task_attr *ret);

/* A living process with an executable: no kernel thread. */
bool plan_is_user_process(struct facts *facts);

/* Before the decision on an exec: whatever thread called it, the leader's record is then of what it took along. */
void plan_take_over_thread(struct plan *plan, struct task *leader, struct facts *facts);

/* Finds the rule for a process anew, and the wish for its leader; *ret_new: it is another rule. 0 or -errno. */
int plan_match_process(const struct plan *plan, struct task *leader, struct facts *facts,
		       struct wish *ret, bool *ret_new);

/* What the configuration has for a task of this process (NULL: an unknown one). 0 or -errno. */
int plan_wish_for(const struct plan *plan, const struct task *leader, struct facts *facts,
		  struct wish *ret);

/* The decision. True: the task is to be changed. */
bool plan_decide(struct plan *plan, struct task *task, struct wish wish, enum cause cause,
		 struct facts *facts, struct plan_action *ret);

/* What a killed daemon's record says is believed if it is owned: not while it is being written. */
void task_set_had(struct task *task, const struct task_attr *had);

/* Sets or clears TASK_OWNED by whether there is something to undo. */
void task_set_owned(struct task *task);

/* plan_overruled.c */

/* An action takes `from`, which somebody had made of what was ours, from the task, which had that before us. */
void plan_note_overruled(struct plan *plan, const struct task *task, uint32_t ms, const struct task_attr *from,
			 const struct task_attr *had);

/*
 * Somebody has changed what carried ours. A child that it had before that, yet to be announced, carries it still, over
 * what it had then. Returns whether there can be any.
 */
bool plan_note_children(struct plan *plan, const struct task *task, uint32_t ms);

/*
 * Whether a child carries just what was noted of its origin, since then: then it was born before, as what a niced
 * program forks before we have come to the program; and so may have been its own children, which is noted. The child's
 * `had` becomes what the origin had before us then.
 */
bool plan_was_overruled(struct plan *plan, const struct task *origin, struct task *child, const struct task_attr *attr,
			uint32_t since_ms, uint32_t now_ms);

/* The same of a child forked before we came to its origin: this goes before what the origin's record tells. */
bool plan_was_born_before(struct plan *plan, const struct task *origin, struct task *child,
			  const struct task_attr *attr, uint32_t fork_ms, uint32_t now_ms);

/*
 * Of a child that somebody has changed as well: what it was born with, which its slice tells. Its exec will then show
 * what was chosen.
 */
void plan_note_birth(const struct plan *plan, const struct task *origin, struct task *child,
		     const struct task_attr *attr, uint32_t since_ms);

/* Of a child that is gone: what is noted of its origin holds of the child's own children. */
void plan_hand_down(struct plan *plan, const struct task *origin, const struct task *child, uint32_t since_ms);

/* plan_scan.c */

/* Our own process, and the kernel's threads, which are processes of one thread: none of our
 * business. */
bool plan_is_excluded(const struct plan *plan, pid_t tid, pid_t tgid, pid_t parent_tgid);

/* Whether the start told by a fork's event and the one read from /proc can be the same task's. */
bool plan_is_same_start(uint32_t from_event, uint32_t from_proc);

/* Decides about a process (by a new match) or about one thread of a process already matched. */
bool plan_decide_seen(struct plan *plan, struct task *task, enum cause cause, struct facts *facts,
		      struct plan_action *ret);

/* A record for a task that nobody told us of. NULL: it is gone, or there is no memory. */
struct task *plan_add_unknown(struct plan *plan, const struct plan_seen *seen, struct facts *facts);

/* plan_late.c */

/*
 * What /proc has shown of a task at ms may be a program or a name of which no event has been heard yet. Children that it
 * had before that moment are still to be announced, so they are not what it has become since: each is to be judged by
 * what it is itself.
 */
void plan_note_ahead(struct plan *plan, struct task *task, uint32_t ms);

/* Whether that holds of a child forked at ms. To be asked in the order of the forks. */
bool plan_is_ahead(struct task *task, uint32_t ms);

/* What is still to be decided about the task, should it be met before it is settled. */
enum cause plan_late_cause(const struct task *task);
