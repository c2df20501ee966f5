/* SPDX-License-Identifier: GPL-2.0-only */
#include "bridge_private.h"

#include <schedqos/util/broadcasts.h>
#include <schedqos/util/cleanup.h>

#define POLKIT "org.freedesktop.PolicyKit1"
#define POLKIT_PATH "/org/freedesktop/PolicyKit1/Authority"
#define ALLOW_USER_INTERACTION 1

/* A person has to be found, and to type. */
#define INTERACTIVE_US (120 * 1000000ULL)
#define TIMEOUT_US (20 * 1000000ULL)

/* A session that is not in front any more, say. */
static int on_changed(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const struct bridge *bridge = userdata;

	(void)message;
	(void)error;
	for (struct caller *caller = bridge->callers; caller; caller = caller->next)
		caller->may_show = false;
	return 0;
}

int polkit_follow(struct bridge *bridge)
{
	int r = sd_bus_match_signal(bridge->bus, NULL, POLKIT, POLKIT_PATH, POLKIT ".Authority", "Changed", on_changed, bridge);

	return r < 0 ? r : sd_bus_add_match(bridge->bus, NULL, BUS_NAME_OWNER_CHANGED ",arg0='" POLKIT "'", on_changed, bridge);
}

int polkit_ask(sd_bus_message *message, const char *action, sd_bus_message_handler_t answered, void *userdata, sd_bus_slot **ret)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *question = NULL;
	const bool interactive = sd_bus_message_get_allow_interactive_authorization(message) > 0;
	sd_bus *bus = sd_bus_message_get_bus(message);
	int r = sd_bus_message_new_method_call(bus, &question, POLKIT, POLKIT_PATH, POLKIT ".Authority",
					       "CheckAuthorization");

	/* The bus vouches for the name, and never gives it to another connection. */
	if (r >= 0)
		r = sd_bus_message_append(question, "(sa{sv})s", "system-bus-name", 1, "name", "s", sd_bus_message_get_sender(message),
					  action);
	if (r >= 0)
		r = sd_bus_message_append(question, "a{ss}us", 0, interactive ? ALLOW_USER_INTERACTION : 0, "");
	if (r >= 0)
		r = sd_bus_call_async(bus, ret, question, answered, userdata, interactive ? INTERACTIVE_US : TIMEOUT_US);
	return r < 0 ? r : 0;
}

int polkit_answered(sd_bus_message *answer, sd_bus_error *error)
{
	const sd_bus_error *fault = sd_bus_message_get_error(answer);
	int is_authorized = 0, is_challenge = 0;

	if (sd_bus_error_has_names(fault, SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER))
		return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "there is no polkit here to allow it: only root may");
	if (fault || sd_bus_message_enter_container(answer, 'r', "bba{ss}") < 0 ||
	    sd_bus_message_read(answer, "bb", &is_authorized, &is_challenge) < 0)
		return sd_bus_error_setf(error, SD_BUS_ERROR_ACCESS_DENIED, "polkit has not allowed it: %s",
					 fault && fault->message ? fault->message : "no answer that makes sense");
	if (is_authorized)
		return 0;
	if (is_challenge)
		return sd_bus_error_set(error, SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED,
					"this takes an administrator's password, and there is nobody to ask for it");
	return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "not allowed");
}
