/* SPDX-License-Identifier: GPL-2.0-only */
/* What sources of windows, sounds and games share: the loop, the session's bus, and whom they tell. */
#pragma once

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include "shown.h"

struct focus_source;

struct focus {
	sd_event *event;
	bool is_service;  /* else it prints, and there may be others beside it */
	sd_bus *user_bus; /* the session's; NULL: there is none */
	struct shown shown;
	sd_event_source *settling;
	/* All that was due has been said. */
	void (*settled)(struct focus *focus);
	/* The source has gone, or sends rubbish; it is closed later, not within this call. Set by sources_open. */
	void (*lost)(struct focus *focus, const struct focus_source *source, const char *why);
	void *lost_context;
};

/* Begins with a loop, and the session's bus if there is one. 0 or -errno. */
int focus_open(struct focus *focus);
void focus_close(struct focus *focus);

/* A bus in the loop, which ends with it. 0 or -errno. */
int focus_open_bus(struct focus *focus, int (*open)(sd_bus **ret), sd_bus **ret);

/* What is seen, heard or played has changed. Says what is due soon after, at once for all that changes together. */
void focus_changed(struct focus *focus);

/* For people: prints a line about the process, unless we are the service. */
void focus_say(const struct focus *focus, pid_t pid, const char *name, const char *text);

/* A timer that runs once; *timer is made if it is NULL. 0 or -errno. */
int focus_call_in(struct focus *focus, sd_event_source **timer, uint64_t us, sd_event_time_handler_t call, void *context);

/* Has `call` called when somebody takes or leaves a name of the bus, with NameOwnerChanged's "sss". 0 or -errno. */
int focus_watch_name(sd_bus *bus, const char *name, sd_bus_message_handler_t call, void *context);

/* The process behind a name of the session's bus; or 0, with the reason for people. No service is started for it. */
pid_t focus_owner(struct focus *focus, const char *name, char *why, size_t size);

/* ---- games.c: what is played, by those that are registered with GameMode on the session's bus ---- */

/* Keeps `shown` told of them; ends with the bus. 0 or -errno. */
int games_open(struct focus *focus);

/* For people: whether GameMode runs. */
void games_describe(struct focus *focus, char *buf, size_t size);
