/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks the type and range of values, and the keys of objects. */
#include "config_private.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

bool value_is_object(struct parser *parser, const struct json_node *value, const char *example)
{
	if (value->type == JSON_OBJECT)
		return true;
	complain(parser, value, AT_VALUE, "must be an object, not %s%s%s", json_type_name(value),
		 example ? ": such as " : "", example ? example : "");
	return false;
}

const char *value_text(struct parser *parser, const struct json_node *value)
{
	if (value->type != JSON_STRING) {
		complain(parser, value, AT_VALUE, "must be a string, not %s", json_type_name(value));
		return NULL;
	}
	if (!*value->text) {
		complain(parser, value, AT_VALUE, "must not be empty");
		return NULL;
	}
	return value->text;
}

const char *value_kept(struct parser *parser, const struct json_node *value)
{
	const char *text = value_text(parser, value);

	return text ? keep_text(parser, text) : NULL;
}

const char *const *value_list(struct parser *parser, const struct json_node *value, list_item *one, size_t *ret_n)
{
	const bool is_list = value->type == JSON_LIST;
	const char **items = keep_alloc(parser, (is_list ? value->count : 1) * sizeof(*items));
	const struct json_node *item;

	*ret_n = 0;
	if (is_list && !value->count)
		complain(parser, value, AT_VALUE, "must not be empty");
	for (item = is_list ? value->child : value; items && item; item = is_list ? item->next : NULL)
		items[(*ret_n)++] = one(parser, item);
	return items;
}

void put_texts(struct json_writer *json, const char *key, const char *const *texts, size_t n)
{
	json_begin(json, key, '[');
	for (size_t i = 0; i < n; i++)
		json_put_text(json, NULL, texts[i]);
	json_end(json, ']');
}

bool value_bool(struct parser *parser, const struct json_node *value, bool *ret)
{
	if (value->type != JSON_TRUE && value->type != JSON_FALSE) {
		complain(parser, value, AT_VALUE, "must be true or false, not %s", json_type_name(value));
		return false;
	}
	*ret = value->type == JSON_TRUE;
	return true;
}

bool is_digits(const char *text)
{
	text += *text == '-';
	return *text && !text[strspn(text, "0123456789")];
}

bool value_integer(struct parser *parser, const struct json_node *value, int64_t min, int64_t max, const char *unit,
		   int64_t *ret)
{
	int r;

	if (value->type != JSON_NUMBER) {
		complain(parser, value, AT_VALUE, "must be a whole number%s%s, not %s%s", unit ? " of " : "",
			 unit ? unit : "", json_type_name(value),
			 value->type == JSON_STRING && is_digits(value->text) ? ", so without quotes" : "");
		return false;
	}
	r = json_integer(value, min, max, ret);
	if (r == -EINVAL)
		complain(parser, value, AT_VALUE,
			 "must be a whole number%s%s, without a fraction, an exponent or leading zeroes",
			 unit ? " of " : "", unit ? unit : "");
	else if (r < 0)
		complain(parser, value, AT_VALUE, "must be between %lld and %lld%s%s", (long long)min, (long long)max,
			 unit ? " " : "", unit ? unit : "");
	return r == 0;
}

const char *instead_of_null(const char *word)
{
	const bool is_meant = strcmp(word, "none") == 0 || strcmp(word, "off") == 0 || strcmp(word, "null") == 0;

	return is_meant ? ": for none write null, without quotes" : NULL;
}

const char *class_named(struct parser *parser, const struct json_node *value, enum complaint where)
{
	const struct class_table *classes = &parser->classes;
	const char *name = where == AT_KEY ? value->key : value->text;
	const struct qos_class *class;

	if (where == AT_VALUE && value->type != JSON_STRING) {
		complain(parser, value, where, "must be the name of a class, not %s", json_type_name(value));
		return NULL;
	}
	class = qos_class_find(classes->items, classes->count, name);
	if (!class)
		complain_unknown(parser, value, where, "class", name, CLASSES(classes), NULL);
	return class ? class->name : NULL;
}

/* ---- keys ---- */

static const void *field_of(const struct key *key, const void *of)
{
	return (const char *)of + key->offset;
}

int64_t key_number(const struct key *key, const void *from)
{
	switch (key->size) {
	case sizeof(int8_t):
		return *(const int8_t *)field_of(key, from);
	case sizeof(int16_t):
		return *(const int16_t *)field_of(key, from);
	case sizeof(int32_t):
		return *(const int32_t *)field_of(key, from);
	default:
		return *(const int64_t *)field_of(key, from);
	}
}

static void set_number(const struct key *key, void *into, int64_t number)
{
	void *field = (char *)into + key->offset;

	switch (key->size) {
	case sizeof(int8_t):
		*(int8_t *)field = (int8_t)number;
		break;
	case sizeof(int16_t):
		*(int16_t *)field = (int16_t)number;
		break;
	case sizeof(int32_t):
		*(int32_t *)field = (int32_t)number;
		break;
	default:
		*(int64_t *)field = number;
		break;
	}
}

static void complain_word(struct parser *parser, const struct key *key, const struct json_node *value)
{
	const struct valid_names words = NAMES(key->words, key->n_words);
	_cleanup_free_ char *all = NULL;

	if (value->type == JSON_STRING && *value->text) {
		complain_unknown(parser, value, AT_VALUE, key->kind ? key->kind : key->name, value->text, words, NULL);
		return;
	}
	all = names_to_choose(parser, words);
	if (all)
		complain(parser, value, AT_VALUE, "%s, not %s", all + strlen(": "),
			 value->type == JSON_STRING ? "empty" : json_type_name(value));
}

static bool parse_word(struct parser *parser, const struct key *key, const struct json_node *value, int64_t *ret)
{
	for (size_t i = 0; i < key->n_words; i++) {
		if (value->type == JSON_STRING && strcmp(value->text, key->words[i].text) == 0) {
			*ret = key->words[i].number;
			return true;
		}
	}
	complain_word(parser, key, value);
	return false;
}

static bool parse_text(struct parser *parser, const struct key *key, const struct json_node *value, void *into)
{
	const char **field = (void *)((char *)into + key->offset);

	*field = NULL;
	if (key->or_null && value->type == JSON_NULL)
		return true;
	if (key->or_null && key->type == KEY_CLASS && value->type == JSON_STRING && instead_of_null(value->text)) {
		complain(parser, value, AT_VALUE, "unknown class \"%s\"%s", value->text, instead_of_null(value->text));
		return false;
	}
	*field = key->type == KEY_CLASS ? class_named(parser, value, AT_VALUE) : value_kept(parser, value);
	if (*field && key->check)
		key->check(parser, value, WARNING, *field);
	return *field;
}

bool parse_key(struct parser *parser, const struct key *key, const struct json_node *value, void *into)
{
	int64_t number;
	bool good;

	switch (key->type) {
	case KEY_TEXT:
	case KEY_CLASS:
		return parse_text(parser, key, value, into);
	case KEY_BOOL:
		if (!value_bool(parser, value, &good))
			return false;
		set_number(key, into, key->words ? key->words[!good].number : good);
		return true;
	case KEY_NUMBER:
	case KEY_WORD:
		good = key->type == KEY_WORD ? parse_word(parser, key, value, &number)
					     : value_integer(parser, value, key->min, key->max, key->kind, &number);
		if (good)
			set_number(key, into, number);
		return good;
	case KEY_OTHER:
		if (key->parse)
			key->parse(parser, value, (char *)into + key->offset);
		return true;
	}
	return false;
}

static void put_word(struct json_writer *json, const struct key *key, const char *name, int64_t number)
{
	size_t i = 0;

	while (i < key->n_words && key->words[i].number != number)
		i++;
	if (i < key->n_words)
		json_put_text(json, name, key->words[i].text);
}

void put_key(struct json_writer *json, const struct key *key, const char *name, const void *from)
{
	const char *text;

	switch (key->type) {
	case KEY_TEXT:
	case KEY_CLASS:
		text = *(const char *const *)field_of(key, from);
		if (!text && key->or_null)
			json_put_null(json, name);
		json_put_text(json, name, text);
		break;
	case KEY_BOOL:
		if (key_number(key, from))
			json_put_bool(json, name, !key->words || key_number(key, from) == key->words[0].number);
		break;
	case KEY_NUMBER:
		if (key_number(key, from))
			json_put_number(json, name, key_number(key, from));
		break;
	case KEY_WORD:
		put_word(json, key, name, key_number(key, from));
		break;
	case KEY_OTHER:
		if (key->put)
			key->put(json, name, field_of(key, from));
		break;
	}
}

void put_keys(struct json_writer *json, const struct keys *keys, const void *from)
{
	for (size_t i = 0; i < keys->n; i++)
		put_key(json, &keys->items[i], keys->items[i].name, from);
}

const struct key *find_key(const struct keys *keys, const char *name)
{
	for (size_t i = 0; i < keys->n; i++) {
		if (strcmp(keys->items[i].name, name) == 0)
			return &keys->items[i];
	}
	return NULL;
}

const struct key *key_of(struct parser *parser, const struct json_node *value, const struct keys *keys)
{
	const struct key *key = find_key(keys, value->key);
	const char *elsewhere = !key && keys->elsewhere ? keys->elsewhere(value) : NULL;
	const struct valid_names names = { keys->items, elsewhere ? 0 : keys->n, sizeof(*keys->items) };

	if (!key)
		complain_unknown(parser, value, AT_KEY, keys->kind, value->key, names, elsewhere);
	return key;
}

void parse_keys(struct parser *parser, const struct json_node *object, const struct keys *keys, void *into)
{
	const struct json_node *value;

	json_each (value, object) {
		const struct key *key = key_of(parser, value, keys);

		if (key)
			parse_key(parser, key, value, into);
	}
}

bool is_schema(struct parser *parser, const struct json_node *value)
{
	if (strcmp(value->key, SCHEMA_KEY) != 0)
		return false;
	value_text(parser, value);
	return true;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct json_node *)a)->key, ((const struct json_node *)b)->key);
}

static void keep_node(void *node)
{
	(void)node;
}

void check_duplicates(struct parser *parser, const struct json_node *node)
{
	const struct json_node *item;
	void *seen = NULL;

	json_each (item, node) {
		const struct json_node **found = item->key ? tsearch(item, &seen, compare_keys) : &item;

		if (!found)
			parser->no_memory = true;
		else if (*found != item)
			complain(parser, item, AT_KEY, "already defined at %u:%u", (*found)->key_at.line,
				 (*found)->key_at.column);
		check_duplicates(parser, item);
	}
	tdestroy(seen, keep_node);
}

void *keep_alloc(struct parser *parser, size_t size)
{
	void *object = arena_alloc(&parser->config->memory, size);

	if (!object)
		parser->no_memory = true;
	return object;
}

char *keep_bytes(struct parser *parser, const char *text, size_t length)
{
	char *copy = arena_text(&parser->config->memory, text, length);

	if (!copy)
		parser->no_memory = true;
	return copy;
}

const char *keep_text(struct parser *parser, const char *text)
{
	return keep_bytes(parser, text, strlen(text));
}

struct source source_of(const struct parser *parser, const struct json_node *node, enum complaint where)
{
	struct json_position position = where == AT_KEY ? node->key_at : node->at;

	return (struct source){
		.line = position.line,
		.column = position.column,
		.file = parser->file,
	};
}

static char *find_item(char *items, size_t count, size_t size, const char *name)
{
	for (size_t i = 0; i < count; i++, items += size) {
		if (strcmp(*(const char *const *)items, name) == 0)
			return items;
	}
	return NULL;
}

/* Capacity is always a power of two, so a count that is one means "full". */
static void *room_for_one(struct parser *parser, void *items, size_t count, size_t size)
{
	void *all;

	if (count & (count - 1))
		return items;
	all = keep_alloc(parser, (count ? count * 2 : 1) * size);
	return all && count ? memcpy(all, items, count * size) : all;
}

void *put_item(struct parser *parser, void *items, size_t *count, size_t size, const void *item)
{
	const char *name = *(const char *const *)item;
	char *same = name ? find_item(items, *count, size, name) : NULL;
	char *all = name && !same ? room_for_one(parser, items, *count, size) : NULL;

	if (same)
		memcpy(same, item, size);
	if (!all)
		return items;
	memcpy(all + (*count)++ * size, item, size);
	return all;
}

void remove_item(void *items, size_t *count, size_t size, const char *name)
{
	char *item = find_item(items, *count, size, name);

	if (!item)
		return;
	(*count)--;
	memmove(item, item + size, (size_t)((char *)items + *count * size - item));
}
