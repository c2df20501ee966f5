/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Renames: heard if a rule can use them, and not in a flood. A thread can rename itself three million times a second, which
 * costs whoever listens more than itself. So in a flood nobody's renames are heard for a while, and then the names that
 * rules can use are read.
 */
#pragma once

#include "pace.h"
#include "rename_flood.h"

struct tagger;

struct names {
	struct pace pace;
	struct rename_flood flood;
	sd_event_source *timer; /* of the loop's: ends a while in which they are left unheard */
	bool is_unheard;	/* such a while lasts */
	uint64_t reading_us;	/* how long reading names took last time */
};

/* Listens to renames if a rule in force can use them, and else no longer. To be called when that may have changed. */
void names_follow(struct tagger *tagger);

/* Listens no longer. */
void names_close(struct tagger *tagger);

/* Counts a rename that was heard, by one of the process's threads at ms: too many, and they are left unheard for a while. */
void names_count(struct tagger *tagger, pid_t tgid, uint32_t ms);

/* Leaves renames unheard for a while, because the kernel has dropped some. */
void names_lost(struct tagger *tagger);

/* Such a while is over: listens again; or, if that cannot be done, begins another one. */
void names_hear_again(struct tagger *tagger);

/* Books the renames that were not heard, by what the names are now. */
void names_read(struct tagger *tagger);
