/* SPDX-License-Identifier: GPL-2.0-only */
/* Work that the loop does later, because the part that needs it stands below the loop, or its time comes later. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>

enum later_work {
	LATER_NAMES,   /* end a pause of renames, and go on with the walk */
	LATER_MOVES,   /* end a pause of moves, or look for moves that are not reported, and go on with the walk */
	LATER_CHANGES, /* end a pause of changes, and go on with the walk */
	LATER_SCAN,    /* scan again after a shortage, or after tracepoints were subscribed to again */
	LATER_WORKS,
};

/* Starts as all zeroes. */
struct later {
	sd_event_source *wake;	     /* deferred source of the owner's event loop; NULL without a loop */
	bool owner_is_stale;	     /* that loop has to be prepared again, because a source of it was set */
	uint32_t works;		     /* 1 << enum later_work */
	uint32_t at_ms[LATER_WORKS]; /* CLOCK_MONOTONIC, cut to 32 bits; valid if its bit is set */
};

/* Makes the loop run once more even if no event arrives, because received events wait or a request was made. */
void later_wake(struct later *later);

/* Schedules the work, and wakes the loop so that it sets its timer. */
void later_do(struct later *later, enum later_work work, uint32_t in_ms);

bool later_is_set(const struct later *later, enum later_work work);
void later_drop(struct later *later, enum later_work work);

/* Returns whether the time for this work has come, and if so drops it: the caller does it. */
bool later_take(struct later *later, enum later_work work);

/* Stores when the next work is to be done. Returns false if there is none. */
bool later_next(const struct later *later, uint32_t *ret_ms);
