/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/plan.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * fork copies the attributes early in copy_process and sends its event at the end, after the memory maps of
 * the parent, which takes a big process many milliseconds. A child whose event follows a change of
 * its parent by less than this may have been born before the change: it is looked at.
 */
#define BORN_BEFORE_MS 250

/*
 * An event's time lies behind the start time that /proc shows, by what copy_process still had to do; both are
 * cut to clock ticks, and the clocks' distance is measured with an error.
 */
#define START_EARLY_TICKS 1
#define START_LATE_TICKS 10

#define KTHREADD 2

struct plan {
	const struct attr_caps *caps;
	pid_t self;
	uint32_t start;
	uint8_t scan;
	bool undoing;
	struct tasks *tasks;
	const struct config *config;
	struct qos_attr *retired; /* the tags of the configuration before this one */
	size_t n_retired;
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
	bool enforce;
};

struct plan *plan_new(const struct attr_caps *caps, pid_t self, uint32_t start,
		      const struct tasks_memory *memory)
{
	struct plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	*plan = (struct plan){ .caps = caps, .self = self, .start = start };
	plan->tasks = tasks_new(memory);
	if (!plan->tasks) {
		free(plan);
		return NULL;
	}
	return plan;
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	tasks_free(plan->tasks);
	free(plan->retired);
	free(plan);
}

const struct tasks *plan_tasks(const struct plan *plan)
{
	return plan->tasks;
}

const struct config *plan_config(const struct plan *plan)
{
	return plan->config;
}

int plan_adopt(struct plan *plan, const struct task *records, size_t n_records,
	       const struct qos_attr *tags, size_t n_tags)
{
	plan->retired = calloc(n_tags + 1, sizeof(*plan->retired));
	if (!plan->retired)
		return -ENOMEM;
	memcpy(plan->retired, tags, n_tags * sizeof(*tags));
	plan->n_retired = n_tags;
	for (size_t i = 0; i < n_records; i++) {
		struct task *task = tasks_add(plan->tasks, records[i].tid);

		if (!task)
			return -ENOMEM;
		task->tgid = records[i].tgid;
		task->start = records[i].start;
		task->changed_ms = records[i].changed_ms;
		task->had = records[i].had;
		task->known = records[i].known;
		task->tag = TAG_NONE;
		task_publish();
		task->flags = TASK_OWNED;
	}
	/* None of them has been seen by a scan of ours. */
	plan->scan = 1;
	return 0;
}

static const struct rule *rule_of(const struct plan *plan, uint32_t id)
{
	return rules_by_id(plan->config->rules, id);
}

static const struct qos_attr *tag_attr(const struct plan *plan, uint16_t tag)
{
	size_t count;
	const struct tag *tags = rules_tags(plan->config->rules, &count);

	return &tags[tag].attr;
}

/* The new set's rule for the same pattern as an old set's rule, an inheriting one if that did; or 0. */
static uint32_t same_rule(const struct rules *rules, const struct rule *old, bool inherit)
{
	const struct rule *list;

	for (size_t i = 0; old && (list = rules_nth(rules, i)); i++) {
		if (strcmp(list->pattern, old->pattern) != 0)
			continue;
		while (list && inherit && !list->inherit)
			list = list->next;
		return list ? list->id : 0;
	}
	return 0;
}

/* A rule's number in the old set, and now. Neighbours mostly share theirs, so that the last one is worth keeping. */
struct renumbered {
	uint32_t old, now;
};

static uint32_t renumber(const struct plan *plan, const struct rules *rules, uint32_t id,
			 bool inherit, struct renumbered *last)
{
	if (id && id != last->old)
		*last = (struct renumbered){ id, same_rule(rules, rule_of(plan, id), inherit) };
	return id ? last->now : 0;
}

/* Keeps what the tags of the configuration in force put on tasks, to know it as ours when it is met later. */
static int retire_tags(struct plan *plan)
{
	struct qos_attr *retired;
	const struct tag *tags;
	size_t count;

	if (!plan->config)
		return 0;
	tags = rules_tags(plan->config->rules, &count);
	retired = reallocarray(plan->retired, count, sizeof(*retired));
	if (!retired)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		retired[i] = tags[i].attr;
	plan->retired = retired;
	plan->n_retired = count;
	return 0;
}

int plan_set_config(struct plan *plan, const struct config *config)
{
	struct renumbered app = { 0 }, inherit = { 0 };
	uint32_t cursor = 0;
	struct task *task;
	int r = retire_tags(plan);

	if (r < 0)
		return r;
	/*
	 * Rules have new numbers. The scan finds the process's rule, and a change of it: then an explicit rule wins
	 * as at exec. It cannot find the inherited one: an orphan has lost its ancestors.
	 */
	while ((task = tasks_next(plan->tasks, &cursor))) {
		task->app = renumber(plan, config->rules, task->app, false, &app);
		task->inherit = renumber(plan, config->rules, task->inherit, true, &inherit);
		task->tag = TAG_NONE;
	}
	plan->config = config;
	return 0;
}

/* Our own process, and the kernel's threads: none of our business. */
static bool is_excluded(const struct plan *plan, pid_t tgid, pid_t parent_tgid)
{
	return tgid == plan->self || tgid == KTHREADD || parent_tgid == KTHREADD;
}

static struct task *leader_of(const struct plan *plan, struct task *task)
{
	return task->tid == task->tgid ? task : tasks_find(plan->tasks, task->tgid);
}

static struct task_attr attr_over(const struct plan *plan, uint16_t tag,
				  const struct task_attr *had)
{
	return qos_attr_over(tag_attr(plan, tag), had, plan->caps);
}

/* Whether attr is what some tag, of this configuration or the last, makes of had: then it was us. */
static bool is_ours(const struct plan *plan, const struct task_attr *attr,
		    const struct task_attr *had)
{
	size_t count;
	const struct tag *tags = rules_tags(plan->config->rules, &count);

	for (size_t i = 0; i < count + plan->n_retired; i++) {
		const struct qos_attr *qos =
			i < count ? &tags[i].attr : &plan->retired[i - count];
		struct task_attr tagged = qos_attr_over(qos, had, plan->caps);

		if (task_attr_equal(attr, &tagged))
			return true;
	}
	return false;
}

/*
 * What the task carries, with no slice where it has none of its own. The kernel reports the base slice then, and that
 * can change at any time; so a slice that is neither what we expect nor the base slice is doubted
 * first, and one that is both is what we expect. Returns 0 or -errno.
 */
static int look_at(const struct plan *plan, struct facts *facts, const struct task_attr *expected,
		   struct task_attr *ret)
{
	int r = facts_need(facts, FACT_ATTR);

	if (r < 0)
		return r;
	*ret = facts->attr;
	if (ret->slice_ns == expected->slice_ns || ret->slice_ns == 0)
		return 0;
	if (ret->slice_ns != plan->caps->base_slice_ns)
		facts_need(facts, FACT_BASE);
	if (ret->slice_ns == plan->caps->base_slice_ns)
		ret->slice_ns = 0;
	return 0;
}

/*
 * Whether a task carries what we set, on itself or on whom it copied. Mostly that is what is known of it; but the
 * creator of a thread, and of a child with CLONE_PARENT, is not in the fork's event, and a thread
 * other than the leader takes its attributes along when it execs. Without a slice, our mark, a fair task that equals
 * some class may as well be one that somebody niced.
 */
static bool carries_ours(const struct plan *plan, const struct task *task,
			 const struct task_attr *actual)
{
	if (!(task->flags & TASK_OWNED))
		return false;
	if (task_attr_equal(actual, &task->known))
		return true;
	return (actual->slice_ns || !task_policy_is_fair(actual->policy)) &&
	       is_ours(plan, actual, &task->had);
}

/* What the kernel gives the child of a task that carries attr (sched_fork in core.c). */
static struct task_attr attr_born(const struct task_attr *attr)
{
	struct task_attr born = *attr;

	if (!attr->reset_on_fork)
		return born;
	if (!task_policy_is_fair(born.policy)) {
		born.policy = POLICY_NORMAL;
		born.nice = 0;
		born.rt_priority = 0;
	} else if (born.nice < 0) {
		born.nice = 0;
	}
	born.slice_ns = 0;
	born.util_min = 0;
	born.util_max = UTIL_FULL;
	born.reset_on_fork = 0;
	return born;
}

/* Finds the wish for a task of a process. Returns 0, or -errno when its name was needed and not to be had. */
static int wish_for(const struct plan *plan, const struct task *leader, struct facts *facts,
		    struct wish *ret)
{
	const struct rule *rule = rule_of(plan, leader ? leader->app : 0);
	const struct rule *inherit = rule_of(plan, leader ? leader->inherit : 0);

	*ret = (struct wish){ .tag = TAG_DEFAULT, .reason = REASON_DEFAULT };
	if (rule && rule->n_threads) {
		const struct thread_rule *thread;
		int r = facts_need(facts, FACT_COMM);

		if (r < 0)
			return r;
		thread = rule_thread(rule, facts->comm);
		if (thread) {
			*ret = (struct wish){ thread->tag, REASON_THREAD, rule->enforce };
			return 0;
		}
	}
	if (rule && rule->qos)
		*ret = (struct wish){ rule->tag, REASON_RULE, rule->enforce };
	else if (!rule && inherit)
		*ret = (struct wish){ inherit->tag, REASON_INHERITED, inherit->enforce };
	return 0;
}

/*
 * What a task is to carry, given what it had before us and whether what it carries now is ours. May turn the
 * wish into a reason to leave it alone, that is, at what it had.
 */
static struct task_attr target(const struct plan *plan, const struct task_attr *had, bool ours,
			       struct wish *wish)
{
	enum default_mode mode = plan->config->settings.default_mode;
	bool free_to_take = task_attr_is_pristine(had) || mode == DEFAULT_ALL;

	if (plan->undoing)
		*wish = (struct wish){ .tag = TAG_NONE, .reason = REASON_UNDONE };
	else if (wish->reason == REASON_DEFAULT && mode == DEFAULT_NONE)
		*wish = (struct wish){ .tag = TAG_NONE, .reason = REASON_NO_RULE };
	else if (wish->reason == REASON_DEFAULT && !free_to_take)
		*wish = (struct wish){ .tag = TAG_NONE, .reason = REASON_CHOSEN };
	else if (wish->reason == REASON_INHERITED && !free_to_take && !ours)
		*wish = (struct wish){ .tag = TAG_NONE, .reason = REASON_CHOSEN };
	return wish->tag == TAG_NONE ? *had : attr_over(plan, wish->tag, had);
}

/*
 * Somebody changed a task that carried what we set, maybe before its exec (nice -n 19 COMMAND). What still is as we
 * set it is not their choice: without us it would be as it was.
 */
static struct task_attr others_choice(const struct task *task, const struct task_attr *actual)
{
	const struct task_attr *had = &task->had, *known = &task->known;
	struct task_attr choice = *actual;

	if (actual->policy == known->policy) {
		choice.policy = had->policy;
		choice.rt_priority = had->rt_priority;
	}
	if (actual->nice == known->nice)
		choice.nice = had->nice;
	if (actual->slice_ns == known->slice_ns)
		choice.slice_ns = had->slice_ns;
	if (actual->util_min == known->util_min)
		choice.util_min = had->util_min;
	if (actual->util_max == known->util_max)
		choice.util_max = had->util_max;
	return choice;
}

static void leave_alone(struct task *task, const struct task_attr *actual, enum reason reason)
{
	task->flags &= ~TASK_OWNED;
	task_publish();
	task->had = task->known = *actual;
	task->tag = TAG_NONE;
	task->reason = reason;
}

static void set_owned(struct task *task)
{
	task_publish();
	if (task_attr_equal(&task->had, &task->known))
		task->flags &= ~TASK_OWNED;
	else
		task->flags |= TASK_OWNED;
}

/* Notes on the leader that its threads differ, so that newborn ones are looked at one by one. */
static void note_mixture(const struct plan *plan, struct task *task, uint16_t tag)
{
	struct task *leader = leader_of(plan, task);

	if (!leader)
		return;
	if (leader == task ? task->tag != tag && (task->flags & TASK_THREADED) : leader->tag != tag)
		leader->flags |= TASK_MIXED;
}

/* The decision. Returns true when the task is to be changed. */
static bool decide(struct plan *plan, struct task *task, struct wish wish, enum cause cause,
		   struct facts *facts, struct plan_action *ret)
{
	struct task_attr actual, want;
	bool ours, changed;

	if (look_at(plan, facts, &task->known, &actual) < 0) {
		tasks_remove(plan->tasks, task);
		return false;
	}
	ours = carries_ours(plan, task, &actual);
	if (!task_policy_is_fair(actual.policy) && !ours) {
		leave_alone(task, &actual, REASON_NOT_FAIR);
		return false;
	}
	changed = !ours && cause == CAUSE_RENAME && !task_attr_is_pristine(&actual) &&
		  (task->reason == REASON_CHANGED || !task_attr_equal(&actual, &task->known));
	if (changed && !wish.enforce) {
		leave_alone(task, &actual, REASON_CHANGED);
		return false;
	}
	/* Who enforces a class puts it back over others' changes, and at the stop what was there before us. */
	if (!ours && !changed)
		task->had = task->flags & TASK_OWNED ? others_choice(task, &actual) : actual;
	/* Only under DEADLINE is it ours. */
	if (actual.policy != POLICY_DEADLINE)
		task->had.reset_on_fork = actual.reset_on_fork;
	want = target(plan, &task->had, ours, &wish);
	note_mixture(plan, task, wish.tag);
	if (task_attr_equal(&actual, &want)) {
		task->known = actual;
		task->tag = wish.tag;
		task->reason = wish.reason;
		set_owned(task);
		return false;
	}
	*ret = (struct plan_action){
		.tid = task->tid,
		.from = actual,
		.want = want,
		.tag = wish.tag,
		.reason = wish.reason,
	};
	if (want.policy == POLICY_DEADLINE)
		ret->deadline = tag_attr(plan, wish.tag);
	/* Should we be killed between the call and its record, the record already says what there is to put back. */
	task_publish();
	task->flags |= TASK_OWNED;
	return true;
}

bool plan_applied(struct plan *plan, const struct plan_action *action, int error,
		  const struct task_attr *now, uint32_t ms)
{
	struct task *task = tasks_find(plan->tasks, action->tid), *leader;

	if (!task)
		return false;
	if (error == -ESRCH) {
		tasks_remove(plan->tasks, task);
		return false;
	}
	if (error < 0) {
		/* Still ours if it was: the action changed nothing. */
		task->known = action->from;
		set_owned(task);
		task->tag = TAG_NONE;
		task->reason = REASON_REFUSED;
		task->error = -error;
		return false;
	}
	leader = leader_of(plan, task);
	task->changed_ms = ms;
	if (leader)
		leader->changed_ms = ms;
	task->known = *now;
	if (now->slice_ns == plan->caps->base_slice_ns && now->slice_ns != action->want.slice_ns)
		task->known.slice_ns = 0;
	set_owned(task);
	task->error = 0;
	if (!task_attr_equal(&task->known, &action->want)) {
		task->tag = TAG_NONE;
		task->reason = REASON_NOT_KEPT;
		return false;
	}
	task->tag = action->tag;
	task->reason = action->reason;
	return true;
}

/* Matches the process anew. Returns 0 or -errno; *ret_new says whether another rule has it now. */
static int match_process(const struct plan *plan, struct task *leader, struct facts *facts,
			 bool *ret_new)
{
	const struct rule *rule;
	uint32_t id;
	int r;

	rule = rules_match(plan->config->rules, facts, &r);
	if (r < 0)
		return r;
	id = rule ? rule->id : 0;
	*ret_new = id != leader->app;
	leader->app = id;
	if (rule && rule->inherit)
		leader->inherit = id;
	return 0;
}

/*
 * Makes the record of a task that nobody told us of. One that was there before us has what it has. One born since may
 * have inherited what we set on its parent, or, its parent being gone, on some ancestor: then it
 * carries just what one of our tags would make of a pristine task, its custom slice included.
 */
static struct task *add_unknown(struct plan *plan, const struct plan_seen *seen,
				struct facts *facts)
{
	const bool is_thread = seen->tid != seen->tgid;
	struct task *task, *origin = tasks_find(plan->tasks,
						is_thread ? seen->tgid : seen->parent_tgid);
	struct task_attr actual;

	if (look_at(plan, facts, origin ? &origin->known : &task_attr_pristine, &actual) < 0)
		return NULL;
	task = tasks_add(plan->tasks, seen->tid);
	if (!task)
		return NULL;
	task->tgid = seen->tgid;
	task->start = seen->start;
	task->changed_ms = seen->ms;
	task->flags = TASK_SCANNED;
	task->tag = TAG_NONE;
	task->had = task->known = actual;
	if ((int32_t)(seen->start - plan->start) >= 0) {
		if (origin && (origin->flags & TASK_OWNED)) {
			task->had = origin->had;
			if (!is_ours(plan, &actual, &origin->had))
				task->known = origin->known;
		} else if (actual.slice_ns && is_ours(plan, &actual, &task_attr_pristine)) {
			task->had = task_attr_pristine;
		}
	}
	set_owned(task);
	if (origin)
		task->inherit = origin->inherit;
	if (origin && is_thread)
		origin->flags |= TASK_THREADED;
	return task;
}

/* A kernel thread has no executable; nor has a task that is about to end. */
static bool is_user_process(struct facts *facts)
{
	return facts_need(facts, FACT_EXE) == 0 && facts->exe[0];
}

/* Decides about a process (by a new match) or about one thread of a process already matched. */
static bool decide_seen(struct plan *plan, struct task *task, enum cause cause,
			struct facts *facts, struct plan_action *ret)
{
	struct task *leader = leader_of(plan, task);
	bool is_new = false;
	struct wish wish;
	int r = 0;

	if (leader == task)
		r = match_process(plan, leader, facts, &is_new);
	if (r == 0)
		r = wish_for(plan, leader, facts, &wish);
	if (r < 0) {
		tasks_remove(plan->tasks, task);
		return false;
	}
	return decide(plan, task, wish, is_new ? CAUSE_EXEC : cause, facts, ret);
}

static bool is_same_start(uint32_t from_event, uint32_t from_proc)
{
	int32_t late = (int32_t)(from_event - from_proc);

	return late >= -START_EARLY_TICKS && late <= START_LATE_TICKS;
}

bool plan_seen(struct plan *plan, const struct plan_seen *seen, struct facts *facts,
	       struct plan_action *ret)
{
	struct task *task = tasks_find(plan->tasks, seen->tid);
	const struct task *parent;
	enum cause cause = CAUSE_RENAME;

	if (is_excluded(plan, seen->tgid, seen->parent_tgid))
		return false;
	if (task && (task->tgid != seen->tgid || !is_same_start(task->start, seen->start))) {
		tasks_remove(plan->tasks, task);
		task = NULL;
	}
	if (!task) {
		if (seen->tid == seen->tgid && !is_user_process(facts))
			return false;
		task = add_unknown(plan, seen, facts);
		if (!task)
			return false;
		cause = CAUSE_EXEC;
	}
	/* A rule that is new may have made an heir of a task that was none. */
	parent = tasks_find(plan->tasks, seen->parent_tgid);
	if (parent && !task->inherit)
		task->inherit = parent->inherit;
	task->scan = plan->scan;
	if (plan->undoing)
		return plan_undo(plan, task, facts, ret);
	return decide_seen(plan, task, cause, facts, ret);
}

static bool is_recent(uint32_t changed_ms, uint32_t ms)
{
	return (int32_t)(ms - changed_ms) < BORN_BEFORE_MS;
}

/*
 * Looks at a newborn that may not carry what its origin carries. Carrying what its origin had, or what we may have
 * set on its origin (or, a moment too late, on the task whose tid it got: stale), it is ours; anything else
 * somebody has chosen since, and its exec will show who.
 */
static bool check_newborn(struct plan *plan, struct task *child, const struct task_attr *stale,
			  struct facts *facts, struct plan_action *ret)
{
	struct wish wish = { .tag = child->tag, .reason = child->reason };
	struct task_attr actual;

	if (look_at(plan, facts, &child->known, &actual) < 0)
		goto gone;
	if (!task_attr_equal(&actual, &child->known)) {
		if (!task_attr_equal(&actual, &child->had) && !is_ours(plan, &actual, &child->had) &&
		    !(stale && task_attr_equal(&actual, stale)))
			return false;
		child->known = actual;
		set_owned(child);
	}
	if (child->tid != child->tgid && wish_for(plan, leader_of(plan, child), facts, &wish) < 0)
		goto gone;
	if (!reason_is_tagged(wish.reason) && !(child->flags & TASK_OWNED))
		return false;
	return decide(plan, child, wish, CAUSE_RENAME, facts, ret);
gone:
	tasks_remove(plan->tasks, child);
	return false;
}

/* The child's record, by what the kernel copies from its origin and we from its process. NULL: no memory. */
static struct task *add_child(struct plan *plan, const struct plan_fork *fork,
			      const struct task *origin, const struct task *leader)
{
	struct task *child = tasks_add(plan->tasks, fork->tid);

	if (!child)
		return NULL;
	child->tgid = fork->tgid;
	child->start = fork->start;
	child->changed_ms = fork->ms - BORN_BEFORE_MS;
	child->app = leader->app;
	child->inherit = leader->inherit;
	child->had = attr_born(&origin->had);
	child->known = attr_born(&origin->known);
	child->tag = origin->tag;
	child->reason = origin->reason;
	child->error = origin->error;
	child->scan = origin->scan;
	task_publish();
	child->flags = origin->flags & TASK_OWNED;
	return child;
}

/* The fork of a task that we do not know: the one fork that costs a look into /proc. */
static bool forked_by_unknown(struct plan *plan, const struct plan_fork *fork, struct facts *facts,
			      struct plan_action *ret)
{
	const struct plan_seen seen = {
		.tid = fork->tid,
		.tgid = fork->tgid,
		.parent_tgid = fork->parent_tgid,
		.start = fork->start,
		.ms = fork->ms,
	};
	struct task *task = tasks_find(plan->tasks, fork->tid);
	bool action;

	if (task)
		tasks_remove(plan->tasks, task);
	action = plan_seen(plan, &seen, facts, ret);
	task = tasks_find(plan->tasks, fork->tid);
	if (task)
		task->flags &= ~TASK_SCANNED;
	return action;
}

bool plan_forked(struct plan *plan, const struct plan_fork *fork, struct facts *facts,
		 struct plan_action *ret)
{
	struct task *child, *origin, *leader, *old = tasks_find(plan->tasks, fork->tid);
	bool is_thread = fork->tid != fork->tgid, is_stale, look;
	struct task_attr stale;

	if (is_excluded(plan, fork->tgid, fork->parent_tgid) || fork->parent_tgid == plan->self)
		return false;
	is_stale = old && (int32_t)(old->changed_ms - fork->ms) >= 0;
	if (is_stale && (old->flags & TASK_SCANNED) && is_same_start(fork->start, old->start)) {
		/* A scan met it before its event came; what the scan found is newer. */
		old->flags &= ~TASK_SCANNED;
		return false;
	}
	/* A thread's creator is not in the event; what it copied is most likely what the leader carries. */
	leader = tasks_find(plan->tasks, is_thread ? fork->tgid : fork->parent_tgid);
	origin = is_thread ? leader : tasks_find(plan->tasks, fork->parent_tid);
	if (!leader)
		return forked_by_unknown(plan, fork, facts, ret);
	if (!origin)
		origin = leader;

	look = is_stale || is_recent(origin->changed_ms, fork->ms) || origin->known.reset_on_fork;
	if (is_thread) {
		look = look || (leader->flags & TASK_MIXED);
		leader->flags |= TASK_THREADED;
	}
	if (is_stale)
		stale = old->known;
	child = add_child(plan, fork, origin, leader);
	if (!child || !look)
		return false;
	return check_newborn(plan, child, is_stale ? &stale : NULL, facts, ret);
}

bool plan_execed(struct plan *plan, struct facts *facts, struct plan_action *ret)
{
	struct task *leader = tasks_find(plan->tasks, facts->tgid);
	struct wish wish;
	bool is_new;

	if (facts->tgid == plan->self || plan->undoing)
		return false;
	if (!leader) {
		const struct plan_seen seen = { .tid = facts->tgid, .tgid = facts->tgid };

		/* The parent is not known either: a kernel helper, or a fork that was lost. */
		leader = is_user_process(facts) ? add_unknown(plan, &seen, facts) : NULL;
		if (!leader)
			return false;
		leader->scan = plan->scan;
	}
	leader->flags &= ~(TASK_THREADED | TASK_MIXED);
	if (!is_user_process(facts) || match_process(plan, leader, facts, &is_new) < 0 ||
	    wish_for(plan, leader, facts, &wish) < 0) {
		tasks_remove(plan->tasks, leader);
		return false;
	}
	return decide(plan, leader, wish, CAUSE_EXEC, facts, ret);
}

bool plan_renamed(struct plan *plan, struct facts *facts, struct plan_action *ret)
{
	struct task *task = tasks_find(plan->tasks, facts->tid);
	const struct rule *rule;
	struct task *leader;
	struct wish wish;

	if (!task || plan->undoing)
		return false;
	leader = leader_of(plan, task);
	rule = rule_of(plan, leader ? leader->app : 0);
	if (!rule || (!rule->n_threads && !rule->enforce) || wish_for(plan, leader, facts, &wish) < 0)
		return false;
	if (wish.tag == task->tag && wish.reason == task->reason && !wish.enforce)
		return false;
	return decide(plan, task, wish, CAUSE_RENAME, facts, ret);
}

void plan_exited(struct plan *plan, pid_t tid)
{
	struct task *task = tasks_find(plan->tasks, tid);

	if (task)
		tasks_remove(plan->tasks, task);
}

void plan_scan_begin(struct plan *plan)
{
	plan->scan++;
}

bool plan_is_seen(const struct plan *plan, pid_t tid)
{
	const struct task *task = tasks_find(plan->tasks, tid);

	return task && task->scan == plan->scan;
}

void plan_undo_begin(struct plan *plan)
{
	plan->undoing = true;
}

bool plan_undo(struct plan *plan, struct task *task, struct facts *facts,
	       struct plan_action *ret)
{
	const struct wish nothing = { .tag = TAG_NONE, .reason = REASON_UNDONE };

	if (!(task->flags & TASK_OWNED))
		return false;
	return decide(plan, task, nothing, CAUSE_RENAME, facts, ret);
}
