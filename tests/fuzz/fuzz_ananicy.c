/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as a file of ananicy's rules: no crash, and what is made of them is a good configuration, with a summary
 * that a terminal can take. The first byte chooses the options.
 */
#include <errno.h>
#include <string.h>

#include <schedqos/config/ananicy.h>

#include "fuzz.h"

#define FILES_MAX 4

static void check_output(const struct ananicy_output *output)
{
	struct config_file files[FILES_MAX];
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	check(output->count > 0 && output->count <= FILES_MAX);
	for (size_t i = 0; i < output->count; i++) {
		files[i] = (struct config_file){ .path = "made", .text = output->parts[i].text, .kind = CONFIG_RULES };
		files[i].size = strlen(files[i].text);
		check(files[i].size <= CONFIG_SIZE_MAX);
	}
	check(config_parse(files, output->count, NULL, NULL, &config, &errors) == 0);
	config_errors_clear(&errors);
	config_free(config);
}

static void check_summary(const struct ananicy *ananicy)
{
	char *summary = ananicy_summary(ananicy);

	check(summary != NULL);
	for (const char *c = summary; *c; c++)
		check(*c == '\n' || ((unsigned char)*c >= 0x20 && *c != 0x7f));
	free(summary);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct ananicy_output output = { 0 };
	struct ananicy_options options;
	struct ananicy *ananicy;
	int r;

	/* All that can be made of so little fits into one file. */
	if (size < 1 || size > 100000)
		return 0;
	options = (struct ananicy_options){
		.exact = *input & 1,
		.skip_doubtful = *input & 2,
		.in_one = *input & 4,
	};
	check(ananicy_new(&ananicy) == 0);
	check(ananicy_read(ananicy, "a.rules", (const char *)input + 1, size - 1) == 0);
	r = ananicy_convert(ananicy, &options, &output);
	check(r == 0 || r == -ENOENT || r == -E2BIG);
	if (r == 0)
		check_output(&output);
	check_summary(ananicy);
	ananicy_output_clear(&output);
	ananicy_free(ananicy);
	return 0;
}
