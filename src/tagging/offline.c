/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tagger without loop and events. It puts tasks back for a daemon that has ended, from the records alone, and answers
 * what a daemon would do.
 */
#include "parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/config/config_text.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>

DEFINE_CLEANUP(struct config, config_free)

void offline_free(struct tagger *tagger)
{
	if (!tagger)
		return;
	decider_free(&tagger->decider);
	cleanup_close(&tagger->proc);
	free(tagger);
}

DEFINE_CLEANUP(struct tagger, offline_free)

/* Makes a tagger from these records; leaves the state file as it is. Returns 0 or -errno. */
static int offline_new(const struct config *config, const struct state_legacy *legacy, struct tagger **ret)
{
	_cleanup_(offline_freep) struct tagger *tagger = calloc(1, sizeof(*tagger));
	int r;

	if (!tagger)
		return -ENOMEM;
	r = tagger->proc = procfs_open();
	if (r >= 0)
		r = applier_open(&tagger->decider.applier);
	if (r >= 0) {
		decider_init(&tagger->decider, tagger->proc, &tagger->later, &tagger->tally);
		r = decider_plan(&tagger->decider, config, legacy, NULL);
	}
	if (r >= 0)
		*ret = take_ptr(tagger);
	return r;
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

bool restore_from(const struct state_legacy *legacy, bool *ret_done)
{
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_(offline_freep) struct tagger *tagger = NULL;
	int r = builtin_config(&config);
	uint64_t count;

	if (r >= 0)
		r = offline_new(config, legacy, &tagger);
	if (r < 0) {
		log_error("cannot put tasks back: %s", strerror(-r));
		return false;
	}
	count = undo_all(tagger);
	if (count || !legacy->stopped) {
		log_info("tasks put back: %" PRIu64, count);
		*ret_done = true;
	}
	r = scan_shortage(tagger);
	if (r < 0)
		log_error("cannot put all tasks back: %s", strerror(-r));
	return r == 0 && !tagger->tally.problems[PROBLEM_REFUSED].count;
}

bool tagger_restore(bool *ret_done)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };
	_cleanup_close_ int folder = state_folder_open();
	int r = state_read(folder, &legacy);

	if (r < 0) {
		log_error(STATE_FOLDER "/" STATE_TASKS ": %s: no task is put back", state_file_fault(r));
		return false;
	}
	/*
	 * Restore even if all have been put back: the daemon may have been killed while it waited for late forks. On
	 * failure the file stays.
	 */
	if (legacy.n_records && !restore_from(&legacy, ret_done))
		return false;
	/* Keep the file of a stop: forks that are still held back bring their children later. */
	state_remove(folder, false);
	return true;
}

/* ---- a rehearsal ---- */

int tagger_rehearse(const struct config *config, struct tagger **ret)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };
	_cleanup_close_ int folder = state_folder_open();
	int r;

	/* Do as the next daemon would: without a usable record, all tasks count as born before its start. */
	if (state_read(folder, &legacy) < 0 || !legacy.n_records || legacy.stopped) {
		state_legacy_clear(&legacy);
		legacy.start = clock_ticks() + 1;
	}
	r = offline_new(config, &legacy, ret);
	if (r < 0)
		return r;
	(*ret)->decider.sets_nothing = true;
	scan_all(*ret);
	return 0;
}
