/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The daemon on the made-up machine, for the tests of the plan: it passes events to the plan and carries out the plan's
 * actions.
 */
#pragma once

#include "fake_machine.h"

/*
 * json is the inside of a rules file, with ' in place of ". start() makes the plan, listens and scans. start_and_run()
 * also runs the command afterwards, as process 100, a child of init. reload() puts another configuration in force and
 * scans.
 */
void start(struct machine *m, const char *json);
void start_and_run(struct machine *m, const char *json, const char *command);
void reload(struct machine *m, const char *json);
void set_config(struct machine *m, const char *json); /* without the scan */
void scan(struct machine *m);

/* Reports a call that may have changed any task. */
void mark_enforced(struct machine *m);
void look_at_enforced(struct machine *m); /* marks them, and decides */
#undef stop /* a macro of cmocka 2.0 */
void stop(struct machine *m);  /* puts everything back, as the daemon does */
void stops_without_trace(struct machine *m); /* also asserts that each task carries what it would without us */
void restores(struct machine *m); /* instead of start(), after a crash */
void looks_again(struct machine *m); /* like restores(), but after a stop */
void crash(struct machine *m); /* ends the plan without putting anything back; the next start() takes over */

/* Books the events that wait, or the first n of them. */
void hear(struct machine *m);
void hear_first(struct machine *m, size_t n);
/* Carries out the plan's last action, which was held back. */
void carry_out(struct machine *m);

/*
 * Adds an override as the tagger does, for a process, or with pid 0 for its cgroup, and returns its number; and ends
 * an override.
 */
uint16_t asks(struct machine *m, struct override override, pid_t pid);
void ends(struct machine *m, uint16_t number);

/* Returns the plan's record of the task, or NULL. */
struct task *record(struct machine *m, pid_t tid);
/* Asserts that the task carries these attributes, and that the plan gives this reason. */
#define assert_task(m, tid, attr, reason) check_task(m, tid, attr, reason, __FILE__, __LINE__)
void check_task(struct machine *m, pid_t tid, const char *attr, enum reason reason,
		const char *file, int line);
#define assert_unknown(m, tid) assert_null(record(m, tid))
/* Asserts that by its record the task carries only `had`. */
#define assert_nothing_to_undo(m, tid) \
	assert_int_equal(attr_difference(&record(m, tid)->known, &record(m, tid)->had), 0)

/* Asserts that each task carries what it would without us. */
void assert_carries_what_it_would(struct machine *m);

/* Counts fetched facts and actions from here on. */
void count_from_here(struct machine *m);
#define assert_no_fetch(m)  assert_int_equal((m)->fetches, 0)
#define assert_no_action(m) assert_int_equal((m)->actions, 0)
