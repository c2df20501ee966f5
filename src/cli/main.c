/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "verb.h"

static const struct verb verbs[] = {
	{ "start", "[-d] [-v] [--config FILE] [--configs-path DIR]",
	  "run the daemon, in the background with -d", cmd_start },
	{ "stop", "", "end the daemon and put every task back", cmd_stop },
	{ "restart", "[-d] [-v] [--config FILE] [--configs-path DIR]",
	  "stop the daemon if it runs, then start", cmd_restart },
	{ "reload", "", "have the daemon read its configuration again", cmd_reload },
	{ "check", "[--print] [--config FILE] [--configs-path DIR] [FILE|DIR ...]",
	  "validate the configuration, or just these files", cmd_check },
	{ "status", "[--json]", "show what the daemon does and has done", cmd_status },
	{ "sched_profile", "[--none] [--config FILE] [--configs-path DIR] [NAME]",
	  "apply a sched profile, or list them", cmd_sched_profile },
	{ "restore", "", "put back what a daemon that was killed has left", cmd_restore },
	{ "doctor", "[--json] [--config FILE] [--configs-path DIR]",
	  "find what keeps classes from having their effect here", cmd_doctor },
};

static void print_help(FILE *stream)
{
	fprintf(stream, "Usage: schedqos VERB [OPTION ...]\n"
			"Gives every task the scheduling that its role deserves.\n\n");
	for (size_t i = 0; i < array_size(verbs); i++)
		fprintf(stream, "  %-9s %s%s%s\n", verbs[i].name, verbs[i].arguments,
			verbs[i].arguments[0] ? "\n            " : "", verbs[i].summary);
	fprintf(stream, "\n  --help     show this help; after a verb, that verb's\n"
			"  --version  show the version\n\n"
			"See schedqos(8), and schedqos.json(5) for the configuration.\n");
}

int usage_error(const struct verb *verb, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "schedqos: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	if (verb)
		fprintf(stderr, "\nUsage: schedqos %s %s\n", verb->name, verb->arguments);
	else
		fprintf(stderr, "\nTry 'schedqos --help'.\n");
	return EXIT_USAGE;
}

int verb_help(const struct verb *verb)
{
	printf("Usage: schedqos %s %s\n%s\n", verb->name, verb->arguments, verb->summary);
	return 0;
}

int no_arguments(const struct verb *verb, int argc, char **argv, int *ret_status)
{
	char arg[256];

	if (argc == 1)
		return 0;
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		*ret_status = verb_help(verb);
	else
		*ret_status = usage_error(verb, "%s takes no '%s'", verb->name,
					  text_escape_to(arg, sizeof(arg), argv[1],
							 strlen(argv[1])));
	return -1;
}

int main(int argc, char **argv)
{
	char arg[256];

	if (argc < 2)
		return usage_error(NULL, "no verb given");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("schedqos %s\n", VERSION);
		return 0;
	}
	for (size_t i = 0; i < array_size(verbs); i++) {
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(&verbs[i], argc - 1, argv + 1);
	}
	return usage_error(NULL, "unknown verb '%s'",
			   text_escape_to(arg, sizeof(arg), argv[1], strlen(argv[1])));
}
