/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gets the class for itself and then becomes the command, which therefore has the class from its first instruction on.
 * Root asks the daemon. Other users set what they may set themselves, like nice(1).
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "configuration.h"
#include "verb.h"

/* The values of env(1), so that they are not taken for the command's. */
#define EXIT_NOT_ASKED 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

static int become(char **argv)
{
	char safe[256];
	int error;

	execvp(argv[0], argv);
	error = errno;
	log_error("%s: %s", text_escape_to(safe, sizeof(safe), argv[0], strlen(argv[0])), strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/*
 * Sets this process's policy and nice value, the part of a class that a program can set for itself and that its
 * children inherit. Returns 0 or -errno.
 */
static int lower_self(const struct qos_attr *attr)
{
	const int reset_on_fork = sched_getscheduler(0) & SCHED_RESET_ON_FORK;
	const struct sched_param param = { 0 };

	if ((attr->has & QOS_HAS_POLICY) && !task_policy_is_fair(attr->policy))
		return -EPERM;
	/* Only root may clear reset-on-fork. */
	if ((attr->has & QOS_HAS_POLICY) && sched_setscheduler(0, (int)attr->policy | reset_on_fork, &param) < 0)
		return -errno;
	if ((attr->has & QOS_HAS_NICE) && setpriority(PRIO_PROCESS, 0, attr->nice) < 0)
		return -errno;
	return 0;
}

/* Lowers this process to the class. Returns false after logging why it could not. */
static bool lower_to(const struct command *command, const char *name)
{
	_cleanup_free_ char *words = NULL;
	const struct qos_class *class;
	struct config *config;
	int r = -ENOENT;

	if (read_config(&command->paths, false, &config))
		return false;
	class = qos_class_find(config->classes, config->n_classes, name);
	if (class)
		r = lower_self(&class->attr);
	else
		words = class_words_unknown(config, name);
	if (r == -ENOENT)
		log_error("%s", words ? words : "no such class");
	else if (r == -EPERM || r == -EACCES)
		log_error("%s would raise the command, which only root may do", class->name);
	else if (r < 0)
		log_error("%s", strerror(-r));
	config_free(config);
	return r == 0;
}

int cmd_run(const struct command *command)
{
	const char *qos = command->values[OPTION_QOS];
	bool is_given;

	if (geteuid() == 0)
		set_class(0, qos, option_given(command, OPTION_INHERIT), &is_given);
	else
		is_given = lower_to(command, qos);
	return is_given ? become(command->operands) : EXIT_NOT_ASKED;
}
