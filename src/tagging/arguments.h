/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads arguments of processes through a helper (helper.h), because that may block. A decision that needs arguments
 * asks for them and is put off until they arrive or its time is over. In the latter case it is made without them, and
 * again later (struct retries). New questions are handed to the helper together, at the next exchange.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <schedqos/kernel/helper.h>

#include "hung_users.h"
#include "retries.h"

#define QUESTIONS_MAX READER_QUESTIONS_MAX

enum question_state {
	QUESTION_NONE, /* a free entry */
	QUESTION_NEW,
	QUESTION_ASKED,
	QUESTION_ANSWERED,
	QUESTION_UNKNOWN,   /* no answer in time */
	QUESTION_POINTLESS, /* the process runs another program */
};

/* A question. Its index is the place of its answer: see reader_question. */
struct question {
	uint32_t number; /* comes back with the answer */
	enum question_state state;
	pid_t tid, tgid; /* a thread, and its process */
	uint32_t since_ms;
	bool is_kept; /* keep its answer for the next round */
	bool is_old;  /* settled in an earlier round */
	int32_t size; /* size of the answer, or -errno */
	const char *text;
};

struct arguments {
	struct helper reader;
	struct retries retries;
	struct hung_users hung_users;
	int proc;
	struct question questions[QUESTIONS_MAX];
	size_t count;	      /* number of entries that are not free */
	size_t places;	      /* those from here on are free */
	uint32_t number;      /* number of the last question */
	/* time at which the helper was last asked or last answered */
	uint32_t progress_ms;
};

/* proc is a descriptor of /proc. */
void arguments_init(struct arguments *arguments, int proc);

/* Starts the helper, which inherits our nice value. Otherwise the first question starts it, and waits for that. */
void arguments_start_helper(struct arguments *arguments);
void arguments_free(struct arguments *arguments);

/*
 * Forgets the processes whose arguments are to be read again, for example because the rules have changed. Ends the
 * helper, which has a copy of memory freed since, unless a question is under way; the next question starts another.
 */
void arguments_reset(struct arguments *arguments);

/* Returns whether there is room for another question. */
bool arguments_has_room(const struct arguments *arguments);

/*
 * Reads the arguments of thread tid of process tgid. Returns the same as procfs_argv; -EAGAIN if they cannot be had
 * now; -EINPROGRESS if they have been asked for.
 */
ssize_t arguments_read(struct arguments *arguments, pid_t tid, pid_t tgid, char buf[READER_BYTES]);

/*
 * Asks for arguments that arguments_read will need. Returns 0 if that has an answer, even that there are none;
 * -EINPROGRESS; or -ESRCH if the process is gone.
 */
int arguments_want(struct arguments *arguments, pid_t tgid);

/* Forgets a process: an event was booked by which it runs another program, or its id belongs to another process. */
void arguments_changed(struct arguments *arguments, pid_t tgid);

/*
 * Sends new questions and takes the answers that are there. If the helper was idle, waits up to 2 ms for the new
 * answers. With wait, waits up to 5 ms longer, until at least one question is settled. Returns whether one has been
 * settled since arguments_end_round; or, with wait, whether none is open.
 */
bool arguments_exchange(struct arguments *arguments, bool wait);

/* Keeps the process's arguments, because one of its tasks still waits for those of another process (its parent). */
void arguments_keep(struct arguments *arguments, pid_t tgid);

/* Forgets settled questions, except those to be kept, after the decisions that waited for them have been made. */
void arguments_end_round(struct arguments *arguments);

/* Returns whether arguments_exchange or a retry is to be called later, and when. */
bool arguments_next(const struct arguments *arguments, uint32_t *ret_ms);
