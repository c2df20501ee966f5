/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts tasks back: each task that still carries attributes that we set gets `had` of its record. A child's record has
 * copied `had` from the ancestor on which we set them.
 */
#include "parts.h"

#include <unistd.h>

#include <schedqos/util/clock.h>

/*
 * Time between two scans. A fork copies the attributes first, then the memory maps (20 ms for 700 MB here), and only
 * then sends its event. So a task that was just put back may still have a child on the way that carries what we set.
 * `restore` finds children that take longer.
 */
#define LINGER_MS 100

/* Longest time to go on: somebody may keep setting attributes that look like ours, so that every scan finds some. */
#define LINGER_MAX_MS 5000

uint64_t undo_all(struct tagger *tagger)
{
	const uint64_t before = tagger->tally.counters.set;
	const uint32_t began = clock_ms();
	bool again;

	tagger->decider.is_ending = true;
	decider_book(&tagger->decider);
	plan_undo_begin(tagger->decider.plan);
	decider_drop_waiting(&tagger->decider);
	do {
		const uint64_t set = tagger->tally.counters.set;

		/* Finds children of tagged tasks whose forks we never received. */
		scan_all(tagger);
		again = tagger->tally.counters.set != set || tagger->decider.events_lost;
		if (again)
			usleep(LINGER_MS * 1000);
	} while (again && clock_ms() - began < LINGER_MAX_MS);
	return tagger->tally.counters.set - before;
}
