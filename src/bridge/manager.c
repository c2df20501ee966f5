/* SPDX-License-Identifier: GPL-2.0-only */
#include "manager.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#define SYSTEMD	   "org.freedesktop.systemd1"
#define SYSTEMD_ERRORS "org.freedesktop.systemd1."
#define MANAGER	   "/org/freedesktop/systemd1", SYSTEMD ".Manager"
#define TIMEOUT_US (30 * 1000000ULL)

/* What an error means. That it refuses is an answer, too, while without one there is nothing to go on with. */
static int outcome(int r, const sd_bus_error *error)
{
	static const char *const answers[] = {
		SYSTEMD_ERRORS, SD_BUS_ERROR_UNKNOWN_PROPERTY, SD_BUS_ERROR_UNKNOWN_INTERFACE,
		SD_BUS_ERROR_UNKNOWN_OBJECT, SD_BUS_ERROR_INVALID_ARGS,
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
	static const char *const kinds[][2] = {
		{ ".service", SYSTEMD ".Service" }, { ".slice", SYSTEMD ".Slice" }, { ".scope", SYSTEMD ".Scope" }
	};
	const char *suffix = strrchr(name, '.');

	for (size_t i = 0; suffix && i < array_size(kinds); i++) {
		if (strcmp(suffix, kinds[i][0]) == 0)
			return kinds[i][1];
	}
	return NULL;
}

/* One that this version of the manager does not have is unset. */
static int read_number(sd_bus *bus, const char *path, const char *interface, const char *name, uint64_t *ret)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	int r = outcome(sd_bus_get_property_trivial(bus, SYSTEMD, path, interface, name, &error, 't', ret), &error);

	if (r == -ENOENT) {
		*ret = WEIGHT_UNSET;
		return 0;
	}
	return r;
}

static int read_text_property(sd_bus *bus, const char *path, const char *interface, const char *name, char *ret, size_t size)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_free_ char *text = NULL;
	int r = outcome(sd_bus_get_property_string(bus, SYSTEMD, path, interface, name, &error, &text), &error);

	if (r < 0)
		return r;
	return (size_t)snprintf(ret, size, "%s", text) < size ? 0 : -ENOENT;
}

/* Whether it is there, under this name. */
static int check_identity(sd_bus *bus, const char *path, const char *name, struct unit *unit)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	char id[256], state[32];
	int transient = 0;
	int r = read_text_property(bus, path, SYSTEMD ".Unit", "LoadState", state, sizeof(state));

	if (r >= 0)
		r = read_text_property(bus, path, SYSTEMD ".Unit", "Id", id, sizeof(id));
	if (r < 0)
		return r;
	if (strcmp(state, "loaded") != 0 || strcmp(id, name) != 0)
		return -ENOENT;
	r = outcome(sd_bus_get_property_trivial(bus, SYSTEMD, path, SYSTEMD ".Unit", "Transient", &error, 'b', &transient), &error);
	unit->is_transient = transient;
	return r;
}

static int read_shares(sd_bus *bus, const char *path, const char *interface, struct unit *unit)
{
	static const char *const others[] = { "CPUQuotaPerSecUSec", "StartupCPUWeight", "CPUShares", "StartupCPUShares" };
	int r = read_number(bus, path, interface, "CPUWeight", &unit->weight);

	for (size_t i = 0; i < array_size(others) && r >= 0 && !unit->other; i++) {
		uint64_t value;

		r = read_number(bus, path, interface, others[i], &value);
		if (r >= 0 && value != WEIGHT_UNSET)
			unit->other = others[i];
	}
	return r;
}

/* Its object's path, which the reply holds. */
static int find_unit(sd_bus *bus, const char *name, bool load, sd_bus_message **reply, const char **ret)
{
	/* To ask for a property would load it as well, which is another signal that it is there. */
	int r = call(bus, load ? "LoadUnit" : "GetUnit", reply, "s", name);

	return r < 0 ? r : sd_bus_message_read(*reply, "o", ret);
}

int unit_read(sd_bus *bus, const char *name, bool load, struct unit *ret)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *interface = interface_of(name), *path;
	int r;

	*ret = (struct unit){ .weight = WEIGHT_UNSET };
	if (!interface)
		return -ENOENT;
	r = find_unit(bus, name, load, &reply, &path);
	if (r >= 0)
		r = check_identity(bus, path, name, ret);
	if (r >= 0)
		r = read_shares(bus, path, interface, ret);
	if (r >= 0)
		r = read_text_property(bus, path, interface, "ControlGroup", ret->cgroup, sizeof(ret->cgroup));
	if (r >= 0)
		r = read_text_property(bus, path, interface, "Slice", ret->slice, sizeof(ret->slice));
	return r;
}

void unit_state(sd_bus *bus, const char *name, char ret[32])
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *path;

	*ret = '\0';
	if (find_unit(bus, name, false, &reply, &path) >= 0 &&
	    read_text_property(bus, path, SYSTEMD ".Unit", "ActiveState", ret, 32) < 0)
		*ret = '\0';
}

int unit_each_file(sd_bus *bus, const char *name, void (*found)(void *context, const char *path), void *context)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	char own[PATH_MAX] = "", **drop_ins = NULL;
	const char *path;
	int r = interface_of(name) ? find_unit(bus, name, false, &reply, &path) : -ENOENT;

	if (r >= 0)
		r = read_text_property(bus, path, SYSTEMD ".Unit", "FragmentPath", own, sizeof(own));
	if (r >= 0)
		r = outcome(sd_bus_get_property_strv(bus, SYSTEMD, path, SYSTEMD ".Unit", "DropInPaths", &error, &drop_ins), &error);
	if (r >= 0 && *own)
		found(context, own);
	for (char **at = drop_ins; at && *at; at++) {
		if (r >= 0)
			found(context, *at);
		free(*at);
	}
	free(drop_ins);
	return r;
}

/* a-b.slice lies in a.slice: appends /a.slice/a-b.slice, and nothing for -.slice. */
static void put_slice(struct text_buf *path, const char *slice)
{
	const size_t length = strlen(slice) - strlen(".slice");

	for (size_t i = 1; i <= length && slice[0] != '-'; i++) {
		if (slice[i] == '-' || i == length)
			text_buf_printf(path, "/%.*s.slice", (int)i, slice);
	}
}

static bool is_slice(const char *name)
{
	const char *suffix = strrchr(name, '.');

	return suffix && strcmp(suffix, ".slice") == 0;
}

int unit_cgroup(sd_bus *bus, const char *name, char ret[CGROUP_PATH_MAX])
{
	_cleanup_free_ char *made = NULL;
	struct text_buf path = { 0 };
	struct unit unit, root;
	int r = unit_read(bus, name, false, &unit);

	if (r >= 0)
		r = unit_read(bus, "-.slice", false, &root);
	if (r < 0)
		return r;
	/* A user's manager has its own somewhere below. */
	if (strcmp(root.cgroup, "/") != 0)
		text_buf_printf(&path, "%s", root.cgroup);
	if (is_slice(name))
		put_slice(&path, name);
	else if (is_slice(unit.slice))
		put_slice(&path, unit.slice);
	if (!is_slice(name))
		text_buf_printf(&path, "/%s", name);
	made = text_buf_take(&path);
	if (!made)
		return -ENOMEM;
	snprintf(ret, CGROUP_PATH_MAX, "%s", *unit.cgroup ? unit.cgroup : *made ? made : "/");
	return 0;
}

int unit_set_weight(sd_bus *bus, const char *name, uint64_t weight)
{
	return call(bus, "SetUnitProperties", NULL, "sba(sv)", name, 1, 1, "CPUWeight", "t", weight);
}

int unit_has_border(sd_bus *bus, const struct unit *unit, bool *ret)
{
	struct cgroup_mount mounts[8];
	const size_t n = host_cgroups(AT_FDCWD, mounts, array_size(mounts));
	struct unit slice;
	int r = unit_read(bus, unit->slice, false, &slice);

	*ret = false;
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	for (size_t i = 0; i < n && !*ret; i++) {
		char path[sizeof(slice.cgroup) + 512], controllers[256];

		/* In version 1 a group has a folder in the hierarchy of a controller that is on for it. */
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
