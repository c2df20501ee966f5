/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/config/suggest.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "verb.h"

static const struct verb verbs[] = {
	{ "start", TAKES_DETACH | TAKES_VERBOSE | TAKES_CONFIG, 0, NULL,
	  "run the daemon, in the background with -d", cmd_start },
	{ "stop", 0, 0, NULL, "end the daemon and put every task back", cmd_stop },
	{ "restart", TAKES_DETACH | TAKES_VERBOSE | TAKES_CONFIG, 0, NULL,
	  "stop the daemon if it runs, then start", cmd_restart },
	{ "reload", 0, 0, NULL, "have the daemon read its configuration again", cmd_reload },
	{ "check", TAKES_PRINT | TAKES_CONFIG, -1, "[FILE|DIR ...]",
	  "validate the configuration, or just these files", cmd_check },
	{ "status", TAKES_JSON, 0, NULL, "show what the daemon does and has done", cmd_status },
	{ "list", TAKES_FILTER | TAKES_SHAPE | TAKES_JSON, 0, NULL, "show every process with its class", cmd_list },
	{ "top", TAKES_FILTER | TAKES_FRAMES | TAKES_JSON, 0, NULL,
	  "show what classes and programs use, and how long they wait", cmd_top },
	{ "impact", TAKES_ROUNDS | TAKES_JSON, 0, NULL,
	  "measure what tagging changes on this machine", cmd_impact },
	{ "sched_profile", TAKES_NONE | TAKES_CONFIG, 1, "[NAME]",
	  "apply a sched profile, or list them", cmd_sched_profile },
	{ "restore", 0, 0, NULL, "put back what a daemon that was killed has left", cmd_restore },
	{ "doctor", TAKES_JSON | TAKES_CONFIG, 0, NULL,
	  "find what keeps classes from having their effect here", cmd_doctor },
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
 * If one of these three were closed, the next file to be opened would take its place, the lock for one, and messages
 * would go there. The substitute is opened the other way round, so that using it fails as it would have.
 */
static bool open_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	if (!open_standard_streams())
		return EXIT_FAILURE;
	if (argc < 2)
		return usage_error(NULL, "no verb given");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help(stdout);
		return flush_output(0);
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("schedqos %s\n", VERSION);
		return flush_output(0);
	}
	for (size_t i = 0; i < array_size(verbs); i++) {
		if (strcmp(argv[1], verbs[i].name) == 0)
			return flush_output(verb_run(&verbs[i], argc - 1, argv + 1));
	}
	return unknown_verb(argv[1]);
}
