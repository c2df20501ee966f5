/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/unread.h>

/* Most processes that hang do so for a moment, or for good. */
#define WAIT_MIN_MS 100
#define WAIT_MAX_MS 60000

/* The share of all time that may be wasted on waiting, at most. */
#define BUDGET_PERCENT 5

#define SUSPECT_MS 60000

static bool is_before(uint32_t a_ms, uint32_t b_ms)
{
	return (int32_t)(a_ms - b_ms) < 0;
}

void unread_init(struct unread *unread, uint32_t ms)
{
	*unread = (struct unread){ .budget_us = UNREAD_BUDGET_US, .budget_ms = ms };
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

	if (process && is_before(ms, process->next_ms))
		return true;
	if (!process) {
		if (unread->count == UNREAD_MAX)
			return false;
		process = &unread->processes[unread->count++];
		*process = (struct unread_process){ .pid = pid, .wait_ms = WAIT_MIN_MS / 2 };
	}
	process->wait_ms = process->wait_ms > WAIT_MAX_MS / 2 ? WAIT_MAX_MS : process->wait_ms * 2;
	process->next_ms = ms + process->wait_ms;
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

	return process && is_before(ms, process->next_ms);
}

const struct unread_process *unread_first(const struct unread *unread)
{
	const struct unread_process *first = unread->count ? &unread->processes[0] : NULL;

	for (size_t i = 1; i < unread->count; i++) {
		if (is_before(unread->processes[i].next_ms, first->next_ms))
			first = &unread->processes[i];
	}
	return first;
}

/* ---- how much time may be wasted ---- */

static void refill(struct unread *unread, uint32_t ms)
{
	unread->budget_us += (int64_t)(ms - unread->budget_ms) * (1000 / 100) * BUDGET_PERCENT;
	if (unread->budget_us > UNREAD_BUDGET_US)
		unread->budget_us = UNREAD_BUDGET_US;
	unread->budget_ms = ms;
}

static void note_user(struct unread *unread, uid_t user, uint32_t ms)
{
	struct unread_user *oldest = &unread->users[0];

	for (size_t i = 0; i < unread->n_users; i++) {
		struct unread_user *known = &unread->users[i];

		if (known->user == user) {
			known->ms = ms;
			return;
		}
		if (is_before(known->ms, oldest->ms))
			oldest = known;
	}
	if (unread->n_users < UNREAD_USERS_MAX)
		oldest = &unread->users[unread->n_users++];
	*oldest = (struct unread_user){ user, ms };
}

void unread_spend(struct unread *unread, uid_t user, uint64_t us, uint32_t ms)
{
	refill(unread, ms);
	unread->budget_us -= (int64_t)us;
	note_user(unread, user, ms);
}

uint32_t unread_patience_ms(struct unread *unread, uint32_t ms)
{
	int64_t patience_ms;

	refill(unread, ms);
	if (unread->budget_us <= 0)
		return 0;
	patience_ms = unread->budget_us * UNREAD_PATIENCE_MS / UNREAD_BUDGET_US;
	return patience_ms > 0 ? (uint32_t)patience_ms : 1;
}

bool unread_is_suspect(const struct unread *unread, uid_t user, uint32_t ms)
{
	for (size_t i = 0; i < unread->n_users; i++) {
		if (unread->users[i].user == user)
			return ms - unread->users[i].ms < SUSPECT_MS;
	}
	return false;
}
