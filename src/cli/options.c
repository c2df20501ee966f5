/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of all verbs, in one table. */
#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "verb.h"

#define AT(member) offsetof(struct command, member)

/* The first number for an option that has no short form. */
#define LONG_FIRST 256

static const struct {
	unsigned bit; /* enum verb_option; 0: accepted by every verb, and not shown in its usage */
	char letter;  /* its short form, or 0 */
	const char *word;
	size_t at; /* where in struct command: a bool, or with an argument a string */
	bool has_argument;
	const char *name, *summary;
} table[] = {
	/* clang-format off */
	{ TAKES_DETACH, 'd', "daemon", AT(detach), false,
	  "-d, --daemon", "go to the background once every task has been seen" },
	{ TAKES_VERBOSE, 'v', "verbose", AT(verbose), false,
	  "-v, --verbose", "log each task that is changed" },
	{ TAKES_FILTER, 0, "class", AT(filter.class), true,
	  "--class NAME", "only tasks of this class" },
	{ TAKES_FILTER, 0, "app", AT(filter.app), true,
	  "--app PATTERN", "only those of this rule or program" },
	{ TAKES_FILTER, 0, "reason", AT(filter.reason), true,
	  "--reason NAME", "only those in their class for this reason" },
	{ TAKES_FILTER, 0, "user", AT(filter.user), true,
	  "--user NAME", "only those of this user" },
	{ TAKES_FILTER, 0, "left-alone", AT(filter.left_alone), false,
	  "--left-alone", "only those that carry nothing of a class" },
	{ TAKES_FILTER, 0, "differs", AT(filter.differs), false,
	  "--differs", "only those that carry something else than their class means" },
	{ TAKES_SHAPE, 0, "threads", AT(threads), false,
	  "--threads", "a line for every thread" },
	{ TAKES_SHAPE, 0, "tree", AT(tree), false,
	  "--tree", "children below their parents" },
	{ TAKES_FRAMES, 0, "once", AT(once), false,
	  "--once", "one frame only, as where standard output is no terminal" },
	{ TAKES_FRAMES, 0, "interval", AT(interval), true,
	  "--interval SECONDS", "between two frames, 2 if not given" },
	{ TAKES_FRAMES, 0, "sort", AT(sort), true,
	  "--sort KEY", "by cpu, delay, wait, tasks or name" },
	{ TAKES_ROUNDS, 0, "rounds", AT(rounds), true,
	  "--rounds N", "with tagging on and off each, 6 if not given" },
	{ TAKES_ROUNDS, 0, "seconds", AT(seconds), true,
	  "--seconds S", "each round, 20 if not given" },
	{ TAKES_JSON, 0, "json", AT(json), false,
	  "--json", "for programs" },
	{ TAKES_PRINT, 0, "print", AT(print), false,
	  "--print", "print the configuration, merged" },
	{ TAKES_NONE, 0, "none", AT(none), false,
	  "--none", "put back what a profile has set" },
	{ TAKES_CONFIG, 0, "config", AT(paths.file), true,
	  "--config FILE", "instead of " SYSCONFDIR "/schedqos.json" },
	{ TAKES_CONFIG, 0, "configs-path", AT(paths.folder), true,
	  "--configs-path DIR", "instead of " DATADIR "/schedqos and " SYSCONFDIR "/schedqos" },
	{ 0, 'h', "help", AT(help), false,
	  "-h, --help", "show this" },
	/* clang-format on */
};

static bool takes(const struct verb *verb, size_t row)
{
	return !table[row].bit || (verb->takes & table[row].bit);
}

void verb_print_arguments(const struct verb *verb, FILE *stream)
{
	for (size_t i = 0; i < array_size(table); i++) {
		const char *name = table[i].name;

		/* Only the short form, if there is one. */
		if (table[i].bit && takes(verb, i))
			fprintf(stream, " [%.*s]", (int)strcspn(name, ","), name);
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

static void print_help(const struct verb *verb)
{
	print_usage(verb, stdout);
	printf("%s\n\n", verb->summary);
	for (size_t i = 0; i < array_size(table); i++) {
		if (takes(verb, i))
			printf("  %-20s %s\n", table[i].name, table[i].summary);
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

static int number_of(size_t row)
{
	return table[row].letter ? table[row].letter : LONG_FIRST + (int)row;
}

/* The verb's part of the table in the form that getopt takes. */
static void list_options(const struct verb *verb, struct option *ret_long, char *ret_short)
{
	for (size_t i = 0; i < array_size(table); i++) {
		if (!takes(verb, i))
			continue;
		*ret_long++ = (struct option){ table[i].word, table[i].has_argument ? required_argument : no_argument,
					       NULL, number_of(i) };
		if (table[i].letter)
			*ret_short++ = table[i].letter;
	}
	*ret_long = (struct option){ 0 };
	*ret_short = '\0';
}

static void set_option(struct command *command, int option)
{
	for (size_t i = 0; i < array_size(table); i++) {
		void *member = (char *)command + table[i].at;

		if (number_of(i) != option)
			continue;
		if (table[i].has_argument)
			*(const char **)member = optarg;
		else
			*(bool *)member = true;
	}
}

int verb_run(const struct verb *verb, int argc, char **argv)
{
	static char getopt_name[] = "schedqos"; /* the prefix of getopt's messages */
	char short_options[array_size(table) + 1], operand[256];
	struct option long_options[array_size(table) + 1];
	struct command command = { .verb = verb };
	int option;

	list_options(verb, long_options, short_options);
	argv[0] = getopt_name;
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) >= 0) {
		if (option == '?') {
			print_usage(verb, stderr);
			return EXIT_USAGE;
		}
		set_option(&command, option);
		if (command.help) {
			print_help(verb);
			return 0;
		}
	}
	command.operands = argv + optind;
	command.n_operands = argc - optind;
	if (verb->max_operands >= 0 && command.n_operands > verb->max_operands) {
		const char *first = command.operands[verb->max_operands];

		return usage_error(verb, "%s takes no '%s'", verb->name,
				   text_escape_to(operand, sizeof(operand), first, strlen(first)));
	}
	return verb->run(&command);
}
