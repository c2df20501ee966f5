/* SPDX-License-Identifier: GPL-2.0-only */
#include "user_side.h"

#include <errno.h>
#include <string.h>

#include <schedqos/bridge/bridge.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "manager.h"

#define DAEMON_UNIT "schedqos.service"
#define DAEMON_PATH "/org/freedesktop/systemd1/unit/schedqos_2eservice"

/* ---- the daemon ---- */

/* One that has errors leaves what was. */
static void read_files(struct user_side *side)
{
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	if (strcmp(side->state, "active") != 0 && strcmp(side->state, "reloading") != 0) {
		config_free(take_ptr(side->config));
		return;
	}
	if (config_load(side->paths, 0, &config, &errors) < 0)
		log_warning("the configuration cannot be read: see \"schedqos check\"");
	config_errors_clear(&errors);
	if (!config)
		return;
	config_free(side->config);
	side->config = config;
}

/* Empty if it cannot be told. */
static void ask_state(struct user_side *side)
{
	_cleanup_(unit_clear) struct unit unit = { 0 };

	unit_read(side->system, DAEMON_UNIT, false, false, &unit);
	snprintf(side->state, sizeof(side->state), "%s", unit.active_state ? unit.active_state : "");
}

/* Of its unit. A reload is a state of its own. */
static int on_state(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct user_side *side = userdata;
	char before[sizeof(side->state)];

	(void)message;
	(void)error;
	strcpy(before, side->state);
	ask_state(side);
	if (strcmp(before, side->state) == 0)
		return 0;
	read_files(side);
	return side->changed(side->context, 0);
}

/* ---- the bridge ---- */

static int on_answer(sd_bus_message *answer, void *userdata, sd_bus_error *unused)
{
	const sd_bus_error *error = sd_bus_message_get_error(answer);
	struct user_side *side = userdata;
	char safe[256];

	(void)unused;
	if (error)
		log_at(side->is_refused ? LOG_DEBUG : LOG_INFO, "units that name a class get its weight alone: %s",
		       text_escape_to(safe, sizeof(safe), error->message, strlen(error->message)));
	side->is_refused = error;
	return 0;
}

void user_side_tell(struct user_side *side, const struct classes *classes)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL;
	int r;

	/* The bus starts the bridge for who calls it. */
	if (!classes->count && !side->has_told)
		return;
	r = sd_bus_message_new_method_call(side->system, &message, BRIDGE_NAME, BUS_PATH, BRIDGE_NAME, "SetUnitClasses");
	if (r >= 0)
		r = classes_append(message, classes);
	if (r >= 0)
		r = sd_bus_call_async(side->system, NULL, message, on_answer, side, 0);
	if (r < 0)
		log_warning("the classes of units cannot be told: %s", strerror(-r));
	side->has_told = classes->count;
}

/* Whoever has the name now knows nothing. Where nobody has, what is told starts it anew. */
static int on_owner(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct user_side *side = userdata;
	const char *name, *before, *after;

	(void)error;
	if (sd_bus_message_read(message, "sss", &name, &before, &after) < 0 || !side->has_told)
		return 0;
	/* Who is refused holds nothing, and need not have it started for that. */
	return !*after && side->is_refused ? 0 : side->changed(side->context, 0);
}

/* ---- life ---- */

static int on_bus_gone(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct user_side *side = userdata;

	(void)message;
	(void)error;
	return side->changed(side->context, -ECONNRESET);
}

static int match(struct user_side *side, const char *path, const char *interface, const char *member,
		 sd_bus_message_handler_t handler)
{
	return sd_bus_match_signal(side->system, NULL, NULL, path, interface, member, handler, side);
}

int user_side_open(struct user_side *side, sd_event *event)
{
	static const char owner[] = "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
				    "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" BRIDGE_NAME "'";
	int r = manager_open(false, &side->system);

	if (r >= 0)
		r = match(side, DAEMON_PATH, "org.freedesktop.DBus.Properties", "PropertiesChanged", on_state);
	if (r >= 0)
		r = match(side, "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local", "Disconnected", on_bus_gone);
	if (r >= 0)
		r = sd_bus_add_match(side->system, NULL, owner, on_owner, side);
	if (r >= 0)
		r = sd_bus_attach_event(side->system, event, SD_EVENT_PRIORITY_NORMAL);
	if (r < 0) {
		log_error("talking to systemd on the system bus, which knows whether the daemon runs: %s", strerror(-r));
		return r;
	}
	ask_state(side);
	read_files(side);
	return 0;
}

void user_side_close(struct user_side *side)
{
	sd_bus_close_unref(side->system);
	config_free(side->config);
}
