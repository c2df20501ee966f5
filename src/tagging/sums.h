/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds up what tasks use, by class and by rule or program. A task's own figures only grow: their growth since the task
 * was last seen is added to the row that the task is in now. Pure: the caller passes what each task has used, and when.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <schedqos/kernel/taskstats.h>
#include <schedqos/policy/config.h>
#include <schedqos/tagging/tagger.h>

/*
 * Identifies a row: two tasks are in the same row if all of this is equal. Set it to all zeroes first, including
 * padding.
 */
struct sums_key {
	uint16_t tag;	    /* its class; TAG_NONE if none */
	uint16_t rule;	    /* its id; 0 if none */
	uint8_t visibility; /* enum shown */
	uint8_t of;	    /* enum use_of */
	char program[16];   /* raw; only for USE_OF_PROGRAM */
};

struct sums;

/* Returns NULL if out of memory. */
struct sums *sums_new(void);
void sums_free(struct sums *sums);

/* Forgets everything except the sums of classes, which go on forever. Counts use from now_us (CLOCK_MONOTONIC) on. */
void sums_begin(struct sums *sums, uint64_t now_us);

/*
 * Call it when another configuration comes into force, which changes the meaning of tags and rules in keys. Rows go on
 * under new keys if their class, rule and program have the same names.
 */
void sums_forget_keys(struct sums *sums);

/*
 * Returns the row of this key. class and rule are the names in the key, which are copied for a new row. Returns the row
 * for all others if there are too many rows, or no memory.
 */
struct use_row *sums_row_for(struct sums *sums, const struct sums_key *key, const char *class, const char *rule);

/* Returns the last name of the thread's process; NULL if the process was never seen. */
const char *sums_program(const struct sums *sums, pid_t tgid);

/*
 * Remembers the name of a process that no round has seen, so it was born since. Its threads may end by the thousand,
 * and the caller should read the name only once.
 */
void sums_name_program(struct sums *sums, pid_t tgid, const char *program, uint64_t now_us);

/*
 * A round looks at every living task once. Tasks may end between rounds. now_us is the time at which the use was read,
 * busy_ns the CPU time that the whole machine has used so far.
 */
void sums_begin_round(struct sums *sums);
void sums_add_living(struct sums *sums, struct use_row *row, const struct task_use *use, uint64_t now_us);
void sums_add_ended(struct sums *sums, struct use_row *row, const struct task_use *use, uint64_t now_us);
void sums_end_round(struct sums *sums, uint64_t busy_ns);

/*
 * Notes that records of ended tasks were lost. They get the CPU time, until the next round, that no task accounts for.
 */
void sums_note_loss(struct sums *sums);

/* Returns whether enough tasks have ended that it is time for a round, which forgets them. */
bool sums_is_crowded(const struct sums *sums);

/* Return the row or class of this number, or NULL. */
const struct use_row *sums_row_at(const struct sums *sums, size_t i);
const struct use_class *sums_class_at(const struct sums *sums, size_t i);

/* Resets the reader's longest waits. */
void sums_forget_longest(struct sums *sums, unsigned reader);
