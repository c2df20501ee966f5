/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes' arguments, read by a helper (reader.h), since that may block. A decision that needs some asks for them and
 * is put off until they are there, or until its time is over: then it is made without them, and made again later
 * (unread.h). All that is asked between two exchanges goes out in one message.
 */
#pragma once

#include <stdbool.h>

#include <schedqos/kernel/reader.h>

#include "unread.h"

#define QUESTIONS_MAX READER_QUESTIONS_MAX

enum question_state {
	QUESTION_NONE,
	QUESTION_NEW,
	QUESTION_ASKED,
	QUESTION_ANSWERED,
	QUESTION_UNKNOWN, /* there is no answer in time */
	QUESTION_POINTLESS, /* the process has ended or runs another program: so need not be decided what was to be */
};

struct question {
	uint32_t number; /* of the question: comes back with the answer */
	enum question_state state;
	pid_t tid, tgid; /* a thread, and its process */
	uint32_t since_ms;
	bool is_repeated; /* a helper ended with it unanswered */
	bool is_kept;	  /* its answer, for the next round */
	int32_t size;	  /* of the answer, or -errno */
	size_t at;	  /* of the answer, in text */
};

struct arguments {
	struct reader reader;
	struct unread unread;
	int proc;
	struct question questions[QUESTIONS_MAX]; /* in the order of asking */
	size_t count;
	uint32_t number;      /* of the last question */
	uint32_t progress_ms; /* when the helper was asked or has answered last */
	char *text;	      /* the answers */
	size_t used;
	bool is_over;
	bool list_is_full; /* somebody whose arguments are unknown will not be looked at again */
};

/* proc: descriptor of /proc. Starts the helper. 0 or -ENOMEM. */
int arguments_init(struct arguments *arguments, int proc);
void arguments_free(struct arguments *arguments);

/* The helper is replaced by one that has no memory of what has been freed since. Call it when nothing is under way. */
void arguments_renew(struct arguments *arguments);

/*
 * The arguments of thread tid of process tgid, in *ret until arguments_end_round: as procfs_argv; -EAGAIN if they are
 * not to be had now; -EINPROGRESS: asked for, and *ret_number is the question's.
 */
ssize_t arguments_read(struct arguments *arguments, pid_t tid, pid_t tgid, const char **ret, uint32_t *ret_number);

/* The same, but waits for a short time instead of -EINPROGRESS. For who asks a question. */
ssize_t arguments_read_now(struct arguments *arguments, pid_t tid, pid_t tgid, const char **ret);

/* Asks for what arguments_read will be asked for. Returns the number of the question. */
uint32_t arguments_want(struct arguments *arguments, pid_t tgid);

/* An event is booked by which the process runs another program, or its id is another's. */
void arguments_changed(struct arguments *arguments, pid_t tgid);

/*
 * Sends the new questions and takes the answers that are there; new ones are waited for 2 ms. wait: until one question
 * at least is settled. Returns whether one is.
 */
bool arguments_exchange(struct arguments *arguments, bool wait);

/* From now on whatever is not answered is unknown. */
void arguments_end(struct arguments *arguments);

/* QUESTION_NONE if there is no such question any more. */
enum question_state arguments_state(const struct arguments *arguments, uint32_t number);

/* Something of this process goes on waiting, for another's arguments (its parent's): its own are kept for that. */
void arguments_keep(struct arguments *arguments, pid_t tgid);

/* What has waited for questions that are settled has been decided: forgets them, but for those to be kept. */
void arguments_end_round(struct arguments *arguments);

/* The descriptor that tells of answers; -1 if none is awaited. */
int arguments_fd(const struct arguments *arguments);

/* Whether something is to be done later without an answer, and when: arguments_exchange or a retry. */
bool arguments_next(const struct arguments *arguments, uint32_t *ret_ms);
