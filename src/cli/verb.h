/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs of the command line. Each has a row in main.c and a file cmd_VERB.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <schedqos/daemon/daemon.h>

/* Exit status of wrong usage. */
#define EXIT_USAGE 2

/*
 * A new option: a name here and a row in the table of options.c; OPTION_BIT(NAME) with its verbs in
 * main.c; schedqos(8). Completions ask --help, and know what its words in capitals stand for. One that
 * means something else with another verb has a row for each meaning, as no verb takes both.
 */
enum option_name {
	OPTION_DAEMON,
	OPTION_VERBOSE,
	OPTION_JSON,
	OPTION_METRICS,
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

#define OPTION_BIT(name)   (UINT64_C(1) << OPTION_##name)
#define OPTION_BITS_CONFIG (OPTION_BIT(CONFIG) | OPTION_BIT(CONFIGS_PATH))

struct verb;

/* A command line, parsed. The strings are those of argv. */
struct command {
	const struct verb *verb;
	const char *values[N_OPTIONS]; /* the last of each; NULL: not given; "" for one that takes none */
	struct config_paths paths; /* of --config and --configs-path */
	char **operands;	   /* ends with NULL, as argv does */
	int n_operands;
};

/* What is not named in a verb's row is zero: no options, no operands. */
struct verb {
	const char *name;
	uint64_t takes;	      /* OPTION_BIT() of each option but --help */
	uint64_t needs;	      /* those of them that must be given */
	const char *operands; /* for the help */
	int min_operands;
	int max_operands;  /* -1: any number */
	bool runs_command; /* the first operand ends the options: what follows is its own */
	const char *summary;
	int (*run)(const struct command *command); /* returns an exit status */
};

int cmd_start(const struct command *command);
int cmd_stop(const struct command *command);

/*
 * Of cmd_stop, for restart: ends the daemon that runs, and waits until it has ended. 0, also if there was none (tells so in
 * *ret_was_running, which may be NULL); or -1 after logging what went wrong.
 */
int stop_daemon(bool *ret_was_running);

int cmd_restart(const struct command *command);
int cmd_reload(const struct command *command);
int cmd_check(const struct command *command);
int cmd_status(const struct command *command);
int cmd_restore(const struct command *command);
int cmd_sched_profile(const struct command *command);
int cmd_list(const struct command *command);
int cmd_top(const struct command *command);
int cmd_doctor(const struct command *command);
int cmd_limit(const struct command *command);
int cmd_set(const struct command *command);
int cmd_reset(const struct command *command);
int cmd_run(const struct command *command);
int cmd_edit(const struct command *command);
int cmd_import(const struct command *command);
int cmd_explain(const struct command *command);
int cmd_weights(const struct command *command);
int cmd_bridge(const struct command *command);
int cmd_focus(const struct command *command);

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

/* Prints what is wrong with a command line, and how to use the verb (NULL: the program). Returns
 * EXIT_USAGE. */
int usage_error(const struct verb *verb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
