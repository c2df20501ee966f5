/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Implements accounting.h. Records of ended tasks do not wake us. We take some of them whenever forks and execs have
 * woken us anyway, and all before each look at living tasks. That is often enough, because no more tasks can end than
 * are born.
 */
#include "accounting.h"

#include <errno.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>

/* Room for about 10,000 records: half a second of a fork storm. */
#define BUFFER_BYTES (16 * 1024 * 1024)

/* Maximum number of batches per wake-up, which take us a millisecond; and minimum time between two such wake-ups. */
#define RECORDS_BATCH 64
#define BATCHES_MAX   16
#define EVERY_MS      100

/*
 * Handle events after looking at this many tasks, so that no task has to wait for its class until all have been looked
 * at.
 */
#define HANDLE_EVERY 256

#define KTHREADD 2

/* ---- which row a task is in ---- */

/*
 * Finds the rule of a program that has ended before it was decided about. Uses the name that exec gave it, which is
 * that of the executable or script, cut to 15 bytes. Other facts are gone, so a rule that needs them does not match.
 */
static void match_ended(const struct accounting *accounting, const struct task *leader, const struct task_use *use,
			struct sums_key *key)
{
	const struct config *config = plan_config(accounting->decider->plan);
	struct facts facts = {
		.have = FACT_EXE | FACT_ARGV | FACT_COMM | FACT_UID,
		.exe = use->comm,
		.argv = "",
		.uid = use->uid,
	};
	const struct rule *rule;
	int error;

	memcpy(facts.comm, use->comm, sizeof(facts.comm));
	rule = strchr(use->comm, '/') ? NULL : rules_match(config->rules, &facts, &error);
	if (!rule)
		rule = rules_by_id(config->rules, leader->inherit);
	key->rule = rule ? rule->id : 0;
	if (rule)
		key->tag = rule->tag;
	else
		key->tag = config->settings.default_mode == DEFAULT_NONE ? TAG_NONE : TAG_DEFAULT;
}

static void name_program(const struct accounting *accounting, const struct task_use *use, struct sums_key *key)
{
	struct sums *sums = accounting->sums;
	const char *name = use->tid == use->tgid ? use->comm : sums_program(sums, use->tgid);
	char comm[TASK_COMM_LEN];

	key->of = USE_OF_PROGRAM;
	if (!name) {
		name = procfs_comm(accounting->decider->proc, use->tgid, comm) == 0 ? comm : use->comm;
		sums_name_program(sums, use->tgid, name, clock_ns(CLOCK_MONOTONIC) / 1000);
	}
	/* The rest stays zero, because all bytes are part of the key. */
	memcpy(key->program, name, strnlen(name, sizeof(key->program) - 1));
}

static struct sums_key row_key(const struct accounting *accounting, const struct task_use *use, bool ends)
{
	const struct tasks *tasks = plan_tasks(accounting->decider->plan);
	const struct task *task = tasks_find(tasks, use->tid), *leader = tasks_leader(tasks, use->tgid);
	struct sums_key key;

	memset(&key, 0, sizeof(key));
	key.tag = TAG_NONE;
	if (task && task->tgid == use->tgid) {
		if (ends && task->due == DUE_EXEC && leader && task->own.by != REASON_OVERRIDE) {
			match_ended(accounting, leader, use, &key);
		} else {
			key.tag = task->state == TASK_TAGGED ? task->tag : TAG_NONE;
			key.rule = task->own.rule;
		}
		key.visibility = leader ? leader->shown : SHOWN_VISIBLE;
	}
	if (use->ppid == KTHREADD || use->tid == KTHREADD)
		key.of = USE_OF_KERNEL;
	else if (!key.rule)
		name_program(accounting, use, &key);
	return key;
}

static struct use_row *row_of(const struct accounting *accounting, const struct task_use *use, bool ends)
{
	const struct config *config = plan_config(accounting->decider->plan);
	const struct sums_key key = row_key(accounting, use, ends);
	const struct qos_class *class = class_of_tag(config, key.tag);
	const struct rule *rule = rules_by_id(config->rules, key.rule);

	struct use_row *row =
		sums_row_for(accounting->sums, &key, class ? class->name : NULL, rule ? rule->pattern : NULL);

	row->rule_is_private = rule && config_is_private(config, &rule->source);
	return row;
}

/* ---- tasks that live ---- */

struct sampling {
	struct accounting *accounting;
	pid_t tids[TASKSTATS_ASK_MAX];
	size_t n;
	size_t since_handled;
};

static void take_living(struct accounting *accounting, const struct task_use *use)
{
	accounting->has_delays |= use->has_delays;
	accounting->has_longest |= use->has_longest;
	sums_add_living(accounting->sums, row_of(accounting, use, false), use, clock_ns(CLOCK_MONOTONIC) / 1000);
}

/* Reads a task from /proc, for kernels without taskstats. Its times are the scheduler's. */
static void read_task(struct accounting *accounting, pid_t tid)
{
	const struct task *task = tasks_find(plan_tasks(accounting->decider->plan), tid);
	struct procfs_schedstat times;
	struct procfs_stat stat;
	struct task_use use = { .tid = tid, .tgid = task ? task->tgid : tid, .has_delays = true };

	if (procfs_schedstat(accounting->decider->proc, tid, &times) < 0 ||
	    procfs_thread_stat(accounting->decider->proc, use.tgid, tid, &stat) < 0)
		return;
	use.ppid = stat.ppid;
	memcpy(use.comm, stat.comm, sizeof(use.comm) - 1);
	use.cpu_ns = use.run_ns = times.run_ns;
	use.delay_ns = times.delay_ns;
	use.waits = times.waits;
	use.age_us = (clock_ns(CLOCK_BOOTTIME) - stat.start * clock_tick_ns()) / 1000;
	take_living(accounting, &use);
}

/* Asks about the collected tasks, and counts them. */
static void flush(struct sampling *sampling)
{
	struct accounting *accounting = sampling->accounting;
	struct task_use uses[TASKSTATS_ASK_MAX];
	int n = -ENOENT;

	if (!accounting->error)
		n = taskstats_ask(accounting->stats, sampling->tids, sampling->n, uses);
	if (n < 0 && !accounting->error)
		accounting->error = n;
	for (int i = 0; i < n; i++)
		take_living(sampling->accounting, &uses[i]);
	for (size_t i = 0; n < 0 && i < sampling->n; i++)
		read_task(sampling->accounting, sampling->tids[i]);
	sampling->since_handled += sampling->n;
	sampling->n = 0;
	if (sampling->since_handled >= HANDLE_EVERY) {
		decider_handle(sampling->accounting->decider);
		sampling->since_handled = 0;
	}
}

static void sample_task(struct sampling *sampling, pid_t tid)
{
	sampling->tids[sampling->n++] = tid;
	if (sampling->n == TASKSTATS_ASK_MAX)
		flush(sampling);
}

/* Looks at kernel threads and other tasks that the plan never touches and has no record of. */
static void sample_others(struct sampling *sampling)
{
	_cleanup_closedir_ DIR *list = NULL;
	struct accounting *accounting = sampling->accounting;
	pid_t pid;

	if (procfs_list(accounting->decider->proc, 0, &list) < 0)
		return;
	while ((pid = procfs_next(list))) {
		if (!tasks_find(plan_tasks(accounting->decider->plan), pid))
			sample_task(sampling, pid);
	}
}

static void sample_all(struct accounting *accounting)
{
	struct sampling sampling = { .accounting = accounting };
	const struct task *task;
	uint32_t cursor = 0;

	sums_begin_round(accounting->sums);
	while ((task = tasks_next(plan_tasks(accounting->decider->plan), &cursor)))
		sample_task(&sampling, task->tid);
	sample_others(&sampling);
	flush(&sampling);
	procfs_busy(accounting->decider->proc, &accounting->busy_ns);
	accounting->at_ns = clock_ns(CLOCK_MONOTONIC);
	sums_end_round(accounting->sums, accounting->busy_ns);
	later_wake(accounting->decider->later);
}

/* ---- tasks that have ended ---- */

static void note_lost_records(struct accounting *accounting)
{
	accounting->lost++;
	sums_note_loss(accounting->sums);
	problem_report(&accounting->decider->tally->problems[PROBLEM_ENDS],
		       "the kernel dropped records of ended tasks: their use counts for no class");
}

static void take_ended(struct accounting *accounting, const struct task_use *records, int n)
{
	const uint64_t now_us = clock_ns(CLOCK_MONOTONIC) / 1000;

	for (int i = 0; i < n; i++)
		sums_add_ended(accounting->sums, row_of(accounting, &records[i], true), &records[i], now_us);
	accounting->ended += (uint64_t)n;
}

/* Takes up to max batches of records. Returns whether the queue is now empty. */
static bool receive_ended(struct accounting *accounting, unsigned max)
{
	struct task_use records[RECORDS_BATCH];
	bool is_drained = false;
	int n;

	for (unsigned i = 0; i < max && !is_drained; i++) {
		n = taskstats_receive(accounting->stats, records, RECORDS_BATCH, &is_drained);
		/* Handle events first: a task's fork and exec were queued before its end. */
		if (n > 0) {
			decider_book(accounting->decider);
			take_ended(accounting, records, n);
		} else if (n == -ENOBUFS) {
			note_lost_records(accounting);
			is_drained = false;
		} else if (n < 0) {
			accounting->error = n;
			is_drained = true;
		}
	}
	return is_drained;
}

void accounting_receive(struct accounting *accounting)
{
	if (accounting->stats)
		receive_ended(accounting, BUFFER_BYTES / 1024 / RECORDS_BATCH);
}

/* Takes records if it is time to. Returns whether to call it again soon. */
static bool follow(struct accounting *accounting)
{
	const uint32_t now_ms = clock_ms();

	if (!accounting->stats || now_ms - accounting->received_ms < EVERY_MS)
		return false;
	if (!receive_ended(accounting, BATCHES_MAX))
		return true;
	accounting->received_ms = now_ms;
	if (sums_is_crowded(accounting->sums))
		sample_all(accounting);
	return false;
}

void accounting_follow(struct accounting *accounting)
{
	if (follow(accounting))
		later_wake(accounting->decider->later);
}

/* ---- when ---- */

static void begin_accounting(struct accounting *accounting)
{
	accounting->error = taskstats_open(&accounting->stats, BUFFER_BYTES);
	if (accounting->error < 0)
		log_notice("ends of tasks are not reported (%s): the use of ended tasks is missing",
			   accounting->error == -ENOENT ? "no CONFIG_TASKSTATS" : strerror(-accounting->error));
	accounting->is_on = true;
	sums_begin(accounting->sums, clock_ns(CLOCK_MONOTONIC) / 1000);
	sample_all(accounting);
}

static void end_accounting(struct accounting *accounting)
{
	accounting->is_on = false;
	taskstats_close(accounting->stats);
	accounting->stats = NULL;
}

/* Turns accounting on or off, as the readers and the configuration require. Returns 0 or -ENOMEM. */
static int update(struct accounting *accounting)
{
	const struct settings *settings = &plan_config(accounting->decider->plan)->settings;
	const bool is_wanted = accounting->readers || (settings->accounting && accounting->is_begun);

	if (is_wanted && !accounting->sums)
		accounting->sums = sums_new();
	if (is_wanted && !accounting->sums)
		return -ENOMEM;
	if (is_wanted && !accounting->is_on)
		begin_accounting(accounting);
	else if (!is_wanted && accounting->is_on)
		end_accounting(accounting);
	return 0;
}

void accounting_init(struct accounting *accounting, struct decider *decider)
{
	accounting->decider = decider;
}

void accounting_begin(struct accounting *accounting)
{
	accounting->is_begun = true;
	update(accounting);
}

void accounting_follow_config(struct accounting *accounting)
{
	if (accounting->sums)
		sums_forget_keys(accounting->sums);
	update(accounting);
}

int accounting_set_reader(struct accounting *accounting, unsigned reader, bool begins)
{
	const unsigned bit = 1U << reader;

	accounting->readers = begins ? accounting->readers | bit : accounting->readers & ~bit;
	return update(accounting);
}

void accounting_sample(struct accounting *accounting)
{
	if (!accounting->is_on)
		return;
	decider_handle(accounting->decider);
	accounting_receive(accounting);
	sample_all(accounting);
}

void accounting_free(struct accounting *accounting)
{
	end_accounting(accounting);
	sums_free(accounting->sums);
	accounting->sums = NULL;
}

struct use_state accounting_state(const struct accounting *accounting)
{
	return (struct use_state){
		.is_on = accounting->is_on,
		.taskstats = accounting->error,
		.has_delays = accounting->has_delays,
		.has_longest = accounting->has_longest,
		.ended = accounting->ended,
		.lost = accounting->lost,
		.busy_ns = accounting->busy_ns,
		.at_ns = accounting->at_ns,
	};
}
