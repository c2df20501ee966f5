/* SPDX-License-Identifier: GPL-2.0-only */
#include "focus.h"

#include <stdio.h>
#include <time.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

/* How late a timer may be, us. */
#define ACCURACY_US 5000
/* Nobody on the session's bus takes so long, unless he hangs. */
#define TIMEOUT_US  (3 * 1000000ULL)

int focus_call_in(struct focus *focus, sd_event_source **timer, uint64_t us, sd_event_time_handler_t call, void *context)
{
	uint64_t now;
	int r;

	if (!*timer)
		return sd_event_add_time_relative(focus->event, timer, CLOCK_MONOTONIC, us, us ? ACCURACY_US : 1, call, context);
	r = sd_event_now(focus->event, CLOCK_MONOTONIC, &now);
	if (r >= 0)
		r = sd_event_source_set_time(*timer, now + us);
	return r < 0 ? r : sd_event_source_set_enabled(*timer, SD_EVENT_ONESHOT);
}

static int on_settle(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct focus *focus = userdata;
	uint64_t now, due;
	int r;

	(void)source;
	(void)usec;
	sd_event_now(focus->event, CLOCK_MONOTONIC, &now);
	due = shown_settle(&focus->shown, now);
	r = due == SHOWN_NEVER_US ? 0 : focus_call_in(focus, &focus->settling, due - now, on_settle, focus);
	focus->settled(focus);
	return r;
}

void focus_changed(struct focus *focus)
{
	focus_call_in(focus, &focus->settling, 0, on_settle, focus);
}

void focus_say(const struct focus *focus, pid_t pid, const char *name, const char *text)
{
	if (focus->is_service)
		return;
	printf("%7d %-16s %s\n", (int)pid, name, text);
	fflush(stdout);
}

int focus_watch_name(sd_bus *bus, const char *name, sd_bus_message_handler_t call, void *context)
{
	char match[256];

	snprintf(match, sizeof(match),
		 "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',interface='org.freedesktop.DBus',"
		 "member='NameOwnerChanged',arg0='%s'",
		 name);
	return sd_bus_add_match_async(bus, NULL, match, call, NULL, context);
}

pid_t focus_owner(struct focus *focus, const char *name, char *why, size_t size)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	pid_t pid = 0;

	if (!focus->user_bus)
		snprintf(why, size, "there is no session bus");
	else if (sd_bus_get_name_creds(focus->user_bus, name, SD_BUS_CREDS_PID, &creds) < 0)
		snprintf(why, size, "%s is not on the session's bus", name);
	else
		sd_bus_creds_get_pid(creds, &pid);
	return pid;
}

int focus_open_bus(struct focus *focus, int (*open)(sd_bus **ret), sd_bus **ret)
{
	int r = open(ret);

	if (r >= 0)
		r = sd_bus_set_method_call_timeout(*ret, TIMEOUT_US);
	if (r >= 0)
		r = sd_bus_set_exit_on_disconnect(*ret, true);
	if (r >= 0)
		r = sd_bus_attach_event(*ret, focus->event, SD_EVENT_PRIORITY_NORMAL);
	if (r < 0)
		*ret = sd_bus_close_unref(*ret);
	return r;
}

int focus_open(struct focus *focus)
{
	int r = sd_event_new(&focus->event);

	if (r >= 0 && focus_open_bus(focus, sd_bus_open_user, &focus->user_bus) < 0)
		log_notice("there is no session bus: nothing is known of KDE, GNOME and games");
	return r;
}

void focus_close(struct focus *focus)
{
	shown_clear(&focus->shown);
	sd_event_source_disable_unref(focus->settling);
	sd_bus_flush_close_unref(focus->user_bus);
	sd_event_unref(focus->event);
}
