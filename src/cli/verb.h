/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs of the command line: each has a row in main.c and a file cmd_VERB.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <schedqos/daemon/config_load.h>

/* Exit status for wrong usage. */
#define EXIT_USAGE 2

/*
 * The options of all verbs. A new option needs a name here, a row in the table of options.c, TAKES(NAME) for its verbs
 * in main.c, and schedqos(8). Completions parse --help and know the words in capitals. An option with different
 * meanings for different verbs has a row for each meaning, because no verb takes both.
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
	OPTION_HELP, /* every verb takes it */
	N_OPTIONS,
};
_Static_assert(N_OPTIONS <= 64, "a verb's options are the bits of a uint64_t");

#define TAKES(name) (UINT64_C(1) << OPTION_##name)
#define TAKES_PATHS (TAKES(CONFIG) | TAKES(CONFIGS_PATH))

struct verb;

/* A parsed command line. The strings belong to argv. */
struct command {
	const struct verb *verb;
	/* the last one given; NULL if not given; "" for an option without an argument */
	const char *values[N_OPTIONS];
	struct config_paths paths; /* from --config, --configs-path and --mapping */
	char **operands;	   /* ended by NULL */
	int n_operands;
};

typedef int verb_function(const struct command *command); /* returns an exit status */

struct verb {
	const char *name;
	verb_function *run;
	const char *summary;
	uint64_t takes; /* TAKES() of each option except --help */
	/*
	 * The operands, for the help and for checking their number: "[X]" may be left out, "..." allows any number
	 * more. Options after a COMMAND belong to it. NULL if there are none.
	 */
	const char *operands;
};

verb_function cmd_start, cmd_stop, cmd_restart, cmd_reload, cmd_restore;
verb_function cmd_check, cmd_edit, cmd_import, cmd_doctor, cmd_sched_profile;
verb_function cmd_status, cmd_list, cmd_top, cmd_explain;
verb_function cmd_set, cmd_reset, cmd_run, cmd_limit;
verb_function cmd_weights, cmd_bridge, cmd_focus;

/*
 * In cmd_stop.c, also for restart: stops the running daemon and waits until it has ended. If none runs, that is an
 * error only if must_run. Returns an exit status.
 */
int stop_daemon(bool must_run);

/*
 * In cmd_set.c, also for run: gives a process (0: this one, if it is root's) a class until it ends; with inherit also
 * its descendants. Returns 0 once its tasks carry the class; or an exit status after logging the reason. *ret_given
 * tells whether the override is in force in spite of that.
 */
int set_class(pid_t pid, const char *qos, bool inherit, bool *ret_given);

/* ---- options.c ---- */

static inline bool option_given(const struct command *command, enum option_name name)
{
	return command->values[name];
}

/* Parses the id of a process or thread. Returns 0, or EXIT_USAGE after printing the error. */
int take_pid(const struct command *command, const char *text, pid_t *ret);

/* Parses the arguments after the verb, which is argv[0], and runs it. Returns an exit status. */
int verb_run(const struct verb *verb, int argc, char **argv);

/* Writes all that the verb takes to stream, such as "[--json] [FILE ...]". */
void verb_print_arguments(const struct verb *verb, FILE *stream);

/* Prints an error in the command line, and the usage of the verb (NULL: of the program). Returns EXIT_USAGE. */
int usage_error(const struct verb *verb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
