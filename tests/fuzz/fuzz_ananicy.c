/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Imports any bytes as a file of ananicy's rules. The result must be a valid configuration, with a summary that is safe
 * for a terminal.
 */
#include <string.h>

#include <schedqos/config/config_text.h>

#include "fuzz.h"

static void check_text(char *text)
{
	struct config_file file = { .path = "made", .kind = CONFIG_RULES };
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	if (!text)
		return;
	file.text = text;
	file.size = strlen(text);
	check(config_parse(&file, 1, NULL, NULL, &config, &errors) == 0);
	config_errors_clear(&errors);
	config_free(config);
	free(text);
}

static void check_summary(char *summary)
{
	for (const char *c = summary; *c; c++)
		check(*c == '\n' || ((unsigned char)*c >= 0x20 && *c != 0x7f));
	free(summary);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct ananicy *ananicy;
	char *text, *summary;

	if (size < 1 || size > 100000)
		return 0;
	check(ananicy_new(&ananicy) == 0);
	check(ananicy_read(ananicy, "a.rules", (const char *)input + 1, size - 1) == 0);
	check(ananicy_convert(ananicy, &text, &summary) == 0);
	check_text(text);
	check_summary(summary);
	ananicy_free(ananicy);
	return 0;
}
