/* SPDX-License-Identifier: GPL-2.0-only */
#include "client.h"

#include <errno.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>

/* For each answer, as a stopped or hung daemon gives none. sd-bus would wait for 90 s. */
#define TIMEOUT_US (30 * 1000000ULL)

static uint64_t now_us(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000;
}

/* Waits until the daemon has accepted the connection. 0 or -errno. */
static int await_daemon(sd_bus *bus)
{
	uint64_t end = now_us() + TIMEOUT_US, now;
	int r;

	while ((r = sd_bus_is_ready(bus)) == 0) {
		r = sd_bus_process(bus, NULL);
		if (r < 0)
			break;
		now = now_us();
		if (now >= end)
			return -ETIMEDOUT;
		if (r == 0)
			r = sd_bus_wait(bus, end - now);
		if (r < 0 && r != -EINTR)
			break;
	}
	return r < 0 ? r : 0;
}

static int connect_to_daemon(sd_bus *bus)
{
	int r = sd_bus_set_address(bus, "unix:path=" BUS_SOCKET);

	if (r >= 0)
		r = sd_bus_set_method_call_timeout(bus, TIMEOUT_US);
	if (r >= 0)
		r = sd_bus_start(bus);
	return r < 0 ? r : await_daemon(bus);
}

int client_try(sd_bus **ret)
{
	sd_bus *bus = NULL;
	int r = sd_bus_new(&bus);

	if (r >= 0)
		r = connect_to_daemon(bus);
	if (r < 0) {
		sd_bus_unref(bus);
		return r;
	}
	*ret = bus;
	return 0;
}

const char *client_fault(int error)
{
	switch (-error) {
	case ENOENT:
	case ECONNREFUSED:
		return "not running: 'systemctl start schedqos' or 'schedqos start -d' starts it";
	case EACCES:
	case EPERM:
		return "not allowed to talk to the daemon: must be root";
	case ETIMEDOUT:
		return "the daemon does not answer";
	}
	return NULL;
}

int client_open(sd_bus **ret)
{
	int r = client_try(ret);
	const char *fault = client_fault(r);

	if (r < 0 && fault)
		log_error("%s", fault);
	else if (r < 0)
		log_error("talking to the daemon: %s", strerror(-r));
	return r;
}
