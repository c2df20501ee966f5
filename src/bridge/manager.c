/* SPDX-License-Identifier: GPL-2.0-only */
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
#include <schedqos/util/cleanup.h>

#define SYSTEMD	       "org.freedesktop.systemd1"
#define SYSTEMD_ERRORS "org.freedesktop.systemd1."
#define MANAGER	       "/org/freedesktop/systemd1", SYSTEMD ".Manager"
#define TIMEOUT_US     (30 * 1000000ULL)

/* What an error means. That it refuses is an answer, too, while without one there is nothing to go on with. */
static int outcome(int r, const sd_bus_error *error)
{
	static const char *const answers[] = {
		SYSTEMD_ERRORS,
		SD_BUS_ERROR_UNKNOWN_PROPERTY,
		SD_BUS_ERROR_UNKNOWN_INTERFACE,
		SD_BUS_ERROR_UNKNOWN_OBJECT,
		SD_BUS_ERROR_INVALID_ARGS,
	};

	for (size_t i = 0; r < 0 && error->name && i < array_size(answers); i++) {
		if (strncmp(error->name, answers[i], strlen(answers[i])) == 0)
			return -ENOENT;
	}
	return r < 0 ? r : 0;
}

static int call(sd_bus *bus, const char *method, sd_bus_message **ret, const char *types, ...)
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
	int r = is_user ? sd_bus_open_user(&bus) : sd_bus_open_system(&bus);

	if (r >= 0)
		r = sd_bus_set_method_call_timeout(bus, TIMEOUT_US);
	if (r >= 0)
		r = sd_bus_set_close_on_exit(bus, 0);
	if (r >= 0)
		r = call(bus, "Subscribe", NULL, NULL);
	if (r >= 0)
		*ret = take_ptr(bus);
	return r;
}

int manager_each_unit(sd_bus *bus, int (*found)(void *context, const char *name), void *context)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int r = call(bus, "ListUnits", &reply, NULL);

	if (r >= 0)
		r = sd_bus_message_enter_container(reply, 'a', "(ssssssouso)");
	while (r >= 0) {
		const char *name;

		r = sd_bus_message_read(reply, "(ssssssouso)", &name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
		if (r <= 0)
			break;
		r = found(context, name);
	}
	return r;
}

/* The interface with the properties of its kind; NULL for a kind without a weight. */
static const char *interface_of(const char *name)
{
	static const char *const kinds[][2] = { { ".service", SYSTEMD ".Service" },
						{ ".slice", SYSTEMD ".Slice" },
						{ ".scope", SYSTEMD ".Scope" } };
	const char *suffix = strrchr(name, '.');

	for (size_t i = 0; suffix && i < array_size(kinds); i++) {
		if (strcmp(suffix, kinds[i][0]) == 0)
			return kinds[i][1];
	}
	return NULL;
}

static const struct property {
	const char *name, *type;
	size_t at;
} properties[] = {
	{ "Id", "s", offsetof(struct unit, id) },
	{ "LoadState", "s", offsetof(struct unit, load_state) },
	{ "ActiveState", "s", offsetof(struct unit, active_state) },
	{ "FragmentPath", "s", offsetof(struct unit, fragment) },
	{ "DropInPaths", "as", offsetof(struct unit, drop_ins) },
	{ "Transient", "b", offsetof(struct unit, is_transient) },
	{ "CPUWeight", "t", offsetof(struct unit, weight) },
	{ "CPUQuotaPerSecUSec", "t", offsetof(struct unit, other_value) },
	{ "StartupCPUWeight", "t", offsetof(struct unit, other_value) },
	{ "CPUShares", "t", offsetof(struct unit, other_value) },
	{ "StartupCPUShares", "t", offsetof(struct unit, other_value) },
	{ "ControlGroup", "s", offsetof(struct unit, cgroup) },
	{ "Slice", "s", offsetof(struct unit, slice) },
};

/* One that this version of the manager does not have stays as it is. */
static int take_property(sd_bus_message *reply, const char *name, struct unit *unit)
{
	const struct property *property = NULL;
	void *to;
	int r;

	for (size_t i = 0; i < array_size(properties) && !property; i++) {
		if (strcmp(properties[i].name, name) == 0)
			property = &properties[i];
	}
	if (!property)
		return sd_bus_message_skip(reply, "v");
	to = (char *)unit + property->at;
	r = sd_bus_message_enter_container(reply, 'v', property->type);
	if (r >= 0)
		r = *property->type == 'a' ? sd_bus_message_read_strv(reply, to)
					   : sd_bus_message_read_basic(reply, *property->type, to);
	if (r >= 0 && to == &unit->other_value && unit->other_value != WEIGHT_UNSET)
		unit->other = property->name;
	return r < 0 ? r : sd_bus_message_exit_container(reply);
}

static int read_properties(sd_bus *bus, const char *path, const char *interface, struct unit *unit, sd_bus_message **reply)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	const char *name;
	int r = outcome(sd_bus_call_method(bus, SYSTEMD, path, "org.freedesktop.DBus.Properties", "GetAll", &error, reply, "s",
					   interface),
			&error);

	if (r >= 0)
		r = sd_bus_message_enter_container(*reply, 'a', "{sv}");
	while (r >= 0 && (r = sd_bus_message_enter_container(*reply, 'e', "sv")) > 0) {
		r = sd_bus_message_read(*reply, "s", &name);
		if (r >= 0)
			r = take_property(*reply, name, unit);
		if (r >= 0)
			r = sd_bus_message_exit_container(*reply);
	}
	return r;
}

int unit_read(sd_bus *bus, const char *name, bool load, bool with_shares, struct unit *ret)
{
	const char *interface = interface_of(name), *path;
	int r;

	*ret = (struct unit){
		.id = "",
		.load_state = "",
		.active_state = "",
		.fragment = "",
		.weight = WEIGHT_UNSET,
		.cgroup = "",
		.slice = "",
	};
	if (!interface)
		return -ENOENT;
	/* To ask for a property would load it as well, which is another signal that it is there. */
	r = call(bus, load ? "LoadUnit" : "GetUnit", &ret->found, "s", name);
	if (r >= 0)
		r = sd_bus_message_read(ret->found, "o", &path);
	if (r >= 0)
		r = read_properties(bus, path, SYSTEMD ".Unit", ret, &ret->of_all);
	if (r >= 0 && (strcmp(ret->load_state, "loaded") != 0 || strcmp(ret->id, name) != 0))
		return -ENOENT;
	if (r >= 0 && with_shares)
		r = read_properties(bus, path, interface, ret, &ret->of_kind);
	return r < 0 ? r : 0;
}

void unit_clear(struct unit *unit)
{
	for (char **at = unit->drop_ins; at && *at; at++)
		free(*at);
	free(unit->drop_ins);
	sd_bus_message_unref(unit->found);
	sd_bus_message_unref(unit->of_all);
	sd_bus_message_unref(unit->of_kind);
}

int unit_cgroup(sd_bus *bus, const char *name, char ret[CGROUP_PATH_MAX])
{
	_cleanup_(unit_clear) struct unit unit = { 0 };
	int r = unit_read(bus, name, false, true, &unit);
	size_t length = 0;

	if (r < 0)
		return r;
	*ret = '\0';
	if (!*unit.cgroup) {
		r = unit_cgroup(bus, unit.slice, ret);
		if (r < 0)
			return r;
		length = strcmp(ret, "/") == 0 ? 0 : strlen(ret);
		ret[length++] = '/';
	}
	r = snprintf(ret + length, CGROUP_PATH_MAX - length, "%s", *unit.cgroup ? unit.cgroup : name);
	return (size_t)r < CGROUP_PATH_MAX - length ? 0 : -ENOENT;
}

int unit_set_weight(sd_bus *bus, const char *name, uint64_t weight)
{
	return call(bus, "SetUnitProperties", NULL, "sba(sv)", name, 1, 1, "CPUWeight", "t", weight);
}

int unit_has_border(sd_bus *bus, const struct unit *unit, bool *ret)
{
	_cleanup_(unit_clear) struct unit slice = { 0 };
	struct cgroup_mount mounts[8];
	const size_t n = host_cgroups(AT_FDCWD, mounts, array_size(mounts));
	int r = unit_read(bus, unit->slice, false, true, &slice);

	*ret = false;
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	for (size_t i = 0; i < n && !*ret; i++) {
		char path[CGROUP_PATH_MAX + 512], controllers[256];

		/* In version 1 a group has a folder in the hierarchy of a controller that is on for
		 * it. */
		snprintf(path, sizeof(path), "%s%s", mounts[i].path, unit->cgroup);
		if (mounts[i].version == 1) {
			*ret = *unit->cgroup && access(path, F_OK) == 0;
			continue;
		}
		snprintf(path, sizeof(path), "%s%s/cgroup.subtree_control", mounts[i].path, slice.cgroup);
		*ret = *slice.cgroup && host_read(path, controllers, sizeof(controllers)) >= 0 &&
		       host_has_word(controllers, "cpu");
	}
	return 0;
}
