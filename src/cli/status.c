/* SPDX-License-Identifier: GPL-2.0-only */
#include "status.h"

#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/log.h>

sd_bus_message *status_read(sd_bus *bus)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	int r = sd_bus_call_method(bus, NULL, BUS_PATH, BUS_INTERFACE, "Status", &error, &reply, NULL);

	if (r < 0)
		log_error("asking the daemon: %s", error.message ? error.message : strerror(-r));
	sd_bus_error_free(&error);
	return reply;
}

bool status_seek(sd_bus_message *reply, const char *property, const char *type)
{
	const char *name;

	if (sd_bus_message_rewind(reply, true) < 0 ||
	    sd_bus_message_enter_container(reply, 'a', "{sv}") < 0)
		return false;
	while (sd_bus_message_enter_container(reply, 'e', "sv") > 0 &&
	       sd_bus_message_read(reply, "s", &name) > 0) {
		if (strcmp(name, property) == 0)
			return sd_bus_message_enter_container(reply, 'v', type) > 0 &&
			       (*type != 'a' ||
				sd_bus_message_enter_container(reply, 'a', type + 1) > 0);
		if (sd_bus_message_skip(reply, "v") < 0 || sd_bus_message_exit_container(reply) < 0)
			break;
	}
	return false;
}

uint64_t status_count(sd_bus_message *reply, const char *property)
{
	uint64_t value = 0;

	if (status_seek(reply, property, "t"))
		sd_bus_message_read(reply, "t", &value);
	return value;
}

const char *status_text(sd_bus_message *reply, const char *property)
{
	const char *value = "";

	if (status_seek(reply, property, "s"))
		sd_bus_message_read(reply, "s", &value);
	return value;
}

bool status_flag(sd_bus_message *reply, const char *property)
{
	int value = 0;

	if (status_seek(reply, property, "b"))
		sd_bus_message_read(reply, "b", &value);
	return value;
}

uint64_t status_sum(sd_bus_message *reply, const char *property, uint64_t *ret_entries)
{
	uint64_t value, sum = 0, entries = 0;
	const char *name;

	if (status_seek(reply, property, "a{st}")) {
		for (; sd_bus_message_read(reply, "{st}", &name, &value) > 0; entries++)
			sum += value;
	}
	if (ret_entries)
		*ret_entries = entries;
	return sum;
}
