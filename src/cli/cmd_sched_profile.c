/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Applies and lists sched profiles: through the daemon if one runs, else directly, recording the old values for
 * `restore`.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/daemon/instance.h>
#include <schedqos/machine/machine.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "configuration.h"
#include "verb.h"

static void print_profile(const char *name, const char *current)
{
	char safe[256];

	printf("%c %s\n", current && strcmp(name, current) == 0 ? '*' : ' ',
	       text_escape_to(safe, sizeof(safe), name, strlen(name)));
}

/* ---- with a daemon ---- */

static int daemon_list(void)
{
	_cleanup_(cJSON_Deletep) cJSON *status = status_read();
	const cJSON *profile;

	cJSON_ArrayForEach (profile, member(status, "sched_profiles"))
		print_profile(profile->valuestring, member_text(status, "sched_profile"));
	return status ? 0 : EXIT_FAILURE;
}

/* Applies a profile; "" for none. */
static int daemon_apply(const char *name)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *refusal;
	int status = client_call(BUS_INTERFACE, "SetSchedProfile", &reply, "s", name);

	if (status)
		return status;
	sd_bus_message_enter_container(reply, 'a', "s");
	while (sd_bus_message_read(reply, "s", &refusal) > 0) {
		_cleanup_free_ char *safe = client_text(refusal);

		log_warning("%s", safe ? safe : strerror(ENOMEM));
		status = EXIT_FAILURE;
	}
	return status;
}

/* ---- without a daemon ---- */

/* Lists the profiles. Without permission to read the state file, none is marked as the current one. */
static int local_list(const struct config *config)
{
	_cleanup_(machine_freep) struct machine *machine = NULL;
	const char *current = machine_new(false, &machine) == 0 ? machine_profile(machine) : NULL;

	for (size_t i = 0; i < config->n_profiles; i++)
		print_profile(config->profiles[i].name, current);
	return 0;
}

static int unknown(const struct config *config, const char *name)
{
	_cleanup_free_ char *words = profile_words_unknown(config, name);

	log_error("%s", words ? words : strerror(ENOMEM));
	return EXIT_USAGE;
}

/* Applies a profile; NULL for none. */
static int local_apply(const struct sched_profile *profile)
{
	_cleanup_(machine_freep) struct machine *machine = NULL;
	struct profile_result result;
	char *const *refusals;
	size_t count;
	int r;

	/* No daemon ran a moment ago: if one runs now, the user can try again. */
	if (instance_lock(false, "try again") < 0)
		return EXIT_FAILURE;
	r = machine_new(false, &machine);
	if (r < 0) {
		log_error("no knob is changed, because the record of an earlier run in " STATE_FOLDER
			  " cannot be used: %s",
			  state_file_fault(r));
		return EXIT_FAILURE;
	}
	r = machine_apply(machine, profile, false, &result);
	if (r < 0) {
		log_error("no knob is changed, because the previous values cannot be recorded: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	refusals = machine_refusals(machine, &count);
	for (size_t i = 0; i < count; i++)
		log_warning("%s", refusals[i]);
	if (machine_count_changed(machine))
		log_info("no daemon runs: 'schedqos restore' puts the previous values back");
	return count ? EXIT_FAILURE : 0;
}

/* ---- both ---- */

int cmd_sched_profile(const struct command *command)
{
	const bool is_none = option_given(command, OPTION_NONE), has_daemon = instance_owner() > 0;
	_cleanup_(config_freep) struct config *config = NULL;
	const struct sched_profile *profile = NULL;
	const char *name = command->operands[0];
	int status;

	if (name && (is_none || !*name))
		return usage_error(command->verb, is_none ? "--none and a profile's name cannot be combined"
							  : "the profile's name is empty");
	if (has_daemon) {
		warn_unused_paths(&command->paths);
		return name || is_none ? daemon_apply(name ? name : "") : daemon_list();
	}
	status = read_config(&command->paths, false, &config);
	if (status)
		return status;
	if (!name && !is_none)
		return local_list(config);
	if (name)
		profile = sched_profile_find(config->profiles, config->n_profiles, name);
	return name && !profile ? unknown(config, name) : local_apply(profile);
}
