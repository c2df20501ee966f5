/* SPDX-License-Identifier: GPL-2.0-only */
#include "games.h"

#include <errno.h>

#include <schedqos/util/cleanup.h>

#define GAMEMODE      "com.feralinteractive.GameMode"
#define GAMEMODE_PATH "/com/feralinteractive/GameMode"

static int on_registered(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct focus *focus = userdata;
	int pid;

	(void)error;
	if (sd_bus_message_read(message, "io", &pid, NULL) >= 0)
		shown_play(&focus->shown, pid);
	focus_changed(focus);
	return 0;
}

static int on_unregistered(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct focus *focus = userdata;
	int pid;

	(void)error;
	if (sd_bus_message_read(message, "io", &pid, NULL) >= 0)
		shown_stop(&focus->shown, pid);
	focus_changed(focus);
	return 0;
}

static int on_list(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct focus *focus = userdata;
	int pid;

	(void)error;
	if (sd_bus_message_is_method_error(message, NULL) || sd_bus_message_enter_container(message, 'a', "(io)") < 0)
		return 0;
	while (sd_bus_message_read(message, "(io)", &pid, NULL) > 0)
		shown_play(&focus->shown, pid);
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

static int on_owner(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct focus *focus = userdata;
	const char *after;

	(void)error;
	if (sd_bus_message_read(message, "sss", NULL, NULL, &after) < 0)
		return 0;
	while (focus->shown.n_games)
		shown_stop(&focus->shown, focus->shown.games[0]);
	focus_changed(focus);
	if (*after)
		ask(focus);
	return 0;
}

int games_open(struct focus *focus)
{
	sd_bus *bus = focus->user_bus;
	int r;

	if (!bus)
		return 0;
	r = sd_bus_match_signal_async(bus, NULL, GAMEMODE, GAMEMODE_PATH, GAMEMODE, "GameRegistered", on_registered, NULL, focus);
	if (r >= 0)
		r = sd_bus_match_signal_async(bus, NULL, GAMEMODE, GAMEMODE_PATH, GAMEMODE, "GameUnregistered", on_unregistered,
					      NULL, focus);
	if (r >= 0)
		r = focus_watch_name(focus, GAMEMODE, on_owner, focus);
	return r < 0 ? r : ask(focus);
}

const char *games_describe(struct focus *focus)
{
	if (!focus->user_bus)
		return "there is no session bus";
	return focus_owner(focus, GAMEMODE) ? "GameMode" : "GameMode does not run now";
}
