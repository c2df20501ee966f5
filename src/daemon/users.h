/* SPDX-License-Identifier: GPL-2.0-only */
/* Users whom rules name and who could not be looked up yet: their rules match nothing until they are known. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>

#include "user_lookup.h"

struct config;
struct daemon;
struct rule_user;

struct users {
	struct rule_user *asked; /* who is being looked up, of the configuration in force; NULL: nobody */
	struct user_lookup lookup;
	sd_event_source *answer;
	sd_event_source *timer; /* the end of waiting for the answer, or of the pause before the next round */
	uint64_t pause_us;
};

/*
 * Looks up those of the configuration that is in force now, if there are any. Until there is an answer they have
 * the uid that they had in the one before (or NULL), which is still there.
 */
void users_begin(struct daemon *daemon, const struct config *before);

/* To be called before the configuration goes. */
void users_end(struct daemon *daemon);
