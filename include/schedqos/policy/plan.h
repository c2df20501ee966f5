/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan decides which scheduling attributes each task gets. Events and facts go in, actions come out. The plan makes
 * no system call and reads no clock: the caller carries out each action and reports the result.
 *
 * THE MODEL. One value of an attribute is above another if it takes privilege to go there: a lower nice value, a
 * real-time policy or I/O priority, or another policy instead of SCHED_IDLE. Slices and clamps are never above each
 * other. Each task has a record (tasks.h). Beside the task's class, the record holds
 *	`had`		the attributes that the task would carry without us, and gets back at the stop
 *	`known`		the attributes that it carries as far as we know: last found, or last set
 *	`prev`		what it carried before we last set it; the same as `known` after a choice was found
 *	`theirs`	which attributes somebody else has chosen since a rule or override last took effect
 *
 * A look reads what the task carries. An attribute that differs from `known` was chosen by somebody: it is in `theirs`
 * from now on. It also becomes `had`, unless it is above `had` and a class may have given it. Example: `had` is nice 0,
 * classes go down to nice -4. Then a choice of 5 or -10 becomes `had`, one of -2 does not (can_have in plan_judge.c).
 *
 * From that follows what a task is to carry. The class decides each attribute that it gives and that is not in
 * `theirs`. Those in `theirs` stay as somebody chose them, and all others are as in `had`. The class raises no task
 * that was lowered (nice above 0, SCHED_IDLE or an I/O priority in `had`), except by "yield": false, "enforce": true
 * or an override with permission. Some tasks are left alone and carry `had`, or what was chosen for them later: those
 * without a class, those whose class yields to choices (must_leave in plan_decide.c), and those with a real-time,
 * deadline or sched_ext policy in `had`. Last, the limit's class bounds all attributes, also slices and clamps, of a
 * task with a fair policy.
 *
 * fork		The record is copied, because the kernel copies the attributes: from the thread that forked or, for a
 *		new thread, from the leader, because no event names the thread's creator. If the copy may be wrong,
 *		mostly because we set the parent while it forked (due_at_birth in plan_book.c), we look at the child. If
 *		it does not carry what its copy says, or the threads of its process differ, we compare it with each
 *		record that it may be a copy of. It gets the one that fits best. If several fit equally well, it gets
 *		the first of them, but with the lowest `had` of them (plan_judge in plan_judge.c).
 * exec		The process gets the lowest `had` of its threads, because any of them may have called exec. We look at
 *		it. Then a rule takes effect: `theirs` is cleared, and the class replaces all choices. A task that is
 *		left alone gets `had`.
 * rename, move, reload
 *		A rule takes effect if the task gets another rule or class. So does an override when it begins. When an
 *		override ends, or the limit or the focus changes the class, choices stay that are in `had` or not above
 *		the new class.
 * renice	No event reports it, and no task becomes due; the next look finds the choice. Only tasks whose rule
 *		enforces its class become due whenever a task is changed. They get the class again; what the choice made
 *		of `had` stays.
 * limit	The task carries no more than the limit's class gives, whether by its class or by choice. When the limit
 *		ends, choices that are in `had` return; others that it lowered are lost.
 * loss		A scan finds each task whose birth we missed, and compares it with its parent, or a thread with its
 *		leader. If a process carries something else, another one may have forked it. Then what it carries
 *		becomes `had`; but if a class may have given that, `had` becomes no more than the lowest `had` of all
 *		tasks that a class has raised. An exec that we missed counts as a move.
 * crash	The records stay in a file. The next daemon adopts them without `theirs`, and its rules take effect; or
 *		`restore` puts everything back. A task that was being set when the daemon was killed is compared with
 *		`known` and `prev`. Without records, all that is found becomes `had`.
 * stop		Every task is looked at and gets `had` back. The records stay in a file. A fork may outlast the stop.
 *		The next start, or `restore`, then finds its child and puts it back by the records of its parent's
 *		threads or, if the parent has ended, of all tasks that it may come from (is_late in plan_book.c).
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

/* How a task was marked as due for a decision. */
struct plan_mark {
	pid_t tid, tgid;
	pid_t parent; /* tgid of its parent, if it is a process and was marked at its birth or found in /proc; else 0 */
	pid_t origin; /* tid of the task whose record it may have copied; 0: unknown, as of a scan's child of init */
	uint32_t origin_start; /* ticks; start of the origin, or of the parent if that is init */
	bool is_born; /* it was marked at its birth */
	bool had_no_record; /* it had no record when it was marked; it is marked again when it gets one */
	bool is_booked; /* events have been booked since plan_decide asked for that */
};

/* The next step for one task. */
enum plan_step {
	PLAN_NOTHING,
	PLAN_SET,  /* carry out the action, and report it with plan_applied */
	PLAN_BOOK_FIRST, /* book the events that wait, set is_booked in the mark, and decide again with fresh facts */
};

/* An order to set the attributes of one task. */
struct plan_action {
	pid_t tid;
	struct task_attr from; /* attributes that the task carries now */
	struct task_attr want; /* attributes to set */
	const struct qos_attr *deadline; /* the class with the budget, if the task becomes SCHED_DEADLINE; else NULL */
	uint16_t tag;			 /* for output: the class, or TAG_NONE if the task gets no class */
	enum reason reason;		 /* for output */
	bool is_enforced;		 /* a rule that enforces undoes a change by others */
	bool is_above_limit;		 /* the task carries more than its limit allows */
};

enum plan_result {
	PLAN_KEPT,	/* the task carries the attributes of the action */
	PLAN_CHANGED,	/* somebody changed the task meanwhile: recorded or, after -EAGAIN, due again */
	PLAN_NOT_KEPT,	/* the kernel accepted the attributes, but the task carries others */
	PLAN_REFUSED,	/* the kernel refused the attributes */
	PLAN_GONE,	/* the task has ended */
};

struct plan;

/*
 * Makes a plan. caps: not copied, because fetching FACT_BASE updates it. self: the daemon's own tgid; the plan never
 * touches its tasks or its children. start: ticks since boot at which the daemon, or the one whose records the plan
 * adopts, began to listen. memory: for the records; NULL for the heap. Returns NULL if out of memory.
 */
struct plan *plan_new(const struct attr_caps *caps, pid_t self, uint64_t start,
		      const struct tasks_memory *memory);
void plan_free(struct plan *plan);

/*
 * Takes over the records and bounds of a plan that has ended. Call this before any other function. stopped: the ended
 * plan had put all its tasks back, so this plan looks only at tasks without a record, which forks have made since.
 * Returns 0 or -ENOMEM.
 */
int plan_adopt(struct plan *plan, const struct task *records, size_t n_records,
	       const struct given *given, bool stopped);

/*
 * Puts a configuration in force; it must live until the next one is in force or the plan is freed. Then call
 * plan_scan_begin and scan, because every task has to be decided about again. Returns 0, or -ENOMEM and leaves the
 * previous configuration in force.
 */
int plan_set_config(struct plan *plan, const struct config *config);

const struct tasks *plan_tasks(const struct plan *plan);
const struct config *plan_config(const struct plan *plan);

/* Returns the bounds of the judgement. They survive a crash; see struct tasks_memory. */
const struct given *plan_given(const struct plan *plan);

/* Returns how often there was no memory for a task. A later scan has to find such tasks. */
uint64_t plan_failed(const struct plan *plan);

/* Books an event. Events have to be booked in chronological order. */
void plan_book(struct plan *plan, const struct task_event *event);

/*
 * Books a task found in /proc and marks it as due. Book parents before their children and processes before their
 * threads. Decide only when all are booked, so that no task copies a record that has changed since the task was born.
 */
void plan_book_found(struct plan *plan, const struct plan_found *found, struct facts *facts);

/*
 * Takes the next task that is due, in the order in which they were marked. Returns false if there is none. If events
 * wait to be booked, the id may already belong to another task.
 */
bool plan_next(struct plan *plan, struct plan_mark *ret);

/* Returns whether the queue of due tasks holds a mark. */
bool plan_has_next(const struct plan *plan);

/*
 * Decides about one task. Fills in *ret if it has to be set, which is to be done at once. Asks for events first if
 * somebody seems to have chosen attributes: a child that was born before must copy the record as it was then.
 * The record of a task that is gone stays until plan_exited, since its children's forks may still be queued.
 */
enum plan_step plan_decide(struct plan *plan, const struct plan_mark *mark, struct facts *facts,
			   struct plan_action *ret);

/* Returns whether the decision may fetch the arguments of the task's process, so that they can be read beforehand. */
bool plan_asks_argv(const struct plan *plan, const struct plan_mark *mark);

/*
 * Reports how an action went, and records it. error: 0 or -errno. With -EAGAIN, nothing was set because somebody had
 * changed the task's policy: the task becomes due again. With -ESRCH, the task has ended. now: the attributes read back
 * after success, in the form of facts.attr.
 */
enum plan_result plan_applied(struct plan *plan, const struct plan_action *action, int error,
			      const struct task_attr *now);

/* Removes the record of a task that has ended. */
void plan_exited(struct plan *plan, pid_t tid);

/* Begins a scan: plan_is_seen returns false for every task until the scan finds it. */
void plan_scan_begin(struct plan *plan);
bool plan_is_seen(const struct plan *plan, pid_t tid);

/*
 * Begins to put everything back: from now on tasks get `had`, and none is tagged. Marks every task on record as due, so
 * that tasks which cannot be found in /proc are put back, too. A fresh copy becomes due only when a scan finds it,
 * together with the origin to compare it with. The caller scans until there is nothing left to do.
 */
void plan_undo_begin(struct plan *plan);

/* ---- overrides, numbered as in overrides.h ---- */

/*
 * Puts an override in force. An override for a cgroup marks every process as due. Any other override covers the
 * processes that join it. Returns like overrides_add.
 */
int plan_override_add(struct plan *plan, const struct override *override, uint16_t *ret_number);

/*
 * Makes the override cover this process, and marks the process as due. Does nothing if plan_override_covers. Returns 0,
 * or -ESRCH if the process has no record.
 */
int plan_override_join(struct plan *plan, uint16_t number, pid_t tgid);

/* Returns whether the override, or for a limit one of the same user that is as low, covers the process. */
bool plan_override_covers(const struct plan *plan, uint16_t number, pid_t tgid);

/*
 * Returns whether the override needs permission to raise and has none: a user requests a class that is higher than the
 * one that the rules give the process, or that has real-time I/O.
 */
bool plan_override_needs_raise(const struct plan *plan, const struct override *override);

/* Returns whether the process is hidden and its rule does not keep the class of a hidden app. */
bool plan_is_hidden(const struct plan *plan, const struct task *leader);

/* Returns the overrides, to query them, or to end one at once and remove it later with plan_remove_ended. */
struct overrides *plan_overrides(const struct plan *plan);

/* Removes the overrides that have ended (see overrides_end), and marks the processes that they covered as due. */
void plan_remove_ended(struct plan *plan);

/* ---- classes of units ---- */

/* Replaces the units of this uid and marks every process as due. Returns like units_put. */
int plan_set_units(struct plan *plan, uid_t uid, const struct unit_class *units, size_t n);
const struct units *plan_units(const struct plan *plan);

/* Returns whether any rule, group, override or unit in force depends on cgroups, so that moves are to be reported. */
bool plan_needs_moves(const struct plan *plan);

/* Marks the process as due to be matched. Returns false if it has no record. */
bool plan_mark_process(struct plan *plan, pid_t tgid);

/* Returns whether the task has a rule that enforces its class. */
bool plan_enforces(const struct plan *plan, const struct task *task);

/* Marks the task as due to be looked at, because somebody may have changed its attributes. */
void plan_mark_changed(struct plan *plan, pid_t tid);

/* Returns whether the rule of this process has thread rules. leader: may be NULL. */
bool plan_has_thread_rules(const struct plan *plan, const struct task *leader);

/* A task as it is now, for output. Attributes are as in a record: slice_ns is 0 without a custom slice. */
struct plan_detail {
	enum reason reason;
	struct task_attr actual;
	struct task_attr want;	/* attributes that it is to carry by its record */
	struct task_attr class; /* attributes of its class, without regard to `theirs`; `had` if it has no class */
	uint8_t theirs;		/* enum task_attr_bit: chosen by somebody, and not lowered by a limit */
	uint8_t withheld;	/* enum task_attr_bit: lowered by somebody before, and the rule does not raise it */
	bool is_limited, is_raised; /* a limit lowers, or the focus raises, its assigned class */
};

/* Describes a task without any change to it. Returns 0 or -errno: -ESRCH if the task has ended. */
int plan_detail(const struct plan *plan, const struct task *task, struct facts *facts, struct plan_detail *ret);
