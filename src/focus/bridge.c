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

#define BRIDGE	    "org.schedqos1"
#define BRIDGE_PATH "/org/schedqos1"
#define ERRORS	    BRIDGE ".Error."
#define NO_DAEMON   ERRORS "NoDaemon"
/* Before one that has ended is started again. */
#define RETRY_US (1 * 1000000ULL)

struct bridge {
	struct focus *focus;
	sd_bus *bus; /* the system's */
	sd_event_source *repeating;
	bool is_refusing; /* the last answer was an error, which has been logged */
	bool has_daemon;  /* it was not that the bridge has none */
};

/* An error for people, of whom it may be. */
static char *describe_error(const sd_bus_error *error, char *buf, size_t size)
{
	const char *message = error->message ? error->message : error->name;
	char safe[256];

	text_escape_to(safe, sizeof(safe), message, strlen(message));
	if (sd_bus_error_has_names(error, SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER))
		snprintf(buf, size, BRIDGE " is not on the system bus: is schedqos-bridge installed?");
	else if (sd_bus_error_has_names(error, SD_BUS_ERROR_ACCESS_DENIED, SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED))
		snprintf(buf, size, BRIDGE " refuses: %s (only a session that is active at this machine may say what it shows)", safe);
	else
		snprintf(buf, size, BRIDGE ": %s", safe);
	return buf;
}

/* ---- what is told ---- */

static int on_repeating(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct bridge *bridge = userdata;

	(void)source;
	(void)usec;
	shown_repeat(&bridge->focus->shown);
	return 0;
}

static void repeat_in(struct bridge *bridge, uint64_t us)
{
	focus_call_in(bridge->focus, &bridge->repeating, us, on_repeating, bridge);
}

/* What was refused before may have been anything. */
static int on_answer(sd_bus_message *message, void *userdata, sd_bus_error *unused)
{
	const sd_bus_error *error = sd_bus_message_get_error(message);
	struct bridge *bridge = userdata;
	const bool was_refusing = bridge->is_refusing;
	char text[512];

	(void)unused;
	/* About one process, which may have ended or be none of ours to speak of. */
	if (error && strncmp(error->name, ERRORS, strlen(ERRORS)) == 0 && !sd_bus_error_has_name(error, NO_DAEMON)) {
		log_debug("%s", describe_error(error, text, sizeof(text)));
		return 0;
	}
	bridge->is_refusing = error;
	bridge->has_daemon = !sd_bus_error_has_name(error, NO_DAEMON);
	if (error && !was_refusing)
		log_warning("%s; until it is heard, nothing follows the focus", describe_error(error, text, sizeof(text)));
	if (!error && was_refusing) {
		log_notice(BRIDGE " hears what is shown");
		repeat_in(bridge, RETRY_US);
	}
	return 0;
}

void bridge_tell(struct bridge *bridge, int pidfd, const struct shown_app *app)
{
	sd_bus_call_method_async(bridge->bus, NULL, BRIDGE, BRIDGE_PATH, BRIDGE, "SetShown", on_answer, bridge, "hs", pidfd,
				 shown_level_name(app->told));
}

/*
 * Whoever has the name now knows nothing. Where nobody has, what is told starts it anew, if there is something; but if it had
 * no daemon, another comes with that.
 */
static int on_owner(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bridge *bridge = userdata;
	const char *name, *before, *after;

	(void)error;
	if (sd_bus_message_read(message, "sss", &name, &before, &after) >= 0 && (*after || bridge->has_daemon))
		repeat_in(bridge, *after ? 0 : RETRY_US);
	return 0;
}

/* With the daemon ends what the bridge was told, and Version changes; so it does when the next one is there. */
static int on_properties(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)message;
	(void)error;
	repeat_in(userdata, 0);
	return 0;
}

/* ---- life ---- */

int bridge_open(struct focus *focus, struct bridge **ret)
{
	struct bridge *bridge = calloc(1, sizeof(*bridge));
	int r;

	if (!bridge)
		return -ENOMEM;
	bridge->focus = focus;
	bridge->has_daemon = true;
	r = focus_open_bus(focus, sd_bus_open_system, &bridge->bus);
	if (r < 0)
		log_error("the system bus: %s", strerror(-r));
	if (r >= 0)
		r = focus_watch_name(bridge->bus, BRIDGE, on_owner, bridge);
	if (r >= 0)
		r = sd_bus_match_signal_async(bridge->bus, NULL, BRIDGE, BRIDGE_PATH, "org.freedesktop.DBus.Properties",
					      "PropertiesChanged", on_properties, NULL, bridge);
	if (r < 0) {
		bridge_close(bridge);
		return r;
	}
	*ret = bridge;
	return 0;
}

void bridge_close(struct bridge *bridge)
{
	if (!bridge)
		return;
	sd_event_source_disable_unref(bridge->repeating);
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
