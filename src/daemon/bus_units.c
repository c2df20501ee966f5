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

/* By whom, and of how many units, the last was said in a user's name, or in root's. */
struct units_told {
	struct units_told *next;
	const sd_bus *bus; /* compared only */
	uid_t uid;
	size_t n;
	char holder[];
};

/* ---- what is kept ---- */

static void forget(struct daemon *daemon, uid_t uid)
{
	for (struct units_told **at = &daemon->units; *at; at = &(*at)->next) {
		struct units_told *told = *at;

		if (told->uid != uid)
			continue;
		*at = told->next;
		free(told);
		return;
	}
}

static bool users_have_too_many(const struct daemon *daemon, uid_t uid, size_t n)
{
	size_t all = n;

	for (const struct units_told *told = daemon->units; told; told = told->next)
		all += told->uid == 0 || told->uid == uid ? 0 : told->n;
	return all > OF_USERS_MAX;
}

static int keep(struct daemon *daemon, const struct bus_request *request, const struct unit_class *units, size_t n)
{
	const char *name = request->holder.name ? request->holder.name : "";
	const uid_t uid = request->asked.uid;
	struct units_told *told;
	int r;

	if (uid && users_have_too_many(daemon, uid, n))
		return -EDQUOT;
	told = calloc(1, sizeof(*told) + strlen(name) + 1);
	r = told ? tagger_set_units(daemon->tagger, uid, units, n) : -ENOMEM;
	if (r < 0) {
		free(told);
		return r;
	}
	forget(daemon, uid);
	*told = (struct units_told){ daemon->units, request->holder.bus, uid, n };
	strcpy(told->holder, name);
	daemon->units = told;
	return 0;
}

size_t bus_units_count(const struct daemon *daemon)
{
	const struct units_told *told = daemon->units;

	while (told && told->uid)
		told = told->next;
	return told ? told->n : 0;
}

void bus_units_free(struct daemon *daemon)
{
	while (daemon->units)
		forget(daemon, daemon->units->uid);
}

void bus_units_drop(struct daemon *daemon, struct holder holder)
{
	struct units_told *next;

	for (struct units_told *told = daemon->units; told; told = next) {
		next = told->next;
		if (told->bus != holder.bus || (holder.name && strcmp(told->holder, holder.name) != 0))
			continue;
		tagger_set_units(daemon->tagger, told->uid, NULL, 0);
		forget(daemon, told->uid);
	}
}

/* ---- methods ---- */

static int check_unit(uid_t uid, const struct unit_class *unit)
{
	if (strlen(unit->cgroup) >= PATH_MAX || strlen(unit->qos) >= NAME_MAX || strlen(unit->place) >= PATH_MAX)
		return -ENAMETOOLONG;
	return bus_check_cgroup(uid, unit->cgroup);
}

/* Reads a(sss). Allocates the array, also where that fails; its texts are the message's. 0 or -errno. */
static int read_units(sd_bus_message *message, struct bus_request *request, struct unit_class **ret, size_t *ret_n)
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
		request->asked.cgroup = units[n].cgroup;
		if (request->asked.uid)
			r = n >= OF_USER_MAX ? -EDQUOT : check_unit(request->asked.uid, &units[n]);
		n++;
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
	struct bus_request request;
	size_t n = 0;
	int r = bus_read_user(message, true, &request);

	request.asked.cgroup = "";
	if (r >= 0)
		r = read_units(message, &request, &units, &n);
	if (r >= 0)
		r = keep(daemon, &request, units, n);
	if (r == -EDQUOT)
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "too many units with a class");
	if (r < 0)
		return bus_refuse(daemon, &request.asked, r, error);
	r = sd_bus_message_new_method_return(message, &reply);
	if (r >= 0)
		r = append_answers(reply, daemon->config, units, n);
	if (r >= 0)
		r = sd_bus_message_send(reply);
	return r < 0 ? r : 1;
}

/* Somebody has left the bridge. */
int bus_drop(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct holder holder = { .bus = sd_bus_message_get_bus(message) };
	int r = sd_bus_message_read(message, "s", &holder.name);

	(void)error;
	if (r < 0)
		return r;
	held_drop(userdata, holder);
	bus_units_drop(userdata, holder);
	return sd_bus_reply_method_return(message, NULL);
}
