/* SPDX-License-Identifier: GPL-2.0-only */
#include "class_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/log.h>

static int read_reply(sd_bus_message *reply, struct class_list *list)
{
	struct listed_class one;
	int r = sd_bus_message_enter_container(reply, 'a', "(suiuuuu)");

	while (r >= 0 && (r = sd_bus_message_read(reply, "(suiuuuu)", &one.name, &one.policy,
						  &one.nice, &one.priority, &one.slice_ns,
						  &one.util_min, &one.util_max)) > 0) {
		struct listed_class *all =
			reallocarray(list->classes, list->count + 1, sizeof(*all));

		if (!all)
			return -ENOMEM;
		list->classes = all;
		all[list->count++] = one;
	}
	return r;
}

int class_list_read(sd_bus *bus, struct class_list *ret)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	int r = sd_bus_call_method(bus, NULL, BUS_PATH, BUS_INTERFACE, "ListClasses", &error,
				   &ret->reply, NULL);

	if (r >= 0)
		r = read_reply(ret->reply, ret);
	if (r < 0) {
		log_error("asking the daemon: %s", error.message ? error.message : strerror(-r));
		class_list_clear(ret);
	}
	sd_bus_error_free(&error);
	return r;
}

void class_list_clear(struct class_list *list)
{
	sd_bus_message_unref(list->reply);
	free(list->classes);
	*list = (struct class_list){ 0 };
}
