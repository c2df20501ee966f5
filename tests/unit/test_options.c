/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which options and operands a verb gets from a command line. */
#include "test.h"

#include <stdbool.h>
#include <getopt.h>

#include "../../src/cli/verb.h"

#define WORDS_MAX 12
#define STATUS	  42 /* exit status of the verb that runs */

/* The verb's options as "OPTION=VALUE" or "OPTION", then "|" and the operands. */
static char seen[512];

static int record(const struct command *command)
{
	size_t used = 0;

	seen[0] = '\0';
	for (int name = 0; name < N_OPTIONS; name++) {
		const char *value = command->values[name];

		if (option_given(command, name))
			used += snprintf(seen + used, sizeof(seen) - used, "%d%s%s ", name, *value ? "=" : "", value);
	}
	used += snprintf(seen + used, sizeof(seen) - used, "|");
	for (int i = 0; i < command->n_operands; i++)
		used += snprintf(seen + used, sizeof(seen) - used, " %s", command->operands[i]);
	assert_ptr_equal(command->paths.file, command->values[OPTION_CONFIG]);
	assert_null(command->operands[command->n_operands]);
	return STATUS;
}

static const struct verb plain = {
	.name = "plain",
	.takes = TAKES(VERBOSE) | TAKES(JSON) | TAKES_PATHS,
	.operands = "[FILE] [FILE]",
	.run = record,
};

static const struct verb runner = {
	.name = "runner",
	.takes = TAKES(VERBOSE) | TAKES(QOS),
	.operands = "COMMAND [ARGUMENT ...]",
	.run = record,
};

/* Runs the verb with these words, which are split at spaces. */
static int run(const struct verb *verb, const char *words)
{
	char copy[256], *argv[WORDS_MAX + 1] = { 0 }, *rest;
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	seen[0] = '\0';
	optind = 0;
	return verb_run(verb, argc, argv);
}

TEST(a_verb_gets_its_options_and_operands)
{
	char expected[256];

	assert_int_equal(run(&plain, "plain"), STATUS);
	assert_string_equal(seen, "|");
	assert_int_equal(run(&plain, "plain one --json -vv --config=a two --config b"), STATUS);
	/* The last of several values counts. */
	snprintf(expected, sizeof(expected), "%d %d %d=b | one two", OPTION_VERBOSE, OPTION_JSON, OPTION_CONFIG);
	assert_string_equal(seen, expected);
	assert_int_equal(run(&plain, "plain -- --json"), STATUS);
	assert_string_equal(seen, "| --json");
}

TEST(an_option_that_a_verb_does_not_take_is_wrong_usage)
{
	static const char *const wrong[] = {
		"plain --print",       "plain -d",	 "plain --config",
		"plain one two three", "plain --json=x", "plain --no-such",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(run(&plain, wrong[i]), EXIT_USAGE);
		assert_string_equal(seen, "");
	}
}

TEST(a_missing_option_or_operand_is_wrong_usage)
{
	assert_int_equal(run(&runner, "runner true"), EXIT_USAGE);
	assert_int_equal(run(&runner, "runner -q a"), EXIT_USAGE);
	assert_string_equal(seen, "");
}

TEST(options_after_a_command_belong_to_the_command)
{
	char expected[256];

	assert_int_equal(run(&runner, "runner -v -q a ls --json -v -- x"), STATUS);
	snprintf(expected, sizeof(expected), "%d %d=a | ls --json -v -- x", OPTION_VERBOSE, OPTION_QOS);
	assert_string_equal(seen, expected);
}

TEST(the_usage_shows_needed_options_and_operands)
{
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	verb_print_arguments(&runner, stream);
	fclose(stream);
	assert_string_equal(text, " [-v] -q CLASS COMMAND [ARGUMENT ...]");
	free(text);
}
