/* SPDX-License-Identifier: GPL-2.0-only */
#include "focus.h"

#include <errno.h>
#include <stdio.h>

#include <schedqos/util/cleanup.h>

#define GAMEMODE      "com.feralinteractive.GameMode"
#define GAMEMODE_PATH "/com/feralinteractive/GameMode"

static int on_list(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct focus *focus = userdata;
	int pid;

	(void)error;
	shown_no_games(&focus->shown);
	if (!sd_bus_message_is_method_error(message, NULL) && sd_bus_message_enter_container(message, 'a', "(io)") >= 0) {
		while (sd_bus_message_read(message, "(io)", &pid, NULL) > 0)
			shown_put_game(&focus->shown, pid);
	}
	focus_changed(focus);
	return 0;
}

/* Does not start it. */
static int ask(struct focus *focus)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL;
	int r = sd_bus_message_new_method_call(focus->user_bus, &message, GAMEMODE, GAMEMODE_PATH, GAMEMODE, "ListGames");

	if (r >= 0)
		r = sd_bus_message_set_auto_start(message, 0);
	return r < 0 ? r : sd_bus_call_async(focus->user_bus, NULL, message, on_list, focus, 0);
}

/* Whatever has changed. Without GameMode the answer is an error, and there are none. */
static int on_change(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)message;
	(void)error;
	ask(userdata);
	return 0;
}

int games_open(struct focus *focus)
{
	sd_bus *bus = focus->user_bus;
	int r;

	if (!bus)
		return 0;
	/* GameRegistered and GameUnregistered. */
	r = sd_bus_match_signal_async(bus, NULL, GAMEMODE, GAMEMODE_PATH, GAMEMODE, NULL, on_change, NULL, focus);
	if (r >= 0)
		r = focus_watch_name(bus, GAMEMODE, on_change, focus);
	return r < 0 ? r : ask(focus);
}

void games_describe(struct focus *focus, char *buf, size_t size)
{
	if (focus_owner(focus, GAMEMODE, buf, size))
		snprintf(buf, size, "GameMode");
}
