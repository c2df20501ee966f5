/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static int on_ended(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	bool *ended = userdata;

	(void)message;
	(void)error;
	*ended = true;
	return 0;
}

/* Until the daemon says that it is over, or we are ended. */
static int hold(sd_bus *bus, bool *ended)
{
	int r = 0;

	while (!*ended && r >= 0) {
		r = sd_bus_process(bus, NULL);
		if (r == 0)
			r = sd_bus_wait(bus, UINT64_MAX);
		if (r == -EINTR)
			r = 0;
	}
	if (*ended) {
		log_info("the limit has ended");
		return 0;
	}
	log_error("the daemon has ended, and with it the limit");
	return EXIT_FAILURE;
}

static int limit(sd_bus *bus, const struct command *command, const struct target *target)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const bool keep = option_given(command, OPTION_KEEP);
	bool ended = false;
	int r = sd_bus_match_signal(bus, NULL, NULL, BUS_PATH, BUS_OVERRIDES_INTERFACE, "Ended", on_ended, &ended), status;

	if (r < 0) {
		log_error("listening to the daemon: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	status = client_call(bus, BUS_OVERRIDES_INTERFACE, "Limit", &reply, "susb", target->cgroup, (uint32_t)target->pid,
			     command->operands[1], (int)keep);
	if (status || keep)
		return status;
	log_info("limited until this ends (Ctrl-C)");
	return hold(bus, &ended);
}

static int lift(sd_bus *bus, const struct target *target)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	uint64_t lifted = 0;
	int status = client_call(bus, BUS_OVERRIDES_INTERFACE, "Lift", &reply, "su", target->cgroup,
				 (uint32_t)target->pid);

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
	struct target target = { 0 };
	sd_bus *bus;
	int status;

	if (lifts && option_given(command, OPTION_KEEP))
		return usage_error(command->verb, "--keep and --lift exclude each other");
	if (command->n_operands != (lifts ? 1 : 2))
		return usage_error(command->verb, lifts ? "--lift takes no class" : "limit needs a class");
	if (command->operands[0][0] == '/' ? !parse_cgroup(command->operands[0], &target)
					   : operand_pid(command, &target.pid) != 0)
		return EXIT_USAGE;
	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	status = lifts ? lift(bus, &target) : limit(bus, command, &target);
	sd_bus_flush_close_unref(bus);
	return status;
}
