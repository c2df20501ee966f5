/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Has the plan decide the tasks that are due, sets their attributes and reads them back, counts and logs the results.
 */
#include "tagger_private.h"

#include <errno.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

/* An id is not reused in less time than this. */
#define REUSE_MIN_MS 10

/* Names a tag for people: its class. */
static const char *tag_name(const struct config *config, uint16_t tag)
{
	size_t count;
	const struct tag *tags = rules_tags(config->rules, &count);

	return tag < count ? config->classes[tags[tag].qos_class].name : "back";
}

static void log_tag(const struct tagger *tagger, const struct plan_action *action)
{
	char comm[TASK_COMM_LEN] = "", name[TASK_COMM_LEN * 4], attr[TASK_ATTR_TEXT_MAX];

	/* Of what the first scan changes, and of the stop, only the number is told. */
	if (!log_enabled(LOG_DEBUG) || !tagger->started || action->reason == REASON_UNDONE)
		return;
	procfs_comm(tagger->proc, action->tid, comm);
	text_escape_to(name, sizeof(name), comm, strlen(comm));
	log_debug("%d %s: %s (%s): %s", (int)action->tid, name, tag_name(tagger->config, action->tag),
		  reason_name(action->reason), task_attr_text(&action->want, attr));
}

static void report_refusal(struct tagger *tagger, const struct plan_action *action, int error)
{
	char attr[TASK_ATTR_TEXT_MAX];
	int number = -error;

	tagger->counters.refused[number < TAGGER_ERRNO_MAX ? number : TAGGER_ERRNO_MAX]++;
	problem_report(&tagger->problems[PROBLEM_REFUSED], "the kernel refuses %s for task %d: %s",
		       task_attr_text(&action->want, attr), (int)action->tid, strerror(number));
}

static void report_not_kept(struct tagger *tagger, const struct plan_action *action, const struct task_attr *now)
{
	char want[TASK_ATTR_TEXT_MAX], got[TASK_ATTR_TEXT_MAX];

	tagger->counters.not_kept++;
	problem_report(&tagger->problems[PROBLEM_NOT_KEPT], "the kernel accepted %s for task %d but keeps %s",
		       task_attr_text(&action->want, want), (int)action->tid, task_attr_text(now, got));
}

/*
 * Whether the id has been reused since we began to read the task. Two CPUs take 0.5 s to go through the 32,768 ids of
 * the default pid_max (6.18), so this need only be checked if something has delayed us.
 */
static bool is_another(const struct tagger *tagger, const struct plan_action *action)
{
	struct procfs_stat stat;
	int r;

	if (clock_ms() - tagger->facts->began_ms <= REUSE_MIN_MS)
		return false;
	r = procfs_stat(tagger->proc, action->tid, &stat);
	return r == 0 && plan_tid_is_reused(tagger->plan, action->tid, stat.start);
}

void decide_carry_out(struct tagger *tagger, const struct plan_action *action)
{
	struct task_attr now = task_attr_pristine;
	enum plan_result result;
	int r;

	if (tagger->is_rehearsal) {
		plan_applied(tagger->plan, action, 0, &action->want, clock_ms());
		return;
	}
	r = is_another(tagger, action) ? -ESRCH : applier_apply(&tagger->applier, action, &now);
	result = plan_applied(tagger->plan, action, r, &now, clock_ms());
	switch (result) {
	case PLAN_KEPT:
		tagger->counters.set++;
		log_tag(tagger, action);
		break;
	case PLAN_CHANGED:
	case PLAN_GONE:
		tagger->counters.races++;
		break;
	case PLAN_NOT_KEPT:
		report_not_kept(tagger, action, &now);
		break;
	case PLAN_REFUSED:
		report_refusal(tagger, action, r);
		break;
	}
	if (action->is_put_back && (result == PLAN_KEPT || result == PLAN_CHANGED))
		changes_put_back(tagger, action);
}

/* Whether its cgroup is read too early: of a process that is new or has called exec, where no move of it is heard. */
static bool is_to_be_polled(const struct tagger *tagger, const struct plan_due *due)
{
	const struct task *task;

	if (tagger->moves.how != MOVES_POLLED || due->tid != due->tgid)
		return false;
	task = tasks_find(plan_tasks(tagger->plan), due->tid);
	return !task || task->due == DUE_EXEC || task->assigned_by == ASSIGNED_NOT_YET;
}

uint32_t decide_one(struct tagger *tagger, const struct plan_due *due)
{
	struct facts *facts = live_facts_for(tagger->facts, due->tid, due->tgid);
	const bool is_polled = is_to_be_polled(tagger, due);
	struct plan_action action;
	uint32_t number;

	if (plan_decide(tagger->plan, due, facts, &action))
		decide_carry_out(tagger, &action);
	if (facts->exe_is_unknown || facts->cgroup_is_unknown)
		problem_report(&tagger->problems[PROBLEM_PATH],
			       "the path of a program or a cgroup is over 4,095 bytes: it matches nothing");
	number = live_facts_awaited(tagger->facts);
	if (!number && is_polled && (facts->have & FACT_CGROUP))
		moves_look_again(tagger, due->tgid, facts->fetched_ms);
	return number;
}
