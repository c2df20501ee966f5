/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes' arguments, read by a helper (helper.h), since that may block. A decision that needs some asks for them and
 * is put off until they are there, or until its time is over: then it is made without them, and made again later
 * (struct unread). All that is asked between two exchanges goes out in one message.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <schedqos/kernel/helper.h>

#include "unread.h"

#define QUESTIONS_MAX READER_QUESTIONS_MAX

enum question_state {
	QUESTION_NONE, /* the place is free */
	QUESTION_NEW,
	QUESTION_ASKED,
	QUESTION_ANSWERED,
	QUESTION_UNKNOWN, /* there is no answer in time */
	QUESTION_POINTLESS, /* the process runs another program */
};

/* Its place among all is that of its answer: reader_question. */
struct question {
	uint32_t number; /* comes back with the answer */
	enum question_state state;
	pid_t tid, tgid; /* a thread, and its process */
	uint32_t since_ms;
	bool is_kept;	  /* its answer, for the next round */
	bool is_old;	  /* it was settled in an earlier one */
	int32_t size;	  /* of the answer, or -errno */
	const char *text;
};

struct arguments {
	struct helper reader;
	struct unread unread;
	int proc;
	struct question questions[QUESTIONS_MAX];
	size_t count;	      /* of those that are not free */
	size_t places;	      /* those from here on are free */
	uint32_t number;      /* of the last question */
	uint32_t progress_ms; /* when the helper was asked or has answered last */
};

/* proc: descriptor of /proc. Starts the helper. */
void arguments_init(struct arguments *arguments, int proc);
void arguments_free(struct arguments *arguments);

/*
 * The rules are others: all is asked anew. The helper is replaced by one that has no memory of what has been freed
 * since, unless something is under way.
 */
void arguments_renew(struct arguments *arguments);

/*
 * The arguments of thread tid of process tgid: as procfs_argv; -EAGAIN if they are not to be had now; -EINPROGRESS:
 * they have been asked for.
 */
ssize_t arguments_read(struct arguments *arguments, pid_t tid, pid_t tgid, char buf[READER_BYTES]);

/*
 * Asks for what arguments_read will be asked for. 0: it has an answer, even if that is none; -EINPROGRESS; -ESRCH: the
 * process is gone.
 */
int arguments_want(struct arguments *arguments, pid_t tgid);

/* An event is booked by which the process runs another program, or its id is another's. */
void arguments_changed(struct arguments *arguments, pid_t tgid);

/*
 * Sends the new questions and takes the answers that are there; new ones are waited for 2 ms. wait: up to 5 ms longer,
 * until one question at least is settled. Returns whether one is, since arguments_end_round; or with wait, whether none is open.
 */
bool arguments_exchange(struct arguments *arguments, bool wait);

/* Something of this process goes on waiting, for another's arguments (its parent's): its own are kept for that. */
void arguments_keep(struct arguments *arguments, pid_t tgid);

/* What has waited for questions that are settled has been decided: forgets them, but for those to be kept. */
void arguments_end_round(struct arguments *arguments);

/* Whether something is to be done later, and when: arguments_exchange or a retry. */
bool arguments_next(const struct arguments *arguments, uint32_t *ret_ms);
