/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports visibility to org.schedqos1, and repeats it whenever a bridge or daemon is new. */
#include "focus.h"

#include <string.h>

#include <schedqos/util/bus.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#define BRIDGE	    "org.schedqos1"
#define BRIDGE_PATH "/org/schedqos1"
#define ERRORS	    BRIDGE ".Error."
#define NO_DAEMON   ERRORS "NoDaemon"
/* Time before a bridge that has ended is started again. */
#define RETRY_US (1 * 1000000ULL)

static int on_repeating(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct focus *focus = userdata;

	(void)source;
	(void)usec;
	shown_repeat(&focus->shown);
	return 0;
}

static void repeat_in(struct focus *focus, uint64_t us)
{
	focus_call_in(focus, &focus->repeating, us, on_repeating, focus);
}

/* ---- reports and answers ---- */

static struct report *find_waiting(struct focus *focus, pid_t pid)
{
	for (size_t i = 0; i < focus->n_reports; i++) {
		if (focus->reports[i].pid == pid)
			return &focus->reports[i];
	}
	return NULL;
}

static void put_waiting(struct focus *focus, pid_t pid, enum shown_level level)
{
	struct report *place = find_waiting(focus, pid);

	if (!place && focus->n_reports < SHOWN_MAX)
		place = &focus->reports[focus->n_reports++];
	if (place)
		*place = (struct report){ focus, pid, level };
}

static void send_waiting(struct focus *focus);

static int on_resending(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct focus *focus = userdata;

	(void)source;
	(void)usec;
	focus->is_held_up = false;
	send_waiting(focus);
	return 0;
}

/* Sends a report again later, unless there is a newer one, and nothing until then. */
static void send_later(struct focus *focus, const struct report *report)
{
	if (!find_waiting(focus, report->pid))
		put_waiting(focus, report->pid, report->level);
	focus->is_held_up = focus_call_in(focus, &focus->resending, RETRY_US, on_resending, focus) >= 0;
}

/* Logs an error, whose text may come from anybody. */
static void say_refusal(const sd_bus_error *error)
{
	const char *message = error->message ? error->message : error->name;
	char safe[256];

	text_escape_to(safe, sizeof(safe), message, strlen(message));
	if (sd_bus_error_has_names(error, SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER))
		log_warning("bridge: " BRIDGE " is not on the system bus: is schedqos-bridge installed?");
	else if (sd_bus_error_has_names(error, SD_BUS_ERROR_ACCESS_DENIED,
					SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED))
		log_warning("bridge: " BRIDGE " refuses: %s (only an active local session may report its windows)",
			    safe);
	else
		log_warning("bridge: " BRIDGE ": %s", safe);
}

static void say_heard(const struct focus *focus)
{
	_cleanup_free_ char *class = NULL;
	const int r = sd_bus_get_property_string(focus->system_bus, BRIDGE, BRIDGE_PATH, BRIDGE, "Focus", NULL, &class);
	char safe[128] = "";

	if (r >= 0 && *class)
		text_escape_to(safe, sizeof(safe), class, strlen(class));
	if (r >= 0 && !*safe)
		log_warning("bridge: " BRIDGE " is told which apps are focused or hidden, but the setting \"focus\" is off");
	else
		log_notice("bridge: " BRIDGE " is told which apps are focused or hidden%s%s",
			   *safe ? "; apps with the focus get at least " : "", safe);
}

static int on_answer(sd_bus_message *message, void *userdata, sd_bus_error *unused)
{
	const sd_bus_error *error = sd_bus_message_get_error(message);
	struct report *sent = userdata, report = *sent;
	struct focus *focus = sent->focus;
	const bool was_refusing = focus->is_refusing;
	const bool has_daemon = !sd_bus_error_has_name(error, NO_DAEMON);

	(void)unused;
	sent->pid = 0;
	/* The bridge has no time for this user now. */
	if (sd_bus_error_has_names(error, SD_BUS_ERROR_LIMITS_EXCEEDED, SD_BUS_ERROR_TIMEOUT, SD_BUS_ERROR_NO_REPLY))
		send_later(focus, &report);
	send_waiting(focus);
	if (sd_bus_error_has_name(error, SD_BUS_ERROR_LIMITS_EXCEEDED) && !focus->prints)
		return 0;
	/* The error concerns one process, which may have ended or belong to somebody else. */
	if (error && has_daemon && !focus->prints && strncmp(error->name, ERRORS, strlen(ERRORS)) == 0)
		return 0;
	focus->is_served = !error;
	focus->is_refusing = error && !sd_bus_error_has_name(error, ERRORS "NotYours");
	if (focus->is_refusing && !was_refusing)
		say_refusal(error);
	else if (!focus->is_refusing && (focus->prints || was_refusing))
		say_heard(focus);
	/* We do not know what was refused before, so repeat everything. */
	if (!focus->is_refusing && was_refusing)
		repeat_in(focus, RETRY_US);
	return 0;
}

/* Returns the report about this process that was sent and not yet answered, or with pid 0 a free place; else NULL. */
static struct report *find_sent(struct focus *focus, pid_t pid)
{
	for (size_t i = 0; i < REPORTS_SENT_MAX; i++) {
		if (focus->sent[i].pid == pid)
			return &focus->sent[i];
	}
	return NULL;
}

/* Returns the next report to send: reports about one process are sent one after another. NULL: none now. */
static struct report *next_report(struct focus *focus)
{
	for (size_t i = 0; i < focus->n_reports; i++) {
		if (!find_sent(focus, focus->reports[i].pid))
			return &focus->reports[i];
	}
	return NULL;
}

static void remove_waiting(struct focus *focus, struct report *report)
{
	const size_t after = (size_t)(focus->reports + --focus->n_reports - report);

	memmove(report, report + 1, after * sizeof(*report));
}

static void send_waiting(struct focus *focus)
{
	struct report *sent, *next;

	while (!focus->is_held_up && (sent = find_sent(focus, 0)) && (next = next_report(focus))) {
		*sent = *next;
		remove_waiting(focus, next);
		if (sd_bus_call_method_async(focus->system_bus, NULL, BRIDGE, BRIDGE_PATH, BRIDGE, "SetShown",
					     on_answer, sent, "us", (uint32_t)sent->pid,
					     shown_level_name(sent->level)) < 0) {
			send_later(focus, sent);
			sent->pid = 0;
			break;
		}
	}
}

void bridge_tell(struct focus *focus, pid_t pid, enum shown_level level)
{
	put_waiting(focus, pid, level);
	send_waiting(focus);
}

void bridge_forget(struct focus *focus, pid_t pid)
{
	struct report *waiting = find_waiting(focus, pid);

	if (waiting)
		remove_waiting(focus, waiting);
}

/* ---- the bridge ---- */

/*
 * Called when the bridge's name gets a new owner, which knows nothing yet, or loses its owner. A report then starts the
 * bridge again, unless it refused us or had no daemon: a daemon will start another one.
 */
static int on_owner(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct focus *focus = userdata;
	const char *name, *before, *after;

	(void)error;
	if (sd_bus_message_read(message, "sss", &name, &before, &after) >= 0 && (*after || focus->is_served))
		repeat_in(focus, *after ? 0 : RETRY_US);
	return 0;
}

/* Called when a bridge without a daemon has got one, or the setting has changed. */
static int on_bridge_properties(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)message;
	(void)error;
	repeat_in(userdata, 0);
	return 0;
}

int bridge_open(struct focus *focus)
{
	int r = focus_open_bus(focus, bus_open_system, &focus->system_bus);

	focus->is_served = true;
	if (r >= 0 && focus->prints)
		bridge_tell(focus, getpid(), SHOWN_VISIBLE);
	if (r >= 0)
		r = focus_watch_name(focus->system_bus, BRIDGE, on_owner, focus);
	if (r >= 0)
		r = sd_bus_match_signal_async(focus->system_bus, NULL, BRIDGE, BRIDGE_PATH,
					      "org.freedesktop.DBus.Properties", "PropertiesChanged",
					      on_bridge_properties, NULL, focus);
	if (r < 0)
		log_error("bridge: cannot connect to the system bus: %s", strerror(-r));
	return focus->prints ? 0 : r;
}
