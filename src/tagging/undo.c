/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives every task that still carries what we set the attributes that it, or the ancestor it inherited from, had. */
#include "tagger_private.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>

DEFINE_CLEANUP(struct config, config_free)

/*
 * A fork copies the attributes first, then the memory maps (20 ms for 700 MB here), and only then sends its event. So a task
 * that has just been put back may still have a child on the way with what we set. One that takes longer is for a restore.
 */
#define LINGER_MS 100

/* If every look finds something: somebody sets what only we do, again and again. */
#define LINGER_MAX_MS 5000

uint64_t undo_all(struct tagger *tagger)
{
	const uint64_t before = tagger->counters.set;
	const uint32_t began = clock_ms();
	bool again;

	events_book(tagger);
	plan_undo_begin(tagger->plan);
	/* Whoever stops us does not wait for anybody's arguments. */
	tagger->waiting.count = 0;
	do {
		const uint64_t set = tagger->counters.set;

		/* Finds children of tagged tasks whose forks we never received. */
		scan_all(tagger);
		again = tagger->counters.set != set || tagger->events_lost;
		if (again)
			usleep(LINGER_MS * 1000);
	} while (again && clock_ms() - began < LINGER_MAX_MS);
	return tagger->counters.set - before;
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
	_cleanup_(bare_freep) struct tagger *tagger = NULL;
	int r = builtin_config(&config);
	uint64_t count;

	if (r >= 0)
		r = bare_new(config, legacy, &tagger);
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

bool tagger_restore(bool *ret_done)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };
	_cleanup_close_ int folder = state_folder_open();
	int r = state_read(folder, &legacy);

	if (r < 0) {
		log_error(STATE_FOLDER "/" STATE_TASKS ": %s: no task is put back", state_file_fault(r));
		return false;
	}
	/* Also if all have been put back: it was killed while it waited for late forks. The file stays for who has more privileges. */
	if (legacy.n_records && !restore_from(&legacy, ret_done))
		return false;
	/* The service calls us at the stop as well, before late forks have brought their children. */
	state_remove(folder, false);
	return true;
}
