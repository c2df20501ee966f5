/* SPDX-License-Identifier: GPL-2.0-only */
/* Remembers processes that could not be read about, and when to try again. */
#include "unread.h"

/* Time until the next try for a process. Most processes hang only for a moment, or forever. */
#define WAIT_MIN_MS 100
#define WAIT_MAX_MS 60000

/* Least time between two tries. */
#define RETRY_MS 50

/*
 * Time for which we read about no process of a user after one has hung. On a busy machine the holder of a process's
 * memory lock may wait for a CPU, so this happens to honest users, too. Ten tries a second cost little.
 */
#define OFF_MS 100

/* Returns the process's index, or unread->count. */
static size_t unread_index(const struct unread *unread, pid_t pid)
{
	size_t i = 0;

	while (i < unread->count && unread->processes[i].pid != pid)
		i++;
	return i;
}

bool unread_has(const struct unread *unread, pid_t pid)
{
	return unread_index(unread, pid) < unread->count;
}

/* Returns the place of the process that has been tried most often; NULL if none has been tried. */
static struct unread_process *most_tried(struct unread *unread)
{
	struct unread_process *most = NULL;

	for (size_t i = 0; i < unread->count; i++) {
		struct unread_process *process = &unread->processes[i];

		if (process->wait_ms > (most ? most->wait_ms : WAIT_MIN_MS))
			most = process;
	}
	return most;
}

void unread_note(struct unread *unread, pid_t pid, uint32_t ms)
{
	struct unread_process *place;

	if (unread_has(unread, pid))
		return;
	/* One user can fill all places with processes that hang for ever, so these give way. */
	place = unread->count < UNREAD_MAX ? &unread->processes[unread->count++] : most_tried(unread);
	if (place)
		*place = (struct unread_process){ pid, ms + WAIT_MIN_MS, WAIT_MIN_MS };
}

void unread_forget(struct unread *unread, pid_t pid)
{
	const size_t i = unread_index(unread, pid);

	if (i < unread->count)
		unread->processes[i] = unread->processes[--unread->count];
}

bool unread_next(const struct unread *unread, uint32_t *ret_ms)
{
	for (size_t i = 0; i < unread->count; i++) {
		if (!i || is_before(unread->processes[i].next_ms, *ret_ms))
			*ret_ms = unread->processes[i].next_ms;
	}
	return unread->count;
}

pid_t unread_retry(struct unread *unread, uint32_t ms)
{
	struct unread_process *first = NULL;

	for (size_t i = 0; i < unread->count; i++) {
		struct unread_process *process = &unread->processes[i];

		if (!is_before(ms, process->next_ms) && (!first || is_before(process->next_ms, first->next_ms)))
			first = process;
	}
	if (!first)
		return 0;
	first->wait_ms = first->wait_ms * 2 < WAIT_MAX_MS ? first->wait_ms * 2 : WAIT_MAX_MS;
	first->next_ms = ms + first->wait_ms;
	for (size_t i = 0; i < unread->count; i++) {
		if (is_before(unread->processes[i].next_ms, ms + RETRY_MS))
			unread->processes[i].next_ms = ms + RETRY_MS;
	}
	unread->tried = first->pid;
	return first->pid;
}

bool unread_any_is_off(const struct unread *unread, uint32_t ms)
{
	return ms - unread->last_hung_ms < OFF_MS;
}

/* We store when the pause began, not its end: so a time long ago seems to be now for 100 ms only, once in 49 days. */
bool unread_is_off(const struct unread *unread, uid_t user, uint32_t ms)
{
	return ms - unread->hung_ms[user % UNREAD_USERS] < OFF_MS;
}

void unread_hung(struct unread *unread, uid_t user, uint32_t ms)
{
	unread->hung_ms[user % UNREAD_USERS] = unread->last_hung_ms = ms;
}
