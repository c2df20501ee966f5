/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The methods of org.schedqos1.Overrides: classes, limits and visibility, requested by root, or by the bridge in a
 * user's name; and classes of units, which `schedqos weights` reads from the service manager, or from a user's.
 *
 * The bridge has only asked polkit whether the user may. Everything else is checked here, because the bridge is a
 * program without privileges that talks to everybody.
 */
#include "bus.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <schedqos/config/config_text.h>
#include <schedqos/daemon/bus_names.h>
#include <schedqos/kernel/host.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "daemon_private.h"

/* Maximum numbers of units with a class: of one user; of all users together, unless the user is at a seat. */
#define OF_USER_MAX  256
#define OF_USERS_MAX 4096

/* ---- which cgroups belong to a user; held_put checks processes ---- */

/* Returns whether the path has the form of those in /proc/PID/cgroup. No component begins with a dot. */
static bool is_cgroup_path(const char *path)
{
	const size_t length = strlen(path);

	return *path == '/' && (length == 1 || path[length - 1] != '/') && !strstr(path, "//") && !strstr(path, "/.");
}

/*
 * Returns whether the cgroup belongs to the user: it is in the slice that systemd gives the user, or the user owns its
 * folder.
 */
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

/* Returns 0 if the user may request something for that cgroup, -ENOTDIR if this is no cgroup's path, or -EPERM. */
static int check_user_cgroup(uid_t uid, const char *cgroup)
{
	if (!is_cgroup_path(cgroup))
		return -ENOTDIR;
	return !uid || owns_cgroup(uid, cgroup) ? 0 : -EPERM;
}

/* ---- errors ---- */

/* Replies with the error in words. */
static int reply_refused(const struct daemon *daemon, const struct override *asked, int r, sd_bus_error *error)
{
	static const char not_yours[] = "that process is not yours, or runs with more privileges than you have";
	const char *cgroup = override_cgroup(asked);
	_cleanup_free_ char *words = NULL;
	char safe[512];

	switch (-r) {
	case ENOENT:
		if (!override_class(asked))
			break;
		words = class_words_unknown(daemon->config, override_class(asked));
		return sd_bus_error_set(error, BUS_ERROR_UNKNOWN_CLASS, words ? words : "no such class");
	case ESRCH:
		return sd_bus_error_setf(
			error, BUS_ERROR_FAILED,
			"there is no process %d (a thread's id does not do), or schedqos never touches it (a kernel thread, schedqos itself)",
			(int)asked->pid);
	case ENOTDIR:
		text_escape_to(safe, sizeof(safe), cgroup, strlen(cgroup));
		return sd_bus_error_setf(error, BUS_ERROR_FAILED, "there is no cgroup %s", safe);
	case EDQUOT:
		return sd_bus_error_set(error, BUS_ERROR_FAILED,
					"too many classes and limits, yours or all users', are in force: end some of them");
	case ENOSPC:
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "too many classes and limits are in force");
	case EPERM:
		return sd_bus_error_set(error, BUS_ERROR_NOT_YOURS, cgroup ? "that cgroup is not yours" : not_yours);
	case EACCES:
		/* Not that of a folder: a user can forbid to watch a cgroup. */
		if (asked->kind != OVERRIDE_CLASS)
			break;
		return sd_bus_error_set(error, BUS_ERROR_NEEDS_RAISE,
					"this class is higher than the one that rules assign");
	}
	return sd_bus_error_setf(error, BUS_ERROR_FAILED, "%s", strerror(-r));
}

/* ---- arguments ---- */

/* The maker of a request: root, or a user by way of the bridge. */
struct asker {
	uid_t uid;
	struct holder holder;
	pid_t client; /* process at the other end of the connection */
};

/* Reads the first two arguments of each method. Returns 0 or -errno: -EPERM if the client may not act for that user. */
static int read_asker(sd_bus_message *message, struct asker *ret)
{
	const char *holder;
	struct ucred client;
	uint32_t uid;
	int r = sd_bus_message_read(message, "us", &uid, &holder);

	if (r >= 0)
		r = bus_check_user(message, uid, &client);
	if (r < 0)
		return r;
	/* No name on the bus is longer, and we keep this one. */
	if (strlen(holder) > NAME_MAX)
		return -ENAMETOOLONG;
	*ret = (struct asker){ uid, { sd_bus_message_get_bus(message), *holder ? holder : NULL }, client.pid };
	return 0;
}

/*
 * Reads the asker and the target of a request. pid 0 stands for root's client itself, which may not know its id in our
 * namespace. Returns 0 or -errno.
 */
static int read_request(sd_bus_message *message, bool is_process, struct override *asked)
{
	struct asker asker;
	uint32_t pid;
	int r = read_asker(message, &asker);

	if (r < 0)
		return r;
	asked->uid = asker.uid;
	asked->holder = asker.holder;
	if (!is_process)
		return sd_bus_message_read(message, "s", &asked->limit.cgroup);
	r = sd_bus_message_read(message, "u", &pid);
	if (r < 0)
		return r;
	asked->pid = pid || asker.uid ? (pid_t)pid : asker.client;
	return asked->pid > 0 ? 0 : -ESRCH;
}

/* ---- methods ---- */

/* Puts the requested override in force. Returns like held_put. */
static int put_override(struct daemon *daemon, struct override *asked, bool keep, uint64_t *ret_lowered)
{
	const char *cgroup = override_cgroup(asked);
	int r = cgroup ? check_user_cgroup(asked->uid, cgroup) : 0;

	if (keep)
		asked->holder = (struct holder){ 0 };
	return r < 0 ? r : held_put(daemon, *asked, ret_lowered);
}

/* Replies with the class that the process has now, empty if none of ours, and the reason. */
static int reply_with_class(sd_bus_message *message, const struct daemon *daemon, pid_t pid)
{
	struct tagger_task task = { .tag = TAG_NONE };
	const struct qos_class *class;

	tagger_find_task(daemon->tagger, pid, &task);
	class = class_of_tag(daemon->config, task.tag);
	return sd_bus_reply_method_return(message, "ss", class ? class->name : "", reason_name(task.reason));
}

/* Implements SetClass and RaiseClass. */
static int set_process_class(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct override asked = { .kind = OVERRIDE_CLASS };
	int descendants, keep;
	uint64_t lowered = 0;
	int r = read_request(message, true, &asked);

	if (r >= 0)
		r = sd_bus_message_read(message, "sbb", &asked.request.class, &descendants, &keep);
	if (r >= 0) {
		asked.request.is_tree = descendants;
		asked.request.may_exceed_rules =
			!asked.uid || strcmp(sd_bus_message_get_member(message), BUS_RAISE_CLASS) == 0;
		r = put_override(userdata, &asked, keep, &lowered);
	}
	return r < 0 ? reply_refused(userdata, &asked, r, error) : reply_with_class(message, userdata, asked.pid);
}

static int put_limit(sd_bus_message *message, struct daemon *daemon, bool is_process, sd_bus_error *error)
{
	struct override asked = { .kind = OVERRIDE_LIMIT };
	uint64_t lowered = 0;
	int keep, r = read_request(message, is_process, &asked);

	if (r >= 0)
		r = sd_bus_message_read(message, "sb", &asked.limit.class, &keep);
	if (r >= 0)
		r = put_override(daemon, &asked, keep, &lowered);
	return r < 0 ? reply_refused(daemon, &asked, r, error) : sd_bus_reply_method_return(message, "t", lowered);
}

static int limit_process(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return put_limit(message, userdata, true, error);
}

static int limit_cgroup(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return put_limit(message, userdata, false, error);
}

/*
 * Sets the visibility of an app, replacing the previous one. "visible" is stored, too, so that the app does not inherit
 * the visibility of the app that started it.
 */
static int set_shown(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct override asked = { .kind = OVERRIDE_SHOWN };
	uint64_t lowered = 0;
	const char *word;
	int r = read_request(message, true, &asked);

	if (r >= 0)
		r = sd_bus_message_read(message, "s", &word);
	if (r < 0)
		return reply_refused(userdata, &asked, r, error);
	if (strcmp(word, "focused") == 0 || strcmp(word, "played") == 0)
		asked.visibility.shown = SHOWN_FOCUSED;
	else if (strcmp(word, "hidden") == 0)
		asked.visibility.shown = SHOWN_HIDDEN;
	else if (strcmp(word, "visible") != 0)
		return sd_bus_error_set(error, BUS_ERROR_FAILED,
					"must be \"focused\", \"played\", \"visible\" or \"hidden\"");
	r = asked.uid ? put_override(userdata, &asked, false, &lowered) : -EPERM;
	return r < 0 ? reply_refused(userdata, &asked, r, error) : sd_bus_reply_method_return(message, NULL);
}

/* Ends overrides like the one asked for. The target is not checked: users may always end their own overrides. */
static int end_override(sd_bus_message *message, struct daemon *daemon, enum override_kind kind, bool is_process,
			sd_bus_error *error)
{
	struct override asked = { .kind = kind };
	int r = read_request(message, is_process, &asked);

	if (r < 0)
		return reply_refused(daemon, &asked, r, error);
	return sd_bus_reply_method_return(message, "t", (uint64_t)held_end(daemon, &asked));
}

static int reset_class(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return end_override(message, userdata, OVERRIDE_CLASS, true, error);
}

static int lift_process(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return end_override(message, userdata, OVERRIDE_LIMIT, true, error);
}

static int lift_cgroup(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return end_override(message, userdata, OVERRIDE_LIMIT, false, error);
}

/* ---- units ---- */

static int check_user_unit(uid_t uid, const struct unit_class *unit)
{
	if (strlen(unit->cgroup) >= PATH_MAX || strlen(unit->qos) >= NAME_MAX || strlen(unit->place) >= PATH_MAX)
		return -ENAMETOOLONG;
	return check_user_cgroup(uid, unit->cgroup);
}

/*
 * Reads a(sss). Allocates the array, even on failure. Its texts belong to the message. Returns 0; or -errno, where the
 * last unit may be the cause.
 */
static int read_units(sd_bus_message *message, const struct asker *asker, struct unit_class **ret, size_t *ret_n)
{
	int r = sd_bus_message_enter_container(message, 'a', "(sss)");

	while (r >= 0) {
		struct unit_class *units = array_room(*ret, *ret_n, sizeof(*units)), *unit;

		if (!units)
			return -ENOMEM;
		*ret = units;
		unit = &units[*ret_n];
		unit->holder = asker->holder;
		r = sd_bus_message_read(message, "(sss)", &unit->cgroup, &unit->qos, &unit->place);
		if (r <= 0)
			break;
		if (asker->uid)
			r = *ret_n >= OF_USER_MAX ? -EDQUOT : check_user_unit(asker->uid, unit);
		++*ret_n;
	}
	return r;
}

/* Appends for each unit the weight of its class; or 0 and an error if there is no such class. */
static int append_answers(sd_bus_message *reply, const struct config *config, const struct unit_class *units, size_t n)
{
	int r = sd_bus_message_open_container(reply, 'a', "(qs)");

	for (size_t i = 0; i < n && r >= 0; i++) {
		const struct qos_class *class = qos_class_find(config->classes, config->n_classes, units[i].qos);
		_cleanup_free_ char *words = class ? NULL : class_words_unknown(config, units[i].qos);

		r = sd_bus_message_append(reply, "(qs)", class ? weight_of_class(class) : 0,
					  class	  ? ""
					  : words ? words
						  : "no such class");
	}
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int set_unit_classes(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_free_ struct unit_class *units = NULL;
	struct daemon *daemon = userdata;
	struct override refused = { .kind = OVERRIDE_LIMIT };
	struct asker asker;
	size_t n = 0;
	int r = read_asker(message, &asker);

	if (r >= 0)
		r = read_units(message, &asker, &units, &n);
	/* Units that this call replaces count as well. */
	if (r >= 0 && asker.uid && tagger_units(daemon->tagger)->n_users + n > OF_USERS_MAX &&
	    !host_has_seat(asker.uid))
		r = -EDQUOT;
	if (r >= 0)
		r = tagger_set_units(daemon->tagger, asker.uid, units, n);
	if (r == -EDQUOT)
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "too many units name a class");
	if (r < 0) {
		refused.limit.cgroup = n ? units[n - 1].cgroup : "/";
		return reply_refused(daemon, &refused, r, error);
	}
	r = sd_bus_message_new_method_return(message, &reply);
	if (r >= 0)
		r = append_answers(reply, daemon->config, units, n);
	return r < 0 ? r : sd_bus_message_send(reply);
}

/* Ends the overrides, unit classes and readers of a caller that has left the bridge. */
static int drop_holder(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct holder holder = { .bus = sd_bus_message_get_bus(message) };
	int r = sd_bus_message_read(message, "s", &holder.name);

	(void)error;
	if (r < 0)
		return r;
	held_drop(userdata, &holder);
	use_drop(userdata, &holder);
	return sd_bus_reply_method_return(message, NULL);
}

const sd_bus_vtable bus_overrides_methods[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("SetClass", "ususbb", "ss", set_process_class, BUS_FOR_BRIDGE),
	SD_BUS_METHOD(BUS_RAISE_CLASS, "ususbb", "ss", set_process_class, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("Reset", "usu", "t", reset_class, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("LimitProcess", "ususb", "t", limit_process, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("LimitCgroup", "usssb", "t", limit_cgroup, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("LiftProcess", "usu", "t", lift_process, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("LiftCgroup", "uss", "t", lift_cgroup, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("SetShown", "usus", NULL, set_shown, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("SetUnitClasses", "usa(sss)", "a(qs)", set_unit_classes, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("Explain", "usu", "s", bus_explain, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("ListUse", "us", "s", bus_list_use, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("Drop", "s", NULL, drop_holder, BUS_FOR_BRIDGE),
	SD_BUS_SIGNAL("Ended", "su", 0),
	SD_BUS_VTABLE_END,
};
