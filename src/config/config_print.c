/* SPDX-License-Identifier: GPL-2.0-only */
/* The merged configuration as one rules file. */
#include "config_private.h"

#include <stdio.h>
#include <string.h>

#include <schedqos/policy/rules.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/text.h>

char *config_print_profiles(const struct config *config)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '{');
	for (size_t i = 0; i < config->n_profiles; i++)
		put_profile(&json, config->profiles[i].name, &config->profiles[i]);
	json_end(&json, '}');
	return json_take(&json);
}

/*
 * The last file's rules come first: of equally good globs the one in the later file wins, but within the
 * single file that this becomes, the one on the earlier line.
 */
static void put_all_rules(struct json_writer *json, const struct rules *rules, const char *const *files)
{
	size_t end = rules_count(rules);

	while (end > 0) {
		size_t start = end - 1;
		unsigned file = rules_nth(rules, start)->source.file;

		while (start > 0 && rules_nth(rules, start - 1)->source.file == file)
			start--;
		for (size_t i = start; i < end; i++)
			put_rules(json, rules_nth(rules, i)->pattern, rules_nth(rules, i), files);
		end = start;
	}
}

char *config_print(const struct config *config, bool with_places)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '{');
	put_settings(&json, config);
	for (size_t i = 0; i < config->n_classes; i++)
		put_class(&json, config->classes[i].name, &config->classes[i]);
	put_all_rules(&json, config->rules, with_places ? config->files : NULL);
	json_end(&json, '}');
	return json_take(&json);
}
