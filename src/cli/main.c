/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>
#include <schedqos/util/version.h>

#include "verb.h"

static const struct verb verbs[] = {
	{ "start", cmd_start, "run the daemon, in the background with -d",
	  TAKES(DAEMON) | TAKES(VERBOSE) | TAKES_PATHS | TAKES(MAPPING), NULL },
	{ "stop", cmd_stop, "stop the daemon and put every task back", 0, NULL },
	{ "restart", cmd_restart, "stop the daemon if it runs, then start",
	  TAKES(DAEMON) | TAKES(VERBOSE) | TAKES_PATHS | TAKES(MAPPING), NULL },
	{ "reload", cmd_reload, "make the daemon read its configuration again", 0, NULL },
	{ "check", cmd_check, "check the configuration, or only these files",
	  TAKES(PRINT) | TAKES(DIFF) | TAKES_PATHS | TAKES(MAPPING), "[FILE|DIR ...]" },
	{ "edit", cmd_edit, "edit and check the configuration, then apply it", TAKES_PATHS, NULL },
	{ "status", cmd_status, "show what the daemon does and has done", TAKES(JSON) | TAKES(METRICS), NULL },
	{ "explain", cmd_explain, "explain why a task, or a program of that name, has its class",
	  TAKES(JSON) | TAKES(NAME) | TAKES(AGAINST) | TAKES_PATHS, "[PID|TID]" },
	{ "list", cmd_list, "show every process with its class", TAKES(CLASS) | TAKES(APP) | TAKES(JSON), NULL },
	{ "top", cmd_top, "show what classes and programs use, and how long they wait",
	  TAKES(ONCE) | TAKES(SECONDS) | TAKES(JSON), NULL },
	{ "sched_profile", cmd_sched_profile, "apply a sched profile, or list them", TAKES(NONE) | TAKES_PATHS,
	  "[PROFILE]" },
	{ "set", cmd_set, "give a process a class, overriding its rule", TAKES(INHERIT), "PID CLASS" },
	{ "reset", cmd_reset, "end a class given by 'set' or 'run'", 0, "PID" },
	{ "run", cmd_run, "run a command in a class, overriding its rule", TAKES(QOS) | TAKES(INHERIT),
	  "COMMAND [ARGUMENT ...]" },
	{ "limit", cmd_limit, "limit the class of a process tree or cgroup, until Ctrl-C", TAKES(KEEP) | TAKES(LIFT),
	  "CGROUP|PID [CLASS]" },
	{ "restore", cmd_restore, "put back what a killed daemon has left", 0, NULL },
	{ "weights", cmd_weights, "give units their cpu weights (for the service)", TAKES(USER) | TAKES(RESTORE),
	  NULL },
	{ "bridge", cmd_bridge, "let users request classes on the system bus (for the service)", TAKES(SYSTEM76),
	  NULL },
	{ "focus", cmd_focus, "follow a session's windows, sound and games (for its service)", TAKES(PRINT_SHOWN), NULL },
	{ "doctor", cmd_doctor, "find what makes classes ineffective here", TAKES(JSON) | TAKES_PATHS, NULL },
	{ "import", cmd_import, "turn the rules of ananicy into a rules file", 0, "ananicy DIR|FILE ..." },
};

static void print_program_help(FILE *stream)
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

/* Reports an unknown verb; a word that begins with '-' is called an option. */
static int unknown_verb(const char *word)
{
	const char *what = *word == '-' ? "option" : "verb";
	struct suggestion near = { .word = word };
	char escaped[256];

	for (size_t i = 0; i < array_size(verbs); i++)
		suggest_offer(&near, verbs[i].name);
	suggest_offer(&near, "--help");
	suggest_offer(&near, "--version");
	text_escape_to(escaped, sizeof(escaped), word, strlen(word));
	if (near.best)
		return usage_error(NULL, "unknown %s '%s': did you mean '%s'?", what, escaped, near.best);
	return usage_error(NULL, "unknown %s '%s'", what, escaped);
}

/* Flushes standard output. A verb whose output could not be written (disk full) has failed. */
static int flush_output(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "schedqos: error: standard output: %s\n", strerror(errno));
	return status ? status : EXIT_FAILURE;
}

/*
 * Opens /dev/null for each standard stream that is closed. Otherwise the next file to be opened, such as the lock,
 * would take its place, and messages would go there. The substitute has the wrong direction, so that using it fails as
 * before.
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
		print_program_help(stdout);
		return flush_output(0);
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("schedqos %s\n", version_text);
		return flush_output(0);
	}
	for (size_t i = 0; i < array_size(verbs); i++) {
		if (strcmp(argv[1], verbs[i].name) == 0)
			return flush_output(verb_run(&verbs[i], argc - 1, argv + 1));
	}
	return unknown_verb(argv[1]);
}
