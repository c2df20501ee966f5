/* SPDX-License-Identifier: GPL-2.0-only */
#include "retries.h"

/* Time until the next try for a process. Most processes hang only for a moment, or forever. */
#define WAIT_MIN_MS 100
#define WAIT_MAX_MS 60000

/* Least time between two tries. */
#define RETRY_MS 50

/* Returns the process's index, or retries->count. */
static size_t retries_index(const struct retries *retries, pid_t pid)
{
	size_t i = 0;

	while (i < retries->count && retries->all[i].pid != pid)
		i++;
	return i;
}

bool retries_has(const struct retries *retries, pid_t pid)
{
	return retries_index(retries, pid) < retries->count;
}

/* Returns the place of the process that has been tried most often; NULL if none has been tried. */
static struct retry *most_tried(struct retries *retries)
{
	struct retry *most = NULL;

	for (size_t i = 0; i < retries->count; i++) {
		struct retry *retry = &retries->all[i];

		if (retry->wait_ms > (most ? most->wait_ms : WAIT_MIN_MS))
			most = retry;
	}
	return most;
}

void retries_note(struct retries *retries, pid_t pid, uint32_t ms)
{
	struct retry *place;

	if (retries_has(retries, pid))
		return;
	/* One user can fill all places with processes that hang for ever, so these give way. */
	place = retries->count < RETRIES_MAX ? &retries->all[retries->count++] : most_tried(retries);
	if (place)
		*place = (struct retry){ pid, ms + WAIT_MIN_MS, WAIT_MIN_MS };
}

void retries_forget(struct retries *retries, pid_t pid)
{
	const size_t i = retries_index(retries, pid);

	if (i < retries->count)
		retries->all[i] = retries->all[--retries->count];
}

bool retries_next(const struct retries *retries, uint32_t *ret_ms)
{
	for (size_t i = 0; i < retries->count; i++) {
		if (!i || is_before(retries->all[i].next_ms, *ret_ms))
			*ret_ms = retries->all[i].next_ms;
	}
	return retries->count;
}

pid_t retries_take(struct retries *retries, uint32_t ms)
{
	struct retry *first = NULL;

	for (size_t i = 0; i < retries->count; i++) {
		struct retry *retry = &retries->all[i];

		if (!is_before(ms, retry->next_ms) && (!first || is_before(retry->next_ms, first->next_ms)))
			first = retry;
	}
	if (!first)
		return 0;
	first->wait_ms = first->wait_ms * 2 < WAIT_MAX_MS ? first->wait_ms * 2 : WAIT_MAX_MS;
	first->next_ms = ms + first->wait_ms;
	for (size_t i = 0; i < retries->count; i++) {
		if (is_before(retries->all[i].next_ms, ms + RETRY_MS))
			retries->all[i].next_ms = ms + RETRY_MS;
	}
	retries->tried = first->pid;
	return first->pid;
}
