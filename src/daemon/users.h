/* SPDX-License-Identifier: GPL-2.0-only */
/* Users named in rules who could not be looked up yet: their rules match nothing until they are known. */
#pragma once

#include <stdint.h>

#include <systemd/sd-event.h>

#include "user_lookup.h"

struct config;
struct daemon;
struct rule_user;

struct users {
	struct rule_user *asked; /* the user being looked up, of the configuration in force; NULL: none */
	struct user_lookup lookup;
	sd_event_source *answer;
	sd_event_source *timer; /* ends the wait for an answer, or the pause before the next round */
	uint64_t pause_us;
};

/*
 * Starts looking up the pending users of daemon->config, if there are any. Until there is an answer they keep the uid
 * that they have in before, the previous configuration (or NULL).
 */
void users_begin(struct daemon *daemon, const struct config *before);

/* Call it before the configuration is freed. */
void users_end(struct daemon *daemon);
