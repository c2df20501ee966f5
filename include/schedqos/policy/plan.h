/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan decides which scheduling attributes each task gets. Events and facts go in, actions come out. It makes no
 * system call and reads no clock: the caller says what time it is, carries the actions out and reports how they went.
 *
 * THE MODEL
 *
 * Of every task the plan records three things. had: what it would carry without us, which is what it gets back. known: what
 * we last set or found on it. theirs: a bit for each attribute that somebody has chosen since its class was put on. It is
 * to carry its class's value of each attribute that the class gives and that is not theirs, and had's value of all others.
 * Events only update the records and mark tasks as due; then one function decides about each of these, plan_decide(): its
 * rule's class, what it carries now, whose that is, what to set.
 *
 * Whose is it? Each attribute (policy with its priority, nice, slice, clamps, I/O priority) is judged whenever we look, by
 * the first of these lines that fits (judge.h). A copy is a task that we have not looked at since its fork; a class over
 * had is what had becomes with any class on it that was given since the first start.
 *
 *	a slice or clamp, no default, that any class gives	ours, whoever set it: had stays
 *	actual == known						whose it was before, since nobody has touched it: had stays
 *	on a copy: policy, nice and slice are together those	ours: all in which it agrees with that, clamps and I/O priority
 *	of a class over had, or of had itself			too; but SCHED_IDLE, or a nice value greater than had's,
 *								only if its origin vouches for it
 *	anything else						somebody chose it: theirs; had and known become it, in bounds
 *
 * So the slice is the signature of a class: the kernel copies it with policy and nice, so a task tells which class it
 * copied, whatever the order of events. (Where there are no slices, policy and nice are. Classes may share one.)
 *
 * Bounds, so that nobody gets more back than he could take himself; what is out of them is theirs, too, and known, but had
 * stays. On a copy, and wherever a class was put on the task or an ancestor, had.nice does not become a
 * smaller number than it is, unless one below all that any class gives (with a class of -4: from 0 not -3, but -5, which took
 * privilege). had leaves SCHED_IDLE only if known was SCHED_IDLE; on a copy also only if no class ever raised a task out of
 * it. had takes no real-time priority, of CPU or I/O, that is not above the highest that classes gave.
 *
 * fork		copies the record, as the kernel copies the attributes, and we look at the child only when there is a
 *		reason. One is that its origin is due or was just set: the kernel may have copied what that carried before.
 *		Such a child is marked at its birth, and so are the next ones until one carries all that was set. The origin
 *		vouches for it if it lives, has been looked at, and carries now what its record says; for a new thread every
 *		other thread of its process has to. If so, had is, attribute by attribute, the least privileged of its own and
 *		that of those who vouched.
 * exec		makes a rule take effect: theirs is cleared, and the class put on over everything. What limits that is judged
 *		before that: no rule raises what had says that somebody lowered (nice above 0, SCHED_IDLE), unless it has yield: false
 *		or enforce; QOS_DEFAULT and rules with yield: true leave a task alone whose had is not the kernel's default; a
 *		class that is inherited from an ancestor's rule leaves one alone of which anything is theirs.
 * rename, move, reload	are such moments too, if they bring another class or rule; so is the first sight of a task.
 * limit	of a cgroup or by an override: a lower class for as long as it lasts. Neither its beginning nor its end clears theirs,
 *		not even by a move.
 * unit		gives a class to whom no rule names, in place of QOS_DEFAULT and under the same conditions.
 * override	asks for a class, which takes effect like a rule's, but without what limits those.
 * renice	and the like are found when we look next: theirs, until a rule or override takes effect. A rule that enforces
 *		takes it back when we look; had keeps it for the stop.
 * doubt	No event says which thread made a new one or called exec. Where their records differ nobody vouches: we take the
 *		task for one of those whose known is what it carries, or for any if there is none. had is the least privileged
 *		of the had of these.
 * loss		A scan looks at every task. One that was born since we began to listen and has no record is a copy of its
 *		leader's, or of its living parent's if it is a process. Without these it had what it carries; but where that is
 *		as high as a class gives, no more than the least privileged of all whom a class has ever raised.
 * crash	The next daemon takes over the records and scans: no rule takes effect for that, and forks since the last set
 *		are looked at as after any set. On a task that was being set at the crash all is ours that agrees with a class
 *		over had. Where no daemon follows, restore puts all back from the records.
 * stop		Every task is judged, and gets had where something of ours is on it; so does who is born meanwhile. A fork may
 *		outlast that: the records stay, and restore some time later, and the next start before it begins, do the same
 *		for tasks that carry what a class gives and have no record.
 */
#pragma once

#include <schedqos/policy/config.h>
#include <schedqos/policy/facts.h>
#include <schedqos/policy/given.h>
#include <schedqos/policy/overrides.h>
#include <schedqos/policy/reason.h>
#include <schedqos/policy/tasks.h>
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
	pid_t parent; /* tgid of the parent, if it was marked at its birth or found by a scan; else 0 */
	uint32_t parent_start;
	pid_t origin; /* the task whose record it copied, if it was marked at its birth; else 0 */
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
 * Takes over the records of a plan that has ended, and what its classes gave, before any other function is called. stopped:
 * it had put all of them back, and this plan is for what a fork has brought since: only tasks without a record are looked
 * at. 0 or -ENOMEM.
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

/* What classes have given since the first start; it has to survive a crash. */
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
 * The next task that is due, in the order of marking. If events wait to be booked, its id may belong to another task by now:
 * see plan_tid_is_reused.
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

/* Whether a task with this id and start (ticks since boot) is not the one on record. */
bool plan_tid_is_reused(const struct plan *plan, pid_t tid, uint64_t start);

/*
 * Reports how an action went. error: 0, and now is what was read back (in facts.attr's form); or -errno. -EAGAIN:
 * somebody changed the task's policy in between and nothing was set, so it is due again. -ESRCH: it has ended.
 */
enum plan_result plan_applied(struct plan *plan, const struct plan_action *action, int error,
			      const struct task_attr *now);

/* The task has ended. */
void plan_exited(struct plan *plan, pid_t tid);

/* Begins a scan: plan_is_seen is false for every task until the scan finds it. events_lost: before this scan. */
void plan_scan_begin(struct plan *plan, bool events_lost);
bool plan_is_seen(const struct plan *plan, pid_t tid);

/*
 * From now on tasks get back what they had, and none is tagged. Every task that carries something of ours is due, and
 * so is each one that is born or found from now on.
 */
void plan_undo_begin(struct plan *plan);

/* ---- overrides; their numbers are those of overrides.h ---- */

/*
 * Puts an override in force. One for a cgroup marks every process as due, the others hold for those that join.
 * 0, or -errno as overrides_add; after that, classes that no rule names can be given.
 */
int plan_override_add(struct plan *plan, const struct override *override, uint16_t *ret_number);

/*
 * From now on it holds for this process, too; but of several limits only the lowest does. 0 or -errno: -ESRCH if it has no
 * record. plan_override_holds: whether that would change nothing.
 */
int plan_override_join(struct plan *plan, uint16_t number, pid_t tgid);
bool plan_override_holds(const struct plan *plan, uint16_t number, pid_t tgid);

/* The highest class that overrides allow this process in this cgroup, or NULL. Groups may allow less. */
const char *plan_override_max(const struct plan *plan, pid_t tgid, const char *cgroup);

/* To ask for one, or to disable one that is to end: it counts no more for whoever joins another then. */
struct overrides *plan_overrides(const struct plan *plan);

/* Marks all that it has held for as due. */
void plan_override_remove(struct plan *plan, uint16_t number);

/* ---- classes of units ---- */

/* What a unit of the service manager says of its tasks that no rule names. */
struct unit_class {
	const char *cgroup; /* the unit's; what is below is the unit's, too, unless that has a unit nearer by */
	const char *qos;    /* one that there is not means nothing */
	const char *place;  /* where it says so: for people */
};

/* Takes the place of those before. Copies them, and marks every process as due. 0 or -ENOMEM. */
int plan_set_units(struct plan *plan, const struct unit_class *units, size_t n);

/* The nearest unit with a class for the tasks of this cgroup, or NULL. Lives until the next plan_set_units. */
const struct unit_class *plan_unit_of(const struct plan *plan, const char *cgroup);

/* Whether any rule in force looks at renames. */
bool plan_needs_renames(const struct plan *plan);

/* Whether any rule, group, override or unit in force looks at cgroups. */
bool plan_needs_moves(const struct plan *plan);

/* Whether any rule in force takes back what somebody changes. */
bool plan_needs_changes(const struct plan *plan);

/* Marks every task of a rule that enforces as due. */
void plan_look_at_enforced(struct plan *plan);

/*
 * Every task whose name a rule looks at: start with *cursor = 0 and call until NULL. Renames may be booked in between.
 */
const struct task *plan_next_named(const struct plan *plan, uint32_t *cursor);

/* A task as it is now, for people. Attributes as in a record: slice_ns is 0 where the task has none of its own. */
struct plan_detail {
	enum reason reason;
	struct task_attr actual;
	struct task_attr want;	/* what it is to carry, by its record */
	struct task_attr class; /* what its class gives, whoever had chosen what before; had without a class */
	uint8_t changed;	/* enum task_attr_bit: somebody has changed it since we last looked */
	uint8_t withheld;	/* somebody had lowered it before, and no rule raises that */
};

/* 0 or -errno: -ESRCH if it has ended. Changes nothing. */
int plan_detail(const struct plan *plan, const struct task *task, struct facts *facts, struct plan_detail *ret);
