/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan decides which scheduling attributes each task gets. Events and facts go in, actions come out. It makes no
 * system call and reads no clock: the caller carries the actions out, reports how they went and passes the time as an
 * argument.
 *
 * THE MODEL
 *
 * The plan keeps a record of every task: what the task would carry without us (had), what we last asked for or found
 * (known), and which attributes somebody else has chosen since we put its class on (theirs). Attributes are judged
 * one by one: the policy together with its priority, nice, slice, clamps, I/O priority. Nothing is inferred from names
 * or times.
 *
 * Whenever we look at a task, and also when we read back what we set, one merge decides who owns each attribute
 * (merge.h):
 *
 *	actual == known		nobody touched it: it is ours to set, and had stays
 *	actual != known		somebody else chose it: it becomes theirs, and had and known take the new value
 *
 * No task gets more than its owner could have taken without us: had.nice takes no value between itself and the lowest
 * nice value of our classes, and had does not leave SCHED_IDLE because of something we set. Of I/O priorities only
 * real time is withheld like that, since whoever may lower himself by ionice may go back as well.
 *
 * fork		copies the record, as the kernel copies the attributes. We look at nothing.
 * exec		makes a rule take effect: theirs is cleared and the class overrides everything. (The merge has already
 *		put what others chose into had.) Three limits: a rule does not raise a task that somebody lowered,
 *		unless it has yield: false; QOS_DEFAULT and yielding rules leave a task alone if anything was chosen
 *		for it; an inherited rule does so if anything is theirs.
 * rename	makes a rule take effect if it brings another class. So does a reload, and so does the first look at a
 *		task.
 * move		to another cgroup has the process matched again: as with a rename, a rule takes effect if it brings
 *		another class. A group may allow its tasks no such class. Then they get a lower one for as long as they
 *		stay there, but that is no moment like the above: what is theirs stays theirs.
 * override	asks for a class at run time: its processes are of that class, whatever their rules say, and a group's limit
 *		holds all the same. To ask for it is a moment like an exec, and nothing that was chosen before stands
 *		against it. Its end is not: what is theirs stays. A limit that is asked for is one like a group's. What an
 *		ordinary user asks for is taken as far as the task's owner could choose it himself in had's place, at
 *		every decision anew; it goes after root's, and after a rule with "enforce".
 * renice	and the like are only heard while a rule enforces. Else the next look finds the change. That attribute is
 *		theirs until a rule takes effect again, or until a rule with "enforce" takes it back; the others stay ours.
 *		With "enforce": "program" what a process changes itself is as if it had not happened, provided that we
 *		heard who did it. Where somebody changes a task again and again, it is left to him for a while.
 * stop		is the same merge, after which every task gets had. An attribute that is theirs keeps its value.
 *
 * Events only update the records; one function decides. plan_book() books events in the order of time, without a
 * system call: a fork copies a record, exec and rename mark a task as due, and the child of a task that is due is due
 * as well. Once everything queued is booked, plan_next() returns the tasks that are due, in the order in which they
 * were marked, and plan_decide() decides. It asks which program a task runs only if that may have changed, and reads
 * the task's attributes last.
 *
 * A copied record is unverified until we look at the task (TASK_COPIED). If the task then carries something else, but
 * the same as its parent carries at that moment, somebody chose it for the parent, and the parent's merge is the
 * child's. Otherwise a slice, clamp or I/O priority that any of our classes gives counts as ours, and so does a policy
 * that comes with the slice and clamps of its class. A nice value or SCHED_IDLE never counts as ours: anybody can lower
 * himself, and had must not give him more back.
 *
 * A record is uncertain (TASK_UNCERTAIN) if it may not be a copy of the right record. Such a task is due at once, and
 * is first compared with whatever it can have copied:
 *	- the fork may be older than the last change of the parent's record: compared with what was known before that
 *	  change;
 *	- a new thread of a process whose threads differ, since the event does not name its creator: with those
 *	  threads;
 *	- an exec in such a process, since any of its threads may have called it: likewise;
 *	- a task that we had no event of, born since we began to listen: with a copy of its living parent's record, or
 *	  a pristine one;
 *	- a task that was about to be set when the daemon was killed: with what was known before.
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
	bool is_left;			 /* ... for the last time: the task is left to him until plan_end_truces */
	pid_t changed_by;		 /* ... the thread that did it, 0 if not known */
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

/* Gives it another class, or the same one again over what was chosen since. 0 or -errno as overrides_change. */
int plan_override_change(struct plan *plan, uint16_t number, const char *qos, uint32_t ms);

/* From now on it holds for this process, too. 0 or -errno: -ESRCH if it has no record. */
int plan_override_join(struct plan *plan, uint16_t number, pid_t tgid, uint32_t ms);
bool plan_override_holds(const struct plan *plan, uint16_t number, pid_t tgid);

/* The highest class that overrides allow this process, or NULL. Groups may allow less. */
const char *plan_override_max(const struct plan *plan, pid_t tgid);

/* Has the process looked at, so that what is chosen for it by now is known. */
void plan_look_at(struct plan *plan, pid_t tgid, uint32_t ms);

/* What speaks against an ordinary user's giving a class to a process of his. */
enum plan_objection {
	OBJECTION_NONE,
	OBJECTION_UNKNOWN,  /* there is no such process, or it is never touched */
	OBJECTION_NOT_YET,  /* it has not been looked at */
	OBJECTION_NOT_FAIR, /* it is real-time, deadline or sched_ext */
	OBJECTION_ROOT,	    /* root has asked for a class for it */
	OBJECTION_ENFORCED, /* its rule has "enforce" */
	OBJECTION_RAISES,   /* *ret_raised: the attributes that he could not choose himself (enum task_attr_bit) */
};
enum plan_objection plan_override_objection(const struct plan *plan, pid_t tgid, const struct qos_class *class,
					    uint8_t *ret_raised);

/* Who asked for the class that an override gives this process; root, too, if none does. */
uid_t plan_override_uid(const struct plan *plan, pid_t tgid);

const char *plan_override_class(const struct plan *plan, uint16_t number);

/* Takes over the overrides of a plan that this one replaces, for the processes that are known to both. */
void plan_take_overrides(struct plan *plan, struct plan *from, uint32_t ms);

/* Marks all that it has held for as due. */
void plan_override_remove(struct plan *plan, uint16_t number, uint32_t ms);

/*
 * While suspended, tagged tasks carry what they had, and so do those that come to be tagged; their records go on saying
 * what their class is and what is theirs. Either way every task that this changes is due.
 */
void plan_suspend(struct plan *plan, bool suspend);

/* Whether any rule in force looks at renames. */
bool plan_needs_renames(const struct plan *plan);

/* Whether any rule, group or override in force looks at cgroups. */
bool plan_needs_moves(const struct plan *plan);

/* Whether any rule in force takes back what somebody changes. */
bool plan_needs_changes(const struct plan *plan);

/*
 * Where it matters who has changed a task, and that has not been heard yet, deciding about it waits until what is queued
 * has been booked once more. Then plan_look_again makes it due; plan_is_waiting: whether there is any.
 */
bool plan_is_waiting(const struct plan *plan);
void plan_look_again(struct plan *plan, uint32_t ms);

/*
 * A task that has been put back ten times within a second is left to whoever changes it, for ten seconds. This marks as
 * due those for which that time is over. Returns whether there are others, and then sets *ret_ms to when it is over for
 * the next.
 */
bool plan_end_truces(struct plan *plan, uint32_t ms, uint32_t *ret_ms);

/*
 * Every task whose name a rule looks at: start with *cursor = 0 and call until NULL. Renames may be booked in between.
 */
const struct task *plan_next_named(const struct plan *plan, uint32_t *cursor);

/* The task's enum reason as of now, or -errno: -ESRCH if it has ended. REASON_UNDONE while suspended. Changes nothing. */
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
