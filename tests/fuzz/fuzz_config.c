/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses any bytes as one or two configuration files. Every refusal must have a place and a reason. An accepted
 * configuration must print as a file that is accepted, and that prints the same. The first byte chooses the kinds of
 * files.
 */
#include <errno.h>
#include <string.h>

#include "fuzz.h"

static void check_errors(int r, const struct config_errors *errors)
{
	check(r == 0 || r == -EINVAL);
	check((r == 0) == (errors->n_errors == 0));
	for (size_t i = 0; i < errors->count; i++) {
		check(errors->items[i].line > 0 && errors->items[i].column > 0);
		for (const char *c = errors->items[i].text; *c; c++)
			check((unsigned char)*c >= 0x20 && *c != 0x7f);
	}
}

/* Prints the configuration without its profiles, which only a file of profiles can have. */
static char *print(struct config *config)
{
	config->settings.sched_profile = NULL;
	return config_print(config, false);
}

static void check_print(struct config *config)
{
	char *first = print(config), *second;
	struct config_file file = { .path = "print", .text = first, .size = strlen(first) };
	struct config_errors errors = { 0 };
	struct config *again = NULL;

	check(config_parse(&file, 1, NULL, NULL, &again, &errors) == 0);
	second = print(again);
	check(strcmp(first, second) == 0);
	free(second);
	config_errors_clear(&errors);
	config_free(again);
	free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	const char *text = (const char *)input + 1, *cut;
	struct config_errors errors = { 0 };
	struct config_file files[2];
	struct config *config = NULL;
	int r;

	if (size < 1)
		return 0;
	size--;
	cut = memchr(text, '\f', size);
	files[0] = (struct config_file){ "a.json", text, cut ? (size_t)(cut - text) : size,
					 input[0] & 3, false };
	files[1] = (struct config_file){ "b.json", "{}", 2, (input[0] >> 2) & 3, false };
	if (cut) {
		files[1].text = cut + 1;
		files[1].size = text + size - (cut + 1);
	}
	r = config_parse(files, 2, NULL, NULL, &config, &errors);
	check_errors(r, &errors);
	if (r == 0) {
		check(config_lint(config, &errors) == 0);
		check_errors(0, &errors);
		check_print(config);
	}
	config_errors_clear(&errors);
	config_free(config);
	return 0;
}
