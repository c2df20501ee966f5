/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs of the command line. Each has a row in main.c and a file cmd_VERB.c. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include <schedqos/daemon/config_load.h>

/* Exit status of wrong usage. */
#define EXIT_USAGE 2

/* The options that a verb takes; every verb takes --help. */
enum verb_option {
	TAKES_DETACH = 1 << 0,	/* -d, --daemon */
	TAKES_VERBOSE = 1 << 1, /* -v, --verbose */
	TAKES_JSON = 1 << 2,	/* --json */
	TAKES_PRINT = 1 << 3,	/* --print */
	TAKES_NONE = 1 << 4,	/* --none */
	TAKES_CONFIG = 1 << 5,	/* --config FILE, --configs-path DIR */
	TAKES_FILTER = 1 << 6,	/* --class NAME, --app PATTERN, --reason NAME, --user NAME, --left-alone, --differs */
	TAKES_SHAPE = 1 << 7,	/* --threads, --tree */
	TAKES_FRAMES = 1 << 8,	/* --once, --interval SECONDS, --sort KEY */
	TAKES_ROUNDS = 1 << 9,	/* --rounds N, --seconds S */
};

struct verb;

/* Which tasks to show; NULL and false: all. */
struct task_filter {
	const char *class, *app, *reason, *user;
	bool left_alone, differs;
	uid_t uid; /* of user */
};

/* A command line, parsed. The strings are those of argv. */
struct command {
	const struct verb *verb;
	bool help, detach, verbose, json, print, none;
	struct config_paths paths;
	struct task_filter filter;
	bool threads, tree, once;
	const char *interval, *sort, *rounds, *seconds;
	char **operands;
	int n_operands;
};

struct verb {
	const char *name;
	unsigned takes;	      /* enum verb_option */
	int max_operands;     /* -1: any number */
	const char *operands; /* for the help */
	const char *summary;
	int (*run)(const struct command *command); /* returns an exit status */
};

int cmd_start(const struct command *command);
int cmd_stop(const struct command *command);
int cmd_restart(const struct command *command);
int cmd_reload(const struct command *command);
int cmd_check(const struct command *command);
int cmd_status(const struct command *command);
int cmd_restore(const struct command *command);
int cmd_sched_profile(const struct command *command);
int cmd_list(const struct command *command);
int cmd_top(const struct command *command);
int cmd_impact(const struct command *command);
int cmd_doctor(const struct command *command);

/* ---- options.c ---- */

/* Parses what follows the verb, argv[0], and runs it. Returns an exit status. */
int verb_run(const struct verb *verb, int argc, char **argv);

/* Writes "[--json] [FILE ...]", all that a verb takes, to stream. */
void verb_print_arguments(const struct verb *verb, FILE *stream);

/* Prints what is wrong with a command line, and how to use the verb (NULL: the program). Returns EXIT_USAGE. */
int usage_error(const struct verb *verb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
