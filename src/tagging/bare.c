/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tagger without a loop and without events, which has only records: it undoes what a daemon that has ended has left, or
 * says what one would do.
 */
#include "tagger_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/config/config_text.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>

DEFINE_CLEANUP(struct config, config_free)
DEFINE_CLEANUP(struct tagger, bare_free)

void bare_free(struct tagger *tagger)
{
	if (!tagger)
		return;
	arguments_free(&tagger->arguments);
	plan_free(tagger->plan);
	live_facts_free(tagger->facts);
	cleanup_close(&tagger->proc);
	free(tagger);
}

static int fill(struct tagger *tagger, const struct config *config, const struct state_legacy *legacy)
{
	int r = applier_open(&tagger->applier);

	if (r < 0)
		return r;
	tagger->config = config;
	tagger->proc = procfs_open();
	if (tagger->proc < 0)
		return tagger->proc;
	arguments_init(&tagger->arguments, tagger->proc);
	tagger->facts = live_facts_new(tagger->proc, &tagger->applier, &tagger->arguments);
	tagger->plan = plan_new(&tagger->applier.caps, getpid(), legacy->start, NULL);
	if (!tagger->facts || !tagger->plan)
		return -ENOMEM;
	r = plan_adopt(tagger->plan, legacy->records, legacy->n_records, legacy->tags, legacy->n_tags, legacy->stopped);
	if (r == 0)
		r = plan_set_config(tagger->plan, config);
	if (r == 0)
		applier_follow(&tagger->applier, plan_given(tagger->plan));
	return r;
}

/* Takes over the records of an earlier daemon, whose state file stays as it is. 0 or -errno. */
static int new_bare(const struct config *config, const struct state_legacy *legacy, struct tagger **ret)
{
	_cleanup_(bare_freep) struct tagger *tagger = calloc(1, sizeof(*tagger));
	int r;

	if (!tagger)
		return -ENOMEM;
	*tagger = (struct tagger){ .proc = -1, .is_bare = true };
	r = fill(tagger, config, legacy);
	if (r < 0)
		return r;
	*ret = take_ptr(tagger);
	return 0;
}

/* ---- a rehearsal ---- */

int tagger_rehearse(const struct config *config, struct tagger **ret)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };
	_cleanup_close_ int folder = state_folder_open();
	int r;

	/* Without a record that can be used the next daemon goes on without, too; then all tasks are from before its start. */
	if (state_read(folder, STATE_TASKS, &legacy) < 0 || !legacy.n_records) {
		state_legacy_clear(&legacy);
		legacy.start = clock_ticks() + 1;
	}
	r = new_bare(config, &legacy, ret);
	if (r < 0)
		return r;
	(*ret)->sets_nothing = true;
	scan_all(*ret);
	return 0;
}

/* ---- a restore ---- */

/* The built-in configuration, since a plan needs one; an undo does not use it. */
static int builtin_config(struct config **ret)
{
	struct config_errors errors = { 0 };
	int r = config_parse(NULL, 0, NULL, NULL, ret, &errors);

	config_errors_clear(&errors);
	return r;
}

/* Puts back what the records say; what is not on them, too. False if something is left, which has been logged. */
static bool put_back(const struct state_legacy *legacy, bool *ret_done)
{
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_(bare_freep) struct tagger *tagger = NULL;
	int r = builtin_config(&config);
	uint64_t count;

	if (r >= 0)
		r = new_bare(config, legacy, &tagger);
	if (r < 0) {
		log_error("putting tasks back: %s", strerror(-r));
		return false;
	}
	count = undo_all(tagger);
	if (count || !legacy->stopped) {
		log_info("tasks put back: %" PRIu64, count);
		*ret_done = true;
	}
	return !tagger->problems[PROBLEM_REFUSED].count;
}

bool restore_stopped(int folder, bool *ret_done)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };

	/* Without it no more is known than at the first start since boot. */
	return state_read(folder, STATE_STOPPED, &legacy) < 0 || !legacy.n_records || put_back(&legacy, ret_done);
}

bool tagger_restore(bool *ret_done)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };
	_cleanup_close_ int folder = state_folder_open();
	int r = state_read(folder, STATE_TASKS, &legacy);

	if (r < 0) {
		log_error(STATE_FOLDER "/" STATE_TASKS ": %s: no task is put back", state_file_fault(r));
		return false;
	}
	/* The file stays for a restore with more privileges. */
	if ((legacy.n_changed && !put_back(&legacy, ret_done)) || !restore_stopped(folder, ret_done))
		return false;
	/* The service calls us at the stop as well, before late forks have brought their children. */
	state_remove(folder, false);
	return true;
}
