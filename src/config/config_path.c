/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a rule stands in its file, as a path of keys. */
#include "config_private.h"

char *config_path_of(const struct config *config, const struct rule *rule, const struct thread_rule *thread)
{
	struct text_buf path = { 0 };
	uint32_t index = 0;

	/* The rules of a list are numbered one after another. */
	for (uint32_t id = rule->id; id > 1 && rules_by_id(config->rules, id - 1)->next == rules_by_id(config->rules, id);
	     id--)
		index++;
	json_path_put_key(&path, rule->pattern);
	if (index || rule->next)
		text_buf_printf(&path, "[%u]", index);
	if (thread) {
		json_path_put_key(&path, "thread_qos");
		json_path_put_key(&path, thread->pattern);
	}
	return text_buf_take(&path);
}
