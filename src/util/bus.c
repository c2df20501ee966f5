/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/util/bus.h>

#include <errno.h>
#include <stdlib.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>

static int ignore_signal_to_us(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)userdata;
	(void)error;
	return sd_bus_message_is_signal(message, NULL, NULL) > 0 && sd_bus_message_get_destination(message);
}

static int open_bus(const char *address, sd_bus **ret)
{
	_cleanup_(sd_bus_unrefp) sd_bus *bus = NULL;
	int r = sd_bus_new(&bus);

	if (r >= 0)
		r = sd_bus_set_address(bus, address);
	if (r >= 0)
		r = sd_bus_set_bus_client(bus, 1);
	/* Only possible before the connection starts, so sd_bus_open_system cannot be used. */
	if (r >= 0)
		r = sd_bus_negotiate_fds(bus, 0);
	if (r >= 0)
		r = sd_bus_add_filter(bus, NULL, ignore_signal_to_us, NULL);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r >= 0)
		*ret = take_ptr(bus);
	return r;
}

int bus_process_while(sd_bus *bus, const bool *is_waiting, uint64_t us)
{
	const uint64_t end_us = clock_ns(CLOCK_MONOTONIC) / 1000 + us;
	uint64_t now_us = 0;
	int r = 0;

	while (r >= 0 && *is_waiting && now_us < end_us) {
		r = sd_bus_process(bus, NULL);
		now_us = clock_ns(CLOCK_MONOTONIC) / 1000;
		if (r == 0 && now_us < end_us)
			r = sd_bus_wait(bus, end_us - now_us);
	}
	return r < 0 ? r : *is_waiting ? -ETIMEDOUT : 0;
}

int bus_open_system(sd_bus **ret)
{
	const char *address = secure_getenv("DBUS_SYSTEM_BUS_ADDRESS");

	return open_bus(address ? address : "unix:path=/run/dbus/system_bus_socket", ret);
}

int bus_open_user(sd_bus **ret)
{
	const char *address = secure_getenv("DBUS_SESSION_BUS_ADDRESS"), *folder = secure_getenv("XDG_RUNTIME_DIR");
	_cleanup_free_ char *of_folder = NULL;

	if (address)
		return open_bus(address, ret);
	if (!folder)
		return -ENOMEDIUM;
	if (asprintf(&of_folder, "unix:path=%s/bus", folder) < 0)
		return -ENOMEM;
	return open_bus(of_folder, ret);
}
