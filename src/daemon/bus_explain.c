/* SPDX-License-Identifier: GPL-2.0-only */
#include "bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>

#include "daemon_private.h"

static int answer(sd_bus_message *message, int r, const char *json, sd_bus_error *error)
{
	if (r == -ESRCH)
		return sd_bus_error_set(error, BUS_ERROR_NO_TASK, "there is no such task");
	if (r < 0)
		return sd_bus_error_setf(error, BUS_ERROR_FAILED, "%s", strerror(-r));
	return sd_bus_reply_method_return(message, "s", json);
}

int bus_explain(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_free_ char *json = NULL;
	struct daemon *daemon = userdata;
	uint32_t tid;
	int r = sd_bus_message_read(message, "u", &tid);

	if (r < 0)
		return r;
	r = tid && tid <= INT32_MAX ? tagger_explain(daemon->tagger, (pid_t)tid, &json) : -ESRCH;
	return answer(message, r, json, error);
}

/* D-Bus has no "not given": that is an empty string. */
static const char *if_any(const char *text)
{
	return *text ? text : NULL;
}

static void free_list(char ***list)
{
	for (char **item = *list; item && *item; item++)
		free(*item);
	free(*list);
}

int bus_explain_name(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(free_list) char **argv = NULL;
	_cleanup_free_ char *json = NULL;
	const char *name, *thread, *exe, *cgroup;
	struct daemon *daemon = userdata;
	struct explain_name what;
	uint32_t uid;
	int r = sd_bus_message_read(message, "sss", &name, &thread, &exe);

	if (r >= 0)
		r = sd_bus_message_read_strv(message, &argv);
	if (r >= 0)
		r = sd_bus_message_read(message, "su", &cgroup, &uid);
	if (r < 0)
		return r;
	what = (struct explain_name){
		.name = name,
		.thread = if_any(thread),
		.exe = if_any(exe),
		.argv = (const char *const *)argv,
		.cgroup = if_any(cgroup),
		.uid = uid,
	};
	while (argv && argv[what.n_argv])
		what.n_argv++;
	r = tagger_explain_name(daemon->tagger, &what, &json);
	return answer(message, r, json, error);
}
