/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan: events and facts go in, actions come out. It keeps a record of every task, decides, and is told how each action
 * went. It touches nothing itself, and time is an argument.
 *
 * THE MODEL
 *
 * Of each task the record says what it would carry without us (had), what we last asked for or found (known), and which
 * attributes somebody has chosen since its class was put on (theirs). Attributes are judged one by one: the policy with its
 * priority, nice, slice, clamps. Nothing is inferred from names or times.
 *
 * Whenever a task is looked at, reading back what was set included, one merge says whose each attribute is (merge.h):
 *
 *	actual == known		nobody touched it: it is ours to set, and had stays
 *	actual != known		somebody chose it: it is theirs, and had and known become it
 *
 * Nobody gets more than he could take himself: had.nice takes no value between itself and the lowest nice value of our
 * classes, had does not leave SCHED_IDLE for what we set.
 *
 * A fork	copies the record, as the kernel copies the attributes. Nothing is looked at.
 * An exec	is the moment at which a rule comes to apply: what is theirs is so no longer, and the class is put on over
 *		everything. (Before that the merge has seen what somebody chose: it is in had.) A rule raises nobody whom
 *		somebody lowered, unless it says yield: false; QOS_DEFAULT and yielding rules leave alone who had anything
 *		chosen, an inherited rule who has anything that is theirs.
 * A rename	is such a moment if it brings another class; so is a reload, and the first sight of a task.
 * A renice	or the like is not heard of. The next look finds it: that attribute is theirs and stays until the next such
 *		moment, or until a rule that enforces takes it back; the others stay ours.
 * A stop	is the same merge, and then every task gets had: what is theirs is what it carries already.
 *
 * Events only keep the books; one place decides. plan_hear() books, in the order of time and without a system call: a fork
 * copies a record, exec and rename mark a task as due, and the child of one that is due is due as well. When all that was
 * queued is booked, plan_next() returns who is due, in the order of marking, and plan_decide() decides: it asks for what the
 * task runs and is called only if that may have changed, and looks at what it carries last of all.
 *
 * Hearsay is a copied record until the task is looked at, for it may have copied another task than the one in the event.
 * If it carries something else than its record says, but the same as its parent does at that moment, somebody chose it for
 * the parent, and the parent's merge is the child's. Else a slice or clamp that any class of ours gives counts as ours, and a
 * policy beside these of its class, but nice and SCHED_IDLE never in the task's favour: anybody can lower himself. Where
 * more can be known, the task is due at once (TASK_HEARSAY), and compared first with what it can have copied:
 *	- its fork may be older than the last change of its parent's record: what was known before that;
 *	- a thread, whose creator is not in the event, of a process whose threads differ: the record of one of them;
 *	- an exec by some thread of such a process: likewise;
 *	- nobody told us of it, and it was born since we first listened: its living parent's record, else a pristine one.
 * So it is with a task that was about to be set when we were killed.
 *
 * What a record's fields mean, and each flag, is in tasks.h.
 */
#pragma once

#include <schedqos/policy/config.h>
#include <schedqos/policy/facts.h>
#include <schedqos/policy/merge.h>
#include <schedqos/policy/tasks.h>
#include <schedqos/util/task_event.h>

/* A task met in /proc. */
struct plan_met {
	pid_t tid, tgid;
	pid_t parent_tgid;
	uint64_t start; /* ticks since boot */
};

/* About whom to decide. */
struct plan_due {
	pid_t tid, tgid;
	pid_t parent; /* of a child that was born of one who was due: its tgid; else 0 */
	uint32_t parent_start;
};

/* What to do to one task. */
struct plan_action {
	pid_t tid;
	struct task_attr from; /* what it carries now */
	struct task_attr want;
	const struct qos_attr *deadline; /* want.policy is DEADLINE, and from's is not: the budget; else NULL */
	uint16_t tag;			 /* for people: the class, or TAG_NONE for what it had, */
	enum reason reason;		 /* and why */
};

enum plan_result {
	PLAN_KEPT,	/* the task carries what was wanted */
	PLAN_CHANGED,	/* somebody changed it at the same time: the merge has taken that up */
	PLAN_NOT_KEPT,	/* the kernel accepted it, and keeps something else */
	PLAN_REFUSED,
	PLAN_GONE,	/* the task has ended */
};

struct plan;

/*
 * A plan for a machine with these capabilities, which are not copied: fetching FACT_BASE updates them. self: tgid
 * of the program itself, never touched. start: ticks since boot when it, or the one whose records it adopts, began to
 * listen. memory: where the records are to live, or NULL. Returns NULL without memory.
 */
struct plan *plan_new(const struct attr_caps *caps, pid_t self, uint64_t start,
		      const struct tasks_memory *memory);
void plan_free(struct plan *plan);

/*
 * Takes over the records of a plan that ended without undoing, and what its classes gave. Before anything else; each
 * record is then merged when the task is seen. 0 or -ENOMEM.
 */
int plan_adopt(struct plan *plan, const struct task *records, size_t n_records,
	       const struct qos_attr *given, size_t n_given);

/*
 * Puts a configuration in force; it must live until the next one is in force or the plan is freed. Every task
 * is to be seen again after it: call plan_scan_begin and scan. 0 or -ENOMEM, and the one before stays.
 */
int plan_set_config(struct plan *plan, const struct config *config);

const struct tasks *plan_tasks(const struct plan *plan);
const struct config *plan_config(const struct plan *plan);

/* What classes have given since the first start: what a crash must not forget. */
const struct given *plan_given(const struct plan *plan);

/* How often there was no memory for a task: it is to be found by a scan. */
uint64_t plan_failed(const struct plan *plan);

/* Books an event. To be called in the order of time. */
void plan_hear(struct plan *plan, const struct task_event *event);

/*
 * Books a task met in /proc, which is due from now on: parents before their children, processes before their threads. To be
 * decided about when all of them are booked, so that each copies a record of which nothing has been put back or set meanwhile.
 */
void plan_meet(struct plan *plan, const struct plan_met *met, struct facts *facts);

/*
 * Whether it is time to do what has to wait for an empty queue: it is empty, or has not been for two seconds, in a storm
 * that outruns us. To be called whenever what was queued has been heard. ms: now. It also keeps old times from coming
 * round, if it is called once in twelve days.
 */
bool plan_is_time(struct plan *plan, bool is_empty, uint32_t ms);

/*
 * The next who is due, in the order of marking. An event that is older than 10 ms may be about a task whose id belongs to
 * another by now, which a fork still to be heard of will tell: so such a mark, and all after it, wait until it is time. Who was
 * met does not wait, but for those whose events came first.
 */
bool plan_next(struct plan *plan, bool is_time, uint32_t ms, struct plan_due *ret);

/*
 * The decision. Returns true and fills *ret when the task is to be changed; carry it out at once and report it with
 * plan_applied. A task that turns out to be gone stays in the table until plan_exited: its children may still be announced.
 */
bool plan_decide(struct plan *plan, const struct plan_due *due, struct facts *facts, struct plan_action *ret);

/* Whether the task of this id that started then, ticks since boot, is another than the one on record. */
bool plan_is_another(const struct plan *plan, pid_t tid, uint64_t start);

/*
 * How an action went: error 0 and what is read back (in facts.attr's form), or -errno; -EAGAIN: the task's policy was
 * changed in between, and nothing was done: it is due again; -ESRCH: it has ended. ms: after it.
 */
enum plan_result plan_applied(struct plan *plan, const struct plan_action *action, int error,
			      const struct task_attr *now, uint32_t ms);

/* The task has ended. */
void plan_exited(struct plan *plan, pid_t tid);

/* Begins a scan: from now on plan_is_seen is false until a task has been seen again. unheard: events were lost before it. */
void plan_scan_begin(struct plan *plan, bool unheard);
bool plan_is_seen(const struct plan *plan, pid_t tid);

/*
 * From now on everything is put back, and nothing tagged any more: all who carry something of ours are due, and whoever is
 * born or met.
 */
void plan_undo_begin(struct plan *plan);

/* Whether a rule in force can use a rename. */
bool plan_asks_names(const struct plan *plan);

/*
 * Each task whose name a rule looks at: start with *cursor = 0 and call until NULL. plan_hear may be called meanwhile, of
 * a rename.
 */
const struct task *plan_next_named(const struct plan *plan, uint32_t *cursor);

/* How it stands with the task at this moment: changes nothing. A reason, or -errno: -ESRCH for one that has ended. */
int plan_reason(const struct plan *plan, const struct task *task, struct facts *facts);
