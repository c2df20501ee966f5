/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is decided about tasks, without a loop and without events: for a tagger that has only records, which undoes what a
 * daemon that has ended has left, or says what one would do.
 */
#include "tagger_private.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>

void bare_free(struct tagger *tagger)
{
	if (!tagger)
		return;
	arguments_free(&tagger->arguments);
	plan_free(tagger->plan);
	live_facts_free(tagger->facts);
	if (!tagger->event)
		cleanup_close(&tagger->proc);
	free(tagger);
}

int bare_plan(struct tagger *tagger, const struct state_legacy *legacy, const struct tasks_memory *memory)
{
	struct plan *plan;
	int r;

	tagger->facts = live_facts_new(tagger->proc, &tagger->applier, &tagger->arguments);
	plan = tagger->plan = plan_new(&tagger->applier.caps, getpid(), legacy->start, memory);
	if (!tagger->facts || !plan)
		return -ENOMEM;
	r = plan_adopt(plan, legacy->records, legacy->n_records, legacy->tags, legacy->n_tags, legacy->stopped);
	if (r == 0)
		r = plan_set_config(plan, tagger->config);
	if (r == 0)
		applier_follow(&tagger->applier, plan_given(plan));
	return r;
}

int bare_new(const struct config *config, const struct state_legacy *legacy, struct tagger **ret)
{
	_cleanup_(bare_freep) struct tagger *tagger = calloc(1, sizeof(*tagger));
	int r;

	if (!tagger)
		return -ENOMEM;
	tagger->config = config;
	r = tagger->proc = procfs_open();
	if (r >= 0)
		r = applier_open(&tagger->applier);
	if (r == 0) {
		arguments_init(&tagger->arguments, tagger->proc);
		r = bare_plan(tagger, legacy, NULL);
	}
	if (r == 0)
		*ret = take_ptr(tagger);
	return r;
}

int tagger_rehearse(const struct config *config, struct tagger **ret)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };
	_cleanup_close_ int folder = state_folder_open();
	int r;

	/* Without a record that can be used the next daemon goes on without, too; then all tasks are from before its start. */
	if (state_read(folder, &legacy) < 0 || !legacy.n_records || legacy.stopped) {
		state_legacy_clear(&legacy);
		legacy.start = clock_ticks() + 1;
	}
	r = bare_new(config, &legacy, ret);
	if (r < 0)
		return r;
	(*ret)->sets_nothing = true;
	scan_all(*ret);
	return 0;
}
