/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the options of all verbs, by one table. */
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/text.h>

#include "verb.h"

/*
 * getopt's value for a long option without a short form: its index in the table plus this, which is above all
 * characters.
 */
#define LONG_ONLY 256

static const struct {
	const char *name, *letter; /* letter: the short form, or NULL */
	const char *argument;	   /* for the help; NULL if the option takes none */
	const char *summary;
} table[N_OPTIONS] = {
	/* clang-format off */
	[OPTION_DAEMON] = { "--daemon", "-d", NULL, "go to the background once every task has been seen" },
	[OPTION_VERBOSE] = { "--verbose", "-v", NULL, "log each task that is changed" },
	[OPTION_JSON] = { "--json", NULL, NULL, "print JSON" },
	[OPTION_PRINT] = { "--print", NULL, NULL, "print the merged configuration" },
	[OPTION_DIFF] = { "--diff", NULL, NULL, "print the differences from the running daemon's configuration" },
	[OPTION_METRICS] = { "--metrics", NULL, NULL, "print OpenMetrics text" },
	[OPTION_ONCE] = { "--once", NULL, NULL, "print one frame, also on a terminal" },
	[OPTION_SECONDS] = { "--seconds", NULL, "N", "the length of a frame" },
	[OPTION_NONE] = { "--none", NULL, NULL, "put back what a profile has set" },
	[OPTION_QOS] = { "--qos", "-q", "CLASS", "the class" },
	[OPTION_INHERIT] = { "--inherit", NULL, NULL, "include its descendants" },
	[OPTION_KEEP] = { "--keep", NULL, NULL, "do not wait; the limit lasts until the process or cgroup ends" },
	[OPTION_LIFT] = { "--lift", NULL, NULL, "end every limit for it" },
	[OPTION_NAME] = { "--name", NULL, "NAME", "a program that need not run, or its path" },
	[OPTION_AGAINST] = { "--against", NULL, "PID", "explain what ranks the two, and how they share a CPU" },
	[OPTION_CLASS] = { "--class", NULL, "CLASS", "only tasks of this class" },
	[OPTION_APP] = { "--app", NULL, "PATTERN", "only tasks of this rule or program" },
	[OPTION_CONFIG] = { "--config", NULL, "FILE", "instead of " SYSCONFDIR "/schedqos.json" },
	[OPTION_CONFIGS_PATH] = { "--configs-path", NULL, "DIR",
		"instead of " DATADIR "/schedqos and " SYSCONFDIR "/schedqos" },
	[OPTION_MAPPING] = { "--mapping", NULL, "MAPPING", "instead of the mapping that the files name" },
	[OPTION_USER] = { "--user", NULL, NULL, "for units of your own service manager" },
	[OPTION_RESTORE] = { "--restore", NULL, NULL, "put back the weights that a killed run has set" },
	[OPTION_SYSTEM76] = { "--system76", NULL, NULL, "serve com.system76.Scheduler as well" },
	[OPTION_PRINT_SHOWN] = { "--print", NULL, NULL, "print changes of windows, sound and games, and report nothing" },
	[OPTION_HELP] = { "--help", "-h", NULL, "show this help" },
	/* clang-format on */
};

static bool takes(const struct verb *verb, unsigned name)
{
	return name == OPTION_HELP || (verb->takes & (UINT64_C(1) << name));
}

/* Returns whether the option must be given to a verb that takes it. */
static bool is_needed(unsigned name)
{
	return name == OPTION_QOS;
}

/* Returns the short form, or the long one if there is none, with the argument. */
static const char *short_usage(unsigned name, char *buf, size_t size)
{
	const char *argument = table[name].argument;

	snprintf(buf, size, "%s%s%s", table[name].letter ? table[name].letter : table[name].name, argument ? " " : "",
		 argument ? argument : "");
	return buf;
}

void verb_print_arguments(const struct verb *verb, FILE *stream)
{
	char usage[64];

	for (unsigned i = 0; i < N_OPTIONS; i++) {
		if (i != OPTION_HELP && takes(verb, i))
			fprintf(stream, is_needed(i) ? " %s" : " [%s]",
				short_usage(i, usage, sizeof(usage)));
	}
	if (verb->operands)
		fprintf(stream, " %s", verb->operands);
}

static void print_usage(const struct verb *verb, FILE *stream)
{
	fprintf(stream, "Usage: schedqos %s", verb->name);
	verb_print_arguments(verb, stream);
	fprintf(stream, "\n");
}

static void print_verb_help(const struct verb *verb)
{
	print_usage(verb, stdout);
	printf("%s\n\n", verb->summary);
	for (unsigned i = 0; i < N_OPTIONS; i++) {
		const char *letter = table[i].letter, *argument = table[i].argument;
		char left[64];

		if (!takes(verb, i))
			continue;
		snprintf(left, sizeof(left), "%s%s%s%s%s", letter ? letter : "", letter ? ", " : "", table[i].name,
			 argument ? " " : "", argument ? argument : "");
		printf("  %-20s %s\n", left, table[i].summary);
	}
}

int usage_error(const struct verb *verb, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "schedqos: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	if (verb)
		print_usage(verb, stderr);
	else
		fprintf(stderr, "Try 'schedqos --help'.\n");
	return EXIT_USAGE;
}

/* Converts the verb's options into the form that getopt takes. */
static void list_options(const struct verb *verb, struct option *ret_long, char *ret_short)
{
	if (verb->operands && strncmp(verb->operands, "COMMAND", strlen("COMMAND")) == 0)
		*ret_short++ = '+';
	for (unsigned i = 0; i < N_OPTIONS; i++) {
		if (!takes(verb, i))
			continue;
		*ret_long++ = (struct option){
			.name = table[i].name + strlen("--"),
			.has_arg = table[i].argument ? required_argument : no_argument,
			.val = LONG_ONLY + (int)i,
		};
		if (table[i].letter)
			*ret_short++ = table[i].letter[1];
		if (table[i].letter && table[i].argument)
			*ret_short++ = ':';
	}
	*ret_long = (struct option){ 0 };
	*ret_short = '\0';
}

/* Returns the option for a value that getopt returned. */
static enum option_name option_of(const struct verb *verb, int value)
{
	if (value >= LONG_ONLY)
		return (enum option_name)(value - LONG_ONLY);
	for (unsigned i = 0; i < N_OPTIONS; i++) {
		if (takes(verb, i) && table[i].letter && table[i].letter[1] == value)
			return (enum option_name)i;
	}
	return N_OPTIONS; /* '?': getopt has printed the error */
}

/* Counts the operands that must be given, and those that may be. */
static void count_operands(const char *operands, int *ret_min, int *ret_max)
{
	*ret_min = *ret_max = 0;
	for (const char *word = operands; word && *word; word += strspn(word, " ")) {
		if (strncmp(word, "...", 3) == 0) {
			*ret_max = INT_MAX;
			return;
		}
		*ret_min += *word != '[';
		(*ret_max)++;
		word += strcspn(word, " ");
	}
}

/* Returns 0, or the exit status of a wrong command line. */
static int check_operands(const struct command *command)
{
	const struct verb *verb = command->verb;
	char operand[256], usage[64];
	int min, max;

	for (unsigned i = 0; i < N_OPTIONS; i++) {
		if (takes(verb, i) && is_needed(i) && !option_given(command, i))
			return usage_error(verb, "%s needs %s", verb->name, short_usage(i, usage, sizeof(usage)));
	}
	count_operands(verb->operands, &min, &max);
	if (command->n_operands < min)
		return usage_error(verb, "%s needs %s", verb->name, verb->operands);
	if (command->n_operands > max) {
		const char *first = command->operands[max];

		return usage_error(verb, "%s takes no '%s'", verb->name,
				   text_escape_to(operand, sizeof(operand), first, strlen(first)));
	}
	return 0;
}

/* Parses a command line. Returns 0, or 1 with the exit status if nothing is left to do. */
static int parse_options(struct command *command, int argc, char **argv, int *ret_status)
{
	static char getopt_name[] = "schedqos"; /* the prefix of getopt's messages */
	char short_options[2 * N_OPTIONS + 2];
	struct option long_options[N_OPTIONS + 1];
	int value;

	list_options(command->verb, long_options, short_options);
	argv[0] = getopt_name;
	while ((value = getopt_long(argc, argv, short_options, long_options, NULL)) >= 0) {
		enum option_name name = option_of(command->verb, value);

		*ret_status = 0;
		if (name == OPTION_HELP) {
			print_verb_help(command->verb);
			return 1;
		}
		*ret_status = EXIT_USAGE;
		if (name == N_OPTIONS) {
			print_usage(command->verb, stderr);
			return 1;
		}
		command->values[name] = table[name].argument ? optarg : "";
	}
	command->operands = argv + optind;
	command->n_operands = argc - optind;
	*ret_status = check_operands(command);
	return *ret_status != 0;
}

int take_pid(const struct command *command, const char *text, pid_t *ret)
{
	char safe[256];
	uint64_t pid;

	if (parse_u64(text, strlen(text), INT32_MAX, &pid) < 0 || pid == 0)
		return usage_error(command->verb, "'%s' is not a process id%s",
				   text_escape_to(safe, sizeof(safe), text, strlen(text)),
				   takes(command->verb, OPTION_NAME) ? " (--name is for a program's name)" :
				   takes(command->verb, OPTION_LIFT) ? " (a cgroup's path begins with '/')" : "");
	*ret = (pid_t)pid;
	return 0;
}

int verb_run(const struct verb *verb, int argc, char **argv)
{
	struct command command = { .verb = verb };
	int status;

	if (!parse_options(&command, argc, argv, &status)) {
		command.paths.file = command.values[OPTION_CONFIG];
		command.paths.folder = command.values[OPTION_CONFIGS_PATH];
		command.paths.mapping = command.values[OPTION_MAPPING];
		status = verb->run(&command);
	}
	return status;
}
