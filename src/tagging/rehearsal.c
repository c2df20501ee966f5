/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/tagging/tagger.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>

#include "tagger_private.h"

struct rehearsal {
	struct tagger tagger;
};

/* A daemon that is started now listens from now on: all tasks are from before. */
static int read_legacy(struct state_legacy *ret)
{
	_cleanup_close_ int folder = state_folder_open();
	int r = folder < 0 ? folder : state_read(folder, STATE_TASKS, ret);

	/* Without a record that can be used the next daemon goes on without, too. */
	if (r < 0 || !ret->n_records) {
		state_legacy_clear(ret);
		*ret = (struct state_legacy){ .start = clock_ticks() + 1 };
	}
	return 0;
}

int rehearsal_new(const struct config *config, struct rehearsal **ret)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };
	struct rehearsal *rehearsal = calloc(1, sizeof(*rehearsal));
	int r;

	if (!rehearsal)
		return -ENOMEM;
	r = read_legacy(&legacy);
	if (r == 0)
		r = tagger_init_bare(&rehearsal->tagger, config, &legacy);
	if (r < 0) {
		rehearsal_free(rehearsal);
		return r;
	}
	rehearsal->tagger.is_rehearsal = true;
	*ret = rehearsal;
	return 0;
}

void rehearsal_scan(struct rehearsal *rehearsal)
{
	scan_all(&rehearsal->tagger);
}

void rehearsal_free(struct rehearsal *rehearsal)
{
	if (!rehearsal)
		return;
	tagger_clear_bare(&rehearsal->tagger);
	free(rehearsal);
}

const struct tagger *rehearsal_tagger(const struct rehearsal *rehearsal)
{
	return &rehearsal->tagger;
}
