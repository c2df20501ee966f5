/* SPDX-License-Identifier: GPL-2.0-only */
#include "deferred.h"

#include <errno.h>
#include <string.h>

#include <schedqos/kernel/sched_attr.h>
#include <schedqos/util/clock.h>

/* The first wake-up this long after the decision has the arguments read. */
#define DEFERRED_MS 20

/* After this time they are read even if there is no other reason to wake up. */
#define DEFERRED_MAX_MS 50

bool deferred_has_room(const struct deferred *deferred)
{
	return deferred->count < DEFERRED_MAX;
}

static void remove_at(struct deferred *deferred, size_t i)
{
	deferred->count--;
	if (i < deferred->n_asked)
		deferred->n_asked--;
	memmove(&deferred->all[i], &deferred->all[i + 1], (deferred->count - i) * sizeof(deferred->all[0]));
}

void deferred_forget(struct deferred *deferred, pid_t tgid)
{
	size_t i = 0;

	while (i < deferred->count && deferred->all[i].tgid != tgid)
		i++;
	if (i < deferred->count)
		remove_at(deferred, i);
}

bool deferred_note(struct deferred *deferred, pid_t tgid, const char *exe, uint32_t ms)
{
	struct deferred_process *process;

	deferred_forget(deferred, tgid);
	if (!deferred_has_room(deferred) || strnlen(exe, DEFERRED_NAME_MAX) == DEFERRED_NAME_MAX)
		return false;
	process = &deferred->all[deferred->count++];
	process->tgid = tgid;
	process->since_ms = ms;
	strcpy(process->exe, exe);
	return true;
}

void deferred_reset(struct deferred *deferred)
{
	deferred->count = deferred->n_asked = 0;
}

void deferred_ask(struct deferred *deferred, struct arguments *arguments, uint32_t ms, bool at_once)
{
	struct deferred_process *all = deferred->all;
	size_t i = deferred->n_asked;

	for (; i < deferred->count && arguments_has_room(arguments); i++) {
		struct ksched_attr attr;

		if (!at_once && is_before(ms, all[i].since_ms + DEFERRED_MS))
			break;
		/* Do not ask the helper about a process that has ended: this call costs far less. */
		if (ksched_get(all[i].tgid, &attr) == -ESRCH)
			continue;
		arguments_want(arguments, all[i].tgid);
		all[deferred->n_asked++] = all[i];
	}
	/* Usually none has ended since the last look, and all stay where they are. */
	if (i == deferred->n_asked)
		return;
	deferred->count -= i - deferred->n_asked;
	memmove(&all[deferred->n_asked], &all[i], (deferred->count - deferred->n_asked) * sizeof(*all));
}

bool deferred_take(struct deferred *deferred, struct arguments *arguments, char buf[READER_BYTES],
		   struct deferred_process *ret, size_t *ret_size)
{
	size_t i = 0;

	while (i < deferred->n_asked) {
		const pid_t tgid = deferred->all[i].tgid;
		const ssize_t n = arguments_read(arguments, tgid, tgid, buf);

		if (n == -EINPROGRESS) {
			i++;
			continue;
		}
		*ret = deferred->all[i];
		remove_at(deferred, i);
		if (n > 0) {
			*ret_size = (size_t)n;
			return true;
		}
	}
	return false;
}

bool deferred_next(const struct deferred *deferred, const struct arguments *arguments, uint32_t *ret_ms)
{
	/* While all places are taken, the deadlines of questions come first. */
	if (deferred->n_asked == deferred->count || !arguments_has_room(arguments))
		return false;
	*ret_ms = deferred->all[deferred->n_asked].since_ms + DEFERRED_MAX_MS;
	return true;
}
