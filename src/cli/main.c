/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "verb.h"

static const struct verb verbs[] = {
	{ .name = "start",
	  .takes = OPTION_BIT(DAEMON) | OPTION_BIT(VERBOSE) | OPTION_BITS_CONFIG | OPTION_BIT(MAPPING),
	  .summary = "run the daemon, in the background with -d",
	  .run = cmd_start },
	{ .name = "stop", .summary = "stop the daemon and put every task back", .run = cmd_stop },
	{ .name = "restart",
	  .takes = OPTION_BIT(DAEMON) | OPTION_BIT(VERBOSE) | OPTION_BITS_CONFIG | OPTION_BIT(MAPPING),
	  .summary = "stop the daemon if it runs, then start",
	  .run = cmd_restart },
	{ .name = "reload",
	  .summary = "make the daemon read its configuration again",
	  .run = cmd_reload },
	{ .name = "check",
	  .takes = OPTION_BIT(PRINT) | OPTION_BIT(DIFF) | OPTION_BITS_CONFIG | OPTION_BIT(MAPPING),
	  .operands = "[FILE|DIR ...]",
	  .max_operands = -1,
	  .summary = "validate the configuration, or just these files",
	  .run = cmd_check },
	{ .name = "edit",
	  .takes = OPTION_BITS_CONFIG,
	  .summary = "edit and check the configuration, then apply it",
	  .run = cmd_edit },
	{ .name = "status",
	  .takes = OPTION_BIT(JSON) | OPTION_BIT(METRICS),
	  .summary = "show what the daemon does and has done",
	  .run = cmd_status },
	{ .name = "explain",
	  .takes = OPTION_BIT(JSON) | OPTION_BIT(NAME) | OPTION_BIT(AGAINST) | OPTION_BITS_CONFIG,
	  .operands = "[PID|TID]",
	  .max_operands = 1,
	  .summary = "say why a task, or a program of that name, has its class",
	  .run = cmd_explain },
	{ .name = "list",
	  .takes = OPTION_BIT(CLASS) | OPTION_BIT(APP) | OPTION_BIT(JSON),
	  .summary = "show every process with its class",
	  .run = cmd_list },
	{ .name = "top",
	  .summary = "show what classes and programs use, and how long they wait",
	  .run = cmd_top },
	{ .name = "sched_profile",
	  .takes = OPTION_BIT(NONE) | OPTION_BITS_CONFIG,
	  .operands = "[PROFILE]",
	  .max_operands = 1,
	  .summary = "apply a sched profile, or list them",
	  .run = cmd_sched_profile },
	{ .name = "set",
	  .takes = OPTION_BIT(INHERIT),
	  .operands = "PID CLASS",
	  .min_operands = 2,
	  .max_operands = 2,
	  .summary = "give a process a class, overriding its rule",
	  .run = cmd_set },
	{ .name = "reset",
	  .operands = "PID",
	  .min_operands = 1,
	  .max_operands = 1,
	  .summary = "undo what 'set' or 'run' did",
	  .run = cmd_reset },
	{ .name = "run",
	  .takes = OPTION_BIT(QOS) | OPTION_BIT(INHERIT),
	  .needs = OPTION_BIT(QOS),
	  .operands = "COMMAND [ARGUMENT ...]",
	  .min_operands = 1,
	  .max_operands = -1,
	  .runs_command = true,
	  .summary = "run a command in a class, overriding its rule",
	  .run = cmd_run },
	{ .name = "limit",
	  .takes = OPTION_BIT(KEEP) | OPTION_BIT(LIFT),
	  .operands = "CGROUP|PID [CLASS]",
	  .min_operands = 1,
	  .max_operands = 2,
	  .summary = "cap the class of a process tree or cgroup, until Ctrl-C",
	  .run = cmd_limit },
	{ .name = "restore",
	  .summary = "undo what a killed daemon left behind",
	  .run = cmd_restore },
	{ .name = "weights",
	  .takes = OPTION_BIT(USER) | OPTION_BIT(RESTORE),
	  .summary = "give units their cpu weights (for the service)",
	  .run = cmd_weights },
	{ .name = "bridge",
	  .takes = OPTION_BIT(SYSTEM76),
	  .summary = "let users ask for classes on the system bus (for the service)",
	  .run = cmd_bridge },
	{ .name = "focus",
	  .takes = OPTION_BIT(PRINT_SHOWN),
	  .summary = "follow what a session shows and plays (for its service)",
	  .run = cmd_focus },
	{ .name = "doctor",
	  .takes = OPTION_BIT(JSON) | OPTION_BITS_CONFIG,
	  .summary = "find what makes classes ineffective here",
	  .run = cmd_doctor },
	{ .name = "import",
	  .operands = "ananicy DIR|FILE ...",
	  .min_operands = 2,
	  .max_operands = -1,
	  .summary = "turn the rules of ananicy into a rules file",
	  .run = cmd_import },
};

static void print_help(FILE *stream)
{
	fprintf(stream, "Usage: schedqos VERB [OPTION ...]\n"
			"Gives every task the scheduling that its role deserves.\n\n");
	for (size_t i = 0; i < array_size(verbs); i++) {
		fprintf(stream, "  %s", verbs[i].name);
		verb_print_arguments(&verbs[i], stream);
		fprintf(stream, "\n            %s\n", verbs[i].summary);
	}
	fprintf(stream, "\n  --help     show this help; after a verb, that verb's\n"
			"  --version  show the version\n\n"
			"See schedqos(8), and schedqos.json(5) for the configuration.\n");
}

static int unknown_verb(const char *word)
{
	struct suggestion near = { .word = word };
	char escaped[256];

	for (size_t i = 0; i < array_size(verbs); i++)
		suggest_offer(&near, verbs[i].name);
	text_escape_to(escaped, sizeof(escaped), word, strlen(word));
	if (near.best)
		return usage_error(NULL, "unknown verb '%s': did you mean '%s'?", escaped,
				   near.best);
	return usage_error(NULL, "unknown verb '%s'", escaped);
}

/* A verb whose output did not arrive (disk full) has failed, whatever else went well. */
static int flush_output(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "schedqos: error: standard output: %s\n", strerror(errno));
	return status ? status : EXIT_FAILURE;
}

/*
 * If one of these three were closed, the next file to be opened would take its place, the lock for
 * one, and messages would go there. The substitute is opened the other way round, so that using it
 * fails as it would have.
 */
static bool open_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			return false;
	}
	return true;
}

/* words: a verb and what is after it. */
static int run(int n, char **words)
{
	for (size_t i = 0; i < array_size(verbs); i++) {
		if (strcmp(words[0], verbs[i].name) == 0)
			return flush_output(verb_run(&verbs[i], n, words));
	}
	return unknown_verb(words[0]);
}

int main(int argc, char **argv)
{
	static char help_option[] = "--help";
	const bool is_help = argc > 1 && strcmp(argv[1], "help") == 0;

	if (!open_standard_streams())
		return EXIT_FAILURE;
	if (argc < 2)
		return usage_error(NULL, "no verb given");
	/* As git has it. */
	if (is_help && argc > 2)
		return run(2, (char *[]){ argv[2], help_option, NULL });
	if (is_help || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help(stdout);
		return flush_output(0);
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("schedqos %s\n", VERSION);
		return flush_output(0);
	}
	return run(argc - 1, argv + 1);
}
