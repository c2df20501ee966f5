/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `schedqos weights`, which asks the service manager, has to say of units. It counts until its connection ends; what the
 * bridge says for a user's, until that one's does.
 */
#include "bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>

#include "daemon_private.h"

int bus_read_units(sd_bus_message *message, size_t max, struct unit_class **ret, size_t *ret_n)
{
	struct unit_class *units = NULL;
	size_t n = 0;
	int r = sd_bus_message_enter_container(message, 'a', "(sss)");

	while (r >= 0) {
		struct unit_class *all = reallocarray(units, n + 1, sizeof(*all));

		r = all ? 0 : -ENOMEM;
		units = all ? all : units;
		if (r == 0)
			r = sd_bus_message_read(message, "(sss)", &units[n].cgroup, &units[n].qos, &units[n].place);
		if (r <= 0)
			break;
		if (++n > max)
			r = -EDQUOT;
	}
	*ret = units;
	*ret_n = n;
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

int bus_set_unit_classes(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_free_ struct unit_class *units = NULL;
	struct daemon *daemon = userdata;
	size_t n = 0;
	int r = bus_read_units(message, SIZE_MAX, &units, &n);

	(void)error;
	if (r >= 0)
		r = tagger_set_units(daemon->tagger, 0, units, n);
	if (r >= 0) {
		daemon->weights.teller = sd_bus_message_get_bus(message);
		daemon->weights.n_classes = n;
		r = sd_bus_message_new_method_return(message, &reply);
	}
	if (r >= 0)
		r = append_answers(reply, daemon->config, units, n);
	if (r >= 0)
		r = sd_bus_message_send(reply);
	return r < 0 ? r : 1;
}

int bus_set_weight_count(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct daemon *daemon = userdata;
	int r = sd_bus_message_read(message, "u", &daemon->weights.count);

	(void)error;
	if (r < 0)
		return r;
	daemon->weights.teller = sd_bus_message_get_bus(message);
	return sd_bus_reply_method_return(message, NULL);
}

/* ---- users' ---- */

struct units_told {
	struct units_told *next;
	const sd_bus *bus; /* compared only */
	uid_t uid;
	size_t n;
	char holder[];
};

/* Of the one before, if there was. */
static void forget(struct daemon *daemon, uid_t uid)
{
	for (struct units_told **at = &daemon->users_units; *at; at = &(*at)->next) {
		struct units_told *told = *at;

		if (told->uid != uid)
			continue;
		*at = told->next;
		free(told);
		return;
	}
}

int bus_units_put(struct daemon *daemon, struct holder holder, uid_t uid, const struct unit_class *units, size_t n)
{
	struct units_told *told;
	size_t all = n;
	int r;

	for (told = daemon->users_units; told; told = told->next)
		all += told->uid == uid ? 0 : told->n;
	if (all > BUS_UNITS_OF_USERS_MAX)
		return -EDQUOT;
	told = calloc(1, sizeof(*told) + strlen(holder.name) + 1);
	r = told ? tagger_set_units(daemon->tagger, uid, units, n) : -ENOMEM;
	if (r < 0) {
		free(told);
		return r;
	}
	forget(daemon, uid);
	*told = (struct units_told){ daemon->users_units, holder.bus, uid, n };
	strcpy(told->holder, holder.name);
	daemon->users_units = told;
	return 0;
}

/* ---- their end ---- */

bool bus_units_hold(const struct daemon *daemon, const sd_bus *bus)
{
	const struct units_told *told = daemon->users_units;

	while (told && told->bus != bus)
		told = told->next;
	return told || daemon->weights.teller == bus;
}

void bus_units_free(struct daemon *daemon)
{
	while (daemon->users_units)
		forget(daemon, daemon->users_units->uid);
}

void bus_units_drop(struct daemon *daemon, struct holder holder)
{
	struct units_told *next;

	for (struct units_told *told = daemon->users_units; told; told = next) {
		next = told->next;
		if (told->bus != holder.bus || (holder.name && strcmp(told->holder, holder.name) != 0))
			continue;
		tagger_set_units(daemon->tagger, told->uid, NULL, 0);
		forget(daemon, told->uid);
	}
	if (holder.name || daemon->weights.teller != holder.bus)
		return;
	daemon->weights = (struct weights_told){ 0 };
	tagger_set_units(daemon->tagger, 0, NULL, 0);
}
