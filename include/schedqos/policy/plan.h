/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan decides which scheduling attributes each task gets. Events and facts go in, actions come out. It makes no
 * system call and reads no clock: the caller carries each action out and reports how that went.
 *
 * THE MODEL. Of each task there is a record (tasks.h). Beside the task's class it has
 *	`had`		what the task would carry without us, and gets back at the stop
 *	`known`		what it carries as far as we know: what we last found, or have set since
 *	`theirs`	which attributes somebody else has chosen since a rule or override last took effect
 * Events are booked: that changes records and marks tasks as due. A task that is due is looked at: we read what it
 * carries and judge whose each attribute is (policy with its priority, nice, slice, two clamps, I/O priority). Then the
 * class is put on: each attribute is set to what the class gives, or else to that of `had`; but what is `theirs` stays.
 * If a rule takes effect (see WHAT HAPPENS), `theirs` is cleared before that. A task whose `had` is real-time, deadline
 * or sched_ext gets no class until a look finds that it has left that policy; then a rule takes effect.
 *
 * WHOSE IS IT? For each attribute the first line that fits says so. Then `known` becomes what was found.
 *	1 a slice or clamp, not the kernel's default, of any class	ours, even if it was theirs
 *	2 what `known` says (on a fresh copy it is corrected first)	nobody has touched it: ours or theirs, as before
 *	3 on a copy: what `had` says, or that with a class put on	ours; what is less than `had` if vouched for
 *	4 anything else				somebody chose it: `theirs`, and `had` becomes it, if BOUNDS lets it
 * "A class" is any configured since the last start that did not follow a crash. A copy is a task that we have not
 * looked at since its fork. Its record is a copy of its origin's: of the task that forked or, for a thread, of the
 * leader, since no event names a thread's maker. The kernel copies policy, nice value and slice together: by line 3 all
 * three have to be those of `had`, or those with one class put on. If only nice differs, beside that class's slice, the
 * policy is still ours: see signature(). What is less then needs a voucher, or goes on to line 4 alone: SCHED_IDLE
 * than any other policy, a fair policy than a real-time one, a higher nice value, I/O that is real-time no more.
 *
 * WHO VOUCHES, AND WHY. A fork that began before its origin was set brings a child that carries what the origin carried
 * before. So a task that we set is fresh until we find a child that carries all of that; and a copy whose origin was
 * fresh or due at its birth is fresh until we look at it. If such a copy has a class's own slice, and not the one that
 * `known` says, it is older than its record: `known` becomes `had` in policy, nice and slice, so that line 3 decides.
 *	But anyone can lower himself to what a class gives, and fork; were that ours, the stop would raise the child. So
 * what is less than `had` is ours by line 3 only on a fresh copy whose origin lives, is no copy itself, and right now
 * carries all that its record says. (A thread that a scan has found, and a child of init, have none that could vouch.)
 * Then the copy's `had` becomes, attribute by attribute, the lesser of its own and its origin's.
 *
 * BOUNDS. The stop gives nobody more than he could take himself. A choice that is no more than `had` becomes `had` at
 * once; one that is more, only if it shows that it took privilege:
 *	nice			a number below every class's; any, if no copy, and no class was put on it or an ancestor
 *	out of SCHED_IDLE	if `known` was SCHED_IDLE and, on a copy, no class ever took any task out of that
 *	real-time		above `known`, on a copy above every class's; any, if `had` is no fair policy
 *	real-time I/O		above every class's
 * Else it is `theirs` until a rule takes effect or the stop. Even if none does, a choice that is more than the class
 * gives is dropped when that class comes after another, or at a copy's first look. Kept is what is in `had`. A limit
 * lowers whatever is more than its class gives, and what is in `had` returns when the limit ends: see choice().
 * Where the records of threads have differed, their leader counts as a copy here: one may have called exec unheard.
 *
 * WHAT HAPPENS. Rules, enforce, yield, limits, overrides and the focus are told in schedqos.json(5), schedqos(8).
 * fork		The child's record is a copy, less what reset-on-fork takes. It is due only if it may carry or get
 *		something else than its origin: above all if that is fresh or due. See due_at_birth(). A rule takes
 *		effect on it only if one is to on its origin.
 * exec		The task is due, and its rule takes effect. What is lowered in `had` (SCHED_IDLE, nice above 0, any I/O
 *		priority) the class does not raise, unless the rule says enforce or yield: false. See must_leave().
 * rename, move, reload	The same, if it brings another rule or class; likewise a first sight, and late arguments.
 * override	What is asked for takes effect like a rule; root's class, or that of a user who may raise, also raises
 *		what is lowered in `had`. At its end, and when a limit or the focus comes or goes, no rule takes effect.
 * renice	and chrt and ionice make no task due: nobody tells us. The next look finds the choice by line 4. The
 *		class leaves it until a rule takes effect, which may be at that look. At the stop `had` comes back.
 *		While a rule enforces, a tracepoint or timer has its tasks looked at, and it takes effect each time.
 * thread	Where the records of a process's threads differ, a new one may be a copy of any, and any may have called
 *		exec. Which one is guessed from what it carries, in doubt that with the least `had`: see find_maker().
 * loss		A scan looks at every task, and matches it again. One without a record that was born since we began to
 *		listen is a fresh copy of its parent (a thread: leader); an older one has chosen all, line 1 or not.
 *		Init's new child had no more than any task that a class has raised above `had`: see doubt_unheard().
 * crash	The records are in /run. By them the next daemon goes on, and its rules take effect; or `restore`
 *		puts all back. Line 3 holds for one that was being set, unvouched. Without records all was chosen.
 * stop		Every task is looked at and gets all of `had`; but not the slice if it is SCHED_IDLE before and after.
 *		A late fork's child gets it by `restore` or the next start, if it carries what only a class gives.
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
	       const struct qos_attr *given, size_t n_given, bool stopped);

/*
 * Puts a configuration in force; it must live until the next one is in force or the plan is freed. Every task has to be
 * looked at again: call plan_scan_begin and scan. 0, or -ENOMEM and the previous configuration stays in force.
 */
int plan_set_config(struct plan *plan, const struct config *config);

const struct tasks *plan_tasks(const struct plan *plan);
const struct config *plan_config(const struct plan *plan);

/* Every "class" of the model, and what else is remembered of them for BOUNDS; it has to survive a crash. */
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
 * found in /proc is put back as well; but a fresh copy only once it is found, which tells who may vouch for it. The
 * caller scans for that and for others, until nothing is left to do.
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
