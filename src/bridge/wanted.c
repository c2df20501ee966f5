/* SPDX-License-Identifier: GPL-2.0-only */
#include "wanted.h"

#include <errno.h>
#include <stdlib.h>

#include <schedqos/bridge/bridge.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>

void wanted_clear(struct wanted *wanted)
{
	free(wanted->all);
	sd_bus_message_unref(wanted->reply);
	*wanted = (struct wanted){ 0 };
}

int wanted_ask(struct wanted *wanted, sd_bus *daemon, bool is_user)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	struct wanted now = { 0 };
	int r = is_user ? sd_bus_call_method(daemon, BRIDGE_NAME, BUS_PATH, BRIDGE_NAME, "GetUserWeights", &error, &now.reply,
					     NULL)
			: sd_bus_call_method(daemon, NULL, BUS_PATH, BUS_INTERFACE, "GetWeights", &error, &now.reply, NULL);

	if (r >= 0)
		r = sd_bus_message_enter_container(now.reply, 'a', "(sqb)");
	while (r >= 0) {
		struct unit_weight *all = reallocarray(now.all, now.n + 1, sizeof(*all));
		int at_seat;

		r = all ? 0 : -ENOMEM;
		if (all)
			now.all = all;
		if (all)
			r = sd_bus_message_read(now.reply, "(sqb)", &all[now.n].pattern, &all[now.n].number, &at_seat);
		if (r <= 0)
			break;
		all[now.n++].at_seat = at_seat;
	}
	wanted_clear(r < 0 ? &now : wanted);
	if (r >= 0)
		*wanted = now;
	return r < 0 ? r : 0;
}
