/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds up the cost of reading about each user's processes: see spending.h. */
#include "spending.h"

/*
 * Part of a read that adds no debt: the exec or move that causes the read costs the user as much. Usual reads take 6 to
 * 45 us.
 */
#define FREE_NS 200000

/*
 * A file that is no longer than this does not take long because of its owner: 400 groups, in 3,000 bytes, take 0.1 ms.
 * If reading it took long, the machine stood still. A virtual machine whose host is busy counts that as CPU time.
 */
#define SHORT_BYTES 4096

/*
 * Largest debts. Until a debt is too large, all other tasks wait for this long, and for one more read of up to 30 ms
 * (65,536 groups with long numbers, on a slow machine). The common maximum is more than one user can add.
 */
#define USER_MAX_US 10000
#define ALL_MAX_US  30000

/* Amount by which a debt shrinks per millisecond: 2 % of a CPU. */
#define US_PER_MS 20

/*
 * Price of a move: a wake-up and matching the process again, which cost us more than the process that moves. So a
 * user's moves are followed up to 200 times a second, and 100 at once.
 */
#define MOVE_US 100

/* Duration of a pause. Nothing is read during it, so the debt is forgotten at its end. */
#define PAUSE_MIN_MS  1000
#define USER_PAUSE_MS 16000
#define ALL_PAUSE_MS  4000

/* While no user has debt, one in this many cheap reads is noted, because finding out the process's user takes 3 us. */
#define NOTE_EVERY 16

static void settle_debt(struct debt *debt, uint32_t ms)
{
	const uint64_t paid_us = (uint64_t)(ms - debt->ms) * US_PER_MS;

	debt->us = paid_us < debt->us ? debt->us - (uint32_t)paid_us : 0;
	debt->ms = ms;
	if (debt->is_too_large && !is_before(ms, debt->until_ms)) {
		debt->is_too_large = false;
		debt->us = 0;
	}
}

/* Adds to a settled debt. Returns whether it has become too large. */
static bool owe(struct debt *debt, uint32_t us, uint32_t max_us, uint32_t max_pause_ms)
{
	const uint32_t doubled_ms = debt->pause_ms * 2;

	debt->us = us < UINT32_MAX - debt->us ? debt->us + us : UINT32_MAX;
	if (debt->is_too_large || debt->us <= max_us)
		return false;
	if (!doubled_ms || debt->ms - debt->until_ms > doubled_ms)
		debt->pause_ms = PAUSE_MIN_MS;
	else
		debt->pause_ms = doubled_ms < max_pause_ms ? doubled_ms : max_pause_ms;
	debt->until_ms = debt->ms + debt->pause_ms;
	debt->is_too_large = true;
	return true;
}

/* Extends the time in which some user may have debt. */
static void note_busy(struct spending *spending, const struct debt *debt)
{
	const uint32_t in_ms = debt->is_too_large ? debt->until_ms - debt->ms : debt->us / US_PER_MS + 1;

	if (!spending->is_busy || is_before(spending->busy_ms, debt->ms + in_ms))
		spending->busy_ms = debt->ms + in_ms;
	spending->is_busy = true;
}

static struct spender *find_spender(struct spending *spending, uid_t user, uint32_t ms)
{
	for (size_t i = 0; i < spending->count; i++) {
		struct spender *spender = &spending->spenders[i];

		if (spender->user == user) {
			settle_debt(&spender->debt, ms);
			return spender;
		}
	}
	return NULL;
}

/* Returns a free entry; once all are taken, that of a user without debt or pause if there is one. */
static struct spender *take_place(struct spending *spending, uint32_t ms)
{
	struct spender *spender = NULL;

	if (spending->count < SPENDERS_MAX)
		return &spending->spenders[spending->count++];
	for (size_t i = 0; i < SPENDERS_MAX; i++) {
		spender = &spending->spenders[spending->next++ % SPENDERS_MAX];
		settle_debt(&spender->debt, ms);
		if (!spender->debt.us && !spender->debt.is_too_large)
			break;
	}
	return spender;
}

bool spending_is_quiet(struct spending *spending, uint32_t ms)
{
	if (spending->is_busy && !is_before(ms, spending->busy_ms))
		spending->is_busy = false;
	return !spending->is_busy;
}

bool spending_allows(struct spending *spending, uid_t user, uint32_t ms)
{
	const struct spender *spender;

	if (spending_is_quiet(spending, ms))
		return true;
	settle_debt(&spending->all, ms);
	spender = find_spender(spending, user, ms);
	if (spender && spender->debt.is_too_large)
		return false;
	if (!spending->all.is_too_large)
		return true;
	/* The last condition: a user may first have had cheap reads under many user ids. */
	return spender && spender->debt.us < USER_MAX_US / 2 && spending->all.us <= 2 * ALL_MAX_US;
}

uint64_t spending_cost(uint64_t ns, size_t bytes)
{
	return bytes > SHORT_BYTES ? ns : 0;
}

bool spending_is_of_note(struct spending *spending, uint64_t ns, uint32_t ms)
{
	return ns > FREE_NS || !spending_is_quiet(spending, ms) || spending->reads++ % NOTE_EVERY == 0;
}

/* Adds to the user's debt. Returns whether it has become too large. */
static bool charge(struct spending *spending, uid_t user, uint32_t us, uint32_t ms)
{
	struct spender *spender = find_spender(spending, user, ms);
	bool has_paused_before, is_too_large;

	if (!spender) {
		spender = take_place(spending, ms);
		*spender = (struct spender){ .user = user, .debt.ms = ms };
	}
	if (!us)
		return false;
	settle_debt(&spending->all, ms);
	has_paused_before = spender->debt.pause_ms != 0;
	is_too_large = owe(&spender->debt, us, USER_MAX_US, USER_PAUSE_MS);
	/* The common debt counts only users that have not had a pause of their own before. */
	if (!has_paused_before)
		owe(&spending->all, us, ALL_MAX_US, ALL_PAUSE_MS);
	note_busy(spending, &spending->all);
	note_busy(spending, &spender->debt);
	return is_too_large;
}

bool spending_note(struct spending *spending, uid_t user, uint64_t ns, uint32_t ms)
{
	const uint64_t excess_us = ns > FREE_NS ? (ns - FREE_NS) / 1000 : 0;

	return charge(spending, user, excess_us < UINT32_MAX ? (uint32_t)excess_us : UINT32_MAX, ms);
}

bool spending_note_move(struct spending *spending, uid_t user, uint32_t ms)
{
	return charge(spending, user, MOVE_US, ms);
}
