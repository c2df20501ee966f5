/* SPDX-License-Identifier: GPL-2.0-only */
#include "bus.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <schedqos/config/config_text.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "daemon_private.h"

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
	if (r == -ENOENT)
		return unknown_class(daemon, asked->qos, error);
	if (r == -ESRCH)
		return sd_bus_error_setf(error, BUS_ERROR_FAILED,
					 "no process %d, or it is one that is never touched (a kernel thread, schedqos)",
					 (int)asked->pid);
	if (r == -ENOTDIR)
		return sd_bus_error_setf(error, BUS_ERROR_FAILED, "no cgroup %s", safe);
	if (r == -EDQUOT)
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "too many overrides at once");
	return sd_bus_error_setf(error, BUS_ERROR_FAILED, "%s", strerror(-r));
}

/* ---- arguments ---- */

/* The process at the other end of the connection, in our pid namespace; or -errno. */
static pid_t caller(sd_bus *bus)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(sd_bus_get_fd(bus), SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return -errno;
	return peer.pid;
}

/* 0 stands for the caller, who may not know what his id is for us. */
static int read_pid(sd_bus_message *message, pid_t *ret)
{
	uint32_t pid;
	int r = sd_bus_message_read(message, "u", &pid);

	if (r < 0)
		return r;
	*ret = pid ? (pid_t)pid : caller(sd_bus_message_get_bus(message));
	return *ret > 0 ? 0 : -ESRCH;
}

bool bus_is_cgroup_path(const char *path)
{
	for (const char *at = path; *at == '/'; at = strchrnul(at + 1, '/')) {
		if (at[1] == '/' || (at[1] == '\0' && at != path) || strncmp(at, "/./", 3) == 0 ||
		    strcmp(at, "/.") == 0 || strncmp(at, "/../", 4) == 0 || strcmp(at, "/..") == 0)
			return false;
	}
	return *path == '/';
}

/* A cgroup's path, or if that is empty a process. */
static int read_target(sd_bus_message *message, struct override *ret)
{
	int r = sd_bus_message_read(message, "s", &ret->cgroup);

	if (r < 0)
		return r;
	if (!*ret->cgroup) {
		ret->cgroup = NULL;
		return read_pid(message, &ret->pid);
	}
	if (!bus_is_cgroup_path(ret->cgroup))
		return -ENOTDIR;
	return sd_bus_message_skip(message, "u");
}

/* ---- methods ---- */

static struct holder holder_of(sd_bus_message *message, bool keep)
{
	return (struct holder){ .bus = keep ? NULL : sd_bus_message_get_bus(message) };
}

int bus_limit(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct override asked = { .kind = OVERRIDE_LIMIT, .qos = "" };
	struct daemon *daemon = userdata;
	int keep = 0, r = read_target(message, &asked);

	if (r >= 0)
		r = sd_bus_message_read(message, "sb", &asked.qos, &keep);
	if (r >= 0)
		r = held_put(daemon, holder_of(message, keep), -1, &asked);
	if (r < 0)
		return bus_refuse(daemon, &asked, r, error);
	return sd_bus_reply_method_return(message, NULL);
}

int bus_lift(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct override asked = { .kind = OVERRIDE_LIMIT, .qos = "" };
	struct daemon *daemon = userdata;
	int r = read_target(message, &asked);

	if (r < 0)
		return bus_refuse(daemon, &asked, r, error);
	return sd_bus_reply_method_return(message, "t", (uint64_t)held_end(daemon, &asked));
}

int bus_reply_with_class(sd_bus_message *message, const struct daemon *daemon, pid_t pid)
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
	struct override asked = { .kind = OVERRIDE_CLASS, .qos = "" };
	struct daemon *daemon = userdata;
	int descendants = 0, keep = 0, r = read_pid(message, &asked.pid);

	if (r == 0)
		r = sd_bus_message_read(message, "sbb", &asked.qos, &descendants, &keep);
	asked.is_tree = descendants;
	if (r >= 0)
		r = held_put(daemon, holder_of(message, keep), -1, &asked);
	if (r < 0)
		return bus_refuse(daemon, &asked, r, error);
	return bus_reply_with_class(message, daemon, asked.pid);
}

int bus_reset(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct override asked = { .kind = OVERRIDE_CLASS, .qos = "" };
	struct daemon *daemon = userdata;
	int r = read_pid(message, &asked.pid);

	if (r < 0)
		return bus_refuse(daemon, &asked, r, error);
	return sd_bus_reply_method_return(message, "t", (uint64_t)held_end(daemon, &asked));
}
