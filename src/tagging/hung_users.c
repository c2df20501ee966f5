/* SPDX-License-Identifier: GPL-2.0-only */
#include "hung_users.h"

#define PAUSE_MS 100

bool hung_users_any(const struct hung_users *users, uint32_t ms)
{
	return ms - users->last_hung_ms < PAUSE_MS;
}

/* We store when the pause began, not its end: so a time long ago seems to be now for 100 ms only, once in 49 days. */
bool hung_users_has(const struct hung_users *users, uid_t user, uint32_t ms)
{
	return ms - users->hung_ms[user % HUNG_USERS] < PAUSE_MS;
}

void hung_users_note(struct hung_users *users, uid_t user, uint32_t ms)
{
	users->hung_ms[user % HUNG_USERS] = users->last_hung_ms = ms;
}
