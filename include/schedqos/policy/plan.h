/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan decides which scheduling attributes each task gets. Events and facts go in, actions come out. It makes no
 * system call and reads no clock: the caller carries the actions out, reports how they went, and passes the time.
 *
 * THE MODEL
 *
 * Of every task the plan records what it would carry without us (had), what we last set or found on it (known), and
 * which attributes somebody else has chosen since its class was put on (theirs). Attributes are judged one by one: the
 * policy together with its priority, nice, slice, clamps, I/O priority. Whenever we look at a task, one merge decides
 * whose each of them is (merge.h):
 *
 *	actual == known		nobody touched it: it is ours to set, and had stays
 *	actual != known		somebody else chose it: it becomes theirs, and had and known take the value
 *
 * But nobody gets more by that than he could have taken without us: had.nice takes no value between itself and the
 * lowest nice value of our classes, had does not leave SCHED_IDLE because of something we set, and takes no real-time
 * priority, of CPU or I/O, up to what our classes give. If such a choice is above what the task's class gives, it ends as
 * soon as that is another class than when it was made, or gives something else: by a limit, a reload, a suspension, a
 * crash.
 *
 * The task is to carry had, with its class on top of that, and what is theirs on top of both. When we first see a task,
 * and at some moments below, a rule takes effect: theirs is cleared, so that the class overrides everything. Three
 * limits: no rule raises a task that somebody lowered, unless it has yield: false or enforce: true; QOS_DEFAULT and
 * yielding rules leave a task alone for which anything was chosen; an inherited rule does so if anything is theirs.
 *
 * fork		copies the record, as the kernel copies the attributes. We do not look at the child.
 * exec		makes a rule take effect. The other threads have ended. Any thread can have called it, and keeps its own
 *		attributes; so if the records of the threads differ, they stay until we have looked.
 * rename	makes a rule take effect if thread_qos gives another class for the new name.
 * move		to another cgroup makes a rule take effect if it is another one.
 * limit	of a cgroup or by an override: a lower class for as long as it lasts. No rule takes effect.
 * override	asks for a class, which takes effect like a rule's, but without the three limits. When it ends the rule's
 *		class is back, but does not take effect.
 * renice	and the like are found when we look next. That attribute is theirs until a rule takes effect, the others
 *		stay ours. A task that was made real-time is left alone, and its rule takes effect when it is fair again.
 *		Where a rule enforces, its tasks are looked at after each call that may have changed one, at most once a second
 *		if there was something to put back.
 * loss		of events: a scan looks at every task. What it finds without a record was copied from nobody knows whom.
 * reload	A scan matches every process. A rule takes effect if it is another one or brings another class. If only
 *		the class's attributes are others, what is theirs stays.
 * crash	The next daemon takes over the records and scans. What was decided stands, and what is theirs stays.
 * stop		We look at every task that carries something of ours, and it gets had. What is theirs is part of that. Who
 *		is born meanwhile is looked at as well.
 *
 * Events only update the records; one function decides. plan_book() books events in the order of time, without a system
 * call: what has to be looked at becomes due, and so does the child of a task that is due. Once everything queued is
 * booked, plan_next() returns the tasks that are due, in the order in which they were marked, and plan_decide() decides.
 * It asks which program a task runs only if that may have changed, and reads the task's attributes last.
 *
 * Until we look at a task, its copied record is unverified (TASK_COPIED): somebody may have changed the parent before
 * the fork. If the child does not carry what its record says, but just what its parent carries now, then for what
 * differs the parent's merge is the child's. Otherwise a slice, clamp or I/O priority that any class of ours gives
 * counts as ours, and so does a policy that comes with the slice and clamps of its class. A nice value or SCHED_IDLE
 * does not: anybody can lower himself, and had must not give him more back.
 *
 * A record that may be a copy of the wrong one is uncertain (TASK_UNCERTAIN), and due at once. It is first compared with
 * whatever else the task can have copied:
 *	- a fork that may be older than the last change of its parent's record, as it may take two seconds: what was
 *	  known before that change (only one is remembered), of which what no class of ours gives was had;
 *	- a new thread of a process whose threads differ, since the event does not name its creator, or an exec in one:
 *	  what those threads carry;
 *	- a task that was about to be set when the daemon was killed: what was known before.
 * Of a task that we had no event of: had is what it carries if it is older than us. Otherwise its record is an
 * uncertain copy of its living parent's, a thread's of its leader's, or a pristine one if there is none.
 *
 * The fields of a record and its flags are described in tasks.h.
 */
#pragma once

#include <schedqos/policy/config.h>
#include <schedqos/policy/facts.h>
#include <schedqos/policy/merge.h>
#include <schedqos/policy/overrides.h>
#include <schedqos/policy/tasks.h>
#include <schedqos/util/task_event.h>

/* A task found in /proc. */
struct plan_found {
	pid_t tid, tgid;
	pid_t parent_tgid;
	uint64_t start; /* ticks since boot */
};

/* A task to decide about. */
struct plan_due {
	pid_t tid, tgid;
	pid_t parent; /* tgid of the parent, if the child was born while that was due; else 0 */
	uint32_t parent_start;
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
	PLAN_CHANGED,	/* somebody changed it at the same time, and the merge has recorded that */
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
 * Takes over the records of a plan that ended without undoing, and what its classes gave. To be called before any other
 * function; each record is merged when its task is seen. 0 or -ENOMEM.
 */
int plan_adopt(struct plan *plan, const struct task *records, size_t n_records,
	       const struct qos_attr *given, size_t n_given);

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
 * Whether to do now what has to wait for an empty queue: the queue is empty, or has not been for two seconds because
 * events come faster than we book them. To be called whenever everything queued has been booked. ms: now. It also
 * keeps the records' 32-bit times from wrapping round, which takes one call in twelve days.
 */
bool plan_is_time(struct plan *plan, bool is_empty, uint32_t ms);

/*
 * The next task that is due, in the order of marking. If its event is older than 10 ms, the id may belong to another
 * task by now, whose fork is still in the queue. So this mark and those after it wait until is_time (see
 * plan_is_time). Tasks found by a scan do not wait, but come after those marked by events.
 */
bool plan_next(struct plan *plan, bool is_time, uint32_t ms, struct plan_due *ret);

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
 * somebody changed the task's policy in between and nothing was set, so it is due again. -ESRCH: it has ended. ms:
 * the time after the action.
 */
enum plan_result plan_applied(struct plan *plan, const struct plan_action *action, int error,
			      const struct task_attr *now, uint32_t ms);

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
 * Puts an override in force. One for a cgroup marks every process as due, the others hold for those that join. ms: now.
 * 0, or -errno as overrides_add; after that, classes that no rule names can be given.
 */
int plan_override_add(struct plan *plan, const struct override *override, uint32_t ms, uint16_t *ret_number);

/*
 * From now on it holds for this process, too; but of several limits only the lowest does. 0 or -errno: -ESRCH if it has no
 * record. plan_override_holds: whether that would change nothing.
 */
int plan_override_join(struct plan *plan, uint16_t number, pid_t tgid, uint32_t ms);
bool plan_override_holds(const struct plan *plan, uint16_t number, pid_t tgid);

/* The highest class that overrides allow this process in this cgroup, or NULL. Groups may allow less. */
const char *plan_override_max(const struct plan *plan, pid_t tgid, const char *cgroup);

const struct override *plan_override(const struct plan *plan, uint16_t number);

/*
 * Before one ends: it counts no more for whoever joins another. Processes for which it covered another limit have to join
 * that: plan_override_next_covered names those, beginning with 0, until 0.
 */
void plan_override_disable(struct plan *plan, uint16_t number);
uint16_t plan_override_next_covered(const struct plan *plan, uint16_t number);

/* Marks all that it has held for as due. */
void plan_override_remove(struct plan *plan, uint16_t number, uint32_t ms);

/* Whether any rule in force looks at renames. */
bool plan_needs_renames(const struct plan *plan);

/* Whether any rule, group or override in force looks at cgroups. */
bool plan_needs_moves(const struct plan *plan);

/* Whether any rule in force takes back what somebody changes. */
bool plan_needs_changes(const struct plan *plan);

/* Marks every task of a rule that enforces as due. ms: now. */
void plan_look_at_enforced(struct plan *plan, uint32_t ms);

/*
 * Every task whose name a rule looks at: start with *cursor = 0 and call until NULL. Renames may be booked in between.
 */
const struct task *plan_next_named(const struct plan *plan, uint32_t *cursor);

/* The task's enum reason as of now, or -errno: -ESRCH if it has ended. Changes nothing. */
int plan_reason(const struct plan *plan, const struct task *task, struct facts *facts);

/* A task as it is now, for people. Attributes as in a record: slice_ns is 0 where the task has none of its own. */
struct plan_detail {
	enum reason reason;
	struct task_attr actual;
	struct task_attr want;	/* what it is to carry, by its record */
	struct task_attr class; /* what its class gives, whoever had chosen what before; had without a class */
	uint8_t changed;	/* enum task_attr_bit: somebody has changed it since we last looked */
	uint8_t withheld;	/* somebody had lowered it before, and no rule raises that */
};

/* 0 or -errno as for plan_reason. Changes nothing. */
int plan_detail(const struct plan *plan, const struct task *task, struct facts *facts, struct plan_detail *ret);

/*
 * Decides about a made-up task, as at its exec: facts must hold everything, and tid is any but our own. Only for a plan
 * with nothing else in it. Its record, or NULL without memory.
 */
const struct task *plan_rehearse(struct plan *plan, struct facts *facts);
