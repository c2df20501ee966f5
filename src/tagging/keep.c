/* SPDX-License-Identifier: GPL-2.0-only */
#include "parts.h"

#include <string.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>

/* Takes over the records of a killed daemon into a file of our own. */
static int take_over(struct tagger *tagger, const struct config *config, const struct state_legacy *legacy)
{
	struct tasks_memory memory;
	int r = state_new(tagger->folder, legacy->start, &tagger->state);

	if (r < 0)
		return r;
	memory = state_memory(tagger->state);
	r = decider_plan(&tagger->decider, config, legacy, &memory);
	if (r < 0)
		return r;
	return state_publish(tagger->state);
}

int keep_init(struct tagger *tagger, const struct config *config)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };
	const uint64_t start = clock_ticks();
	int r;

	tagger->folder = state_folder_open();
	r = state_file_set_aside(tagger->folder, STATE_TASKS, "the state file", state_read(tagger->folder, &legacy));
	if (r < 0) {
		log_error(
			STATE_FOLDER
			"/" STATE_TASKS
			" cannot be read: %s: it holds what tasks had before an earlier daemon, so no daemon starts until the file can be read, or has been removed",
			strerror(-r));
		return r;
	}
	/*
	 * Forks that outlasted the stop may have brought children since. If the kernel refuses to put a task back, that
	 * is logged, and the task keeps what it carries.
	 */
	if (legacy.stopped)
		restore_from(&legacy, &(bool){ false });
	if (legacy.stopped || !legacy.n_records) {
		state_remove(tagger->folder, true);
		state_legacy_clear(&legacy);
		legacy.start = start;
	}
	if (legacy.n_changed)
		log_notice("an earlier daemon ended without putting back %zu tasks: taking over", legacy.n_changed);
	r = take_over(tagger, config, &legacy);
	if (r < 0)
		log_error("cannot make " STATE_FOLDER "/" STATE_TASKS ", which records what tasks had: %s",
			  strerror(-r));
	return r;
}

void keep_free(struct tagger *tagger)
{
	state_free(tagger->state);
	if (tagger->undone)
		state_stopped(tagger->folder);
	if (tagger->folder >= 0)
		close(tagger->folder);
}
