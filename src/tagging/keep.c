/* SPDX-License-Identifier: GPL-2.0-only */
#include "tagger_private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>

/* A plan with the records of a killed daemon, and the state in which they are kept. 0 or -ENOMEM. */
static int make_plan(struct tagger *tagger, const struct state_legacy *legacy, struct plan **ret_plan,
		     struct state **ret_state)
{
	const uint64_t start = legacy->n_records ? legacy->start : tagger->keep.start;
	struct tasks_memory memory;
	struct state *state;
	struct plan *plan;
	int r = state_new(tagger->keep.folder, start, legacy->n_records > 0, &state);

	if (r < 0)
		return r;
	memory = state_memory(state);
	plan = plan_new(&tagger->applier.caps, getpid(), start, &memory);
	r = plan ? plan_adopt(plan, legacy->records, legacy->n_records, legacy->tags, legacy->n_tags, false) : -ENOMEM;
	if (r == 0)
		r = plan_set_config(plan, tagger->config);
	if (r < 0) {
		plan_free(plan);
		state_free(state);
		return r;
	}
	applier_follow(&tagger->applier, plan_given(plan));
	*ret_plan = plan;
	*ret_state = state;
	return 0;
}

/* Reads the file of a killed daemon. 0, or -errno if there is one that can neither be read nor set aside. */
static int read_legacy(struct tagger *tagger, struct state_legacy *legacy)
{
	int fault = state_read(tagger->keep.folder, STATE_TASKS, legacy), r;

	if (!state_file_is_void(fault))
		return fault;
	r = state_file_set_aside(tagger->keep.folder, STATE_TASKS);
	if (r >= 0)
		state_file_log_set_aside("the state file", STATE_TASKS, fault, r);
	return r < 0 ? r : 0;
}

int keep_error(const struct tagger *tagger)
{
	return tagger->state ? state_error(tagger->state) : -EAGAIN;
}

void keep_check(struct tagger *tagger)
{
	struct keep *keep = &tagger->keep;
	const int error = keep_error(tagger);

	if (error == keep->logged)
		return;
	keep->logged = error;
	problem_report(&tagger->problems[PROBLEM_STATE],
		       "the state file cannot hold all %s: %s: until a restart a crash could not be repaired for all tasks",
		       error == -E2BIG ? "classes" : "tasks", strerror(-error));
}

void keep_now(struct tagger *tagger)
{
	state_keep(tagger->state, plan_given(tagger->plan));
	keep_check(tagger);
}

int keep_init(struct tagger *tagger)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };
	struct keep *keep = &tagger->keep;
	int r;

	keep->folder = state_folder_open();
	keep->start = clock_ticks();
	r = keep->folder < 0 ? 0 : read_legacy(tagger, &legacy);
	if (r < 0) {
		log_error(STATE_FOLDER "/" STATE_TASKS
			  " cannot be read: %s: it says what tasks had before an earlier daemon, so it stays, and none is "
			  "started until it can be read, or has been removed",
			  strerror(-r));
		return r;
	}
	if (!legacy.n_records) {
		restore_stopped(keep->folder, &(bool){ false });
		state_remove(keep->folder, true);
	}
	if (legacy.n_changed)
		log_notice("an earlier daemon ended without putting back %zu tasks: taking over", legacy.n_changed);
	r = make_plan(tagger, &legacy, &tagger->plan, &tagger->state);
	if (r == 0)
		keep_now(tagger);
	return r;
}

void keep_free(struct tagger *tagger)
{
	struct keep *keep = &tagger->keep;

	state_free(tagger->state);
	if (tagger->undone)
		state_stopped(keep->folder);
	if (keep->folder >= 0)
		close(keep->folder);
}
