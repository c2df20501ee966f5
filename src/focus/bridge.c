/* SPDX-License-Identifier: GPL-2.0-only */
#include "bridge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "process.h"

#define BRIDGE	     "org.schedqos1"
#define BRIDGE_PATH  "/org/schedqos1"
#define RETRY_MIN_US (1 * 1000000ULL)
#define RETRY_MAX_US (600 * 1000000ULL)

struct bridge {
	struct focus *focus;
	sd_bus *bus; /* the system's; NULL: there is none now */
	sd_event_source *retrying;
	uint64_t retry_us;
	bool is_refusing; /* the last answer was an error, which has been logged */
	bool is_repeating;
};

static int try_again(sd_event_source *source, uint64_t usec, void *userdata);

static void retry(struct bridge *bridge)
{
	focus_call_in(bridge->focus, &bridge->retrying, bridge->retry_us, try_again, bridge);
	bridge->retry_us = bridge->retry_us * 2 < RETRY_MAX_US ? bridge->retry_us * 2 : RETRY_MAX_US;
}

/* An error for people, of whom it may be. */
static char *describe_error(const sd_bus_error *error, char *buf, size_t size)
{
	const char *message = error->message ? error->message : error->name;
	char safe[256];

	text_escape_to(safe, sizeof(safe), message, strlen(message));
	if (sd_bus_error_has_name(error, SD_BUS_ERROR_SERVICE_UNKNOWN) || sd_bus_error_has_name(error, SD_BUS_ERROR_NAME_HAS_NO_OWNER))
		snprintf(buf, size, BRIDGE " is not on the system bus: is schedqos-bridge installed?");
	else if (sd_bus_error_has_name(error, SD_BUS_ERROR_ACCESS_DENIED) ||
		 sd_bus_error_has_name(error, SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED))
		snprintf(buf, size, BRIDGE " refuses: %s (only a session that is active at this machine may say what it shows)", safe);
	else
		snprintf(buf, size, BRIDGE ": %s", safe);
	return buf;
}

/* Whether it is about us and not about one process, which may have ended or be none of ours to speak of. */
static bool is_refusal(const sd_bus_error *error)
{
	static const char *const names[] = {
		SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER, SD_BUS_ERROR_ACCESS_DENIED, SD_BUS_ERROR_NO_REPLY,
		SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED, SD_BUS_ERROR_UNKNOWN_METHOD, "org.freedesktop.DBus.Error.Spawn.",
		SD_BUS_ERROR_LIMITS_EXCEEDED, "org.schedqos1.Error.NoDaemon",
	};

	for (size_t i = 0; i < array_size(names); i++) {
		if (strncmp(error->name, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

/* Returns whether it hears again. */
static bool hear(struct bridge *bridge, sd_bus_message *message)
{
	const sd_bus_error *error = sd_bus_message_get_error(message);
	const bool was_refusing = bridge->is_refusing;
	char text[512];

	if (error && !is_refusal(error)) {
		log_debug("%s", describe_error(error, text, sizeof(text)));
		return false;
	}
	bridge->is_refusing = error;
	if (error && !was_refusing)
		log_warning("%s; until it is heard, nothing follows the focus", describe_error(error, text, sizeof(text)));
	if (!error && was_refusing)
		log_notice(BRIDGE " hears what is shown");
	if (!error)
		bridge->retry_us = RETRY_MIN_US;
	return !error && was_refusing;
}

static int on_repeated(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)error;
	hear(userdata, message);
	return 0;
}

static void repeat(struct bridge *bridge)
{
	bridge->is_repeating = true;
	shown_repeat(&bridge->focus->shown);
	bridge->is_repeating = false;
}

/* What was refused before may have been anything. */
static int on_answer(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)error;
	if (hear(userdata, message))
		repeat(userdata);
	return 0;
}

void bridge_tell(struct bridge *bridge, int pidfd, const struct shown_app *app)
{
	if (bridge->bus && pidfd >= 0)
		sd_bus_call_method_async(bridge->bus, NULL, BRIDGE, BRIDGE_PATH, BRIDGE, "SetShown",
					 bridge->is_repeating ? on_repeated : on_answer, bridge, "hs", pidfd,
					 shown_level_name(app->told));
}

/* Whoever has the name now knows nothing. Where nobody has, what is told starts it anew, if there is something. */
static int on_owner(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bridge *bridge = userdata;
	const char *name, *before, *after;

	(void)error;
	if (sd_bus_message_read(message, "sss", &name, &before, &after) < 0)
		return 0;
	if (*after)
		repeat(bridge);
	else
		retry(bridge);
	return 0;
}

/* With the daemon ends what the bridge was told, and Version changes; so it does when the next one is there. */
static int on_properties(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)message;
	(void)error;
	repeat(userdata);
	return 0;
}

static int on_bus_gone(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bridge *bridge = userdata;

	(void)message;
	(void)error;
	retry(bridge);
	return 0;
}

static int open_bus(struct bridge *bridge)
{
	static const char match[] = "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
				    "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" BRIDGE "'";
	int r = sd_bus_open_system(&bridge->bus);

	if (r >= 0)
		r = sd_bus_add_match_async(bridge->bus, NULL, match, on_owner, NULL, bridge);
	if (r >= 0)
		r = sd_bus_match_signal_async(bridge->bus, NULL, BRIDGE, BRIDGE_PATH, "org.freedesktop.DBus.Properties",
					      "PropertiesChanged", on_properties, NULL, bridge);
	if (r >= 0)
		r = sd_bus_match_signal_async(bridge->bus, NULL, NULL, "/org/freedesktop/DBus/Local",
					      "org.freedesktop.DBus.Local", "Disconnected", on_bus_gone, NULL, bridge);
	if (r >= 0)
		r = sd_bus_attach_event(bridge->bus, bridge->focus->event, SD_EVENT_PRIORITY_NORMAL);
	if (r < 0)
		bridge->bus = sd_bus_close_unref(bridge->bus);
	return r;
}

static int try_again(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct bridge *bridge = userdata;
	int r = 0;

	(void)source;
	(void)usec;
	if (bridge->bus && sd_bus_is_open(bridge->bus) <= 0)
		bridge->bus = sd_bus_close_unref(bridge->bus);
	if (!bridge->bus)
		r = open_bus(bridge);
	if (r >= 0) {
		repeat(bridge);
		return 0;
	}
	if (!bridge->is_refusing)
		log_warning("the system bus: %s; trying again", strerror(-r));
	bridge->is_refusing = true;
	retry(bridge);
	return 0;
}

int bridge_open(struct focus *focus, struct bridge **ret)
{
	struct bridge *bridge = calloc(1, sizeof(*bridge));

	if (!bridge)
		return -ENOMEM;
	bridge->focus = focus;
	bridge->retry_us = RETRY_MIN_US;
	try_again(NULL, 0, bridge);
	*ret = bridge;
	return 0;
}

void bridge_close(struct bridge *bridge)
{
	if (!bridge)
		return;
	sd_event_source_disable_unref(bridge->retrying);
	sd_bus_flush_close_unref(bridge->bus);
	free(bridge);
}

void bridge_describe(char *buf, size_t size)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
	_cleanup_close_ int pidfd = process_open(getpid());
	_cleanup_free_ char *class = NULL;
	char safe[128];
	int r = sd_bus_open_system(&bus);

	if (r >= 0)
		r = sd_bus_call_method(bus, BRIDGE, BRIDGE_PATH, BRIDGE, "SetShown", &error, NULL, "hs", pidfd,
				       shown_level_name(SHOWN_VISIBLE));
	if (r < 0 && error.name && !sd_bus_error_has_name(&error, BRIDGE ".Error.NotYours")) {
		describe_error(&error, buf, size);
		return;
	}
	if (r >= 0)
		r = sd_bus_get_property_string(bus, BRIDGE, BRIDGE_PATH, BRIDGE, "Focus", NULL, &class);
	if (r < 0)
		snprintf(buf, size, "the system bus: %s", strerror(-r));
	else if (*class)
		snprintf(buf, size, BRIDGE " hears what is shown; what is focused gets at least %s",
			 text_escape_to(safe, sizeof(safe), class, strlen(class)));
	else
		snprintf(buf, size, BRIDGE " hears what is shown, but the setting \"focus\" is off");
}
