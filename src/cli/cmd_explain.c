/* SPDX-License-Identifier: GPL-2.0-only */
/* From the daemon's records if one runs; else from a rehearsal of what it would do. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/tagging/tagger.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "configuration.h"
#include "explain.h"
#include "verb.h"

/* What is asked about: a task, or a program that need not run. */
struct question {
	pid_t task;
	const char *name; /* NULL: the task */
};

/* error: -errno. Returns an exit status. */
static int tell_failure(const struct question *question, int error)
{
	if (error == -ESRCH)
		log_error("there is no task %u: it may have ended", (unsigned)question->task);
	else
		log_error("%s", strerror(-error));
	return EXIT_FAILURE;
}

/* Returns 0 or an exit status. */
static int ask_daemon(const struct question *question, char **ret)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *json = NULL;
	int status;

	if (question->name)
		status = client_call(BUS_INTERFACE, "ExplainName", &reply, "s", question->name);
	else
		status = client_call(BUS_INTERFACE, "Explain", &reply, "u", (uint32_t)question->task);
	if (status)
		return status;
	sd_bus_message_read(reply, "s", &json);
	*ret = json ? strdup(json) : NULL;
	return *ret ? 0 : tell_failure(question, -ENOMEM);
}

/* Returns 0 or an exit status. */
static int rehearse(const struct command *command, const struct question *question, char **ret)
{
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_(tagger_freep) struct tagger *tagger = NULL;
	int status = local_config(&command->paths, &config), r;

	if (status)
		return status;
	r = tagger_rehearse(config, &tagger);
	if (r == 0)
		r = question->name ? tagger_explain_name(tagger, question->name, ret) :
				     tagger_explain(tagger, question->task, ret);
	return r < 0 ? tell_failure(question, r) : 0;
}

static int explain(const struct command *command, const struct question *question)
{
	_cleanup_free_ char *json = NULL;
	int status;

	if (geteuid() != 0 && question->name) {
		log_error("only root may ask about names: try 'sudo schedqos explain'");
		return EXIT_FAILURE;
	}
	/* For others it takes the daemon, which sees what they may not. */
	if (geteuid() != 0 || instance_owner() > 0)
		status = ask_daemon(question, &json);
	else
		status = rehearse(command, question, &json);
	if (status)
		return status;
	if (option_given(command, OPTION_JSON))
		return fputs(json, stdout) < 0 ? EXIT_FAILURE : 0;
	return explain_print(json) < 0 ? tell_failure(question, -EBADMSG) : 0;
}

int cmd_explain(const struct command *command)
{
	const char *task = command->n_operands ? command->operands[0] : NULL, *against = command->values[OPTION_AGAINST];
	struct question question = { .name = command->values[OPTION_NAME] };
	pid_t other;
	int status = task ? take_pid(command, task, &question.task) : 0;

	if (!task == !question.name || (question.name && (against || !*question.name)))
		return usage_error(command->verb, "explain needs the id of a process or thread, or --name");
	if (against && option_given(command, OPTION_JSON))
		return usage_error(command->verb, "--against and --json exclude each other");
	if (!status && against)
		status = take_pid(command, against, &other);
	if (status)
		return status;
	return against ? explain_against(question.task, other) : explain(command, &question);
}
