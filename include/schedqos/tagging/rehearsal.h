/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a daemon would do if it were started now: every task is looked at and decided about, and nothing is set. Where a
 * daemon was killed, its records are taken into account, as the next one would.
 */
#pragma once

#include <schedqos/tagging/tagger.h>

struct rehearsal;

/* config must outlive it. No daemon may be running. 0 or -errno. */
int rehearsal_new(const struct config *config, struct rehearsal **ret);
void rehearsal_free(struct rehearsal *rehearsal);

/* Looks at all tasks, and decides about them. */
void rehearsal_scan(struct rehearsal *rehearsal);

/*
 * For the queries in tagger.h: tagger_explain, and tagger_next_task, whose reasons and classes are those that tasks
 * would have.
 */
const struct tagger *rehearsal_tagger(const struct rehearsal *rehearsal);
