/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs of the command line. Each has a row in main.c and a file cmd_VERB.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <schedqos/daemon/config_load.h>

/* Exit status of wrong usage. */
#define EXIT_USAGE 2

/*
 * A new option: a name here and a row in the table of options.c; TAKES(NAME) with its verbs in
 * main.c; schedqos(8). Completions ask --help, and know what its words in capitals stand for. One that
 * means something else with another verb has a row for each meaning, as no verb takes both.
 */
enum option_name {
	OPTION_DAEMON,
	OPTION_VERBOSE,
	OPTION_JSON,
	OPTION_METRICS,
	OPTION_ONCE,
	OPTION_SECONDS,
	OPTION_PRINT,
	OPTION_DIFF,
	OPTION_NONE,
	OPTION_QOS,
	OPTION_INHERIT,
	OPTION_KEEP,
	OPTION_LIFT,
	OPTION_NAME,
	OPTION_AGAINST,
	OPTION_CLASS,
	OPTION_APP,
	OPTION_CONFIG,
	OPTION_CONFIGS_PATH,
	OPTION_MAPPING,
	OPTION_RESTORE,
	OPTION_USER,
	OPTION_SYSTEM76,
	OPTION_PRINT_SHOWN,
	OPTION_HELP, /* of every verb */
	N_OPTIONS,
};
_Static_assert(N_OPTIONS <= 64, "a verb's options are the bits of a uint64_t");

#define TAKES(name) (UINT64_C(1) << OPTION_##name)
#define TAKES_PATHS (TAKES(CONFIG) | TAKES(CONFIGS_PATH))

struct verb;

/* A command line, parsed. The strings are those of argv. */
struct command {
	const struct verb *verb;
	const char *values[N_OPTIONS]; /* the last of each; NULL: not given; "" for one that takes none */
	struct config_paths paths; /* of --config and --configs-path */
	char **operands;	   /* ends with NULL, as argv does */
	int n_operands;
};

typedef int verb_function(const struct command *command); /* returns an exit status */

struct verb {
	const char *name;
	verb_function *run;
	const char *summary;
	uint64_t takes; /* TAKES() of each option but --help */
	/*
	 * For the help, and the measure of what may be given: "[X]" may be left out, "..." is any number more. After a
	 * COMMAND options are its own. NULL: none.
	 */
	const char *operands;
};

verb_function cmd_start, cmd_stop, cmd_restart, cmd_reload, cmd_restore;
verb_function cmd_check, cmd_edit, cmd_import, cmd_doctor, cmd_sched_profile;
verb_function cmd_status, cmd_list, cmd_top, cmd_explain;
verb_function cmd_set, cmd_reset, cmd_run, cmd_limit;
verb_function cmd_weights, cmd_bridge, cmd_focus;

/*
 * Of cmd_stop, for restart: ends the daemon that runs, and waits until it has ended; it is an error that none does if
 * one must. Returns an exit status.
 */
int stop_daemon(bool must_run);

/* ---- options.c ---- */

static inline bool option_given(const struct command *command, enum option_name name)
{
	return command->values[name];
}

/* A process's or a thread's id in text. 0, or EXIT_USAGE after saying what is wrong. */
int take_pid(const struct command *command, const char *text, pid_t *ret);

/* Parses what follows the verb, argv[0], and runs it. Returns an exit status. */
int verb_run(const struct verb *verb, int argc, char **argv);

/* Writes "[--json] [FILE ...]", all that a verb takes, to stream. */
void verb_print_arguments(const struct verb *verb, FILE *stream);

/* Prints what is wrong with a command line, and how to use the verb (NULL: the program). Returns EXIT_USAGE. */
int usage_error(const struct verb *verb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
