/* SPDX-License-Identifier: GPL-2.0-only */
#include "focus.h"

#include <errno.h>
#include <string.h>

#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

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
	bool is_refusing; /* the last answer was an error, which has been said */
	bool has_daemon;  /* it was not that the bridge has none */
};

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

/* ---- what is told, and answered ---- */

/* An error for people, of whom it may be. */
static void say_refusal(const sd_bus_error *error)
{
	const char *message = error->message ? error->message : error->name;
	char safe[256];

	text_escape_to(safe, sizeof(safe), message, strlen(message));
	if (sd_bus_error_has_names(error, SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER))
		log_warning("bridge: " BRIDGE " is not on the system bus: is schedqos-bridge installed?");
	else if (sd_bus_error_has_names(error, SD_BUS_ERROR_ACCESS_DENIED, SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED))
		log_warning("bridge: " BRIDGE " refuses: %s (only a session that is active here may say what it shows)", safe);
	else
		log_warning("bridge: " BRIDGE ": %s", safe);
}

static void say_heard(struct bridge *bridge)
{
	_cleanup_free_ char *class = NULL;
	const int r = sd_bus_get_property_string(bridge->bus, BRIDGE, BRIDGE_PATH, BRIDGE, "Focus", NULL, &class);
	char safe[128] = "";

	if (r >= 0 && *class)
		text_escape_to(safe, sizeof(safe), class, strlen(class));
	if (r >= 0 && !*safe)
		log_warning("bridge: " BRIDGE " hears what is shown, but the setting \"focus\" is off");
	else
		log_notice("bridge: " BRIDGE " hears what is shown%s%s", *safe ? "; what is focused gets at least " : "", safe);
}

static int on_answer(sd_bus_message *message, void *userdata, sd_bus_error *unused)
{
	const sd_bus_error *error = sd_bus_message_get_error(message);
	struct bridge *bridge = userdata;
	const bool was_refusing = bridge->is_refusing, prints = bridge->focus->prints;
	const bool has_daemon = !sd_bus_error_has_name(error, NO_DAEMON);

	(void)unused;
	/* About one process, which may have ended or be none of ours to speak of. */
	if (error && has_daemon && !prints && strncmp(error->name, ERRORS, strlen(ERRORS)) == 0)
		return 0;
	bridge->has_daemon = has_daemon;
	bridge->is_refusing = error && !sd_bus_error_has_name(error, ERRORS "NotYours");
	if (bridge->is_refusing && !was_refusing)
		say_refusal(error);
	else if (!bridge->is_refusing && (prints || was_refusing))
		say_heard(bridge);
	/* What was refused before may have been anything. */
	if (!bridge->is_refusing && was_refusing)
		repeat_in(bridge, RETRY_US);
	return 0;
}

static int set_shown(struct bridge *bridge, int pidfd, enum shown_level level)
{
	return sd_bus_call_method_async(bridge->bus, NULL, BRIDGE, BRIDGE_PATH, BRIDGE, "SetShown", on_answer, bridge, "hs",
					pidfd, shown_level_name(level));
}

void bridge_tell(struct bridge *bridge, const struct shown_app *app)
{
	set_shown(bridge, app->pidfd, app->told);
}

/* ---- whom ---- */

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

static int follow(struct bridge *bridge)
{
	const int r = focus_watch_name(bridge->bus, BRIDGE, on_owner, bridge);

	return r < 0 ? r :
		       sd_bus_match_signal_async(bridge->bus, NULL, BRIDGE, BRIDGE_PATH, "org.freedesktop.DBus.Properties",
						 "PropertiesChanged", on_properties, NULL, bridge);
}

int bridge_open(struct focus *focus)
{
	struct bridge *bridge = focus->bridge = calloc(1, sizeof(*bridge));
	_cleanup_close_ int pidfd = process_open(getpid());
	int r;

	if (!bridge)
		return -ENOMEM;
	*bridge = (struct bridge){ .focus = focus, .has_daemon = true };
	r = focus_open_bus(focus, sd_bus_open_system, &bridge->bus);
	if (r >= 0)
		r = focus->prints ? set_shown(bridge, pidfd, SHOWN_VISIBLE) : follow(bridge);
	if (r < 0)
		log_error("bridge: the system bus: %s", strerror(-r));
	return focus->prints ? 0 : r;
}

void bridge_close(struct bridge *bridge)
{
	if (!bridge)
		return;
	sd_event_source_disable_unref(bridge->repeating);
	sd_bus_flush_close_unref(bridge->bus);
	free(bridge);
}
