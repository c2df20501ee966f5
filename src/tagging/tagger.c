/* SPDX-License-Identifier: GPL-2.0-only */
/* Implements the tagger's public functions: start, stop, queries. */
#include "parts.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>

#include "explain.h"

/* Probes the kernel, and gives us a high priority. Logs what the kernel lacks: it is left out of every call. */
static int prepare_applier(struct applier *applier)
{
	struct task_attr own;
	int r = applier_open(applier);

	if (r < 0) {
		log_error("cannot set scheduling attributes: %s", strerror(-r));
		return r;
	}
	/* We could lower tasks' priorities, but not raise them back. */
	if (applier_read(applier, 0, &own) == 0 && own.nice >= 0) {
		log_error("not allowed to raise priorities: run it as root (it needs CAP_SYS_NICE)");
		return -EPERM;
	}
	if (!applier->caps.slice)
		log_notice("this kernel has no custom slices (Linux 6.12 brings them): "
			   "sched_runtime of fair classes is left out");
	if (!applier->caps.util_clamp)
		log_notice("this kernel has no util clamp (CONFIG_UCLAMP_TASK): sched_util_min "
			   "and sched_util_max are left out");
	return 0;
}

/*
 * Reports that we may not see other users' programs. A security module may hide some in spite of the capability, which
 * is no problem.
 */
static void check_ptrace_capability(struct tagger *tagger)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data) == 0 && !(data[0].effective & CAP_TO_MASK(CAP_SYS_PTRACE)))
		problem_report(
			&tagger->tally.problems[PROBLEM_SIGHT],
			"programs are left alone, because their executables cannot be read: this needs CAP_SYS_PTRACE");
}

/* Explains to users why the kernel sends no events, and what to do. */
static const char *connector_fault(int error)
{
	if (error == EPERM || error == EACCES)
		return "not allowed: run it as root (it needs CAP_NET_ADMIN)";
	if (error == ECONNREFUSED)
		return "the kernel does not answer: this is not the initial network namespace (a container?)";
	if (error == EPROTONOSUPPORT)
		return "this kernel has none (CONFIG_CONNECTOR, CONFIG_PROC_EVENTS)";
	if (error == ENODATA)
		return "the kernel sends no events: it lacks CONFIG_PROC_EVENTS";
	return strerror(error);
}

static int listen_to_events(struct tagger *tagger)
{
	int r = loop_init(tagger);

	if (r < 0) {
		log_error("cannot make the event loop: %s", strerror(-r));
		return r;
	}
	r = loop_listen(tagger);
	if (r < 0)
		log_error("cannot listen to the proc connector: %s", connector_fault(-r));
	return r;
}

int tagger_new(sd_event *event, const struct config *config, int proc, struct tagger **ret)
{
	struct tagger *tagger = calloc(1, sizeof(*tagger));
	int r;

	if (!tagger) {
		log_error("cannot make the tagger: %s", strerror(ENOMEM));
		return -ENOMEM;
	}
	tagger->event = event;
	tagger->proc = proc;
	tagger->folder = tagger->epoll = -1;
	check_ptrace_capability(tagger);
	r = prepare_applier(&tagger->decider.applier);
	if (r == 0) {
		/* After prepare_applier, which sets our nice value: the helper inherits it. */
		decider_init(&tagger->decider, proc, &tagger->later, &tagger->tally);
		arguments_start_helper(&tagger->decider.arguments);
		accounting_init(&tagger->accounting, &tagger->decider);
		r = listen_to_events(tagger);
	}
	if (r == 0)
		r = keep_init(tagger, config);
	if (r < 0)
		tagger_free(tagger);
	else
		*ret = tagger;
	return r;
}

void tagger_free(struct tagger *tagger)
{
	if (!tagger)
		return;
	if (!tagger->event) {
		offline_free(tagger);
		return;
	}
	if (tagger->intake)
		heard_close(&tagger->heard);
	accounting_free(&tagger->accounting);
	loop_free(tagger);
	decider_free(&tagger->decider);
	keep_free(tagger);
	free(tagger);
}

void tagger_start(struct tagger *tagger)
{
	heard_update(&tagger->heard);
	scan_all(tagger);
	tagger->decider.logs_each = true;
	accounting_begin(&tagger->accounting);
}

int tagger_set_config(struct tagger *tagger, const struct config *config)
{
	int r = decider_set_config(&tagger->decider, config);

	if (r < 0)
		return r;
	heard_update(&tagger->heard);
	accounting_follow_config(&tagger->accounting);
	return 0;
}

void tagger_scan(struct tagger *tagger)
{
	scan_all(tagger);
}

/*
 * Makes tasks show the new base slice. A task that has not run since the change still shows the old one, which would
 * then look like a custom slice that somebody chose.
 */
void tagger_follow_base_slice(struct tagger *tagger)
{
	struct applier *applier = &tagger->decider.applier;
	uint32_t old = applier->caps.base_slice_ns, cursor = 0;
	struct task *task;

	if (!applier->caps.slice || applier_refresh_base(applier) < 0 || applier->caps.base_slice_ns == old)
		return;
	while ((task = tasks_next(plan_tasks(tagger->decider.plan), &cursor))) {
		if (task->known.slice_ns != old)
			applier_refresh_slice(applier, task->tid, old);
	}
}

/* Subscribes to tracepoints again, because the set of CPUs has changed, and scans for what was missed meanwhile. */
void tagger_follow_processors(struct tagger *tagger)
{
	if (heard_resubscribe(&tagger->heard))
		later_do(&tagger->later, LATER_SCAN, 0);
}

uint64_t tagger_undo(struct tagger *tagger)
{
	uint64_t count;
	int r;

	heard_close(&tagger->heard);
	accounting_free(&tagger->accounting);
	scan_shortage(tagger);
	state_ending(tagger->state);
	count = undo_all(tagger);
	r = scan_shortage(tagger);
	if (r < 0)
		log_error("cannot put all tasks back: %s: 'schedqos restore' tries again", strerror(-r));
	tagger->undone = r == 0;
	return count;
}

/* ---- queries ---- */

const struct tagger_counters *tagger_counters(const struct tagger *tagger)
{
	return &tagger->tally.counters;
}

const struct problem *tagger_problems(const struct tagger *tagger, size_t *ret_count, size_t *ret_n_faults)
{
	*ret_count = TAGGER_PROBLEMS;
	*ret_n_faults = TAGGER_FAULTS;
	return tagger->tally.problems;
}

/* Returns whether the task should carry its class, even if the kernel refused some or all of it. */
static bool is_of_class(const struct task *task)
{
	return task->state == TASK_TAGGED || task->state == TASK_REFUSED || task->state == TASK_NOT_KEPT;
}

/* Collects the state of a task. Returns false if it has ended. */
static bool collect_task(const struct tagger *tagger, const struct task *task, struct tagger_task *ret)
{
	const struct task *leader = tasks_find(plan_tasks(tagger->decider.plan), task->tgid);
	struct plan_detail view = { 0 };
	struct facts *facts = live_facts_for(tagger->decider.facts, task->tid, task->tgid);
	int r = plan_detail(tagger->decider.plan, task, facts, &view);

	if (r < 0)
		view = (struct plan_detail){ .reason = task_reason(task), .actual = task->known };
	*ret = (struct tagger_task){
		.tid = task->tid,
		.tgid = task->tgid,
		.reason = view.reason,
		.tag = task->state == TASK_TAGGED ? task->tag : TAG_NONE,
		.is_limited = view.is_limited,
		.is_raised = task->state == TASK_TAGGED && view.is_raised,
		.differs = r >= 0 && is_of_class(task) &&
			   (attr_difference(&view.actual, &view.class) & ~view.withheld),
		.shown = leader ? leader->shown : SHOWN_VISIBLE,
		.rule = task->own.rule,
		.attr = view.actual,
	};
	return r != -ESRCH;
}

bool tagger_next_task(const struct tagger *tagger, uint32_t *cursor, struct tagger_task *ret)
{
	const struct task *task;

	while ((task = tasks_next(plan_tasks(tagger->decider.plan), cursor))) {
		if (collect_task(tagger, task, ret))
			return true;
	}
	return false;
}

bool tagger_find_task(const struct tagger *tagger, pid_t tid, struct tagger_task *ret)
{
	const struct task *task = tasks_find(plan_tasks(tagger->decider.plan), tid);

	return task && collect_task(tagger, task, ret);
}

int tagger_explain(const struct tagger *tagger, pid_t tid, bool is_for_user, char **ret)
{
	const struct explain_source source = {
		.plan = tagger->decider.plan,
		.live = tagger->decider.facts,
		.caps = &tagger->decider.applier.caps,
		.proc = tagger->proc,
		.is_for_user = is_for_user,
		.is_rehearsal = tagger->decider.sets_nothing,
	};

	return explain_task(&source, tid, ret);
}

int tagger_explain_name(const struct tagger *tagger, const char *name, char **ret)
{
	return explain_name(plan_config(tagger->decider.plan), &tagger->decider.applier.caps, name, ret);
}

size_t tagger_records(const struct tagger *tagger)
{
	return tasks_count(plan_tasks(tagger->decider.plan));
}

/* Counts living processes in the list, which may also contain ended ones. */
static uint64_t count_unread(const struct tagger *tagger)
{
	const struct retries *retries = &tagger->decider.arguments.retries;
	struct task_attr attr;
	uint64_t count = 0;

	for (size_t i = 0; i < retries->count; i++)
		count += applier_read(&tagger->decider.applier, retries->all[i].pid, &attr) != -ESRCH;
	return count;
}

struct tagger_status tagger_status(const struct tagger *tagger)
{
	return (struct tagger_status){
		.table_bytes = tasks_memory(plan_tasks(tagger->decider.plan)),
		.caps = tagger->decider.applier.caps,
		.moves = tagger->heard.moves.how,
		.changes = tagger->heard.changes.how,
		.unread = count_unread(tagger),
		.helper_cpu_ns = helper_cpu_ns(&tagger->decider.arguments.reader),
	};
}

/* ---- what tasks use ---- */

int tagger_set_use_reader(struct tagger *tagger, unsigned reader, bool begins)
{
	return accounting_set_reader(&tagger->accounting, reader, begins);
}

void tagger_look_at_use(struct tagger *tagger)
{
	accounting_sample(&tagger->accounting);
}

struct use_state tagger_use_state(const struct tagger *tagger)
{
	return accounting_state(&tagger->accounting);
}

const struct use_row *tagger_use_row(const struct tagger *tagger, size_t i)
{
	return tagger->accounting.sums ? sums_row_at(tagger->accounting.sums, i) : NULL;
}

const struct use_class *tagger_use_class(const struct tagger *tagger, size_t i)
{
	return tagger->accounting.sums ? sums_class_at(tagger->accounting.sums, i) : NULL;
}

void tagger_forget_longest(struct tagger *tagger, unsigned reader)
{
	if (tagger->accounting.sums)
		sums_forget_longest(tagger->accounting.sums, reader);
}
