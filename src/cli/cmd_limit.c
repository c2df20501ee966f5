/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <systemd/sd-event.h>

#include <schedqos/bridge/bridge.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "verb.h"

/* A cgroup, or if that is empty a process. */
struct target {
	char cgroup[4096];
	pid_t pid;
};

/* A cgroup's path, or that of its folder, as a shell completes it. */
static bool parse_cgroup(const char *text, struct target *ret)
{
	static const char *const tops[] = { "/sys/fs/cgroup/unified/", "/sys/fs/cgroup/systemd/", "/sys/fs/cgroup/" };
	size_t len;

	for (size_t i = 0; i < array_size(tops); i++) {
		len = strlen(tops[i]);
		if (strncmp(text, tops[i], len) == 0) {
			text += len - 1;
			break;
		}
	}
	len = strlen(text);
	if (len >= sizeof(ret->cgroup)) {
		log_error("no cgroup has so long a path");
		return false;
	}
	while (len > 1 && text[len - 1] == '/')
		len--;
	memcpy(ret->cgroup, text, len);
	ret->cgroup[len] = '\0';
	return true;
}

/* ---- waiting for the end: the loop's exit code says whether it is that of the target ---- */

static int on_ended(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)message;
	(void)error;
	return sd_event_exit(userdata, EXIT_SUCCESS);
}

static int on_process_ended(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)fd;
	(void)revents;
	(void)userdata;
	return sd_event_exit(sd_event_source_get_event(source), EXIT_SUCCESS);
}

/* The bridge has gone, or says that the daemon has. */
static int on_lost(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const char *name = "", *version;
	int r = sd_bus_message_is_signal(message, "org.freedesktop.DBus.Properties", NULL);

	(void)error;
	if (r > 0) {
		r = sd_bus_message_skip(message, "s");
		if (r >= 0)
			r = sd_bus_message_enter_container(message, 'a', "{sv}");
		while (r >= 0 && (r = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
			r = sd_bus_message_read(message, "sv", &name, "s", &version);
			if (r >= 0 && strcmp(name, "Version") == 0 && !*version)
				break;
			if (r >= 0)
				r = sd_bus_message_exit_container(message);
		}
		if (r <= 0)
			return 0;
	}
	return sd_event_exit(userdata, EXIT_FAILURE);
}

/* Of the bridge we learn by a descriptor of our own that a process has ended; of a cgroup we do not. */
static int listen_to_bridge(sd_bus *bus, sd_event *event, int process)
{
	int r = sd_bus_match_signal(bus, NULL, BRIDGE_NAME, BUS_PATH, "org.freedesktop.DBus.Properties", "PropertiesChanged", on_lost,
				    event);

	if (r >= 0)
		r = sd_bus_add_match(bus, NULL,
				     "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" BRIDGE_NAME
				     "',arg2=''",
				     on_lost, event);
	return r < 0 || process < 0 ? r : sd_event_add_io(event, NULL, process, EPOLLIN, on_process_ended, NULL);
}

/* Before the limit is asked for, so that nothing is missed. */
static int prepare(sd_bus *bus, int process, sd_event **ret)
{
	int r = sd_event_new(ret);

	if (r >= 0)
		r = sd_bus_attach_event(bus, *ret, SD_EVENT_PRIORITY_NORMAL);
	if (r >= 0)
		r = sd_bus_set_exit_on_disconnect(bus, 1);
	if (r < 0)
		return r;
	if (client_is_bridged(bus))
		return listen_to_bridge(bus, *ret, process);
	return sd_bus_match_signal(bus, NULL, NULL, BUS_PATH, BUS_OVERRIDES_INTERFACE, "Ended", on_ended, *ret);
}

static int hold(sd_event *event)
{
	int r;

	log_info("limited until this ends (Ctrl-C)");
	r = sd_event_loop(event);
	if (r == 0)
		log_info("the limit has ended");
	else
		log_error("the daemon has ended, and with it the limit");
	return r == 0 ? 0 : EXIT_FAILURE;
}

/* ---- asking ---- */

/* process: of a bridged one that is no cgroup, a descriptor. Returns an exit status. */
static int ask_limit(sd_bus *bus, const struct target *target, int process, const char *qos, bool keep)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;

	if (!client_is_bridged(bus))
		return client_call(bus, BUS_OVERRIDES_INTERFACE, "Limit", &reply, "ussusb", 0, "", target->cgroup,
				   (uint32_t)target->pid, qos, (int)keep);
	return target->pid ? client_call(bus, NULL, "LimitProcess", &reply, "hsb", process, qos, (int)keep) :
			     client_call(bus, NULL, "LimitCgroup", &reply, "ssb", target->cgroup, qos, (int)keep);
}

static int ask_lift(sd_bus *bus, const struct target *target, int process, sd_bus_message **ret)
{
	if (!client_is_bridged(bus))
		return client_call(bus, BUS_OVERRIDES_INTERFACE, "Lift", ret, "usu", 0, target->cgroup, (uint32_t)target->pid);
	return target->pid ? client_call(bus, NULL, "LiftProcess", ret, "h", process) :
			     client_call(bus, NULL, "LiftCgroup", ret, "s", target->cgroup);
}

static int limit(sd_bus *bus, const struct command *command, const struct target *target, int process)
{
	_cleanup_(sd_event_unrefp) sd_event *event = NULL;
	const bool keep = option_given(command, OPTION_KEEP);
	int r = keep ? 0 : prepare(bus, process, &event), status;

	if (r < 0) {
		log_error("listening to the daemon: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	status = ask_limit(bus, target, process, command->operands[1], keep);
	return status || keep ? status : hold(event);
}

static int lift(sd_bus *bus, const struct target *target, int process)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	uint64_t lifted = 0;
	int status = ask_lift(bus, target, process, &reply);

	if (status)
		return status;
	sd_bus_message_read(reply, "t", &lifted);
	if (!lifted)
		log_error("there is no limit to lift");
	return lifted ? 0 : EXIT_FAILURE;
}

int cmd_limit(const struct command *command)
{
	const bool lifts = option_given(command, OPTION_LIFT);
	_cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
	_cleanup_close_ int process = -1;
	struct target target = { 0 };

	if (lifts && option_given(command, OPTION_KEEP))
		return usage_error(command->verb, "--keep and --lift exclude each other");
	if (command->n_operands != (lifts ? 1 : 2))
		return usage_error(command->verb, lifts ? "--lift takes no class" : "limit needs a class");
	if (command->operands[0][0] == '/' ? !parse_cgroup(command->operands[0], &target)
					   : take_pid(command, command->operands[0], &target.pid) != 0)
		return EXIT_USAGE;
	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	if (client_is_bridged(bus) && target.pid) {
		process = client_process(target.pid);
		if (process < 0)
			return EXIT_FAILURE;
	}
	return lifts ? lift(bus, &target, process) : limit(bus, command, &target, process);
}
