/* SPDX-License-Identifier: GPL-2.0-only */
#include "client.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>

#include "verb.h"

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

/* What such an error means, in words; NULL for another one. */
static const char *fault_of(int error)
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
	const char *fault = fault_of(r);

	if (r < 0 && fault)
		log_error("%s", fault);
	else if (r < 0)
		log_error("talking to the daemon: %s", strerror(-r));
	return r;
}

/* Returns an exit status. */
static int explain_failure(const sd_bus_error *error, int r)
{
	if (sd_bus_error_has_name(error, BUS_ERROR_CONFIG)) {
		/* Its lines begin with the names of files. */
		fprintf(stderr, "%s\n", error->message);
		return EXIT_CONFIG;
	}
	/* It has ended while it was asked: killed, or short of memory. */
	if (r == -ECONNRESET || r == -ENOTCONN)
		log_error("the daemon has ended before it answered: %s", strerror(-r));
	else
		log_error("%s", error->message ? error->message : strerror(-r));
	return sd_bus_error_has_name(error, BUS_ERROR_UNKNOWN_CLASS) ||
			       sd_bus_error_has_name(error, BUS_ERROR_UNKNOWN_PROFILE) ?
		       EXIT_USAGE :
		       EXIT_FAILURE;
}

int client_call(sd_bus *bus, const char *interface, const char *method, sd_bus_message **ret, const char *types, ...)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_flush_close_unrefp) sd_bus *own = NULL;
	va_list values;
	int r;

	if (!bus && client_open(&own) < 0)
		return EXIT_FAILURE;
	va_start(values, types);
	r = sd_bus_call_methodv(bus ? bus : own, NULL, BUS_PATH, interface, method, &error, ret, types, values);
	va_end(values);
	return r < 0 ? explain_failure(&error, r) : 0;
}

int client_set_class(pid_t pid, const char *qos, bool inherit, bool *ret_given)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *class = "", *reason = "";
	int status = client_call(NULL, BUS_OVERRIDES_INTERFACE, "Set", &reply, "usbb", (uint32_t)pid, qos, (int)inherit, 1);

	*ret_given = status == 0;
	if (status)
		return status;
	sd_bus_message_read(reply, "ss", &class, &reason);
	if (strcmp(class, qos) == 0)
		return 0;
	if (*class)
		log_warning("process %d: limited to %s", (int)(pid ? pid : getpid()), class);
	else
		log_error("process %d: not in %s for now: %s", (int)(pid ? pid : getpid()), qos, reason);
	return *class ? 0 : EXIT_FAILURE;
}

cJSON *status_read(sd_bus *bus)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *text = "";
	cJSON *status;

	if (client_call(bus, BUS_INTERFACE, "Status", &reply, ""))
		return NULL;
	sd_bus_message_read(reply, "s", &text);
	status = cJSON_Parse(text);
	if (!status)
		log_error("what the daemon says is no JSON");
	return status;
}

const char *member_text(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

	return text ? text : "";
}

uint64_t member_count(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsNumber(item) ? (uint64_t)item->valuedouble : 0;
}

bool member_flag(const cJSON *object, const char *key)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

bool member_is(const cJSON *object, const char *key, const char *text)
{
	return strcmp(member_text(object, key), text) == 0;
}

uint64_t member_sum(const cJSON *object, const char *key)
{
	const cJSON *item;
	uint64_t sum = 0;

	cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(object, key))
		sum += (uint64_t)item->valuedouble;
	return sum;
}
