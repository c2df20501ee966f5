/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/config/config_text.h>

#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

static void put_escaped(struct text_buf *text, const char *before, const char *name, const char *after)
{
	_cleanup_free_ char *safe = text_escape(name, strlen(name));

	text_buf_printf(text, "%s%s%s", before, safe ? safe : "", after);
}

char *class_words_unknown(const struct config *config, const char *name)
{
	struct suggestion near = { .word = name };
	struct text_buf text = { 0 };

	for (size_t i = 0; i < config->n_classes; i++)
		suggest_offer(&near, config->classes[i].name);
	put_escaped(&text, "no class \"", name, "\"");
	if (near.best)
		put_escaped(&text, " (did you mean \"", near.best, "\"?)");
	for (size_t i = 0; i < config->n_classes; i++)
		put_escaped(&text, i ? ", " : ": there are ", config->classes[i].name, "");
	return text_buf_take(&text);
}
