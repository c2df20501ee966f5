/* SPDX-License-Identifier: GPL-2.0-only */
/* The methods that explain a task or a name. Root may ask about every task, a user only about the user's own. */
#include "bus.h"

#include <errno.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>

#include "daemon_private.h"

static int reply(sd_bus_message *message, int r, uint32_t tid, const char *json, sd_bus_error *error)
{
	if (r == -ESRCH)
		return sd_bus_error_setf(error, BUS_ERROR_NO_TASK, "there is no task %u: it may have ended", tid);
	if (r < 0)
		return sd_bus_error_set(error, BUS_ERROR_FAILED, strerror(-r));
	return sd_bus_reply_method_return(message, "s", json);
}

static int explain_tid(const struct daemon *daemon, uint32_t tid, bool is_for_user, char **ret)
{
	return tid && tid <= INT32_MAX ? tagger_explain(daemon->tagger, (pid_t)tid, is_for_user, ret) : -ESRCH;
}

int bus_explain_name(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_free_ char *json = NULL;
	const struct daemon *daemon = userdata;
	const char *name;
	int r = sd_bus_message_read(message, "s", &name);

	if (r < 0)
		return r;
	r = tagger_explain_name(daemon->tagger, name, &json);
	if (r == -EINVAL)
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "no program can have this name");
	return reply(message, r, 0, json, error);
}

/*
 * Stores the start time of a task that the user may inspect, by the rule of /proc: the user is its real and effective
 * user and owns its files there. The kernel makes root their owner if it protects the process from its user, such as a
 * set-user-ID program that has dropped its privileges. Returns 0, -EPERM if the user may not inspect it, or another
 * -errno.
 */
static int find_own(const struct daemon *daemon, uint32_t tid, uid_t uid, uint64_t *ret_start)
{
	struct procfs_status status;
	struct procfs_stat stat;
	uid_t owner;
	int r = tid && tid <= INT32_MAX ? procfs_stat(daemon->proc, (pid_t)tid, &stat) : -ESRCH;

	if (r == 0)
		r = procfs_files_owner(daemon->proc, (pid_t)tid, &owner);
	if (r == 0)
		r = procfs_status(daemon->proc, (pid_t)tid, &status, NULL);
	if (r)
		return r;
	*ret_start = stat.start;
	return owner == uid && status.real == uid && status.effective == uid ? 0 : -EPERM;
}

/* Checks before and after the explanation, because another process may get the id in between. */
static int explain_own(const struct daemon *daemon, uint32_t tid, uid_t uid, char **ret)
{
	uint64_t before = 0, after = 0;
	int r = find_own(daemon, tid, uid, &before);

	if (r == 0)
		r = explain_tid(daemon, tid, true, ret);
	if (r == 0)
		r = find_own(daemon, tid, uid, &after);
	return r == 0 && before != after ? -ESRCH : r;
}

int bus_explain(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_free_ char *json = NULL;
	const char *holder;
	struct ucred caller;
	uint32_t uid, tid;
	int r = sd_bus_message_read(message, "usu", &uid, &holder, &tid);

	if (r < 0)
		return r;
	r = bus_check_user(message, uid, &caller);
	if (r == 0)
		r = uid ? explain_own(userdata, tid, uid, &json) : explain_tid(userdata, tid, false, &json);
	if (r == -EPERM)
		return sd_bus_error_set(error, BUS_ERROR_NOT_YOURS,
					"not a task of yours: try 'sudo schedqos explain'");
	return reply(message, r, tid, json, error);
}
