/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads which class each unit names, for the weights service, and sends them to the daemon. */
#include "classes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/bridge/bridge.h>
#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

/* ---- a unit ---- */

static void clear_item(struct named_class *item)
{
	free(item->unit);
	free(item->cgroup);
	free(item->place);
}

void classes_clear(struct classes *classes)
{
	for (size_t i = 0; i < classes->count; i++)
		clear_item(&classes->items[i]);
	free(classes->items);
	*classes = (struct classes){ 0 };
}

struct named_class *classes_find(const struct classes *classes, const char *unit)
{
	for (size_t i = 0; i < classes->count; i++) {
		if (strcmp(classes->items[i].unit, unit) == 0)
			return &classes->items[i];
	}
	return NULL;
}

/* Reads one file into the item. The last file that names a class counts. */
static void look_into(const char *path, struct named_class *item)
{
	_cleanup_free_ char *safe = text_escape(path, strlen(path));
	struct unit_said said;
	int r = *path && safe ? unit_file_read(path, &said) : -ENOENT;

	if (r < 0 && r != -ENOENT)
		log_warning("%s: cannot be read, so its section [X-SchedQoS] is ignored: %s", safe, strerror(-r));
	if (r < 0 || !said.line)
		return;
	item->said = said;
	free(item->place);
	if (asprintf(&item->place, "%s:%u", safe, said.line) < 0)
		item->place = NULL;
}

/* Reads all files of a unit. Returns 1 if they name a class, 0 if not, or -errno. */
static int look_at_unit(sd_bus *manager, const char *name, struct named_class *item)
{
	_cleanup_(unit_clear) struct manager_unit unit = { 0 };
	int r = unit_read(manager, name, false, &unit);

	if (r < 0)
		return r;
	look_into(unit.fragment, item);
	for (char **at = unit.drop_ins; at && *at; at++)
		look_into(*at, item);
	if (!*item->said.qos || !item->place)
		return 0;
	r = unit_read_share(manager, &unit);
	item->unit = take_ptr(unit.id);
	item->cgroup = take_ptr(unit.cgroup);
	return r < 0 ? r : *item->cgroup != '\0';
}

int classes_look(struct classes *classes, sd_bus *manager, const char *unit)
{
	struct named_class *known = classes_find(classes, unit), *items, now = { 0 };
	const bool was_known = known;
	int r = look_at_unit(manager, unit, &now);

	if (known && (r >= 0 || r == -ENOENT)) {
		clear_item(known);
		*known = classes->items[--classes->count];
	}
	items = r > 0 ? array_room(classes->items, classes->count, sizeof(*items)) : NULL;
	if (!items) {
		clear_item(&now);
		return r < 0 && r != -ENOENT ? r : was_known;
	}
	classes->items = items;
	items[classes->count++] = now;
	return 1;
}

/* ---- the daemon ---- */

/*
 * Warns about an unknown class, once until its file is read again. The words may come from a bridge that an attacker
 * has taken over.
 */
static void warn_unknown(struct named_class *item, const char *words)
{
	char safe[512];

	if (!item->weight && !item->is_wrong)
		log_warning("%s: Class=: %s", item->place, text_escape_to(safe, sizeof(safe), words, strlen(words)));
	item->is_wrong = !item->weight;
}

int classes_tell(struct classes *classes, sd_bus *daemon, bool is_user, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL, *reply = NULL;
	int r = sd_bus_message_new_method_call(daemon, &message, is_user ? BRIDGE_NAME : NULL, BUS_PATH,
					       is_user ? BRIDGE_NAME : BUS_OVERRIDES_INTERFACE, "SetUnitClasses");

	if (r >= 0 && !is_user)
		r = sd_bus_message_append(message, "us", 0, "");
	if (r >= 0)
		r = sd_bus_message_open_container(message, 'a', "(sss)");
	for (size_t i = 0; i < classes->count && r >= 0; i++)
		r = sd_bus_message_append(message, "(sss)", classes->items[i].cgroup, classes->items[i].said.qos,
					  classes->items[i].place);
	if (r >= 0)
		r = sd_bus_message_close_container(message);
	if (r >= 0)
		r = sd_bus_call(daemon, message, 0, error, &reply);
	if (r >= 0)
		r = sd_bus_message_enter_container(reply, 'a', "(qs)");
	for (size_t i = 0; i < classes->count && r >= 0; i++) {
		uint16_t weight = 0;
		const char *words = "";

		r = sd_bus_message_read(reply, "(qs)", &weight, &words);
		classes->items[i].weight = weight;
		if (r > 0)
			warn_unknown(&classes->items[i], words);
	}
	return r;
}
