/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan decides which scheduling attributes each task gets. Events and facts go in, actions come out. The plan makes
 * no system call and reads no clock: the caller carries out each action and reports the result.
 *
 * THE MODEL. Each task has a record (tasks.h). Beside the task's class the record holds
 *	`had`		what the task would carry without us, and gets back at the stop
 *	`known`		what it carries as far as we know: last found, or last set
 *	`prev`		what it carried before we last set it; the same as `known` once a look has found a choice
 *	`theirs`	which attributes somebody else has chosen since a rule or override last took effect
 * A look reads what the task carries. An attribute that differs from `known` was chosen by somebody: it becomes
 * `theirs`, and the class leaves it alone. The choice becomes `had` as well if it is no more than `had`, or if it took
 * privilege: a nice value below, or real time above, that of every class since the first start; any nice value on a
 * task if no class was ever put on it or its ancestors; leaving SCHED_IDLE if `known` was SCHED_IDLE. Any other choice
 * stays until a rule takes effect.
 *
 * fork		The child's record is a copy of its origin's, as its attributes are. A fork may have begun before we set
 *		the origin. So we call the origin fresh until one of its children is found to carry all that we set, and
 *		look at the children of a fresh task, after the task itself.
 * first look	compares a copy with more than its own `known`: with `had` as a whole, with `prev` if the record is
 *		fresh, and with what a look at its origin has found. If the threads of a process differ, a new thread is
 *		compared with `known` and fresh `prev` of each of them. A record fits if it says all that was found. If
 *		none does, a record fits that says the slice, and nothing above what was found: no task raises itself.
 *		The first that fits becomes the record, with the least `had` of all that fit. An attribute
 *		below `had` was chosen unless all that fit say it; `prev` alone does not count if the origin is gone or
 *		had less.
 * exec		A rule takes effect: `theirs` is cleared, and the class is put on over everything. But a rule that
 *		yields leaves what was chosen before (see must_leave), and no rule raises what `had` says was lowered
 *		unless it says so. If another thread than the first executes a program where threads differ, it had the
 *		least of them all.
 * rename, move, reload	The same, if they bring another rule or class. An override takes effect
 *		in the same way.
 * renice	and chrt and ionice make no task due, because no event tells us. The next look finds the choice. Tasks
 *		whose rule enforces its class are looked at after each change.
 * limit	The task carries no more than the limit's class gives. When the limit ends, a choice that is `had`
 *		returns.
 * loss		A scan finds each task whose birth we missed. It is taken for a copy of its parent, or of a thread of
 *		its parent. If it is a child of init, or no record of its parent fits, it had no more than any task that
 *		a class has raised.
 * crash	The next daemon reads the records, and its rules take effect; or `restore` puts everything back. A task
 *		that was being set carries `known` or `prev`. Without records, all that is found was chosen.
 * stop		Every task is looked at and gets `had`. The records stay until the next start, or `restore`, which looks
 *		for children of forks that outlasted the stop (see is_late).
 */
#pragma once

#include <schedqos/policy/config.h>
#include <schedqos/policy/qos_class.h>
#include <schedqos/policy/overrides.h>
#include <schedqos/policy/tasks.h>
#include <schedqos/policy/units.h>
#include <schedqos/util/terms.h>

/* A task found in /proc. */
struct plan_found {
	pid_t tid, tgid;
	pid_t parent_tgid;
	uint64_t start; /* ticks since boot */
};

/* A task to decide about. */
struct plan_due {
	pid_t tid, tgid;
	pid_t parent; /* a process that was marked at its birth or found by a scan: tgid of its parent; else 0 */
	pid_t origin; /* whose record it copied, if it was marked at its birth; its parent, if found, but not init */
	uint32_t origin_start;
	bool is_born; /* it was marked at its birth */
	bool is_missed; /* it had no record then, so that whoever makes one marks it again */
};

/* What to do to one task. */
struct plan_action {
	pid_t tid;
	struct task_attr from; /* what it carries now */
	struct task_attr want;
	const struct qos_attr *deadline; /* the budget, if the task becomes SCHED_DEADLINE; else NULL */
	uint16_t tag;			 /* for people: the class, or TAG_NONE for what it had */
	enum reason reason;		 /* for people: why */
	bool is_put_back;		 /* a rule takes back what somebody has changed */
	bool is_lowered;		 /* the task carries more than its limit allows */
};

enum plan_result {
	PLAN_KEPT,	/* the task carries what was wanted */
	PLAN_CHANGED,	/* somebody changed it at the same time, and the judgement has recorded that */
	PLAN_NOT_KEPT,	/* the kernel accepted it, but something else is read back */
	PLAN_REFUSED,
	PLAN_GONE,	/* the task has ended */
};

struct plan;

/*
 * Makes a plan. caps is not copied, since fetching FACT_BASE updates it. self: the daemon's own tgid, which the plan
 * never touches. start: when the daemon, or the one whose records it adopts, began to listen, in ticks since boot.
 * memory: where the records live, NULL for the heap. Returns NULL if out of memory.
 */
struct plan *plan_new(const struct attr_caps *caps, pid_t self, uint64_t start,
		      const struct tasks_memory *memory);
void plan_free(struct plan *plan);

/*
 * Takes over the records of a plan that has ended, and what its classes gave, before any other function is called.
 * stopped: it had put all of them back, and this plan is for what a fork has brought since: only tasks without a record
 * are looked at. 0 or -ENOMEM.
 */
int plan_adopt(struct plan *plan, const struct task *records, size_t n_records,
	       const struct given *given, bool stopped);

/*
 * Puts a configuration in force; it must live until the next one is in force or the plan is freed. Every task has to be
 * looked at again: call plan_scan_begin and scan. 0, or -ENOMEM and the previous configuration stays in force.
 */
int plan_set_config(struct plan *plan, const struct config *config);

const struct tasks *plan_tasks(const struct plan *plan);
const struct config *plan_config(const struct plan *plan);

/* The bounds of the judgement: what all classes gave, and raised. They survive a crash, see tasks_memory. */
const struct given *plan_given(const struct plan *plan);

/* How many times there was no memory for a task, which a later scan has to find. */
uint64_t plan_failed(const struct plan *plan);

/* Books an event. Events are to be booked in the order of time. */
void plan_book(struct plan *plan, const struct task_event *event);

/*
 * Books a task found in /proc and marks it as due. Book parents before their children and processes before their
 * threads, and decide only when all are booked, so that none copies a record that has been changed since the task was
 * born.
 */
void plan_book_found(struct plan *plan, const struct plan_found *found, struct facts *facts);

/*
 * The next task that is due, in the order of marking. If events wait to be booked, its id may belong to another task by
 * now: see task_is_same_start.
 */
bool plan_next(struct plan *plan, struct plan_due *ret);

/*
 * Decides about one task. Returns true and fills in *ret if the task has to be changed: carry that out at once and
 * report it with plan_applied. The record of a task that is gone stays until plan_exited, since its children's forks
 * may still be queued.
 */
bool plan_decide(struct plan *plan, const struct plan_due *due, struct facts *facts, struct plan_action *ret);

/* Whether deciding about it will ask for its process's arguments, so that they can be asked for beforehand. */
bool plan_asks_argv(const struct plan *plan, const struct plan_due *due);

/*
 * Reports how an action went. error: 0, and now is what was read back (in facts.attr's form); or -errno. -EAGAIN:
 * somebody changed the task's policy in between and nothing was set, so it is due again. -ESRCH: it has ended.
 */
enum plan_result plan_applied(struct plan *plan, const struct plan_action *action, int error,
			      const struct task_attr *now);

/* The task has ended. */
void plan_exited(struct plan *plan, pid_t tid);

/* Begins a scan: plan_is_seen is false for every task until the scan finds it. */
void plan_scan_begin(struct plan *plan);
bool plan_is_seen(const struct plan *plan, pid_t tid);

/*
 * From now on tasks get back what they had, and none is tagged. Every task on record is due, so that what cannot be
 * found in /proc is put back as well; but a fresh copy only once it is found, with the origin that it is compared
 * with. The caller scans for that and for others, until nothing is left to do.
 */
void plan_undo_begin(struct plan *plan);

/* ---- overrides; their numbers are those of overrides.h ---- */

/*
 * Puts an override in force. One for a cgroup marks every process as due, the others hold for those that join.
 * 0, or -errno as overrides_add.
 */
int plan_override_add(struct plan *plan, const struct override *override, uint16_t *ret_number);

/*
 * From now on it holds for this process, too; but of several limits only the lowest does. 0 or -errno: -ESRCH if it has
 * no record. plan_override_holds: whether that would change nothing.
 */
int plan_override_join(struct plan *plan, uint16_t number, pid_t tgid);
bool plan_override_holds(const struct plan *plan, uint16_t number, pid_t tgid);

/* Whether this class, asked for by a user, is higher than what rules give the process. */
bool plan_override_needs_raise(const struct plan *plan, const char *qos, pid_t tgid);

/* Whether the process is hidden and no rule exempts it. */
bool plan_is_lowered(const struct plan *plan, const struct task *leader);

/* To query one, or to end one before it is removed, so that processes that now join another no longer count it. */
struct overrides *plan_overrides(const struct plan *plan);

/* Removes those that have ended (see overrides_end), and marks all that they have held for as due. */
void plan_remove_ended(struct plan *plan);

/* ---- classes of units ---- */

/* See units_put; marks every process as due. */
int plan_set_units(struct plan *plan, uid_t uid, const struct unit_class *units, size_t n);
const struct units *plan_units(const struct plan *plan);

/* Whether any rule, group, override or unit in force looks at cgroups. */
bool plan_needs_moves(const struct plan *plan);

/* Marks every task of a rule that enforces as due. */
void plan_look_at_enforced(struct plan *plan);

/* Whether the rule of this process, whose leader may be NULL, has classes for threads by their names. */
bool plan_has_thread_rules(const struct plan *plan, const struct task *leader);

/* A task as it is now, for people. Attributes as in a record: slice_ns is 0 where the task has none of its own. */
struct plan_detail {
	enum reason reason;
	struct task_attr actual;
	struct task_attr want;	/* what it is to carry, by its record */
	struct task_attr class; /* what its class would give, whatever is theirs; `had` if it has none */
	uint8_t theirs;		/* enum task_attr_bit: somebody has chosen it, and no limit lowers it */
	uint8_t withheld;	/* somebody had lowered it before the class was put on, and no rule raises that */
	bool is_limited, is_raised; /* it has another class than its rule or override assigns */
};

/* 0 or -errno: -ESRCH if it has ended. Changes nothing. */
int plan_detail(const struct plan *plan, const struct task *task, struct facts *facts, struct plan_detail *ret);
