/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules that enforce their class: after each system call by which anybody sets attributes of any task, the tasks of these
 * rules are looked at; but where that has put one back, or such calls are many, only a second later. Listening makes
 * every system call of the machine a little slower, so it is done only while a rule enforces.
 */
#pragma once

#include <schedqos/policy/plan.h>
#include <schedqos/tagging/tagger.h>

struct changes {
	enum tagger_changes how;
	struct trace *trace;	  /* NULL: not heard */
	sd_event_source *heard;
	sd_event_source *timer;	  /* ends a pause; where calls are not heard, runs all the time */
	unsigned looks;		  /* since the last pause ... */
	uint64_t since_us;	  /* ... or since then, CLOCK_MONOTONIC */
	pid_t caller;		  /* the last thread that was heard, 0: none */
	bool are_several;	  /* before the last look others were heard as well */
	pid_t put_back;		  /* a task whose change was put back since the last check, 0: none */
};

/* Listens if a rule in force enforces, else no longer. Call it when that may have changed. */
void changes_update(struct tagger *tagger);

/* Listens anew, if it listens: on all processors that are online now. */
void changes_renew(struct tagger *tagger);

void changes_close(struct tagger *tagger);

/* Logs that a change was put back; then the next look is a second away. */
void changes_check(struct tagger *tagger);
