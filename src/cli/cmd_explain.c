/* SPDX-License-Identifier: GPL-2.0-only */
/* Explains a task or a program's name: from the daemon's records if one runs, else by a rehearsal of its decision. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/daemon/instance.h>
#include <schedqos/tagging/tagger.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "configuration.h"
#include "explain.h"
#include "verb.h"

/* In all functions here, name is NULL or names a program, which need not run; then task is 0. */

/* Logs why the explanation failed. error is -errno. Returns an exit status. */
static int tell_failure(pid_t task, int error)
{
	if (error == -ESRCH)
		log_error("there is no task %d: it may have ended", (int)task);
	else if (error == -EINVAL && !task)
		log_error("no program can have this name");
	else
		log_error("%s", strerror(-error));
	return EXIT_FAILURE;
}

/* Asks the daemon. Returns 0 or an exit status. */
static int ask_daemon(pid_t task, const char *name, char **ret)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *json = "";
	int status = name ? client_call(BUS_INTERFACE, "ExplainName", &reply, "s", name) :
			    client_call(BUS_OVERRIDES_INTERFACE, "Explain", &reply, "u", (uint32_t)task);

	if (status)
		return status;
	sd_bus_message_read(reply, "s", &json);
	*ret = strdup(json);
	return *ret ? 0 : tell_failure(task, -ENOMEM);
}

/* Decides about the task as the daemon would, without setting anything. Returns 0 or an exit status. */
static int rehearse(const struct command *command, pid_t task, const char *name, char **ret)
{
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_(tagger_freep) struct tagger *tagger = NULL;
	int status = read_config(&command->paths, false, &config), r;

	if (status)
		return status;
	r = tagger_rehearse(config, &tagger);
	if (r == 0)
		r = name ? tagger_explain_name(tagger, name, ret) : tagger_explain(tagger, task, false, ret);
	return r < 0 ? tell_failure(task, r) : 0;
}

static int explain_verb(const struct command *command, pid_t task, const char *name)
{
	_cleanup_free_ char *json = NULL;
	int status;

	/* Other users need the daemon, which sees things that they may not see. */
	if (instance_owner() > 0)
		warn_unused_paths(&command->paths);
	if (geteuid() != 0 || instance_owner() > 0)
		status = ask_daemon(task, name, &json);
	else
		status = rehearse(command, task, name, &json);
	if (status)
		return status;
	if (option_given(command, OPTION_JSON))
		return client_print_json(json);
	return explain_print(json) < 0 ? tell_failure(task, -EBADMSG) : 0;
}

int cmd_explain(const struct command *command)
{
	const char *text = command->operands[0], *name = command->values[OPTION_NAME],
		   *against = command->values[OPTION_AGAINST];
	pid_t task = 0, other = 0;
	int status;

	if (name && (text || against))
		return usage_error(command->verb, "--name cannot be combined with a task or --against");
	if (!text && (!name || !*name))
		return usage_error(command->verb, "explain needs the id of a process or thread, or --name");
	if (against && option_given(command, OPTION_JSON))
		return usage_error(command->verb, "--against and --json cannot be combined");
	status = text ? take_pid(command, text, &task) : 0;
	if (!status && against)
		status = take_pid(command, against, &other);
	if (status)
		return status;
	return against ? explain_against(task, other) : explain_verb(command, task, name);
}
