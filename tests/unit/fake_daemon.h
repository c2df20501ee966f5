/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The daemon on the made-up machine, as far as the plan needs one: it takes events to the plan, and
 * does what the plan wants.
 */
#pragma once

#include "fake_machine.h"

/*
 * The configuration is the inside of a rules file, with ' for ". start() makes the plan, listens
 * and scans; start_and_run() does so before the command begins to run, as process 100, a child of
 * init's; reload() puts another one in force and scans.
 */
void start(struct machine *m, const char *json);
void start_and_run(struct machine *m, const char *json, const char *command);
void reload(struct machine *m, const char *json);
void set_config(struct machine *m, const char *json); /* without the scan */
void scan(struct machine *m);

/* A call was heard that may have changed any task. */
void look_at_enforced(struct machine *m);
#undef stop /* a macro of cmocka 2.0 */
void stop(struct machine *m);  /* undoes everything, as the daemon does */
void stops_without_trace(struct machine *m); /* ... and each task carries what it would without us */
void restores(struct machine *m); /* instead of start(), after a crash */
void looks_again(struct machine *m); /* the same, after a stop */
void crash(struct machine *m); /* without that; the next start() takes over */

/* Delivers the events that wait, or the first n of them. */
void hear(struct machine *m);
void hear_first(struct machine *m, size_t n);
/* Does what the plan wanted last, which was held back. */
void carry_out(struct machine *m);

/*
 * What is asked for at run time, for a process or, with a cgroup and 0, for those in it; and its end. As the tagger
 * does it.
 */
uint16_t asks(struct machine *m, struct override override, pid_t pid);
void ends(struct machine *m, uint16_t number);

/* The plan's record of the task, or NULL. */
struct task *record(struct machine *m, pid_t tid);
/* The task carries this, and the plan says so for this reason. */
#define assert_task(m, tid, attr, reason) check_task(m, tid, attr, reason, __FILE__, __LINE__)
void check_task(struct machine *m, pid_t tid, const char *attr, enum reason reason,
		const char *file, int line);
#define assert_unknown(m, tid) assert_null(record(m, tid))
/* By its record it carries nothing of ours. */
#define assert_nothing_to_undo(m, tid) \
	assert_int_equal(attr_difference(&record(m, tid)->known, &record(m, tid)->had), 0)

/* Each task carries what it would without us. */
void assert_carries_what_it_would(struct machine *m);

/* From here on facts and actions are counted. */
void count_from_here(struct machine *m);
#define assert_no_fetch(m)  assert_int_equal((m)->fetches, 0)
#define assert_no_action(m) assert_int_equal((m)->actions, 0)
