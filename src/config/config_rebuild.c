/* SPDX-License-Identifier: GPL-2.0-only */
/* From items back to text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/config/config_diff.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text_buf.h>

#include "config_private.h"

/* A file is ended when it has become so large: no item has half a MiB. */
#define ENOUGH (CONFIG_SIZE_MAX / 2)

/* Of the settings these decide on classes; another may name what is not among the items. */
static bool is_wanted(const struct config_item *item)
{
	if (strcmp(item->kind, "setting") == 0)
		return strcmp(item->name, "default") == 0 || strcmp(item->name, "groups") == 0;
	return strcmp(item->kind, "profile") != 0;
}

static void put_member(struct text_buf *text, const struct config_item *item)
{
	text_buf_printf(text, "%s\"", text->len > 1 ? ",\n" : "");
	for (const char *c = item->name; *c; c++)
		text_buf_printf(text, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
	text_buf_printf(text, "\": %s", item->text);
}

/* Ends the text and makes it the list's next file. 0 or -ENOMEM. */
static int end_file(struct config_texts *texts, struct text_buf *text)
{
	struct config_file *files = reallocarray(texts->files, texts->count + 1, sizeof(*files));
	char *whole;

	if (files)
		texts->files = files;
	text_buf_put(text, "}", 1);
	whole = text_buf_take(text);
	if (!files || !whole) {
		free(whole);
		return -ENOMEM;
	}
	files[texts->count++] = (struct config_file){
		.path = "in force",
		.text = whole,
		.size = strlen(whole),
		.kind = CONFIG_RULES,
	};
	return 0;
}

/* The settings are first among the items, and an object of their own. */
static size_t put_settings(struct text_buf *text, const struct config_items *items)
{
	struct text_buf settings = { 0 };
	_cleanup_free_ char *inner = NULL;
	size_t i = 0;

	text_buf_put(&settings, "{", 1);
	for (; i < items->count && strcmp(items->items[i].kind, "setting") == 0; i++) {
		if (is_wanted(&items->items[i]))
			put_member(&settings, &items->items[i]);
	}
	inner = text_buf_take(&settings);
	if (inner)
		text_buf_printf(text, "{\"" SETTINGS_KEY "\": %s}", inner);
	else
		text->failed = true;
	return i;
}

int config_items_texts(const struct config_items *items, struct config_texts *ret)
{
	struct config_texts texts = { 0 };
	struct text_buf text = { 0 };
	int r = 0;

	for (size_t i = put_settings(&text, items); i < items->count && r == 0; i++) {
		if (text.len > ENOUGH) {
			r = end_file(&texts, &text);
			text_buf_put(&text, "{", 1);
		}
		if (r == 0 && is_wanted(&items->items[i]))
			put_member(&text, &items->items[i]);
	}
	if (r == 0)
		r = end_file(&texts, &text);
	free(text_buf_take(&text));
	if (r < 0)
		config_texts_clear(&texts);
	else
		*ret = texts;
	return r;
}

void config_texts_clear(struct config_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free((char *)texts->files[i].text);
	free(texts->files);
	*texts = (struct config_texts){ 0 };
}
