/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of all verbs, in one table. */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "verb.h"

enum {
	LONG_JSON = 256,
	LONG_PRINT,
	LONG_NONE,
	LONG_CONFIG,
	LONG_CONFIGS_PATH,
	LONG_INHERIT,
	LONG_KEEP,
	LONG_LIFT,
};

static const struct {
	unsigned bit; /* enum verb_option; 0: accepted by every verb, and not shown in its usage */
	struct option option;
	const char *name, *summary;
} table[] = {
	/* clang-format off */
	{ TAKES_DETACH, { "daemon", no_argument, NULL, 'd' },
	  "-d, --daemon", "go to the background once every task has been seen" },
	{ TAKES_VERBOSE, { "verbose", no_argument, NULL, 'v' },
	  "-v, --verbose", "log each task that is changed" },
	{ TAKES_JSON, { "json", no_argument, NULL, LONG_JSON },
	  "--json", "for programs" },
	{ TAKES_PRINT, { "print", no_argument, NULL, LONG_PRINT },
	  "--print", "print the configuration, merged" },
	{ TAKES_NONE, { "none", no_argument, NULL, LONG_NONE },
	  "--none", "put back what a profile has set" },
	{ TAKES_CLASS, { "qos", required_argument, NULL, 'q' },
	  "-q, --qos CLASS", "the class" },
	{ TAKES_INHERIT, { "inherit", no_argument, NULL, LONG_INHERIT },
	  "--inherit", "together with its descendants" },
	{ TAKES_KEEP, { "keep", no_argument, NULL, LONG_KEEP },
	  "--keep", "until the process or cgroup ends, and return" },
	{ TAKES_LIFT, { "lift", no_argument, NULL, LONG_LIFT },
	  "--lift", "end every limit for it" },
	{ TAKES_CONFIG, { "config", required_argument, NULL, LONG_CONFIG },
	  "--config FILE", "instead of " SYSCONFDIR "/schedqos.json" },
	{ TAKES_CONFIG, { "configs-path", required_argument, NULL, LONG_CONFIGS_PATH },
	  "--configs-path DIR", "instead of " DATADIR "/schedqos and " SYSCONFDIR "/schedqos" },
	{ 0, { "help", no_argument, NULL, 'h' }, "-h, --help", "show this" },
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

		if (!table[i].bit || !takes(verb, i))
			continue;
		/* Only the short form, if there is one. */
		if (table[i].bit == TAKES_CLASS)
			fprintf(stream, " -q CLASS");
		else
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

/* The verb's part of the table in the form that getopt takes. */
static void list_options(const struct verb *verb, struct option *ret_long, char *ret_short)
{
	if (verb->takes & TAKES_COMMAND)
		*ret_short++ = '+';
	for (size_t i = 0; i < array_size(table); i++) {
		if (!takes(verb, i))
			continue;
		*ret_long++ = table[i].option;
		if (table[i].option.val < 256) {
			*ret_short++ = (char)table[i].option.val;
			if (table[i].option.has_arg == required_argument)
				*ret_short++ = ':';
		}
	}
	*ret_long = (struct option){ 0 };
	*ret_short = '\0';
}

static void set_option(struct command *command, int option)
{
	switch (option) {
	case 'd':
		command->detach = true;
		break;
	case 'v':
		command->verbose = true;
		break;
	case LONG_JSON:
		command->json = true;
		break;
	case LONG_PRINT:
		command->print = true;
		break;
	case LONG_NONE:
		command->none = true;
		break;
	case 'q':
		command->qos = optarg;
		break;
	case LONG_INHERIT:
		command->inherit = true;
		break;
	case LONG_KEEP:
		command->keep = true;
		break;
	case LONG_LIFT:
		command->lift = true;
		break;
	case LONG_CONFIG:
		command->paths.file = optarg;
		break;
	case LONG_CONFIGS_PATH:
		command->paths.folder = optarg;
		break;
	}
}

int verb_run(const struct verb *verb, int argc, char **argv)
{
	static char getopt_name[] = "schedqos"; /* the prefix of getopt's messages */
	char short_options[2 * array_size(table) + 2], operand[256];
	struct option long_options[array_size(table) + 1];
	struct command command = { .verb = verb };
	int option;

	list_options(verb, long_options, short_options);
	argv[0] = getopt_name;
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) >= 0) {
		if (option == 'h') {
			print_help(verb);
			return 0;
		}
		if (option == '?') {
			print_usage(verb, stderr);
			return EXIT_USAGE;
		}
		set_option(&command, option);
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
