/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Classes, limits and what is seen of apps, as root asks for them, or the bridge in a user's name. That has asked polkit
 * whether he may, and everything else is looked at here: the bridge is a program without privileges that talks to everybody.
 */
#include "bus.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <schedqos/config/config_text.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/kernel/host.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "daemon_private.h"
#include "held.h"

/* ---- what is a user's: of a process held_put finds that out ---- */

static bool is_cgroup_path(const char *path)
{
	for (const char *at = path; *at == '/'; at = strchrnul(at + 1, '/')) {
		if (at[1] == '/' || (at[1] == '\0' && at != path) || strncmp(at, "/./", 3) == 0 ||
		    strcmp(at, "/.") == 0 || strncmp(at, "/../", 4) == 0 || strcmp(at, "/..") == 0)
			return false;
	}
	return *path == '/';
}

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

int bus_check_cgroup(uid_t uid, const char *cgroup)
{
	if (!is_cgroup_path(cgroup))
		return -ENOTDIR;
	return !uid || owns_cgroup(uid, cgroup) ? 0 : -EPERM;
}

/* ---- errors ---- */

static int unknown_class(const struct daemon *daemon, const char *name, sd_bus_error *error)
{
	_cleanup_free_ char *words = class_words_unknown(daemon->config, name);

	return sd_bus_error_set(error, BUS_ERROR_UNKNOWN_CLASS, words ? words : "no such class");
}

int bus_refuse(const struct daemon *daemon, const struct override *asked, int r, sd_bus_error *error)
{
	char safe[512] = "";

	if (asked->cgroup)
		text_escape_to(safe, sizeof(safe), asked->cgroup, strlen(asked->cgroup));
	switch (-r) {
	case ENOENT:
		return unknown_class(daemon, asked->qos, error);
	case ESRCH:
		return sd_bus_error_setf(error, BUS_ERROR_FAILED,
					 "no process %d, or it is one that is never touched (a kernel thread, schedqos)",
					 (int)asked->pid);
	case ENOTDIR:
		return sd_bus_error_setf(error, BUS_ERROR_FAILED, "no cgroup %s", safe);
	case EDQUOT:
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "too many overrides at once");
	case EPERM:
		return sd_bus_error_set(error, BUS_ERROR_NOT_YOURS,
					asked->cgroup ? "that cgroup is not yours" :
							"that process is not yours, or runs with more privileges than you have");
	case EACCES:
		return sd_bus_error_set(error, BUS_ERROR_NEEDS_RAISE, "that is more than the rules give");
	}
	return sd_bus_error_setf(error, BUS_ERROR_FAILED, "%s", strerror(-r));
}

/* ---- arguments ---- */

/* The process at the other end of the connection, in our pid namespace. */
static int find_caller(sd_bus_message *message, struct ucred *ret)
{
	socklen_t size = sizeof(*ret);

	return getsockopt(sd_bus_get_fd(sd_bus_message_get_bus(message)), SOL_SOCKET, SO_PEERCRED, ret, &size) < 0 ? -errno : 0;
}

int bus_read_user(sd_bus_message *message, bool has_holder, struct override *ret)
{
	struct ucred caller;
	uint32_t uid = 0;
	int r = sd_bus_message_read(message, "u", &uid);

	*ret = (struct override){ .uid = uid, .qos = "", .holder.bus = sd_bus_message_get_bus(message) };
	if (r >= 0 && has_holder)
		r = sd_bus_message_read(message, "s", &ret->holder.name);
	if (r >= 0)
		r = find_caller(message, &caller);
	if (r < 0)
		return r;
	/* Names on the bus are no longer, and this one is kept. */
	if (has_holder && strlen(ret->holder.name) > NAME_MAX)
		return -ENAMETOOLONG;
	if (has_holder && !*ret->holder.name)
		ret->holder.name = NULL;
	/* Only root asks in his own name, and nobody is the last. */
	return (uid == 0 && caller.uid != 0) || uid == (uid_t)-1 ? -EPERM : 0;
}

/* 0 stands for the caller, who may not know what his id is for us. */
static int read_pid(sd_bus_message *message, struct override *asked)
{
	struct ucred caller;
	uint32_t pid;
	int r = sd_bus_message_read(message, "u", &pid);

	if (r >= 0)
		r = find_caller(message, &caller);
	if (r < 0)
		return r;
	asked->pid = pid ? (pid_t)pid : caller.pid;
	return asked->pid > 0 ? 0 : -ESRCH;
}

/* A cgroup's path, or if that is empty a process. */
static int read_target(sd_bus_message *message, struct override *asked)
{
	int r = sd_bus_message_read(message, "s", &asked->cgroup);

	if (r < 0)
		return r;
	if (*asked->cgroup)
		return sd_bus_message_skip(message, "u");
	asked->cgroup = NULL;
	return read_pid(message, asked);
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

/* ---- methods ---- */

static int put(struct daemon *daemon, const struct override *asked)
{
	const struct config *config = daemon->config;
	const struct qos_class *class = qos_class_find(config->classes, config->n_classes, asked->qos);
	int r = asked->cgroup ? bus_check_cgroup(asked->uid, asked->cgroup) : 0;

	if (r < 0)
		return r;
	if (asked->uid && !asked->raises && class && class_has_real_time_io(class))
		return -EACCES;
	return held_put(daemon, *asked);
}

/* The class that the process is in now, empty for none of ours, and why. */
static int reply_with_class(sd_bus_message *message, const struct daemon *daemon, pid_t pid)
{
	struct tagger_task task = { .tag = TAG_NONE };
	size_t n_tags;
	const struct tag *tags = rules_tags(daemon->config->rules, &n_tags);
	const char *class = "";

	tagger_find_task(daemon->tagger, pid, &task);
	if (task.tag < n_tags)
		class = daemon->config->classes[tags[task.tag].qos_class].name;
	return sd_bus_reply_method_return(message, "ss", class, reason_name(task.reason));
}

int bus_set(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct daemon *daemon = userdata;
	int descendants = 0, keep = 0, raise = 0;
	struct override asked;
	int r = bus_read_user(message, true, &asked);

	asked.kind = OVERRIDE_CLASS;
	if (r >= 0)
		r = read_pid(message, &asked);
	if (r >= 0)
		r = sd_bus_message_read(message, "sbbb", &asked.qos, &descendants, &keep, &raise);
	asked.is_tree = descendants;
	asked.raises = raise;
	if (keep)
		asked.holder = (struct holder){ 0 };
	if (r >= 0)
		r = put(daemon, &asked);
	if (r < 0)
		return bus_refuse(daemon, &asked, r, error);
	return reply_with_class(message, daemon, asked.pid);
}

int bus_limit(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct override asked;
	int keep = 0, r = bus_read_user(message, true, &asked);

	asked.kind = OVERRIDE_LIMIT;
	if (r >= 0)
		r = read_target(message, &asked);
	if (r >= 0)
		r = sd_bus_message_read(message, "sb", &asked.qos, &keep);
	if (keep)
		asked.holder = (struct holder){ 0 };
	if (r >= 0)
		r = put(userdata, &asked);
	if (r < 0)
		return bus_refuse(userdata, &asked, r, error);
	return sd_bus_reply_method_return(message, NULL);
}

/* Of an app, in place of what was said before; what is visible is noted, too, since it is not of the app that started it. */
int bus_shown(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct override asked;
	const char *shown = "";
	int r = bus_read_user(message, true, &asked);

	asked.kind = OVERRIDE_SHOWN;
	if (r >= 0)
		r = read_pid(message, &asked);
	if (r >= 0)
		r = sd_bus_message_read(message, "s", &shown);
	if (r >= 0 && !parse_shown(shown, &asked.shown))
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "must be \"focused\", \"played\", \"visible\" or \"hidden\"");
	if (r >= 0)
		r = asked.uid ? put(userdata, &asked) : -EPERM;
	if (r < 0)
		return bus_refuse(userdata, &asked, r, error);
	return sd_bus_reply_method_return(message, NULL);
}

/* Whatever its target is now, whoever has asked for something may end it. */
static int end(sd_bus_message *message, struct daemon *daemon, enum override_kind kind, sd_bus_error *error)
{
	struct override asked;
	int r = bus_read_user(message, false, &asked);

	asked.kind = kind;
	if (r >= 0)
		r = kind == OVERRIDE_LIMIT ? read_target(message, &asked) : read_pid(message, &asked);
	if (r < 0)
		return bus_refuse(daemon, &asked, r, error);
	return sd_bus_reply_method_return(message, "t", (uint64_t)held_end(daemon, &asked));
}

int bus_reset(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return end(message, userdata, OVERRIDE_CLASS, error);
}

int bus_lift(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return end(message, userdata, OVERRIDE_LIMIT, error);
}
