/* SPDX-License-Identifier: GPL-2.0-only */
#include "arguments.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>

/* ---- when to try again ---- */

/* Most processes that hang do so for a moment, or for good. */
#define WAIT_MIN_MS 100
#define WAIT_MAX_MS 60000

/* Between one retry and the next; and if it is not known yet what has come of the one. */
#define RETRY_MS 50
#define TRY_MS	 200

/*
 * Of a user, after one that hangs. On a busy machine who holds the lock of his memory may wait for a CPU, so that this happens
 * to the honest as well; and ten times a second costs nobody much.
 */
#define OFF_MS 100

/* Its place, or count. */
static size_t place_of(const struct unread *unread, pid_t pid)
{
	size_t i = 0;

	while (i < unread->count && unread->processes[i].pid != pid)
		i++;
	return i;
}

bool unread_has(const struct unread *unread, pid_t pid)
{
	return place_of(unread, pid) < unread->count;
}

void unread_note(struct unread *unread, pid_t pid, uint32_t ms, bool is_asked)
{
	uint32_t wait_ms = WAIT_MIN_MS;

	if (unread->count == UNREAD_MAX || unread_has(unread, pid))
		return;
	/* The first of them need not wait for another. */
	if (!unread->count)
		unread->tried_ms = ms - RETRY_MS;
	if (unread->tried.pid == pid) {
		wait_ms = unread->tried.wait_ms * (is_asked ? 2 : 1);
		if (wait_ms > WAIT_MAX_MS)
			wait_ms = WAIT_MAX_MS;
		unread->tried.pid = 0;
	}
	unread->processes[unread->count++] = (struct unread_process){ pid, ms + wait_ms, wait_ms };
}

void unread_forget(struct unread *unread, pid_t pid)
{
	const size_t i = place_of(unread, pid);

	if (i < unread->count)
		unread->processes[i] = unread->processes[--unread->count];
	if (unread->tried.pid != pid)
		return;
	/* The next one need not wait for what has not hung. */
	unread->tried.pid = 0;
	unread->tried_ms -= RETRY_MS;
}

/* The place of the one to be tried first, and when that is; or count. */
static size_t find_first(const struct unread *unread, uint32_t *ret_ms)
{
	const uint32_t earliest_ms = unread->tried_ms + (unread->tried.pid ? TRY_MS : RETRY_MS);
	size_t first = 0;

	for (size_t i = 1; i < unread->count; i++) {
		if (is_before(unread->processes[i].next_ms, unread->processes[first].next_ms))
			first = i;
	}
	*ret_ms = unread->processes[first].next_ms;
	if (is_before(*ret_ms, earliest_ms))
		*ret_ms = earliest_ms;
	return first;
}

bool unread_next(const struct unread *unread, uint32_t *ret_ms)
{
	find_first(unread, ret_ms);
	return unread->count;
}

pid_t unread_retry(struct unread *unread, uint32_t ms)
{
	uint32_t next_ms;
	const size_t first = find_first(unread, &next_ms);

	if (!unread->count || is_before(ms, next_ms))
		return 0;
	unread->tried = unread->processes[first];
	unread->tried_ms = ms;
	unread->processes[first] = unread->processes[--unread->count];
	return unread->tried.pid;
}

/* Kept is the beginning, not the end: a time of long ago must not come to lie ahead when times wrap around. */
bool unread_is_off(const struct unread *unread, uid_t user, uint32_t ms)
{
	return ms - unread->hung_ms[user % UNREAD_USERS] < OFF_MS;
}

void unread_hung(struct unread *unread, uid_t user, uint32_t ms)
{
	unread->hung_ms[user % UNREAD_USERS] = unread->last_hung_ms = ms;
}

/* ---- asking ---- */

/* So long a helper may take for one process. Then it hangs, and the rest is asked elsewhere. */
#define STUCK_MS 40

/* So long a decision may be put off. */
#define DEADLINE_MS 100

/*
 * The loop itself waits no longer than this for those of one batch, and not at all if the helper is busy: an answer is there
 * within 50 us, unless a CPU has to be waited for.
 */
#define WAIT_US 2000

/* Answers that are late are looked for so often. */
#define LATE_MS 5

/* More memory than this is given back. */
#define LONG_BYTES 4096

void arguments_init(struct arguments *arguments, int proc)
{
	*arguments = (struct arguments){ .proc = proc };
	reader_ask(&arguments->reader, NULL, 0);
}

void arguments_free(struct arguments *arguments)
{
	helper_close(&arguments->reader);
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

/* Stands for all users of other user namespaces, where anybody may have many ids. */
#define OTHER_NAMESPACE ((uid_t)-1)

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
		return OTHER_NAMESPACE;
	return folder.st_uid;
}

static bool may_ask(const struct arguments *arguments, pid_t tgid, uint32_t ms)
{
	const struct unread *unread = &arguments->unread;

	return !unread_has(unread, tgid) &&
	       (ms - unread->last_hung_ms >= OFF_MS || !unread_is_off(unread, user_of(arguments, tgid), ms));
}

/* NULL if there is no room. */
static struct question *add(struct arguments *arguments, pid_t tid, pid_t tgid)
{
	const uint32_t ms = clock_ms();
	struct question *question;
	uint32_t place;

	if (arguments->count == QUESTIONS_MAX)
		return NULL;
	place = (uint32_t)__builtin_ctzll(~arguments->places);
	arguments->places |= 1ULL << place;
	question = &arguments->questions[arguments->count++];
	*question = (struct question){
		.number = ++arguments->number,
		.state = !arguments->is_over && may_ask(arguments, tgid, ms) ? QUESTION_NEW : QUESTION_UNKNOWN,
		.tid = tid,
		.tgid = tgid,
		.since_ms = ms,
		.place = place,
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

ssize_t arguments_read(struct arguments *arguments, pid_t tid, pid_t tgid, char buf[READER_BYTES], uint32_t *ret_number)
{
	const struct question *question = find_task(arguments, tid);

	buf[0] = '\0';
	if (!question)
		question = add(arguments, tid, tgid);
	if (question && !is_settled(question)) {
		*ret_number = question->number;
		return -EINPROGRESS;
	}
	if (!question || question->state != QUESTION_ANSWERED) {
		unread_note(&arguments->unread, tgid, clock_ms(), question && question->is_asked);
		return -EAGAIN;
	}
	unread_forget(&arguments->unread, tgid);
	if (question->size > 0)
		memcpy(buf, question->text, (size_t)question->size);
	return question->size;
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

	for (size_t i = 0; i < arguments->count; i++) {
		struct question question = arguments->questions[i];

		if (is_settled(&question) && !question.is_kept) {
			arguments->places &= ~(1ULL << question.place);
			continue;
		}
		question.is_kept = false;
		arguments->questions[kept++] = question;
	}
	arguments->count = kept;
	if (!kept && arguments->are_long) {
		reader_shrink(&arguments->reader);
		arguments->are_long = false;
	}
}

/* ---- the helper ---- */

/* The helper is left behind: what it has not answered is asked anew, and so is what goes with its memory. */
static void leave(struct arguments *arguments)
{
	helper_leave(&arguments->reader);
	for (size_t i = 0; i < arguments->count; i++) {
		struct question *question = &arguments->questions[i];

		if (question->state == QUESTION_ASKED || question->state == QUESTION_ANSWERED)
			question->state = QUESTION_NEW;
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
		messages[n] = (struct reader_question){
			.tid = question->tid,
			.number = question->number,
			.place = question->place,
		};
		sent[n++] = question;
	}
	if (!n)
		return;
	if (!reader_current(&arguments->reader))
		arguments->progress_ms = clock_ms();
	r = reader_ask(&arguments->reader, messages, n);
	for (size_t i = 0; i < n; i++) {
		sent[i]->state = r < 0 ? QUESTION_UNKNOWN : QUESTION_ASKED;
		sent[i]->is_asked = true;
	}
}

static void take(struct arguments *arguments)
{
	const struct reader_question *answer;
	const char *text;

	while ((answer = reader_take(&arguments->reader, &text))) {
		struct question *question = find(arguments, answer->number);

		arguments->progress_ms = clock_ms();
		arguments->are_long |= answer->size > LONG_BYTES;
		if (!question || question->state != QUESTION_ASKED)
			continue;
		question->state = answer->size == -ESRCH ? QUESTION_POINTLESS : QUESTION_ANSWERED;
		question->size = answer->size;
		question->text = text;
	}
}

static void note_stuck(struct arguments *arguments, uint32_t ms)
{
	const struct reader_question *current = reader_current(&arguments->reader);
	struct question *question;
	char state;

	if (!current || ms - arguments->progress_ms < STUCK_MS)
		return;
	state = helper_state(&arguments->reader, arguments->proc);
	/* On a busy machine the helper waits for a CPU, and nobody is to blame. */
	if (state == 'R') {
		arguments->progress_ms = ms;
		return;
	}
	question = find(arguments, current->number);
	/* Nor is who was asked by one that somebody has killed. */
	if (state != 'Z' && question && question->state == QUESTION_ASKED) {
		question->state = QUESTION_UNKNOWN;
		/* What has hung before has a pause of its own. */
		if (arguments->unread.tried.pid != question->tgid)
			unread_hung(&arguments->unread, user_of(arguments, question->tgid), ms);
	}
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

		if (!is_settled(question) && (arguments->is_over || ms - question->since_ms >= DEADLINE_MS))
			question->state = QUESTION_UNKNOWN;
		any |= is_settled(question);
	}
	return any;
}

static bool is_awaiting(const struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++) {
		if (!is_settled(&arguments->questions[i]))
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
	while (wait && !settled && is_awaiting(arguments)) {
		reader_wait(&arguments->reader, LATE_MS * 1000);
		take(arguments);
		settled = check_deadlines(arguments);
	}
	return settled;
}

/* ---- later ---- */

bool arguments_next(const struct arguments *arguments, uint32_t *ret_ms)
{
	const bool is_late = is_awaiting(arguments), has_retry = unread_next(&arguments->unread, ret_ms);
	const uint32_t late_ms = clock_ms() + LATE_MS;

	if (is_late && (!has_retry || is_before(late_ms, *ret_ms)))
		*ret_ms = late_ms;
	return is_late || has_retry;
}
