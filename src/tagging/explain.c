/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers explain: puts the records and facts about a process or a program's name into JSON. */
#include "explain.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

/* An id that no task has. */
#define MADE_UP_TID INT_MAX

DEFINE_CLEANUP(struct plan, plan_free)

static void begin_answer(struct json_writer *json, const char *kind, bool is_rehearsal)
{
	json_begin(json, NULL, '{');
	json_put_text(json, "kind", kind);
	json_put_bool(json, "daemon", !is_rehearsal);
}

static int finish_answer(struct json_writer *json, int error, char **ret)
{
	char *text;

	json_end(json, '}');
	text = json_take(json);
	if (error < 0) {
		free(text);
		return error;
	}
	*ret = text;
	return text ? 0 : -ENOMEM;
}

/* ---- a task ---- */

/* Puts the unit's class and its place; nothing if unit is NULL. */
static void put_unit(struct json_writer *json, const struct unit *unit)
{
	if (!unit)
		return;
	json_begin(json, "unit", '{');
	json_put_escaped(json, "name", path_base(unit->is.cgroup));
	json_put_escaped(json, "qos", unit->is.qos);
	json_put_escaped(json, "place", unit->is.place);
	json_end(json, '}');
}

static void put_cgroup(struct json_writer *json, const struct explain_source *source, const struct task *leader,
		       struct facts *facts)
{
	const struct qos_class *max;

	if (facts_need(facts, FACT_CGROUP) < 0)
		return;
	json_put_escaped(json, "cgroup", facts->cgroup);
	explain_put_groups(json, source, facts->cgroup);
	if (facts_need(facts, FACT_OWNER) == 0)
		put_unit(json, units_find(plan_units(source->plan), facts->cgroup, facts->owner));
	max = overrides_max(plan_overrides(source->plan), leader, facts, plan_is_hidden(source->plan, leader));
	json_put_text(json, "limit", max ? max->name : NULL);
	max = overrides_max(plan_overrides(source->plan), leader, facts, false);
	json_put_text(json, "requested_limit", max ? max->name : NULL);
}

/* Puts the app's visibility and its effect. */
static void put_shown(struct json_writer *json, const struct explain_source *source, const struct task *leader)
{
	static const char *const names[] = { [SHOWN_HIDDEN] = "hidden", [SHOWN_FOCUSED] = "focused" };

	if (leader->shown == SHOWN_VISIBLE)
		return;
	json_put_text(json, "shown", names[leader->shown]);
	json_put_bool(json, "keeps", leader->shown == SHOWN_HIDDEN && !plan_is_hidden(source->plan, leader));
}

/* Puts what makes the class of this process weaker, if anything does. doctor reports what weakens all classes. */
static void put_weaker(struct json_writer *json, int proc, pid_t tgid)
{
	const struct cpu_hierarchies where = cpu_hierarchies_find(AT_FDCWD);
	struct cpu_group group;
	char name[64];
	const bool is_replaced = host_sched_ext(AT_FDCWD, name, sizeof(name));

	if (!is_replaced && (cpu_group_of(&where, proc, tgid, &group) < 0 || !group.path[0]))
		return;
	json_begin(json, "weaker", '[');
	json_begin(json, NULL, '{');
	json_put_text(json, "what", is_replaced ? "sched-ext" : "cpu-cgroup");
	if (is_replaced) {
		json_put_escaped(json, "name", name);
	} else {
		json_put_escaped(json, "path", group.path);
		json_put_escaped(json, "weight", group.weight);
	}
	json_end(json, '}');
	json_end(json, ']');
}

/* Puts everything except the threads, which use the same memory for their facts. */
static void put_process(struct json_writer *json, const struct explain_source *source, const struct task *leader)
{
	const struct config *config = plan_config(source->plan);
	struct facts *facts = explain_facts(source, leader);

	if (facts_need(facts, FACT_UID) == 0 && facts->uid != (uid_t)-1)
		json_put_count(json, "uid", facts->uid);
	put_cgroup(json, source, leader, facts);
	put_shown(json, source, leader);
	explain_put_rule(json, "process_rule", source, rules_by_id(config->rules, leader->rule), NULL);
	explain_put_matching(json, source, facts, rules_by_id(config->rules, leader->rule));
	if (!source->made_up)
		put_weaker(json, source->proc, leader->tgid);
}

static int put_known(struct json_writer *json, const struct explain_source *source, const struct task *task)
{
	const struct task *leader = tasks_find(plan_tasks(source->plan), task->tgid);
	char comm[TASK_COMM_LEN];
	int r;

	begin_answer(json, source->made_up ? "made-up" : "process", source->is_rehearsal);
	if (source->made_up) {
		json_put_escaped(json, "name", source->made_up->argv);
	} else {
		json_put_number(json, "pid", task->tgid);
		if (procfs_comm(source->proc, task->tgid, comm) == 0)
			json_put_escaped(json, "name", comm);
	}
	if (!leader)
		leader = task;
	r = explain_put_threads(json, source, leader, task == leader ? NULL : task);
	if (r == 0)
		put_process(json, source, leader);
	return r;
}

/* Puts a task of which the plan has no record. */
static void put_unknown(struct json_writer *json, const struct explain_source *source, pid_t tid,
			const struct procfs_stat *stat)
{
	const char *kind = "unknown";
	struct procfs_stat own;
	char exe[PATH_MAX];

	if (stat->flags & PROCFS_PF_KTHREAD)
		kind = "kernel-thread";
	else if (procfs_thread_stat(source->proc, getpid(), tid, &own) == 0)
		kind = "daemon";
	else if (stat->state == 'Z' || stat->state == 'X')
		kind = "ended";
	else if (procfs_exe(source->proc, tid, exe, sizeof(exe)) <= 0)
		kind = "unreadable";
	begin_answer(json, kind, source->is_rehearsal);
	json_put_number(json, "pid", tid);
	json_put_escaped(json, "name", stat->comm);
}

int explain_task(const struct explain_source *source, pid_t tid, char **ret)
{
	const struct task *task = tasks_find(plan_tasks(source->plan), tid);
	struct json_writer json = { 0 };
	struct procfs_stat stat;
	int r = procfs_stat(source->proc, tid, &stat);

	if (r < 0)
		return r;
	live_facts_be_patient(source->live, true);
	/* A zombie that still has threads is a leader that has ended before them. */
	if (task && task_is_same_start(task->start, (uint32_t)stat.start) &&
	    (stat.state != 'Z' || tasks_next_thread(plan_tasks(source->plan), task)))
		r = put_known(&json, source, task);
	else
		put_unknown(&json, source, tid, &stat);
	live_facts_be_patient(source->live, false);
	return finish_answer(&json, r, ret);
}

/* ---- a program that need not run ---- */

/* Fetches a fact of the made-up process: it was started by root, in the plain way, without arguments. */
static int fill_in(struct facts *facts, enum fact fact)
{
	facts->have |= fact;
	return 0;
}

/* Decides about the made-up process as the only task. Returns its record, or NULL if out of memory. */
static const struct task *decide(struct plan *plan, struct facts *facts)
{
	const struct plan_found found = { .tid = facts->tid, .tgid = facts->tgid };
	struct plan_action action;
	struct plan_mark mark;

	plan_book_found(plan, &found, facts);
	if (!plan_next(plan, &mark))
		return NULL;
	if (plan_decide(plan, &mark, facts, &action) == PLAN_SET)
		plan_applied(plan, &action, 0, &action.want);
	return tasks_find(plan_tasks(plan), facts->tid);
}

int explain_name(const struct config *config, const struct attr_caps *caps, const char *name, char **ret)
{
	_cleanup_(plan_freep) struct plan *plan = plan_new(caps, -1, UINT64_MAX, NULL);
	struct facts facts = {
		.fetch = fill_in,
		.tid = MADE_UP_TID,
		.tgid = MADE_UP_TID,
		.attr = task_attr_pristine,
		.exe = *name == '/' ? name : path_base(name),
		.cgroup = "/",
		.argv = name,
		.argv_size = strlen(name) + 1,
		.initial_userns = true,
		.at_seat = true,
	};
	const struct explain_source source = { .plan = plan, .caps = caps, .is_rehearsal = true, .made_up = &facts };
	struct json_writer json = { 0 };
	const struct task *task;
	int r;

	if (!plan)
		return -ENOMEM;
	if (!*path_base(name))
		return -EINVAL;
	/* exec names a task after the file that it runs. */
	strncpy(facts.comm, path_base(name), sizeof(facts.comm) - 1);
	r = plan_set_config(plan, config);
	if (r < 0)
		return r;
	task = decide(plan, &facts);
	return task ? finish_answer(&json, put_known(&json, &source, task), ret) : -ENOMEM;
}
