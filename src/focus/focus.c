/* SPDX-License-Identifier: GPL-2.0-only */
#include "focus.h"

#include <time.h>

#include <schedqos/util/broadcasts.h>
#include <schedqos/util/log.h>

/* How late a timer may be, us. */
#define ACCURACY_US 5000
/* Nobody on a bus takes so long, unless he hangs. */
#define TIMEOUT_US  (3 * 1000000ULL)

int focus_call_in(struct focus *focus, sd_event_source **timer, uint64_t us, sd_event_time_handler_t call, void *context)
{
	int r;

	if (!*timer)
		return sd_event_add_time_relative(focus->event, timer, CLOCK_MONOTONIC, us, ACCURACY_US, call, context);
	r = sd_event_source_set_time_relative(*timer, us);
	return r < 0 ? r : sd_event_source_set_enabled(*timer, SD_EVENT_ONESHOT);
}

int focus_open_bus(struct focus *focus, int (*open)(sd_bus **ret), sd_bus **ret)
{
	int r = open(ret);

	if (r >= 0)
		r = sd_bus_set_method_call_timeout(*ret, TIMEOUT_US);
	if (r >= 0)
		r = sd_bus_set_exit_on_disconnect(*ret, true);
	if (r >= 0)
		r = hear_broadcasts_only(*ret);
	if (r >= 0)
		r = sd_bus_attach_event(*ret, focus->event, SD_EVENT_PRIORITY_NORMAL);
	if (r < 0)
		*ret = sd_bus_close_unref(*ret);
	return r;
}

int focus_watch_name(sd_bus *bus, const char *name, sd_bus_message_handler_t call, void *context)
{
	char match[256];

	snprintf(match, sizeof(match), BUS_NAME_OWNER_CHANGED ",arg0='%s'", name);
	return sd_bus_add_match_async(bus, NULL, match, call, NULL, context);
}

void focus_say(const struct focus *focus, pid_t pid, const char *name, const char *text)
{
	if (focus->prints)
		log_info("%7d %-16s %s", (int)pid, name, text);
}
