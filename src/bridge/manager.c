/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads properties of units from systemd, and sets their weights. */
#include "manager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>
#include <schedqos/util/bus.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#define SYSTEMD	   "org.freedesktop.systemd1"
#define MANAGER	   "/org/freedesktop/systemd1", SYSTEMD ".Manager"
#define TIMEOUT_US (30 * 1000000ULL)

/*
 * Returns 0 or -errno for the result of a call: -ENOENT if the manager refuses, which is an answer, too. Other errors
 * mean that it does not answer, and that we cannot go on.
 */
static int outcome(int r, const sd_bus_error *error)
{
	if (r >= 0 || !error->name)
		return r < 0 ? r : 0;
	if (strncmp(error->name, SYSTEMD ".", strlen(SYSTEMD ".")) == 0 ||
	    sd_bus_error_has_names(error, SD_BUS_ERROR_UNKNOWN_PROPERTY, SD_BUS_ERROR_UNKNOWN_INTERFACE,
				   SD_BUS_ERROR_UNKNOWN_OBJECT, SD_BUS_ERROR_INVALID_ARGS))
		return -ENOENT;
	return r;
}

static int call_manager(sd_bus *bus, const char *method, sd_bus_message **ret, const char *types, ...)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	va_list values;
	int r;

	va_start(values, types);
	r = sd_bus_call_methodv(bus, SYSTEMD, MANAGER, method, &error, ret, types, values);
	va_end(values);
	return outcome(r, &error);
}

int manager_open(bool is_user, sd_bus **ret)
{
	_cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
	int r = is_user ? bus_open_user(&bus) : bus_open_system(&bus);

	if (r >= 0)
		r = sd_bus_set_method_call_timeout(bus, TIMEOUT_US);
	if (r >= 0)
		r = sd_bus_set_close_on_exit(bus, 0);
	if (r >= 0)
		r = sd_bus_set_exit_on_disconnect(bus, 1);
	if (r >= 0)
		r = call_manager(bus, "Subscribe", NULL, NULL);
	if (r >= 0)
		*ret = take_ptr(bus);
	return r;
}

int manager_follow_units(sd_bus *bus, sd_bus_message_handler_t handler, void *userdata)
{
	int r = sd_bus_match_signal(bus, NULL, SYSTEMD, MANAGER, "UnitNew", handler, userdata);

	return r < 0 ? r : sd_bus_match_signal(bus, NULL, SYSTEMD, MANAGER, "UnitRemoved", handler, userdata);
}

int manager_each_unit(sd_bus *bus, int (*found)(void *context, const char *name), void *context)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int r = call_manager(bus, "ListUnits", &reply, NULL);

	if (r >= 0)
		r = sd_bus_message_enter_container(reply, 'a', "(ssssssouso)");
	while (r >= 0) {
		const char *name;

		r = sd_bus_message_read(reply, "(ssssssouso)", &name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
					NULL);
		if (r <= 0)
			break;
		r = found(context, name);
	}
	return r;
}

/* Returns the interface with the properties of the unit's kind; NULL for a kind without a weight. */
static const char *interface_of(const char *name)
{
	const char *suffix = strrchr(name, '.');

	if (suffix && strcmp(suffix, ".service") == 0)
		return SYSTEMD ".Service";
	if (suffix && strcmp(suffix, ".slice") == 0)
		return SYSTEMD ".Slice";
	return suffix && strcmp(suffix, ".scope") == 0 ? SYSTEMD ".Scope" : NULL;
}

static const struct property {
	const char *name;
	char type;
	size_t at;
} of_all[] = {
	{ "FragmentPath", 's', offsetof(struct manager_unit, fragment) },
	{ "DropInPaths", 'a', offsetof(struct manager_unit, drop_ins) },
	{ "Id", 's', offsetof(struct manager_unit, id) },
	{ "LoadState", 's', offsetof(struct manager_unit, load_state) },
	{ "Transient", 'b', offsetof(struct manager_unit, is_transient) },
}, of_kind[] = {
	{ "CPUWeight", 't', offsetof(struct manager_unit, weight) },
	{ "CPUQuotaPerSecUSec", 't', offsetof(struct manager_unit, other_value) },
	{ "StartupCPUWeight", 't', offsetof(struct manager_unit, other_value) },
	{ "CPUShares", 't', offsetof(struct manager_unit, other_value) },
	{ "StartupCPUShares", 't', offsetof(struct manager_unit, other_value) },
	{ "ControlGroup", 's', offsetof(struct manager_unit, cgroup) },
	{ "Slice", 's', offsetof(struct manager_unit, slice) },
};

static int read_property(sd_bus *bus, const char *interface, const struct property *property, struct manager_unit *unit)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	void *to = (char *)unit + property->at;
	int r;

	if (property->type == 'a')
		r = sd_bus_get_property_strv(bus, SYSTEMD, unit->path, interface, property->name, &error, to);
	else if (property->type == 's')
		r = sd_bus_get_property_string(bus, SYSTEMD, unit->path, interface, property->name, &error, to);
	else
		r = sd_bus_get_property_trivial(bus, SYSTEMD, unit->path, interface, property->name, &error,
						property->type, to);
	/* Older managers lack some properties. */
	if (property->type == 't' && sd_bus_error_has_name(&error, SD_BUS_ERROR_UNKNOWN_PROPERTY))
		return 0;
	if (to == &unit->other_value && unit->other_value != WEIGHT_UNSET)
		unit->other = property->name;
	return outcome(r, &error);
}

int unit_read(sd_bus *bus, const char *name, bool load, struct manager_unit *ret)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *path;
	int r;

	*ret = (struct manager_unit){ .weight = WEIGHT_UNSET, .other_value = WEIGHT_UNSET };
	if (!interface_of(name))
		return -ENOENT;
	/* Asking for a property would load the unit, too, and loading sends another signal. */
	r = call_manager(bus, load ? "LoadUnit" : "GetUnit", &reply, "s", name);
	if (r >= 0)
		r = sd_bus_message_read(reply, "o", &path);
	if (r < 0)
		return r;
	ret->path = strdup(path);
	if (!ret->path)
		return -ENOMEM;
	for (size_t i = 0; i < array_size(of_all) && r >= 0; i++)
		r = read_property(bus, SYSTEMD ".Unit", &of_all[i], ret);
	if (r >= 0 && (strcmp(ret->load_state, "loaded") != 0 || strcmp(ret->id, name) != 0))
		return -ENOENT;
	return r < 0 ? r : 0;
}

/* Computes the cgroup from the slice, because a unit that does not run has none yet. */
static int expected_cgroup(sd_bus *bus, struct manager_unit *unit)
{
	_cleanup_(unit_clear) struct manager_unit slice = { 0 };
	int r = unit_read(bus, unit->slice, false, &slice);

	if (r >= 0)
		r = unit_read_share(bus, &slice);
	if (r < 0 || !*slice.cgroup)
		return r == -ENOENT ? 0 : r;
	free(take_ptr(unit->cgroup));
	r = asprintf(&unit->cgroup, "%s/%s", strcmp(slice.cgroup, "/") == 0 ? "" : slice.cgroup, unit->id);
	return r < 0 ? -ENOMEM : 0;
}

int unit_read_share(sd_bus *bus, struct manager_unit *unit)
{
	int r = 0;

	for (size_t i = 0; i < array_size(of_kind) && r >= 0; i++)
		r = read_property(bus, interface_of(unit->id), &of_kind[i], unit);
	return r < 0 || *unit->cgroup ? r : expected_cgroup(bus, unit);
}

void unit_clear(struct manager_unit *unit)
{
	for (char **at = unit->drop_ins; at && *at; at++)
		free(*at);
	free(unit->drop_ins);
	free(unit->id);
	free(unit->path);
	free(unit->load_state);
	free(unit->fragment);
	free(unit->slice);
	free(unit->cgroup);
}

int unit_set_weight(sd_bus *bus, const char *name, uint64_t weight)
{
	return call_manager(bus, "SetUnitProperties", NULL, "sba(sv)", name, 1, 1, "CPUWeight", "t", weight);
}

bool unit_has_border(const struct manager_unit *unit)
{
	const struct cpu_hierarchies where = cpu_hierarchies_find(AT_FDCWD);
	const char *end = strrchr(unit->cgroup, '/');
	bool has = false;

	for (size_t i = 0; i < where.count && end && end[1] && !has; i++) {
		char path[CGROUP_PATH_MAX + 512], controllers[256];

		/* In version 1, the cgroup has a folder in the cpu hierarchy if the controller is enabled for it. */
		snprintf(path, sizeof(path), "%s%s", where.mounts[i].path, unit->cgroup);
		if (where.mounts[i].version == 1) {
			has = access(path, F_OK) == 0;
			continue;
		}
		snprintf(path, sizeof(path), "%s%.*s/cgroup.subtree_control", where.mounts[i].path,
			 (int)(end - unit->cgroup), unit->cgroup);
		has = host_read(path, controllers, sizeof(controllers)) >= 0 &&
		      text_has_word(controllers, strlen(controllers), "cpu");
	}
	return has;
}
