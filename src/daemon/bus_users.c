/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the bridge asks for in a user's name. It has asked polkit whether he may, and everything else is looked at here: the
 * bridge is a program without privileges that talks to everybody.
 */
#include "bus.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>

#include "daemon_private.h"

/* A call: its message owns the descriptor and the texts. */
struct request {
	struct override asked;
	struct holder holder;
	int pidfd;
};

/* ---- what is the user's ---- */

/* By the slice that systemd gives each user; else whoever owns the folder. */
static bool owns_cgroup(uid_t uid, const char *cgroup)
{
	char folder[PATH_MAX], slice[64];
	const int n = snprintf(slice, sizeof(slice), "/user.slice/user-%u.slice", uid);
	struct stat stat_buf;

	if (strncmp(cgroup, slice, (size_t)n) == 0 && (cgroup[n] == '/' || !cgroup[n]))
		return true;
	return host_cgroup_folder(cgroup, folder, sizeof(folder)) == 0 && stat(folder, &stat_buf) == 0 &&
	       stat_buf.st_uid == uid;
}

/* Whoever has the descriptor may have got it from anybody. That it is still the same process is found out by held_put. */
static int look_at_process(const struct daemon *daemon, struct request *request)
{
	uid_t owner = 0;
	int r = procfs_pidfd(daemon->proc, request->pidfd, &request->asked.pid);

	if (r == 0)
		r = procfs_owner(daemon->proc, request->asked.pid, &owner);
	return r < 0 ? r : owner == request->asked.uid ? 0 : -EPERM;
}

/*
 * Whether the class gives more than its rank tells: a limit that lowers a process's nice value, say, should not bring it
 * real-time I/O.
 */
static bool has_privileged_io(const struct daemon *daemon, const char *qos)
{
	const struct config *config = daemon->config;
	const struct qos_class *class = qos_class_find(config->classes, config->n_classes, qos);

	return class && (class->attr.has & QOS_HAS_IO_CLASS) && class->attr.io_class == IO_CLASS_REALTIME;
}

/* ---- a call ---- */

static int refuse(const struct daemon *daemon, const struct request *request, int r, sd_bus_error *error)
{
	if (r == -EPERM)
		return sd_bus_error_set(error, BUS_ERROR_NOT_YOURS,
					request->asked.cgroup ?
						"that cgroup is not yours" :
						"that process is not yours, or runs with more privileges than you have");
	if (r == -EACCES)
		return sd_bus_error_set(error, BUS_ERROR_NEEDS_RAISE, "that is more than the rules give");
	if (r == -EBADF)
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "the descriptor is of no process");
	return bus_refuse(daemon, &request->asked, r, error);
}

/* The beginning of each call: the user, and for those that ask for something who holds it. */
static int read_user(sd_bus_message *message, bool has_holder, struct request *ret)
{
	uint32_t uid;
	int r = sd_bus_message_read(message, "u", &uid);

	*ret = (struct request){ .asked = { .uid = uid, .qos = "" }, .pidfd = -1 };
	if (r >= 0 && has_holder)
		r = sd_bus_message_read(message, "s", &ret->holder.name);
	if (r < 0)
		return r;
	/* Names on the bus are no longer, and this one is kept. */
	if (ret->holder.name && strlen(ret->holder.name) > NAME_MAX)
		return -ENAMETOOLONG;
	/* Root asks in his own name, and nobody is the last. */
	return uid == 0 || uid == (uid_t)-1 ? -EPERM : 0;
}

static int read_process(sd_bus_message *message, const struct daemon *daemon, struct request *request)
{
	int r = sd_bus_message_read(message, "h", &request->pidfd);

	return r < 0 ? r : look_at_process(daemon, request);
}

static int read_cgroup(sd_bus_message *message, struct request *request)
{
	int r = sd_bus_message_read(message, "s", &request->asked.cgroup);

	if (r < 0)
		return r;
	if (!bus_is_cgroup_path(request->asked.cgroup))
		return -ENOTDIR;
	return owns_cgroup(request->asked.uid, request->asked.cgroup) ? 0 : -EPERM;
}

static int put(struct daemon *daemon, sd_bus_message *message, struct request *request, bool keep)
{
	if (!request->asked.raises && has_privileged_io(daemon, request->asked.qos))
		return -EACCES;
	request->holder.bus = sd_bus_message_get_bus(message);
	if (keep)
		request->holder = (struct holder){ 0 };
	return held_put(daemon, request->holder, request->pidfd, &request->asked);
}

int bus_users_set(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct daemon *daemon = userdata;
	int descendants = 0, keep = 0, raise = 0;
	struct request request;
	int r = read_user(message, true, &request);

	request.asked.kind = OVERRIDE_CLASS;
	if (r >= 0)
		r = read_process(message, daemon, &request);
	if (r >= 0)
		r = sd_bus_message_read(message, "sbbb", &request.asked.qos, &descendants, &keep, &raise);
	request.asked.is_tree = descendants;
	request.asked.raises = raise;
	if (r >= 0)
		r = put(daemon, message, &request, keep);
	if (r < 0)
		return refuse(daemon, &request, r, error);
	return bus_reply_with_class(message, daemon, request.asked.pid);
}

static int limit(sd_bus_message *message, struct daemon *daemon, bool of_cgroup, sd_bus_error *error)
{
	struct request request;
	int keep = 0, r = read_user(message, true, &request);

	request.asked.kind = OVERRIDE_LIMIT;
	if (r >= 0)
		r = of_cgroup ? read_cgroup(message, &request) : read_process(message, daemon, &request);
	if (r >= 0)
		r = sd_bus_message_read(message, "sb", &request.asked.qos, &keep);
	if (r >= 0)
		r = put(daemon, message, &request, keep);
	if (r < 0)
		return refuse(daemon, &request, r, error);
	return sd_bus_reply_method_return(message, NULL);
}

int bus_users_limit(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return limit(message, userdata, false, error);
}

int bus_users_limit_cgroup(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return limit(message, userdata, true, error);
}

static bool parse_shown(const char *text, enum shown *ret)
{
	static const struct {
		const char *text;
		enum shown shown;
	} words[] = {
		{ "focused", SHOWN_FOCUSED },
		{ "played", SHOWN_FOCUSED },
		{ "visible", SHOWN_VISIBLE },
		{ "hidden", SHOWN_HIDDEN },
	};

	for (size_t i = 0; i < array_size(words); i++) {
		if (strcmp(text, words[i].text) == 0) {
			*ret = words[i].shown;
			return true;
		}
	}
	return false;
}

/* Of an app, in place of what was said before; what is visible is noted, too, since it is not of the app that started it. */
int bus_users_shown(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct daemon *daemon = userdata;
	struct request request;
	const char *shown = "";
	int r = read_user(message, true, &request);

	request.asked.kind = OVERRIDE_SHOWN;
	if (r >= 0)
		r = read_process(message, daemon, &request);
	if (r >= 0)
		r = sd_bus_message_read(message, "s", &shown);
	if (r >= 0 && !parse_shown(shown, &request.asked.shown))
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "must be \"focused\", \"played\", \"visible\" or \"hidden\"");
	if (r >= 0)
		r = put(daemon, message, &request, false);
	if (r < 0)
		return refuse(daemon, &request, r, error);
	return sd_bus_reply_method_return(message, NULL);
}

/* Whatever it is now, what he asked for he may end. */
static int end(sd_bus_message *message, struct daemon *daemon, enum override_kind kind, bool of_cgroup, sd_bus_error *error)
{
	struct request request;
	int r = read_user(message, false, &request);

	request.asked.kind = kind;
	if (r >= 0)
		r = of_cgroup ? read_cgroup(message, &request) : read_process(message, daemon, &request);
	if (r == -EPERM && request.asked.pid)
		r = 0;
	if (r < 0)
		return refuse(daemon, &request, r, error);
	return sd_bus_reply_method_return(message, "t", (uint64_t)held_end(daemon, &request.asked));
}

int bus_users_reset(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return end(message, userdata, OVERRIDE_CLASS, false, error);
}

int bus_users_lift(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return end(message, userdata, OVERRIDE_LIMIT, false, error);
}

int bus_users_lift_cgroup(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return end(message, userdata, OVERRIDE_LIMIT, true, error);
}

/* ---- units ---- */

static int check_unit(uid_t uid, const struct unit_class *unit)
{
	if (strlen(unit->cgroup) >= PATH_MAX || strlen(unit->qos) >= NAME_MAX || strlen(unit->place) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (!bus_is_cgroup_path(unit->cgroup))
		return -ENOTDIR;
	return owns_cgroup(uid, unit->cgroup) ? 0 : -EPERM;
}

int bus_users_set_unit_classes(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_free_ struct unit_class *units = NULL;
	struct request request;
	size_t n = 0;
	int r = read_user(message, true, &request);

	request.asked.cgroup = "";
	request.holder.bus = sd_bus_message_get_bus(message);
	if (r >= 0)
		r = bus_read_units(message, BUS_UNITS_OF_USER_MAX, &units, &n);
	for (size_t i = 0; i < n && r >= 0; i++) {
		request.asked.cgroup = units[i].cgroup;
		r = check_unit(request.asked.uid, &units[i]);
	}
	if (r >= 0)
		r = bus_units_put(userdata, request.holder, request.asked.uid, units, n);
	if (r == -EDQUOT)
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "too many units with a class");
	if (r < 0)
		return refuse(userdata, &request, r, error);
	return sd_bus_reply_method_return(message, NULL);
}

/* Somebody has left the bridge. */
int bus_users_drop(sd_bus_message *message, void *userdata, sd_bus_error *error)
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
