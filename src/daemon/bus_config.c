/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration in force, and the sched profile out of it that is. */
#include "bus.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "daemon_private.h"

/* As two files. Made anew for each call, since nobody asks often: 15,000 rules take some MB, which go back. */
int bus_get_config(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const struct daemon *daemon = userdata;
	char *rules = config_print(daemon->config, true), *profiles = config_print_profiles(daemon->config);
	int r = rules && profiles ? sd_bus_reply_method_return(message, "ss", rules, profiles) : -ENOMEM;

	(void)error;
	free(rules);
	free(profiles);
	malloc_trim(0);
	return r;
}

/* What each pattern of units gives: the first that holds for a unit counts. */
static int answer_weights(sd_bus_message *message, const struct config *config, const struct weight_list *list)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	size_t n;
	_cleanup_free_ struct unit_weight *weights =
		weights_rank(list->items, list->count, config->classes, config->n_classes, &n);
	int r = weights ? sd_bus_message_new_method_return(message, &reply) : -ENOMEM;

	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "(sqb)");
	for (size_t i = 0; i < n && r >= 0; i++)
		r = sd_bus_message_append(reply, "(sqb)", weights[i].pattern, weights[i].number, (int)weights[i].at_seat);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	if (r >= 0)
		r = sd_bus_message_send(reply);
	return r < 0 ? r : 1;
}

int bus_get_weights(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const struct config *config = ((const struct daemon *)userdata)->config;

	(void)error;
	return answer_weights(message, config, &config->weights);
}

int bus_get_user_weights(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const struct config *config = ((const struct daemon *)userdata)->config;

	(void)error;
	return answer_weights(message, config, &config->user_weights);
}

/* Suggests the profile that may have been meant. */
static int unknown_profile(const struct daemon *daemon, const char *name, sd_bus_error *error)
{
	struct suggestion near = { .word = name };
	char safe[256], best[256] = "";

	for (size_t i = 0; i < daemon->config->n_profiles; i++)
		suggest_offer(&near, daemon->config->profiles[i].name);
	if (near.best)
		text_escape_to(best, sizeof(best), near.best, strlen(near.best));
	return sd_bus_error_setf(error, BUS_ERROR_UNKNOWN_PROFILE, "no sched profile \"%s\"%s%s%s",
				 text_escape_to(safe, sizeof(safe), name, strlen(name)),
				 *best ? " (did you mean \"" : "", best, *best ? "\"?)" : "");
}

/* The answer is what the machine refused. */
int bus_set_sched_profile(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	char *const *refusals;
	struct daemon *daemon = userdata;
	const char *name;
	size_t count = 0;
	int r = sd_bus_message_read(message, "s", &name);

	if (r < 0)
		return r;
	r = machine_switch(daemon->machine, name);
	if (r == -ENOENT)
		return unknown_profile(daemon, name, error);
	if (r < 0)
		return sd_bus_error_setf(error, BUS_ERROR_FAILED, "%s", strerror(-r));
	refusals = machine_refusals(daemon->machine, &count);
	r = sd_bus_message_new_method_return(message, &reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "s");
	for (size_t i = 0; i < count && r >= 0; i++)
		r = sd_bus_message_append(reply, "s", refusals[i]);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	if (r >= 0)
		r = sd_bus_message_send(reply);
	return r < 0 ? r : 1;
}
