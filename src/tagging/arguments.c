/* SPDX-License-Identifier: GPL-2.0-only */
#include "arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>

/* ---- when to try again ---- */

/* Most processes that hang do so for a moment, or for good. */
#define WAIT_MIN_MS 100
#define WAIT_MAX_MS 60000

/* A retry is over by then, even on a busy machine. */
#define TRY_MS 1000

/* Between one retry and the next. */
#define RETRY_MS 50

/*
 * Of a user, after one that hangs. On a busy machine who holds the lock of his memory may wait for a CPU, so that this happens
 * to the honest as well; and ten times a second costs nobody much.
 */
#define OFF_MS 100

static bool is_before(uint32_t a_ms, uint32_t b_ms)
{
	return (int32_t)(a_ms - b_ms) < 0;
}

static struct unread_process *find_process(const struct unread *unread, pid_t pid)
{
	for (size_t i = 0; i < unread->count; i++) {
		if (unread->processes[i].pid == pid)
			return (struct unread_process *)&unread->processes[i];
	}
	return NULL;
}

void unread_note(struct unread *unread, pid_t pid, uint32_t ms)
{
	struct unread_process *process = find_process(unread, pid);

	if (process && !process->is_tried && is_before(ms, process->next_ms))
		return;
	if (!process) {
		if (unread->count == UNREAD_MAX)
			return;
		/* The first of them need not wait for another. */
		if (!unread->count)
			unread->retried_ms = ms - RETRY_MS;
		process = &unread->processes[unread->count++];
		*process = (struct unread_process){ .pid = pid, .wait_ms = WAIT_MIN_MS / 2 };
	}
	process->wait_ms = process->wait_ms > WAIT_MAX_MS / 2 ? WAIT_MAX_MS : process->wait_ms * 2;
	process->next_ms = ms + process->wait_ms;
	process->is_tried = false;
}

void unread_forget(struct unread *unread, pid_t pid)
{
	struct unread_process *process = find_process(unread, pid);

	if (process)
		*process = unread->processes[--unread->count];
}

bool unread_is_waiting(const struct unread *unread, pid_t pid, uint32_t ms)
{
	const struct unread_process *process = find_process(unread, pid);

	return process && !process->is_tried && is_before(ms, process->next_ms);
}

static struct unread_process *first_of(struct unread *unread)
{
	struct unread_process *first = unread->count ? &unread->processes[0] : NULL;

	for (size_t i = 1; i < unread->count; i++) {
		if (is_before(unread->processes[i].next_ms, first->next_ms))
			first = &unread->processes[i];
	}
	return first;
}

bool unread_has(const struct unread *unread, pid_t pid)
{
	return find_process(unread, pid);
}

bool unread_next(const struct unread *unread, uint32_t *ret_ms)
{
	const struct unread_process *first = first_of((struct unread *)unread);

	if (!first)
		return false;
	*ret_ms = is_before(first->next_ms, unread->retried_ms + RETRY_MS) ? unread->retried_ms + RETRY_MS :
									      first->next_ms;
	return true;
}

pid_t unread_retry(struct unread *unread, uint32_t ms)
{
	uint32_t next_ms;

	while (unread_next(unread, &next_ms) && !is_before(ms, next_ms)) {
		struct unread_process *first = first_of(unread);

		if (!first->is_tried) {
			first->is_tried = true;
			first->next_ms = ms + TRY_MS;
			unread->retried_ms = ms;
			return first->pid;
		}
		*first = unread->processes[--unread->count];
	}
	return 0;
}

/* ---- whose processes are not tried ---- */

static struct unread_user *find_user(struct unread *unread, uid_t user)
{
	struct unread_user *first = &unread->users[0];

	for (size_t i = 0; i < unread->n_users; i++) {
		if (unread->users[i].user == user)
			return &unread->users[i];
		if (is_before(unread->users[i].until_ms, first->until_ms))
			first = &unread->users[i];
	}
	if (unread->n_users < UNREAD_USERS_MAX)
		first = &unread->users[unread->n_users++];
	*first = (struct unread_user){ .user = user };
	return first;
}

void unread_hung(struct unread *unread, uid_t user, uint32_t ms)
{
	find_user(unread, user)->until_ms = ms + OFF_MS;
}

bool unread_is_off(const struct unread *unread, uid_t user, uint32_t ms)
{
	for (size_t i = 0; i < unread->n_users; i++) {
		if (unread->users[i].user == user)
			return is_before(ms, unread->users[i].until_ms);
	}
	return false;
}

bool unread_any_off(const struct unread *unread, uint32_t ms)
{
	for (size_t i = 0; i < unread->n_users; i++) {
		if (is_before(ms, unread->users[i].until_ms))
			return true;
	}
	return false;
}

/* ---- asking ---- */

/* So long a helper may take for one process. Then it hangs, and the rest is asked elsewhere. */
#define STUCK_MS 40

/* So long a decision may be put off. */
#define DEADLINE_MS 100

/* The loop itself waits no longer than this for those of one batch, and not at all if the helper is busy. */
#define WAIT_NS 2000000

/* Room for many answers; only the pages that are used cost memory. */
#define TEXT_BYTES (4 * READER_BYTES)

int arguments_init(struct arguments *arguments, int proc)
{
	*arguments = (struct arguments){ .proc = proc, .text = malloc(TEXT_BYTES) };
	if (!arguments->text)
		return -ENOMEM;
	reader_ask(&arguments->reader, NULL, 0);
	return 0;
}

void arguments_free(struct arguments *arguments)
{
	helper_close(&arguments->reader);
	free(arguments->text);
	arguments->text = NULL;
}

void arguments_renew(struct arguments *arguments)
{
	if (!arguments->count)
		helper_close(&arguments->reader);
}

/* ---- questions ---- */

static bool is_settled(const struct question *question)
{
	return question->state >= QUESTION_ANSWERED;
}

static struct question *find(const struct arguments *arguments, uint32_t number)
{
	for (size_t i = 0; i < arguments->count; i++) {
		if (arguments->questions[i].number == number)
			return (struct question *)&arguments->questions[i];
	}
	return NULL;
}

static struct question *find_task(struct arguments *arguments, pid_t tid)
{
	for (size_t i = 0; i < arguments->count; i++) {
		struct question *question = &arguments->questions[i];

		if (question->tid == tid && question->state != QUESTION_POINTLESS)
			return question;
	}
	return NULL;
}

/*
 * The user for whom processes like this one are not tried for a while, if it hangs. Its folder's owner is the effective
 * user, and does not take the process's memory to tell (task_dump_owner in fs/proc/base.c), as status does.
 */
static uid_t user_of(const struct arguments *arguments, pid_t tgid)
{
	bool is_own = false;
	struct stat folder;
	char path[16];

	snprintf(path, sizeof(path), "%d", (int)tgid);
	if (procfs_own_userns(arguments->proc, tgid, &is_own) < 0 || !is_own ||
	    fstatat(arguments->proc, path, &folder, 0) < 0)
		return UNREAD_OTHER_NAMESPACE;
	return folder.st_uid;
}

static bool may_ask(const struct arguments *arguments, pid_t tgid, uint32_t ms)
{
	const struct unread *unread = &arguments->unread;

	return !unread_is_waiting(unread, tgid, ms) &&
	       (!unread_any_off(unread, ms) || !unread_is_off(unread, user_of(arguments, tgid), ms));
}

/* NULL if there is no room. */
static struct question *add(struct arguments *arguments, pid_t tid, pid_t tgid)
{
	const uint32_t ms = clock_ms();
	struct question *question;

	if (arguments->count == QUESTIONS_MAX)
		return NULL;
	question = &arguments->questions[arguments->count++];
	*question = (struct question){
		.number = ++arguments->number,
		.state = !arguments->is_over && may_ask(arguments, tgid, ms) ? QUESTION_NEW : QUESTION_UNKNOWN,
		.tid = tid,
		.tgid = tgid,
		.since_ms = ms,
	};
	return question;
}

uint32_t arguments_want(struct arguments *arguments, pid_t tgid)
{
	const struct question *question = find_task(arguments, tgid);

	if (!question)
		question = add(arguments, tgid, tgid);
	return question ? question->number : 0;
}

static ssize_t answer_of(struct arguments *arguments, const struct question *question, const char **ret)
{
	*ret = "";
	if (!question || question->state != QUESTION_ANSWERED)
		return -EAGAIN;
	if (question->size > 0)
		*ret = arguments->text + question->at;
	return question->size;
}

ssize_t arguments_read(struct arguments *arguments, pid_t tid, pid_t tgid, const char **ret, uint32_t *ret_number)
{
	const struct question *question = find_task(arguments, tid);
	ssize_t n;

	if (!question)
		question = add(arguments, tid, tgid);
	if (question && !is_settled(question)) {
		*ret_number = question->number;
		return -EINPROGRESS;
	}
	n = answer_of(arguments, question, ret);
	if (n == -EAGAIN)
		unread_note(&arguments->unread, tgid, clock_ms());
	else
		unread_forget(&arguments->unread, tgid);
	return n;
}

void arguments_changed(struct arguments *arguments, pid_t tgid)
{
	for (size_t i = 0; i < arguments->count; i++) {
		if (arguments->questions[i].tgid == tgid)
			arguments->questions[i].state = QUESTION_POINTLESS;
	}
	unread_forget(&arguments->unread, tgid);
}

enum question_state arguments_state(const struct arguments *arguments, uint32_t number)
{
	const struct question *question = find(arguments, number);

	return question ? question->state : QUESTION_NONE;
}

void arguments_keep(struct arguments *arguments, pid_t tgid)
{
	for (size_t i = 0; i < arguments->count; i++) {
		if (arguments->questions[i].tgid == tgid)
			arguments->questions[i].is_kept = true;
	}
}

void arguments_end_round(struct arguments *arguments)
{
	size_t kept = 0;
	bool keeps_text = false;

	for (size_t i = 0; i < arguments->count; i++) {
		struct question question = arguments->questions[i];

		if (is_settled(&question) && !question.is_kept)
			continue;
		keeps_text |= is_settled(&question);
		question.is_kept = false;
		arguments->questions[kept++] = question;
	}
	arguments->count = kept;
	if (!keeps_text)
		arguments->used = 0;
}

/* ---- the helper ---- */

static struct question *first_asked(struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++) {
		if (arguments->questions[i].state == QUESTION_ASKED)
			return &arguments->questions[i];
	}
	return NULL;
}

/* The helper is left behind: what it has not answered is asked anew. */
static void leave(struct arguments *arguments)
{
	helper_leave(&arguments->reader);
	for (size_t i = 0; i < arguments->count; i++) {
		if (arguments->questions[i].state == QUESTION_ASKED)
			arguments->questions[i].state = QUESTION_NEW;
	}
}

static void send_new(struct arguments *arguments)
{
	struct reader_question messages[QUESTIONS_MAX];
	struct question *sent[QUESTIONS_MAX];
	size_t n = 0;
	int r;

	for (size_t i = 0; i < arguments->count; i++) {
		struct question *question = &arguments->questions[i];

		if (question->state != QUESTION_NEW)
			continue;
		messages[n] = (struct reader_question){ question->tid, question->number };
		sent[n++] = question;
	}
	if (!n)
		return;
	if (!first_asked(arguments))
		arguments->progress_ms = clock_ms();
	r = reader_ask(&arguments->reader, messages, n);
	for (size_t i = 0; i < n; i++)
		sent[i]->state = r < 0 ? QUESTION_UNKNOWN : QUESTION_ASKED;
}

static void take(struct arguments *arguments, bool wait)
{
	const uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + WAIT_NS;
	struct reader_answer answer;
	struct question *question;
	int r = 1;

	/* What does not fit any more is taken in the next round. */
	while (r > 0 && first_asked(arguments) && arguments->used + READER_BYTES <= TEXT_BYTES) {
		char *text = arguments->text + arguments->used;

		r = reader_take(&arguments->reader, wait, &answer, text, READER_BYTES);
		/* Something has ended it, such as the OOM killer; or what it was asked for first did. */
		if (r < 0) {
			first_asked(arguments)->state = QUESTION_UNKNOWN;
			leave(arguments);
		}
		if (r <= 0)
			break;
		arguments->progress_ms = clock_ms();
		wait &= clock_ns(CLOCK_MONOTONIC) < until_ns;
		question = find(arguments, answer.number);
		if (!question || question->state != QUESTION_ASKED)
			continue;
		question->state = answer.size == -ESRCH ? QUESTION_POINTLESS : QUESTION_ANSWERED;
		question->size = answer.size;
		question->at = arguments->used;
		arguments->used += answer.size > 0 ? (size_t)answer.size : 0;
	}
}

static void note_stuck(struct arguments *arguments, uint32_t ms)
{
	struct question *question = first_asked(arguments);

	if (!question || ms - arguments->progress_ms < STUCK_MS)
		return;
	/* On a busy machine the helper waits for a CPU, and nobody is to blame. */
	if (helper_is_runnable(&arguments->reader, arguments->proc)) {
		arguments->progress_ms = ms;
		return;
	}
	question->state = QUESTION_UNKNOWN;
	/* What has hung before has a pause of its own. */
	if (!unread_has(&arguments->unread, question->tgid))
		unread_hung(&arguments->unread, user_of(arguments, question->tgid), ms);
	leave(arguments);
	/* Others of this user need not be tried. */
	for (size_t i = 0; i < arguments->count; i++) {
		question = &arguments->questions[i];
		if (question->state == QUESTION_NEW && !may_ask(arguments, question->tgid, ms))
			question->state = QUESTION_UNKNOWN;
	}
	send_new(arguments);
}

/* Returns whether any question is settled. */
static bool check_deadlines(struct arguments *arguments)
{
	const uint32_t ms = clock_ms();
	bool any = false;

	note_stuck(arguments, ms);
	for (size_t i = 0; i < arguments->count; i++) {
		struct question *question = &arguments->questions[i];

		if (!is_settled(question) && ms - question->since_ms >= DEADLINE_MS)
			question->state = QUESTION_UNKNOWN;
		any |= is_settled(question);
	}
	return any;
}

/* When check_deadlines has to be called, if nothing is answered before. False: nothing is awaited. */
static bool next_deadline(const struct arguments *arguments, uint32_t *ret_ms)
{
	bool found = false;

	for (size_t i = 0; i < arguments->count; i++) {
		const struct question *question = &arguments->questions[i];
		uint32_t ms = question->since_ms + DEADLINE_MS;

		if (is_settled(question))
			continue;
		if ((int32_t)(arguments->progress_ms + STUCK_MS - ms) < 0)
			ms = arguments->progress_ms + STUCK_MS;
		if (!found || (int32_t)(ms - *ret_ms) < 0)
			*ret_ms = ms;
		found = true;
	}
	return found;
}

bool arguments_exchange(struct arguments *arguments, bool wait)
{
	const bool is_idle = !first_asked(arguments);
	uint32_t at_ms;
	bool settled;

	send_new(arguments);
	take(arguments, is_idle);
	/* The helper may have ended. */
	send_new(arguments);
	settled = check_deadlines(arguments);
	while (wait && !settled && next_deadline(arguments, &at_ms)) {
		const int32_t in_ms = (int32_t)(at_ms - clock_ms());

		reader_wait(&arguments->reader, in_ms > 0 ? in_ms : 0);
		take(arguments, false);
		send_new(arguments);
		settled = check_deadlines(arguments);
	}
	return settled;
}

void arguments_end(struct arguments *arguments)
{
	arguments->is_over = true;
	for (size_t i = 0; i < arguments->count; i++) {
		if (!is_settled(&arguments->questions[i]))
			arguments->questions[i].state = QUESTION_UNKNOWN;
	}
}

ssize_t arguments_read_now(struct arguments *arguments, pid_t tid, pid_t tgid, const char **ret)
{
	uint32_t number = 0;
	ssize_t n = arguments_read(arguments, tid, tgid, ret, &number);

	if (n == -EINPROGRESS) {
		arguments_exchange(arguments, false);
		n = arguments_read(arguments, tid, tgid, ret, &number);
	}
	return n == -EINPROGRESS ? -EAGAIN : n;
}

/* ---- later ---- */

int arguments_fd(const struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++) {
		if (arguments->questions[i].state == QUESTION_ASKED)
			return arguments->reader.now.fd;
	}
	return -1;
}

bool arguments_next(const struct arguments *arguments, uint32_t *ret_ms)
{
	const bool found = next_deadline(arguments, ret_ms);
	uint32_t retry_ms;

	if (!unread_next(&arguments->unread, &retry_ms))
		return found;
	if (!found || (int32_t)(retry_ms - *ret_ms) < 0)
		*ret_ms = retry_ms;
	return true;
}
