/* SPDX-License-Identifier: GPL-2.0-only */
/* Follows games: processes that are registered with GameMode on the session's bus. */
#include "focus.h"

#define GAMEMODE      "com.feralinteractive.GameMode"
#define GAMEMODE_PATH "/com/feralinteractive/GameMode"

struct gamemode {
	struct focus_source source;
	sd_bus_slot *changes, *list;
};

static int on_list(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct shown *shown = &((struct gamemode *)userdata)->source.focus->shown;
	int pid;

	(void)error;
	shown_no_games(shown);
	if (!sd_bus_message_is_method_error(message, NULL) &&
	    sd_bus_message_enter_container(message, 'a', "(io)") >= 0) {
		while (sd_bus_message_read(message, "(io)", &pid, NULL) > 0)
			shown_put_game(shown, pid);
	}
	return 0;
}

/* Asks for the list again. Cancels an unanswered question. */
static int on_change(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct gamemode *gamemode = userdata;
	sd_bus *bus = gamemode->source.focus->user_bus;

	(void)message;
	(void)error;
	gamemode->list = sd_bus_slot_unref(gamemode->list);
	sd_bus_call_method_async(bus, &gamemode->list, GAMEMODE, GAMEMODE_PATH, GAMEMODE, "ListGames", on_list,
				 gamemode, NULL);
	return 0;
}

static const char *gamemode_open(void *held)
{
	struct gamemode *gamemode = held;
	sd_bus *bus = gamemode->source.focus->user_bus;

	/* GameRegistered and GameUnregistered. */
	if (sd_bus_match_signal_async(bus, &gamemode->changes, GAMEMODE, GAMEMODE_PATH, GAMEMODE, NULL, on_change, NULL,
				      gamemode) < 0)
		return "the bus does not report changes";
	on_change(NULL, gamemode, NULL);
	return NULL;
}

static void gamemode_close(void *held)
{
	const struct gamemode *gamemode = held;

	sd_bus_slot_unref(gamemode->changes);
	sd_bus_slot_unref(gamemode->list);
}

const struct source_type gamemode_type = { .name = "GameMode",
					   .subject = GAMES,
					   .bus_name = GAMEMODE,
					   .size = sizeof(struct gamemode),
					   .open = gamemode_open,
					   .close = gamemode_close };
