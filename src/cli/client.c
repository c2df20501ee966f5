/* SPDX-License-Identifier: GPL-2.0-only */
#include "client.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <schedqos/bridge/bridge.h>
#include <schedqos/daemon/bus_names.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/util/bus.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "verb.h"

/*
 * Time to wait for an answer, because a stopped or hung daemon gives none. Before the daemon has accepted us, sd-bus
 * waits 90 s.
 */
#define TIMEOUT_US (30 * 1000000ULL)

/* The same if polkit may ask the user for a password. */
#define PASSWORD_US (150 * 1000000ULL)

#define NOT_ALLOWED "not allowed to talk to the daemon: run this as root, or install the package schedqos-desktop"

/* Connects to the daemon as root, else to the bus, which starts the bridge if it is installed. */
static int connect_to(sd_bus **ret)
{
	int r;

	if (geteuid() == 0) {
		r = bus_connect(ret);
		return r < 0 ? r : sd_bus_set_method_call_timeout(*ret, TIMEOUT_US);
	}
	if (access(BUS_SOCKET, F_OK) < 0 && errno == ENOENT)
		return -ENOENT;
	r = bus_open_system(ret);
	/* Without a system bus, there is no bridge. */
	return r < 0 ? -EACCES : sd_bus_set_method_call_timeout(*ret, PASSWORD_US);
}

static sd_bus *connection;

int client_try(void)
{
	int r = connection ? 0 : connect_to(&connection);

	if (r < 0)
		connection = sd_bus_unref(connection);
	return r < 0 ? r : 0;
}

void client_close(void)
{
	connection = sd_bus_close_unref(connection);
}

sd_bus *client_bus(void)
{
	return connection;
}

static void tell_fault(int error)
{
	switch (-error) {
	case ENOENT:
	case ECONNREFUSED:
		log_error("no daemon runs: 'systemctl start schedqos' or 'schedqos start -d' starts it");
		break;
	case EACCES:
	case EPERM:
		log_error(NOT_ALLOWED);
		break;
	case ETIMEDOUT:
		log_error("the daemon does not answer");
		break;
	case EPIPE:
	case ECONNRESET:
	case ENOTCONN:
		/* It was killed during the call, had no memory, hangs, or refused us as one client too many. */
		log_error("the daemon hung up, hangs, or already serves as many programs as it can: %s", strerror(-error));
		break;
	default:
		log_error("cannot talk to the daemon: %s", strerror(-error));
	}
}

int client_open(void)
{
	int r = client_try();

	if (r < 0)
		tell_fault(r);
	return r;
}

bool client_is_bridged(void)
{
	return sd_bus_is_bus_client(connection) > 0;
}

/* Returns the reason why the bridge did not ask the daemon; NULL for another error, which has a message of its own. */
static const char *bridge_fault(const sd_bus_error *error)
{
	static const struct {
		const char *name, *fault;
	} table[] = {
		{ SD_BUS_ERROR_SERVICE_UNKNOWN, NOT_ALLOWED },
		{ SD_BUS_ERROR_NAME_HAS_NO_OWNER, NOT_ALLOWED },
		{ SD_BUS_ERROR_UNKNOWN_METHOD, "only root may do this: try sudo" },
		{ SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED, "this needs an administrator's password: try sudo" },
	};

	for (size_t i = 0; i < array_size(table); i++) {
		if (sd_bus_error_has_name(error, table[i].name))
			return table[i].fault;
	}
	return NULL;
}

/* Logs why a call failed. Returns an exit status. */
static int explain_failure(const sd_bus_error *error, int r)
{
	const char *fault = client_is_bridged() ? bridge_fault(error) : NULL;
	char safe[4096];

	if (fault) {
		log_error("%s", fault);
		return EXIT_FAILURE;
	}
	if (!client_is_bridged() && error->message && sd_bus_error_has_name(error, BUS_ERROR_CONFIG)) {
		/* No prefix: its lines begin with names of files. */
		fprintf(stderr, "%s\n", error->message);
		return EXIT_CONFIG;
	}
	if (r == -EPIPE || r == -ECONNRESET || r == -ENOTCONN || r == -ETIMEDOUT || !error->message)
		tell_fault(r);
	else if (client_is_bridged())
		/* Somebody may have taken the bridge over. The daemon has escaped its messages itself. */
		log_error("%s", text_escape_to(safe, sizeof(safe), error->message, strlen(error->message)));
	else
		log_error("%s", error->message);
	return sd_bus_error_has_name(error, BUS_ERROR_UNKNOWN_CLASS) ||
			       sd_bus_error_has_name(error, BUS_ERROR_UNKNOWN_PROFILE) ?
		       EXIT_USAGE :
		       EXIT_FAILURE;
}

/* Makes a call. The bridge has all methods in one interface, and adds the uid and the caller's name itself. */
static int new_question(const char *interface, const char *method, sd_bus_message **ret)
{
	int r;

	if (client_is_bridged())
		return sd_bus_message_new_method_call(connection, ret, BRIDGE_NAME, BUS_PATH, BRIDGE_NAME, method);
	r = sd_bus_message_new_method_call(connection, ret, NULL, BUS_PATH, interface, method);
	if (r >= 0 && strcmp(interface, BUS_OVERRIDES_INTERFACE) == 0)
		r = sd_bus_message_append(*ret, "us", 0, "");
	return r;
}

int client_call(const char *interface, const char *method, sd_bus_message **ret, const char *types, ...)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *question = NULL;
	va_list values;
	int r;

	if (client_open() < 0)
		return EXIT_FAILURE;
	r = new_question(interface, method, &question);
	va_start(values, types);
	if (r >= 0)
		r = sd_bus_message_appendv(question, types, values);
	va_end(values);
	if (r == -EINVAL) {
		log_error("argument is not valid UTF-8");
		return EXIT_USAGE;
	}
	if (r >= 0)
		r = sd_bus_message_set_allow_interactive_authorization(question, client_is_bridged());
	if (r >= 0)
		r = sd_bus_call(connection, question, 0, &error, ret);
	return r < 0 ? explain_failure(&error, r) : 0;
}

int client_process(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		log_error("cannot watch process %d: %s", (int)pid, strerror(errno));
	return fd;
}

char *client_text(const char *text)
{
	char *copy = strdup(text);

	/* Somebody may have taken the bridge over. The daemon has escaped its texts itself. */
	if (copy && client_is_bridged())
		text_make_safe(copy);
	return copy;
}

static void make_safe(cJSON *item)
{
	for (; item; item = item->next) {
		if (item->valuestring)
			text_make_safe(item->valuestring);
		if (item->string)
			text_make_safe(item->string);
		/* Names of metrics are such names. */
		for (char *c = item->string; c && (c = strpbrk(c, "\t\n")); c++)
			*c = '?';
		make_safe(item->child);
	}
}

cJSON *client_json(const char *text)
{
	cJSON *json = cJSON_Parse(text);

	if (client_is_bridged())
		make_safe(json);
	return json;
}

int client_print_json(const char *text)
{
	_cleanup_free_ char *safe = client_text(text);

	return safe && fputs(safe, stdout) >= 0 ? 0 : EXIT_FAILURE;
}

cJSON *status_read(void)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *text = "";
	cJSON *status;

	if (client_call(BUS_INTERFACE, "Status", &reply, ""))
		return NULL;
	sd_bus_message_read(reply, "s", &text);
	status = client_json(text);
	if (!status)
		log_error("the daemon's answer is not valid JSON");
	return status;
}

const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *member_text(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(member(object, key));

	return text ? text : "";
}

uint64_t member_count(const cJSON *object, const char *key)
{
	const cJSON *item = member(object, key);

	return cJSON_IsNumber(item) ? (uint64_t)item->valuedouble : 0;
}

bool member_flag(const cJSON *object, const char *key)
{
	return cJSON_IsTrue(member(object, key));
}

bool member_holds(const cJSON *object, const char *key)
{
	const cJSON *item = member(object, key);

	if (cJSON_IsString(item))
		return *item->valuestring;
	return cJSON_IsTrue(item) || (cJSON_IsNumber(item) && item->valuedouble > 0) || (item && item->child);
}

bool member_is(const cJSON *object, const char *key, const char *text)
{
	return strcmp(member_text(object, key), text) == 0;
}

uint64_t member_sum(const cJSON *object, const char *key)
{
	const cJSON *item;
	uint64_t sum = 0;

	cJSON_ArrayForEach (item, member(object, key))
		sum += (uint64_t)item->valuedouble;
	return sum;
}
