/* SPDX-License-Identifier: GPL-2.0-only */
#include "heard_private.h"

void heard_update(struct heard *heard)
{
	names_update(heard);
	moves_update(heard);
	changes_update(heard);
}

void heard_close(struct heard *heard)
{
	names_close(heard);
	moves_close(heard);
	changes_close(heard);
}

bool heard_resubscribe(struct heard *heard)
{
	if (heard->moves.how != HEARING_HEARD && heard->changes.how != HEARING_HEARD)
		return false;
	heard_close(heard);
	heard_update(heard);
	return true;
}

void heard_check(struct heard *heard)
{
	names_check(heard);
	moves_check(heard);
	changes_check(heard);
}

void heard_due(struct heard *heard)
{
	if (later_take(heard->later, LATER_NAMES))
		names_due(heard);
	if (later_take(heard->later, LATER_MOVES))
		moves_due(heard);
	if (later_take(heard->later, LATER_CHANGES))
		changes_due(heard);
}
