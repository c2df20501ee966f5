/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures and problems of the tagger, which its parts count and report. */
#pragma once

#include <schedqos/tagging/tagger.h>
#include <schedqos/util/log.h>

enum tagger_problem {
	PROBLEM_LOST,	  /* the kernel dropped events */
	PROBLEM_REFUSED,  /* a sched_setattr was refused */
	PROBLEM_NOT_KEPT, /* the kernel did not keep an attribute that it had accepted */
	PROBLEM_RECEIVE,  /* renames cannot be heard */
	PROBLEM_SIGHT,	  /* we may not see which programs run */
	PROBLEM_SCAN,	  /* /proc could not be read */
	PROBLEM_SHORTAGE, /* no descriptors or no memory left */
	PROBLEM_ENDS,	  /* the kernel dropped records of ended tasks */
	/* From here on: those that any user can cause, to no harm of others. */
	PROBLEM_RENAMES,  /* too many renames: they are ignored for a while */
	PROBLEM_MOVES,	  /* the same for moves */
	PROBLEM_CHANGES,  /* a rule undid somebody's change */
	PROBLEM_PATH,	  /* the path of a program or a cgroup is too long */
	PROBLEM_SPENDING, /* reading about a user's processes takes too long */
	TAGGER_PROBLEMS,
	TAGGER_FAULTS = PROBLEM_RENAMES,
};

struct tally {
	struct tagger_counters counters;
	struct problem problems[TAGGER_PROBLEMS];
};
