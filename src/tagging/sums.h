/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of what tasks use, by class and rule or program. A task's own figures only grow; what they have grown by since
 * it was seen last is added to the row that it is in now. Pure: it is told what each task has used, and when.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <schedqos/kernel/taskstats.h>
#include <schedqos/policy/config.h>
#include <schedqos/tagging/tagger.h>

/* Two tasks are in one row if all of this is the same. Start it as all zeroes, padding included. */
struct sums_key {
	uint16_t tag;	    /* its class; TAG_NONE: none */
	uint16_t rule;	    /* id, 0: none */
	uint8_t visibility; /* enum shown */
	uint8_t of;	    /* enum use_of */
	char program[16];   /* raw, if of is USE_OF_PROGRAM */
};

struct sums;

/* Returns NULL without memory. */
struct sums *sums_new(void);
void sums_free(struct sums *sums);

/* Forgets all but the sums of classes, which go on for ever. From now_us (CLOCK_MONOTONIC) on use is counted. */
void sums_begin(struct sums *sums, uint64_t now_us);

/* Another configuration comes into force: tags and rules of the keys that follow mean something else. */
void sums_forget_keys(struct sums *sums);

/*
 * The row of this key. class, rule: what the key means, copied when the row is new. If there are too many rows, or no
 * memory, that of all others.
 */
struct use_row *sums_row(struct sums *sums, const struct sums_key *key, const char *class, const char *rule);

/* The name of the process that this thread is of, as seen last; NULL: not seen. */
const char *sums_program(const struct sums *sums, pid_t tgid);

/* Remembers the name of a process that no round has seen, so one born since: its threads may end by the thousand. */
void sums_name_program(struct sums *sums, pid_t tgid, const char *program, uint64_t now_us);

/*
 * A round looks at every living task once. Between rounds tasks end. now_us: when its use was read. busy_ns: what all
 * of the machine has used so far.
 */
void sums_begin_round(struct sums *sums);
void sums_add_living(struct sums *sums, struct use_row *row, const struct task_use *use, uint64_t now_us);
void sums_add_ended(struct sums *sums, struct use_row *row, const struct task_use *use, uint64_t now_us);
void sums_end_round(struct sums *sums, uint64_t busy_ns);

/* Records of ended tasks were lost: the time until the next round that nobody accounts for is theirs. */
void sums_note_loss(struct sums *sums);

/* Whether so many tasks have ended that it is time for a round, which forgets them. */
bool sums_is_crowded(const struct sums *sums);

/* The row or class of this number, or NULL. */
const struct use_row *sums_next_row(const struct sums *sums, size_t i);
const struct use_class *sums_next_class(const struct sums *sums, size_t i);

/* Begins the reader's longest waits anew. */
void sums_forget_longest(struct sums *sums, unsigned reader);
