/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan decides which scheduling attributes each task gets. Events and facts go in, actions come out. It makes no
 * system call and reads no clock: the caller carries each action out and reports how that went.
 *
 * THE MODEL. Of each task there is a record (tasks.h). Beside its class it has
 *	had	what the task would carry without us: the stop gives it that
 *	known	what it carries as far as we know: what we found when we last looked, or have set since
 *	theirs	which attributes somebody else has chosen since the class was put on
 * The task is to carry known's value of what is theirs, its class's of the rest, had's of what the class does not give.
 *
 * Events are booked: that changes records and marks tasks as due, without a system call. Then plan_decide() decides
 * about each task that is due, in the order of marking. It finds the class, looks at what the task carries, judges
 * whose that is, and returns what to set. Who is not due is not looked at.
 *
 * WHOSE IS IT? Each attribute that a look finds (policy with its priority, nice, slice, two clamps, I/O priority) is
 * judged by the first line that fits. known becomes it in any case.
 *	1 a slice or clamp that a class gives	ours
 *	2 what known says			nobody has touched it: ours or theirs, as before
 *	3 on a copy: what a class gives		ours
 *	4 anything else				somebody chose it: theirs, and had becomes it
 * "A class" is any that was given since the first start after boot. A copy is a task at which we have not looked since
 * its fork: its record is a copy of its origin's, the task that forked. The kernel may have copied the attributes
 * earlier, when the origin carried another class or none. But it copies policy, nice value and slice together. So line
 * 3 fits if these three are what some class makes of had, or had itself: they sign for the rest. (Where the kernel has
 * no slices, the other two do.) By lowering himself anybody could imitate that. So what lies below had (SCHED_IDLE, a
 * higher nice value) is ours by line 3 only if the origin vouches for the copy: it lives, we have looked at it, and
 * right now it carries what its record says. All other threads of its process have to vouch for a new thread. Then had
 * is the lesser of the copy's and theirs.
 *
 * Line 4 has bounds, so that the stop gives nobody more than he could take himself. What lies beyond them is theirs,
 * but had stays. On a copy, and where a class was put on the task or an ancestor, had's nice value falls only below
 * those of all classes, which takes privilege. had leaves SCHED_IDLE only if known was that, too. And had takes no
 * real-time priority, of CPU or I/O, up to the highest that a class gives.
 *
 * WHAT HAPPENS
 * fork		The child's record is a copy, and that is all: it was born with the right attributes. It is due only if
 *		its origin is due; or was set, and no child has been seen since that carries all of that; or has
 *		reset-on-fork; or, for a new thread, if the records of its process's threads differ.
 * exec		The task is due, and its rule takes effect: theirs is cleared, and the class put on over everything. But
 *		what somebody had lowered before (had has SCHED_IDLE, or a nice value above 0) is not raised, unless the
 *		rule has yield: false or enforce. A rule with yield: true, and QOS_DEFAULT, leave a task alone whose had
 *		is not the kernel's default; an inherited rule, one of which anything was theirs.
 * rename, move, reload	do the same if they bring another rule or class, and so does the first sight of a task. Arguments
 *		that can be read only some time after the exec may bring another class, too, but clear nothing.
 * limit	of a cgroup, or by an override: a lower class. It clears nothing, neither when it comes nor when it goes. But a
 *		choice beyond the bounds ends there, as with any reload, unless the class gives as much.
 * override	A class by override takes effect like a rule's, and over what somebody had lowered as well.
 * renice	and its like make nobody due. The next look finds them: theirs, and had's, until a rule takes effect. Where
 *		a rule enforces we look at once and take it back; had keeps it for the stop.
 * thread	No event says which thread made a new one, or called exec. If their records differ, it was one of those whose
 *		known is what we find, or any of them if there is none: had is the least privileged of theirs.
 * loss		A scan looks at every task. Who has no record and was born since we began to listen is a copy of his leader
 *		or living parent; an orphan has at most what anybody had whom a class ever raised. Who is older has chosen
 *		what he carries.
 * crash	The records are in /run. The next daemon takes them over and scans. That is no moment at which rules take
 *		effect, and all count as just set: see fork. Of a task that was being set at the crash, both what it
 *		carried before and what it was to carry are ours. Without a next daemon, restore does what a stop does.
 * stop		Every task of which anything is ours is judged and gets had, and so does who is born meanwhile. A fork may
 *		outlast that. So the records stay, and half a minute later restore, or the next start, does the same
 *		to tasks without a record that carry what a class gives.
 */
#pragma once

#include <schedqos/policy/config.h>
#include <schedqos/policy/facts.h>
#include <schedqos/policy/qos_class.h>
#include <schedqos/policy/overrides.h>
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

/* The highest class that overrides allow this process, or NULL. Groups may allow less. */
const char *plan_override_max(const struct plan *plan, struct facts *facts);

/* Whether this class, asked for by a user, is higher than what rules give the process. */
bool plan_override_needs_raise(const struct plan *plan, const char *qos, pid_t tgid);

/* Whether nothing is seen of the process, and its rule does not keep its class even so. */
bool plan_is_lowered(const struct plan *plan, const struct task *leader);

/* As class_compare; 0 if either is TAG_NONE. */
int plan_compare_tags(const struct plan *plan, uint16_t a, uint16_t b);

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
