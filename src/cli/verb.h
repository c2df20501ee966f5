/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs of the command line. Each has a row in main.c and a file cmd_VERB.c. */
#pragma once

/* Exit status of wrong usage. */
#define EXIT_USAGE 2

struct verb {
	const char *name;
	const char *arguments; /* for the help */
	const char *summary;
	int (*run)(const struct verb *verb, int argc, char **argv); /* argv[0] is the verb */
};

int cmd_start(const struct verb *verb, int argc, char **argv);
int cmd_stop(const struct verb *verb, int argc, char **argv);
int cmd_restart(const struct verb *verb, int argc, char **argv);
int cmd_reload(const struct verb *verb, int argc, char **argv);
int cmd_check(const struct verb *verb, int argc, char **argv);
int cmd_status(const struct verb *verb, int argc, char **argv);
int cmd_restore(const struct verb *verb, int argc, char **argv);
int cmd_sched_profile(const struct verb *verb, int argc, char **argv);
int cmd_doctor(const struct verb *verb, int argc, char **argv);

/* Says what is wrong with a verb's arguments and how it is used. Returns EXIT_USAGE. */
int usage_error(const struct verb *verb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints a verb's usage and returns 0, for its --help. */
int verb_help(const struct verb *verb);

/* For verbs without arguments. Returns 0, or -1 with *ret_status to exit with (--help, or wrong usage). */
int no_arguments(const struct verb *verb, int argc, char **argv, int *ret_status);
