/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts the records and attributes of a process's threads, for explain. */
#include "explain.h"

#include <errno.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>

/* Maximum number of kinds of threads to report; threads of further kinds are only counted. */
#define KINDS_MAX 32

/* Maximum number of ids to list for one kind. */
#define TIDS_MAX 16

struct thread_kind {
	const struct task *task;
	const struct thread_rule *thread; /* its thread rule */
	struct plan_detail detail;
	char comm[TASK_COMM_LEN];
	pid_t tids[TIDS_MAX];
	size_t count;
};

struct thread_kinds {
	const struct explain_source *source;
	struct thread_kind *items;
	size_t count, more;
};

static const char *const bit_names[] = { "policy", "nice", "slice", "util_min", "util_max", "io_priority" };

static void put_bits(struct json_writer *json, const char *key, uint8_t bits)
{
	json_begin(json, key, '[');
	for (size_t i = 0; i < array_size(bit_names); i++) {
		if (bits & 1U << i)
			json_put_text(json, NULL, bit_names[i]);
	}
	json_end(json, ']');
}

static void put_attr(struct json_writer *json, const char *key, const struct task_attr *attr)
{
	struct task_attr shown = *attr;
	char text[TASK_ATTR_TEXT_MAX];

	/* A record keeps the slice, which has no effect under such a policy. */
	if (!task_policy_is_fair(attr->policy))
		shown.slice_ns = 0;
	json_begin(json, key, '{');
	json_put_text(json, "policy", task_policy_name(attr->policy));
	if (task_policy_is_fair(attr->policy)) {
		json_put_number(json, "nice", attr->nice);
		json_put_count(json, "slice", attr->slice_ns);
	} else {
		json_put_count(json, "priority", attr->rt_priority);
	}
	json_put_count(json, "util_min", attr->util_min);
	json_put_count(json, "util_max", attr->util_max);
	if (attr->io_priority) {
		json_put_text(json, "io_class", io_class_name(IO_CLASS(attr->io_priority)));
		json_put_count(json, "io_priority", IO_LEVEL(attr->io_priority));
	}
	json_put_text(json, "text", task_attr_text(&shown, text));
	json_end(json, '}');
}

static const struct config *config_of(const struct explain_source *source)
{
	return plan_config(source->plan);
}

static const struct rule *rule_of(const struct explain_source *source, uint32_t id)
{
	return rules_by_id(config_of(source)->rules, id);
}

/* Returns the rule of the task's process. */
static const struct rule *app_of(const struct explain_source *source, const struct task *task)
{
	const struct task *leader = tasks_find(plan_tasks(source->plan), task->tgid);

	return leader ? rule_of(source, leader->rule) : NULL;
}

static const char *class_name(const struct explain_source *source, uint16_t tag)
{
	const struct qos_class *class = class_of_tag(config_of(source), tag);

	return class ? class->name : NULL;
}

/* Longest way up: a user can have any number of ancestors. */
#define ANCESTORS_MAX 64

/* Returns the nearest living ancestor with the rule that was inherited; 0 if there is none near. */
static pid_t inherited_from(const struct explain_source *source, pid_t pid, uint32_t rule)
{
	const struct tasks *tasks = plan_tasks(source->plan);
	struct procfs_stat stat;

	for (int i = 0; i < ANCESTORS_MAX && procfs_stat(source->proc, pid, &stat) == 0 && stat.ppid; i++) {
		const struct task *leader = tasks_find(tasks, stat.ppid);

		pid = stat.ppid;
		if (leader && leader->rule == rule)
			return pid;
	}
	return 0;
}

static void put_inherited(struct json_writer *json, const struct explain_source *source, const struct task *task)
{
	const pid_t from = inherited_from(source, task->tgid, task->own.rule);
	char comm[TASK_COMM_LEN];

	if (!from || !explain_may_see(source, task->tgid, from) || procfs_comm(source->proc, from, comm) < 0)
		return;
	json_begin(json, "inherited_from", '{');
	json_put_number(json, "pid", from);
	json_put_escaped(json, "name", comm);
	json_end(json, '}');
}

/* Puts the parent's rule if users might expect it to be inherited. */
static void put_parent_rule(struct json_writer *json, const struct explain_source *source, const struct task *task)
{
	const struct task *parent;
	const struct rule *rule;
	struct procfs_stat stat;

	if (procfs_stat(source->proc, task->tgid, &stat) < 0)
		return;
	parent = tasks_find(plan_tasks(source->plan), stat.ppid);
	rule = parent ? rule_of(source, parent->rule) : NULL;
	if (rule && rule->qos && rule->inherit != INHERIT_YES)
		explain_put_rule(json, "parent_rule", source, rule, NULL);
}

static void put_thread_class(struct json_writer *json, const struct explain_source *source,
			     const struct thread_kind *kind)
{
	const struct task *task = kind->task;
	const struct rule *rule = rule_of(source, task->own.rule);
	const bool is_tagged = task->tag != TAG_NONE && task->state != TASK_LEFT_ALONE && task->state != TASK_NOT_FAIR;

	json_put_text(json, "class", is_tagged ? class_name(source, task->tag) : NULL);
	json_put_text(json, "assigned_class", class_name(source, task->own.tag));
	json_put_bool(json, "limited", kind->detail.is_limited);
	json_put_bool(json, "raised", kind->detail.is_raised);
	json_put_text(json, "reason", reason_name(kind->detail.reason));
	json_put_text(json, "assigned_by", reason_name((enum reason)task->own.by));
	explain_put_rule(json, "rule", source, rule, NULL);
	if (task->own.by == REASON_THREAD)
		explain_put_rule(json, "thread_rule", source, rule, kind->thread);
	if (task->own.by == REASON_INHERITED)
		put_inherited(json, source, task);
	if (task->own.by == REASON_DEFAULT && source->live)
		put_parent_rule(json, source, task);
}

static void put_kind(struct json_writer *json, const struct explain_source *source, const struct thread_kind *kind)
{
	const struct task *task = kind->task;
	const struct plan_detail *detail = &kind->detail;

	json_begin(json, NULL, '{');
	if (!source->made_up) {
		json_put_count(json, "count", kind->count);
		json_begin(json, "tids", '[');
		for (size_t i = 0; i < kind->count && i < TIDS_MAX; i++)
			json_put_number(json, NULL, kind->tids[i]);
		json_end(json, ']');
	}
	json_put_escaped(json, "name", kind->comm);
	put_thread_class(json, source, kind);
	put_attr(json, "wanted", &detail->want);
	put_attr(json, "carries", &detail->actual);
	put_attr(json, "had", &task->had);
	put_bits(json, "differs", attr_difference(&detail->actual, &detail->want));
	put_bits(json, "theirs", detail->theirs);
	put_bits(json, "withheld", detail->withheld);
	put_bits(json, "chosen_before", attr_difference(&task->had, &task_attr_pristine));
	json_end(json, '}');
}

static int comm_of(const struct explain_source *source, pid_t tid, char ret[TASK_COMM_LEN])
{
	if (!source->made_up)
		return procfs_comm(source->proc, tid, ret);
	strcpy(ret, source->made_up->comm);
	return 0;
}

/* Collects what is known of a thread. Returns 0 or -errno. */
static int look_at_thread(const struct explain_source *source, const struct task *task, const char *comm,
			  struct thread_kind *ret)
{
	const struct rule *app = app_of(source, task);
	int r;

	*ret = (struct thread_kind){ .task = task, .count = 1, .tids = { task->tid } };
	strcpy(ret->comm, comm);
	if (app && task->own.by == REASON_THREAD)
		ret->thread = rule_thread(app, comm);
	r = plan_detail(source->plan, task, explain_facts(source, task), &ret->detail);
	/* A rehearsal sets nothing: take these from the record. */
	if (r == 0 && source->is_rehearsal) {
		ret->detail.reason = task_reason(task);
		ret->detail.theirs = task->theirs;
	}
	return r;
}

static bool agree(const struct thread_kind *a, const struct thread_kind *b)
{
	return a->task->own.tag == b->task->own.tag && a->task->tag == b->task->tag &&
	       a->task->own.rule == b->task->own.rule && a->thread == b->thread && a->task->own.by == b->task->own.by &&
	       a->detail.reason == b->detail.reason && a->detail.theirs == b->detail.theirs &&
	       a->detail.withheld == b->detail.withheld && !attr_difference(&a->detail.actual, &b->detail.actual) &&
	       !attr_difference(&a->detail.want, &b->detail.want) && !attr_difference(&a->task->had, &b->task->had);
}

/* Adds a thread to its kind. A process may have 20,000 threads, so reads only names that a thread rule may match. */
static void add_thread(struct thread_kinds *kinds, const struct task *task)
{
	const struct explain_source *source = kinds->source;
	const struct rule *app = app_of(source, task);
	struct thread_kind *kind = &kinds->items[kinds->count], *other = kinds->items;
	char comm[TASK_COMM_LEN] = "";

	if ((app && app->n_threads && comm_of(source, task->tid, comm) < 0) ||
	    look_at_thread(source, task, comm, kind) < 0)
		return;
	while (other != kind && !agree(kind, other))
		other++;
	if (other != kind) {
		if (other->count < TIDS_MAX)
			other->tids[other->count] = task->tid;
		other->count++;
	} else if (kinds->count == KINDS_MAX) {
		kinds->more++;
	} else if (comm_of(source, task->tid, kind->comm) == 0) {
		kinds->count++;
	}
}

int explain_put_threads(struct json_writer *json, const struct explain_source *source, const struct task *leader,
			const struct task *only)
{
	/* One extra item, in which the next thread is compared. */
	_cleanup_free_ struct thread_kind *items = calloc(KINDS_MAX + 1, sizeof(*items));
	struct thread_kinds kinds = { .source = source, .items = items };

	if (!items)
		return -ENOMEM;
	for (const struct task *task = leader; task; task = tasks_next_thread(plan_tasks(source->plan), task)) {
		if (!only || task == only)
			add_thread(&kinds, task);
	}
	json_begin(json, "threads", '[');
	for (size_t i = 0; i < kinds.count; i++)
		put_kind(json, source, &items[i]);
	json_end(json, ']');
	json_put_count(json, "other_threads", kinds.more);
	return kinds.count ? 0 : -ESRCH;
}
