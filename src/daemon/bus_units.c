/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What units of the service manager say of their tasks, which `schedqos weights` has asked it; for a user's units the bridge
 * passes that on. It counts until whoever has said it is gone.
 */
#include "bus.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>

#include "daemon_private.h"

/* The units of one user that can have a class, and those of all users. */
#define OF_USER_MAX  256
#define OF_USERS_MAX 4096

void bus_units_drop(struct daemon *daemon, const struct holder *whom)
{
	const struct units *units = tagger_units(daemon->tagger);
	size_t i = 0;

	while (i < units->count) {
		const struct unit_class *unit = &units->all[i].is;

		if (is_held_by(&unit->holder, whom) && tagger_set_units(daemon->tagger, unit->uid, NULL, 0) == 0)
			i = 0;
		else
			i++;
	}
}

static int check_unit(uid_t uid, const struct unit_class *unit)
{
	if (strlen(unit->cgroup) >= PATH_MAX || strlen(unit->qos) >= NAME_MAX || strlen(unit->place) >= PATH_MAX)
		return -ENAMETOOLONG;
	return bus_check_cgroup(uid, unit->cgroup);
}

/* Reads a(sss). Allocates the array, also where that fails; its texts are the message's. 0 or -errno. */
static int read_units(sd_bus_message *message, struct override *asked, struct unit_class **ret, size_t *ret_n)
{
	int r = sd_bus_message_enter_container(message, 'a', "(sss)");

	while (r >= 0) {
		struct unit_class *units = array_room(*ret, *ret_n, sizeof(*units)), *unit;

		if (!units)
			return -ENOMEM;
		*ret = units;
		unit = &units[*ret_n];
		unit->holder = asked->holder;
		r = sd_bus_message_read(message, "(sss)", &unit->cgroup, &unit->qos, &unit->place);
		if (r <= 0)
			break;
		asked->cgroup = unit->cgroup;
		if (asked->uid)
			r = *ret_n >= OF_USER_MAX ? -EDQUOT : check_unit(asked->uid, unit);
		++*ret_n;
	}
	return r;
}

/* Of each its class's weight; or 0, and what is wrong with that class. */
static int append_answers(sd_bus_message *reply, const struct config *config, const struct unit_class *units, size_t n)
{
	int r = sd_bus_message_open_container(reply, 'a', "(qs)");

	for (size_t i = 0; i < n && r >= 0; i++) {
		const struct qos_class *class = qos_class_find(config->classes, config->n_classes, units[i].qos);
		_cleanup_free_ char *words = class ? NULL : class_words_unknown(config, units[i].qos);

		r = sd_bus_message_append(reply, "(qs)", class ? weight_of_class(class) : 0,
					  class ? "" : words ? words : "no such class");
	}
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int set_unit_classes(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_free_ struct unit_class *units = NULL;
	struct daemon *daemon = userdata;
	struct override asked = { .cgroup = "/" };
	const char *holder;
	uint32_t uid;
	size_t n = 0;
	int r = sd_bus_message_read(message, "us", &uid, &holder);

	if (r >= 0)
		r = bus_take(message, uid, holder, 0, &asked);
	if (r >= 0)
		r = read_units(message, &asked, &units, &n);
	/* Those that are replaced count as well. */
	if (r >= 0 && uid && tagger_units(daemon->tagger)->n_users + n > OF_USERS_MAX)
		r = -EDQUOT;
	if (r >= 0)
		r = tagger_set_units(daemon->tagger, uid, units, n);
	if (r == -EDQUOT)
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "too many units with a class");
	if (r < 0)
		return bus_refuse(daemon, &asked, r, error);
	r = sd_bus_message_new_method_return(message, &reply);
	if (r >= 0)
		r = append_answers(reply, daemon->config, units, n);
	return r < 0 ? r : sd_bus_message_send(reply);
}

/* Somebody has left the bridge. */
static int drop(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct holder holder = { .bus = sd_bus_message_get_bus(message) };
	int r = sd_bus_message_read(message, "s", &holder.name);

	(void)error;
	if (r < 0)
		return r;
	held_drop(userdata, &holder);
	bus_units_drop(userdata, &holder);
	return sd_bus_reply_method_return(message, NULL);
}

const sd_bus_vtable bus_units_methods[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("SetUnitClasses", "usa(sss)", "a(qs)", set_unit_classes, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("Drop", "s", NULL, drop, BUS_FOR_BRIDGE),
	SD_BUS_VTABLE_END,
};
