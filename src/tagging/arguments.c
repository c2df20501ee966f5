/* SPDX-License-Identifier: GPL-2.0-only */
#include "arguments.h"

#include <errno.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>

/*
 * Time a helper may spend on one process. After that we treat the process as hung and ask another helper for the rest,
 * which has waited as long. One that hung before, or that comes soon after another, gets less: others would wait for
 * the sum. Three that hang at once, of as many users, delay others by less than 50 ms.
 */
#define STUCK_MS       25
#define STUCK_AGAIN_MS 5

/* Longest time for which a decision is put off. */
#define DEADLINE_MS 100

/*
 * Longest time for which the loop itself waits for the answers of one batch; it does not wait if the helper is busy. An
 * answer takes 50 us, unless the helper has to wait for a CPU.
 */
#define WAIT_US 2000

/* Time between two looks for late answers. */
#define LATE_MS 5

void arguments_init(struct arguments *arguments, int proc)
{
	*arguments = (struct arguments){ .proc = proc };
}

void arguments_start_helper(struct arguments *arguments)
{
	reader_ask(&arguments->reader, NULL, 0);
}

void arguments_free(struct arguments *arguments)
{
	helper_close(&arguments->reader);
}

void arguments_reset(struct arguments *arguments)
{
	arguments->retries.count = 0;
	if (!arguments->count)
		helper_close(&arguments->reader);
}

/* ---- questions ---- */

bool arguments_has_room(const struct arguments *arguments)
{
	return arguments->count < QUESTIONS_MAX;
}

static bool is_settled(const struct question *question)
{
	return question->state >= QUESTION_ANSWERED;
}

static bool is_open(const struct question *question)
{
	return question->state == QUESTION_NEW || question->state == QUESTION_ASKED;
}

static struct question *find(struct arguments *arguments, uint32_t number)
{
	for (size_t i = 0; i < arguments->places; i++) {
		struct question *question = &arguments->questions[i];

		if (question->state != QUESTION_NONE && question->number == number)
			return question;
	}
	return NULL;
}

static struct question *find_task(struct arguments *arguments, pid_t tid)
{
	for (size_t i = 0; i < arguments->places; i++) {
		struct question *question = &arguments->questions[i];

		if (question->tid == tid && question->state != QUESTION_NONE && question->state != QUESTION_POINTLESS)
			return question;
	}
	return NULL;
}

static bool may_ask(const struct arguments *arguments, pid_t tgid, uint32_t ms)
{
	const struct hung_users *users = &arguments->hung_users;

	return !retries_has(&arguments->retries, tgid) &&
	       !(hung_users_any(users, ms) && hung_users_has(users, procfs_payer(arguments->proc, tgid), ms));
}

/* Adds a question. Returns NULL if there is no room. */
static struct question *add(struct arguments *arguments, pid_t tid, pid_t tgid)
{
	const bool is_retry = arguments->retries.tried == tgid;
	struct question *question = arguments->questions;
	const uint32_t ms = clock_ms();

	if (!arguments_has_room(arguments))
		return NULL;
	while (question->state != QUESTION_NONE)
		question++;
	*question = (struct question){
		.number = ++arguments->number,
		.state = is_retry || may_ask(arguments, tgid, ms) ? QUESTION_NEW : QUESTION_UNKNOWN,
		.tid = tid,
		.tgid = tgid,
		.since_ms = ms,
	};
	if (is_retry)
		arguments->retries.tried = 0;
	arguments->count++;
	if (arguments->places <= (size_t)(question - arguments->questions))
		arguments->places = (size_t)(question - arguments->questions) + 1;
	return question;
}

static struct question *find_or_add(struct arguments *arguments, pid_t tid, pid_t tgid)
{
	struct question *question = find_task(arguments, tid);

	return question ? question : add(arguments, tid, tgid);
}

int arguments_want(struct arguments *arguments, pid_t tgid)
{
	const struct question *question = find_or_add(arguments, tgid, tgid);

	if (!question || question->state == QUESTION_UNKNOWN)
		return 0;
	if (!is_settled(question))
		return -EINPROGRESS;
	if (question->size != -ESRCH)
		return 0;
	retries_forget(&arguments->retries, tgid);
	return -ESRCH;
}

ssize_t arguments_read(struct arguments *arguments, pid_t tid, pid_t tgid, char buf[READER_BYTES])
{
	const struct question *question = find_or_add(arguments, tid, tgid);

	buf[0] = '\0';
	if (question && !is_settled(question))
		return -EINPROGRESS;
	if (!question || question->state == QUESTION_UNKNOWN) {
		retries_note(&arguments->retries, tgid, clock_ms());
		return -EAGAIN;
	}
	retries_forget(&arguments->retries, tgid);
	if (question->size > 0)
		memcpy(buf, question->text, (size_t)question->size);
	return question->size;
}

void arguments_changed(struct arguments *arguments, pid_t tgid)
{
	for (size_t i = 0; i < arguments->places; i++) {
		struct question *question = &arguments->questions[i];

		if (question->state != QUESTION_NONE && question->tgid == tgid)
			question->state = QUESTION_POINTLESS;
	}
	retries_forget(&arguments->retries, tgid);
}

void arguments_keep(struct arguments *arguments, pid_t tgid)
{
	for (size_t i = 0; i < arguments->places; i++) {
		if (arguments->questions[i].tgid == tgid)
			arguments->questions[i].is_kept = true;
	}
}

void arguments_end_round(struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->places; i++) {
		struct question *question = &arguments->questions[i];

		if (is_settled(question) && !question->is_kept) {
			question->state = QUESTION_NONE;
			arguments->count--;
		}
		question->is_old = is_settled(question);
		question->is_kept = false;
	}
	if (!arguments->count)
		arguments->places = 0;
}

/* ---- the helper ---- */

/* Leaves the helper behind. Asks again for answers that it has not given, or that go away with its memory. */
static void leave(struct arguments *arguments)
{
	helper_leave(&arguments->reader);
	for (size_t i = 0; i < arguments->places; i++) {
		struct question *question = &arguments->questions[i];

		if (question->state != QUESTION_ASKED && question->state != QUESTION_ANSWERED)
			continue;
		question->state = QUESTION_NEW;
		question->is_old = false;
	}
}

static void send_new(struct arguments *arguments)
{
	struct reader_question batch[QUESTIONS_MAX];
	struct question *sent[QUESTIONS_MAX];
	size_t n = 0;
	int r;

	for (uint32_t i = 0; i < arguments->places; i++) {
		struct question *question = &arguments->questions[i];

		if (question->state != QUESTION_NEW)
			continue;
		batch[n] = (struct reader_question){ .tid = question->tid, .number = question->number, .place = i };
		sent[n++] = question;
	}
	if (!n)
		return;
	if (!reader_current(&arguments->reader))
		arguments->progress_ms = clock_ms();
	r = reader_ask(&arguments->reader, batch, n);
	for (size_t i = 0; i < n; i++)
		sent[i]->state = r < 0 ? QUESTION_UNKNOWN : QUESTION_ASKED;
}

static void take(struct arguments *arguments)
{
	const struct reader_question *answer;
	bool any = false;
	const char *text;

	while ((answer = reader_take(&arguments->reader, &text))) {
		struct question *question = find(arguments, answer->number);

		any = true;
		if (!question || question->state != QUESTION_ASKED)
			continue;
		question->state = QUESTION_ANSWERED;
		question->size = answer->size;
		question->text = text;
	}
	if (any)
		arguments->progress_ms = clock_ms();
}

static void note_stuck(struct arguments *arguments, uint32_t ms)
{
	const struct reader_question *current = reader_current(&arguments->reader);
	struct question *question;
	char state;

	if (!current || ms - arguments->progress_ms < STUCK_AGAIN_MS)
		return;
	question = find(arguments, current->number);
	if (ms - arguments->progress_ms < STUCK_MS && !hung_users_any(&arguments->hung_users, ms) &&
	    !(question && retries_has(&arguments->retries, question->tgid)))
		return;
	state = helper_state(&arguments->reader, arguments->proc);
	/* Do not blame the process if the helper waits for a CPU on a busy machine. */
	if (state == 'R') {
		arguments->progress_ms = ms;
		return;
	}
	/* Do not blame the process if somebody has killed the helper. */
	if (state != 'Z' && question && question->state == QUESTION_ASKED) {
		question->state = QUESTION_UNKNOWN;
		/* A process that hung before has a pause of its own. */
		if (!retries_has(&arguments->retries, question->tgid))
			hung_users_note(&arguments->hung_users, procfs_payer(arguments->proc, question->tgid), ms);
	}
	leave(arguments);
	/* Do not try other processes of this user. */
	for (size_t i = 0; i < arguments->places; i++) {
		question = &arguments->questions[i];
		if (question->state == QUESTION_NEW && !may_ask(arguments, question->tgid, ms))
			question->state = QUESTION_UNKNOWN;
	}
	send_new(arguments);
}

/* Returns whether any question is settled since the last round. */
static bool check_deadlines(struct arguments *arguments)
{
	const uint32_t ms = clock_ms();
	bool any = false;

	note_stuck(arguments, ms);
	for (size_t i = 0; i < arguments->places; i++) {
		struct question *question = &arguments->questions[i];

		if (is_open(question) && ms - question->since_ms >= DEADLINE_MS)
			question->state = QUESTION_UNKNOWN;
		any |= is_settled(question) && !question->is_old;
	}
	return any;
}

static bool is_awaiting(const struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->places; i++) {
		if (is_open(&arguments->questions[i]))
			return true;
	}
	return false;
}

bool arguments_exchange(struct arguments *arguments, bool wait)
{
	const bool is_idle = !reader_current(&arguments->reader);
	bool settled;

	send_new(arguments);
	if (is_idle)
		reader_wait(&arguments->reader, WAIT_US);
	take(arguments);
	settled = check_deadlines(arguments);
	if (wait && !settled && is_awaiting(arguments)) {
		reader_wait(&arguments->reader, LATE_MS * 1000);
		take(arguments);
		settled = check_deadlines(arguments);
	}
	/* If none is open, the waiting task was overtaken by an exec, and has to ask again. */
	return settled || (wait && !is_awaiting(arguments));
}

/* ---- later ---- */

bool arguments_next(const struct arguments *arguments, uint32_t *ret_ms)
{
	const bool is_set = retries_next(&arguments->retries, ret_ms);
	uint32_t late_ms;

	if (!is_awaiting(arguments))
		return is_set;
	late_ms = clock_ms() + LATE_MS;
	if (!is_set || is_before(late_ms, *ret_ms))
		*ret_ms = late_ms;
	return true;
}
