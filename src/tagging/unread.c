/* SPDX-License-Identifier: GPL-2.0-only */
#include "unread.h"

/* Most processes that hang do so for a moment, or for good. */
#define WAIT_MIN_MS 100
#define WAIT_MAX_MS 60000

/* Between one retry and the next. */
#define RETRY_MS 50

/*
 * Of a user, after one that hangs. On a busy machine who holds the lock of his memory may wait for a CPU, so that this
 * happens to the honest as well; and ten times a second costs nobody much.
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

void unread_note(struct unread *unread, pid_t pid, uint32_t ms)
{
	if (unread->count < UNREAD_MAX && !unread_has(unread, pid))
		unread->processes[unread->count++] = (struct unread_process){ pid, ms + WAIT_MIN_MS, WAIT_MIN_MS };
}

void unread_forget(struct unread *unread, pid_t pid)
{
	const size_t i = place_of(unread, pid);

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

/* Kept is the beginning, not the end: a time of long ago must not come to lie ahead when times wrap around. */
bool unread_is_off(const struct unread *unread, uid_t user, uint32_t ms)
{
	return ms - unread->hung_ms[user % UNREAD_USERS] < OFF_MS;
}

void unread_hung(struct unread *unread, uid_t user, uint32_t ms)
{
	unread->hung_ms[user % UNREAD_USERS] = unread->last_hung_ms = ms;
}
