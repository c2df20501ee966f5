/* SPDX-License-Identifier: GPL-2.0-only */
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/bridge/bridge.h>
#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/bus.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "verb.h"

struct target {
	const char *cgroup; /* NULL if the target is a process */
	pid_t pid;
};

/* Returns a cgroup's path, also from the path of its folder, as a shell completes it. */
static const char *cgroup_of(char *text)
{
	static const char *const tops[] = { "/sys/fs/cgroup/unified/", "/sys/fs/cgroup/systemd/", "/sys/fs/cgroup/" };
	size_t length;

	for (size_t i = 0; i < array_size(tops); i++) {
		length = strlen(tops[i]);
		if (strncmp(text, tops[i], length) == 0) {
			text += length - 1;
			break;
		}
	}
	for (length = strlen(text); length > 1 && text[length - 1] == '/'; length--)
		text[length - 1] = '\0';
	return text;
}

/*
 * Waits until the limit ends. The daemon tells root. Other users are connected to the bridge, so for them only the end
 * of the process is seen, by its pidfd, and that of the bridge. Returns an exit status.
 */
static int hold(int process)
{
	sd_bus *bus = client_bus();
	struct pollfd ends[] = { { .fd = sd_bus_get_fd(bus), .events = POLLIN }, { .fd = process, .events = POLLIN } };

	log_info("the limit lasts until this command ends (Ctrl-C)");
	for (;;) {
		_cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL;
		int r = sd_bus_process(bus, &message);

		if (r < 0 || (message && sd_bus_message_is_signal(message, "org.freedesktop.DBus", "NameOwnerChanged") > 0)) {
			log_error("the daemon has ended, and with it the limit");
			return EXIT_FAILURE;
		}
		if (ends[1].revents ||
		    (message && sd_bus_message_is_signal(message, BUS_OVERRIDES_INTERFACE, "Ended") > 0)) {
			log_info("the limit has ended");
			return 0;
		}
		if (r == 0)
			poll(ends, array_size(ends), -1);
	}
}

/* ---- asking ---- */

/* Requests the limit. Returns an exit status. */
static int ask_limit(const struct target *target, const char *qos, bool keep, sd_bus_message **ret)
{
	return target->pid ? client_call(BUS_OVERRIDES_INTERFACE, "LimitProcess", ret, "usb", (uint32_t)target->pid,
					 qos, (int)keep) :
			     client_call(BUS_OVERRIDES_INTERFACE, "LimitCgroup", ret, "ssb", target->cgroup, qos,
					 (int)keep);
}

static int ask_lift(const struct target *target, sd_bus_message **ret)
{
	return target->pid ? client_call(BUS_OVERRIDES_INTERFACE, "LiftProcess", ret, "u", (uint32_t)target->pid) :
			     client_call(BUS_OVERRIDES_INTERFACE, "LiftCgroup", ret, "s", target->cgroup);
}

static int set_limit(const struct command *command, const struct target *target, int process)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const bool keep = option_given(command, OPTION_KEEP);
	uint64_t lowered = 0;
	int status = 0;

	/* Before the question, so that no end is missed. Without it only the message is: the limit ends in any case. */
	if (!keep && client_is_bridged())
		sd_bus_add_match(client_bus(), NULL, BUS_NAME_OWNER_CHANGED ",arg0='" BRIDGE_NAME "',arg2=''", NULL, NULL);
	status = ask_limit(target, command->operands[1], keep, &reply);
	if (status)
		return status;
	sd_bus_message_read(reply, "t", &lowered);
	if (lowered)
		log_info("limited: %" PRIu64 " task%s lowered to %s", lowered, lowered == 1 ? "" : "s",
			 command->operands[1]);
	else
		log_info("limited: no task was above %s", command->operands[1]);
	return keep ? 0 : hold(process);
}

static int lift_limit(const struct command *command, const struct target *target)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	uint64_t lifted = 0;
	int status = ask_lift(target, &reply);

	if (status)
		return status;
	sd_bus_message_read(reply, "t", &lifted);
	if (!lifted && client_is_bridged())
		log_error("%s: you have no limit there to lift; root may have", command->operands[0]);
	else if (!lifted)
		log_error("%s: there is no limit to lift", command->operands[0]);
	return lifted ? 0 : EXIT_FAILURE;
}

int cmd_limit(const struct command *command)
{
	const bool lifts = option_given(command, OPTION_LIFT);
	_cleanup_close_ int process = -1;
	struct target target = { 0 };

	if (lifts && option_given(command, OPTION_KEEP))
		return usage_error(command->verb, "--keep and --lift cannot be combined");
	if (command->n_operands != (lifts ? 1 : 2))
		return usage_error(command->verb, lifts ? "--lift takes no class" : "limit needs a class");
	if (command->operands[0][0] == '/')
		target.cgroup = cgroup_of(command->operands[0]);
	else if (take_pid(command, command->operands[0], &target.pid))
		return EXIT_USAGE;
	if (client_open() < 0)
		return EXIT_FAILURE;
	if (client_is_bridged() && target.pid) {
		process = client_process(target.pid);
		if (process < 0)
			return EXIT_FAILURE;
	}
	return lifts ? lift_limit(command, &target) : set_limit(command, &target, process);
}
