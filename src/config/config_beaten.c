/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings about rules that another one always comes before. */
#include "config_private.h"

#include <errno.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

static int warn(const struct config *config, const struct rule *rule, const struct rule *before,
		struct config_errors *errors)
{
	_cleanup_free_ char *message = NULL;
	struct text_buf text = { 0 };

	text_buf_printf(&text, "never takes effect: \"%s\" of %s:%u has no conditions and always comes first", before->pattern,
			config->files[before->source.file], before->source.line);
	if (!pattern_is_glob(before->pattern))
		text_buf_printf(&text, ", since an exact name goes before a glob: write \"%s\" with a \"match\" of \"exe\"",
				before->pattern);
	message = text_buf_take(&text);
	return message ? config_rule_warn(config, rule, NULL, message, errors) : -ENOMEM;
}

int config_check_beaten(const struct config *config, struct config_errors *errors)
{
	const struct rule *rule, *before;
	int r = 0;

	for (size_t i = 0; r == 0 && (rule = rules_nth(config->rules, i)); i++) {
		before = rules_always_before(config->rules, rule);
		/* A later file's rule is meant to come before. */
		if (before && before->source.file <= rule->source.file)
			r = warn(config, rule, before, errors);
	}
	return r;
}
