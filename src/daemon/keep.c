/* SPDX-License-Identifier: GPL-2.0-only */
#include "keep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>
#include <schedqos/util/state_folder.h>

#include "daemon_private.h"

#define AGAIN_MIN_US 1000000ULL
#define AGAIN_MAX_US (64 * AGAIN_MIN_US)

/* A plan that knows what a killed daemon had set, and the place where its records are kept. 0 or -ENOMEM. */
static int make_plan(struct daemon *daemon, const struct state_legacy *legacy, struct plan **ret_plan,
		     struct state **ret_state)
{
	const uint64_t start = legacy->n_records ? legacy->start : daemon->keep.start;
	struct tasks_memory memory;
	struct state *state;
	struct plan *plan;
	int r = state_new(daemon->keep.folder, start, legacy->n_records > 0, &state);

	if (r < 0)
		return r;
	memory = state_memory(state);
	plan = plan_new(&daemon->applier.caps, getpid(), start, &memory);
	r = plan ? plan_adopt(plan, legacy->records, legacy->n_records, legacy->tags, legacy->n_tags) : -ENOMEM;
	if (r == 0)
		r = plan_set_config(plan, daemon->config);
	if (r < 0) {
		plan_free(plan);
		state_free(state);
		return r;
	}
	*ret_plan = plan;
	*ret_state = state;
	return 0;
}

/* What a killed daemon left. 0; or a -errno if there is something, and it can neither be read nor set aside. */
static int take_over(struct daemon *daemon, struct state_legacy *legacy)
{
	int fault = state_read(daemon->keep.folder, legacy), r;

	if (!state_file_is_void(fault))
		return fault;
	r = state_file_set_aside(daemon->keep.folder, STATE_TASKS);
	if (r >= 0)
		state_file_log_set_aside("the state file", STATE_TASKS, fault, r);
	return r < 0 ? r : 0;
}

int keep_error(const struct daemon *daemon)
{
	if (daemon->keep.unread)
		return daemon->keep.unread;
	return daemon->state ? state_error(daemon->state) : -EAGAIN;
}

static void wait_for_better_times(struct keep *keep, uint64_t us)
{
	keep->wait_us = us < AGAIN_MAX_US ? us : AGAIN_MAX_US;
	sd_event_source_set_time_relative(keep->timer, keep->wait_us);
	sd_event_source_set_enabled(keep->timer, SD_EVENT_ONESHOT);
}

/* Each time anew: in between it was well. */
static void tell_error(struct daemon *daemon, int error)
{
	struct problem *problem = &daemon->problems[PROBLEM_STATE];
	char text[sizeof(problem->text)];

	if (daemon->keep.unread)
		snprintf(text, sizeof(text),
			 "the state file of an earlier daemon cannot be read: %s: it stays; "
			 "until then a crash could not be repaired",
			 strerror(-error));
	else if (error == -E2BIG)
		snprintf(text, sizeof(text),
			 "more different classes and periods than the state file has room for: "
			 "a crash could not be repaired for all tasks");
	else
		snprintf(text, sizeof(text),
			 "the state file cannot hold all tasks: %s: a crash could not be repaired for all tasks",
			 strerror(-error));
	if (problem->count)
		log_warning("%s", text);
	problem_report(problem, "%s", text);
}

void keep_check(struct daemon *daemon)
{
	struct keep *keep = &daemon->keep;
	int error = keep_error(daemon);

	if (!error == !keep->told && (error == -E2BIG) == (keep->told == -E2BIG))
		return;
	keep->told = error;
	if (!error) {
		log_notice("all that is to be put back is kept in " STATE_FOLDER "/" STATE_TASKS " again");
		return;
	}
	tell_error(daemon, error);
	/* There will be no more room for tags. */
	if (error != -E2BIG)
		wait_for_better_times(keep, AGAIN_MIN_US);
}

void keep_now(struct daemon *daemon)
{
	if (!daemon->keep.unread)
		state_keep(daemon->state, plan_given(daemon->plan));
	keep_check(daemon);
}

/*
 * What the earlier daemon set was there when we began, and we took it for what tasks had before us. Undone, all is as
 * that daemon left it, as for a daemon that starts now.
 */
static int begin_anew(struct daemon *daemon, const struct state_legacy *legacy)
{
	struct plan *plan;
	struct state *state;
	int r = make_plan(daemon, legacy, &plan, &state);

	if (r < 0)
		return r;
	log_notice("the state file of an earlier daemon can be read now: taking over %zu tasks", legacy->n_changed);
	undo_all(daemon);
	plan_free(daemon->plan);
	state_free(daemon->state);
	daemon->plan = plan;
	daemon->state = state;
	daemon->shortage.records_failed = 0;
	state_keep(state, plan_given(plan));
	/* The new plan has heard of nothing. */
	daemon->rescan = true;
	scan_all(daemon);
	return 0;
}

static void read_again(struct daemon *daemon)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };
	int r = take_over(daemon, &legacy);

	if (r == 0 && legacy.n_records)
		r = begin_anew(daemon, &legacy);
	daemon->keep.unread = r;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct daemon *daemon = userdata;
	struct keep *keep = &daemon->keep;

	(void)source;
	(void)usec;
	if (keep->unread)
		read_again(daemon);
	keep_now(daemon);
	if (keep->told && keep->told != -E2BIG)
		wait_for_better_times(keep, keep->wait_us * 2);
	return 0;
}

static int init_timer(struct daemon *daemon)
{
	int r = sd_event_add_time(daemon->event, &daemon->keep.timer, CLOCK_MONOTONIC, 0, AGAIN_MIN_US / 4,
				  on_timer, daemon);

	return r < 0 ? r : sd_event_source_set_enabled(daemon->keep.timer, SD_EVENT_OFF);
}

int keep_init(struct daemon *daemon)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };
	struct keep *keep = &daemon->keep;
	int r = init_timer(daemon);

	if (r < 0)
		return r;
	keep->folder = state_folder_open();
	keep->start = clock_ticks();
	keep->unread = take_over(daemon, &legacy);
	if (legacy.n_changed)
		log_notice("an earlier daemon ended without putting back %zu tasks: taking over", legacy.n_changed);
	r = make_plan(daemon, &legacy, &daemon->plan, &daemon->state);
	if (r == 0)
		keep_now(daemon);
	return r;
}

void keep_free(struct daemon *daemon)
{
	struct keep *keep = &daemon->keep;

	sd_event_source_disable_unref(keep->timer);
	state_free(daemon->state);
	if (daemon->undone && keep->unread)
		log_warning("what an earlier daemon set is not put back: %s: 'schedqos restore' can try again",
			    strerror(-keep->unread));
	else if (daemon->undone)
		/* Also that of the one before us, if we had no room for our own. */
		state_remove(keep->folder);
	if (keep->folder >= 0)
		close(keep->folder);
}
