/* SPDX-License-Identifier: GPL-2.0-only */
#include "unread.h"

/* Most processes that hang do so for a moment, or for good. */
#define WAIT_MIN_MS 100
#define WAIT_MAX_MS 60000

/* A retry is over by then, even on a busy machine. */
#define TRY_MS 1000

/* Between one retry and the next. */
#define RETRY_MS 50

/*
 * Of a user: this for the first that hangs, twice as long for the next if it does so soon after. On a busy machine who
 * holds the lock of his memory may wait for a CPU, so that this happens to the honest as well; and once a second costs nobody
 * much.
 */
#define OFF_MIN_MS 10
#define OFF_MAX_MS 1000
#define SOON_MS	   10000

static bool is_before(uint32_t a_ms, uint32_t b_ms)
{
	return (int32_t)(a_ms - b_ms) < 0;
}

static struct unread_process *find(const struct unread *unread, pid_t pid)
{
	for (size_t i = 0; i < unread->count; i++) {
		if (unread->processes[i].pid == pid)
			return (struct unread_process *)&unread->processes[i];
	}
	return NULL;
}

bool unread_note(struct unread *unread, pid_t pid, uint32_t ms)
{
	struct unread_process *process = find(unread, pid);

	if (process && !process->is_tried && is_before(ms, process->next_ms))
		return true;
	if (!process) {
		if (unread->count == UNREAD_MAX)
			return false;
		/* The first of them need not wait for another. */
		if (!unread->count)
			unread->retried_ms = ms - RETRY_MS;
		process = &unread->processes[unread->count++];
		*process = (struct unread_process){ .pid = pid, .wait_ms = WAIT_MIN_MS / 2 };
	}
	process->wait_ms = process->wait_ms > WAIT_MAX_MS / 2 ? WAIT_MAX_MS : process->wait_ms * 2;
	process->next_ms = ms + process->wait_ms;
	process->is_tried = false;
	return true;
}

void unread_forget(struct unread *unread, pid_t pid)
{
	struct unread_process *process = find(unread, pid);

	if (process)
		*process = unread->processes[--unread->count];
}

bool unread_is_waiting(const struct unread *unread, pid_t pid, uint32_t ms)
{
	const struct unread_process *process = find(unread, pid);

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
	return find(unread, pid);
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
	struct unread_user *found = find_user(unread, user);
	const bool is_again = found->wait_ms && is_before(ms, found->until_ms + SOON_MS);

	found->wait_ms = is_again ? found->wait_ms * 2 : OFF_MIN_MS;
	if (found->wait_ms > OFF_MAX_MS)
		found->wait_ms = OFF_MAX_MS;
	found->until_ms = ms + found->wait_ms;
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
