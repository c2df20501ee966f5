/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints sentences about JSON objects, for status and explain. */
#include "words.h"

#include <string.h>

/* ---- conditions ---- */

/* Finds a member. path is "MEMBER" or "MEMBER.MEMBER", or "" for the item itself; the call modifies it. */
static const cJSON *find(const struct about *about, char *path)
{
	const cJSON *found = *path ? NULL : about->objects[0];
	const char *key = strsep(&path, ".");

	for (size_t i = 0; i < array_size(about->objects) && !found; i++)
		found = member(about->objects[i], key);
	return path ? member(found, path) : found;
}

static bool is_so(const cJSON *found)
{
	if (cJSON_IsString(found))
		return *found->valuestring;
	return cJSON_IsTrue(found) || (cJSON_IsNumber(found) && found->valuedouble > 0) || (found && found->child);
}

/* Returns whether one word of `when` holds; modifies it. */
static bool holds(const struct about *about, char *word)
{
	const bool is_not = *word == '!';
	char *text = word + is_not, *path = strsep(&text, "=");
	const cJSON *found = find(about, path);

	return (text ? cJSON_IsString(found) && strcmp(found->valuestring, text) == 0 : is_so(found)) != is_not;
}

static bool all_hold(const struct about *about, const char *when)
{
	char words[128], *rest = words, *word;

	snprintf(words, sizeof(words), "%s", when);
	while ((word = strsep(&rest, " "))) {
		if (strcmp(word, "else") != 0 && !holds(about, word))
			return false;
	}
	return true;
}

/* ---- text ---- */

/* Prints one attribute, such as "nice 5". */
static void print_attribute(const cJSON *attr, const char *name)
{
	const double value = cJSON_GetNumberValue(member(attr, name));

	if (strcmp(name, "policy") == 0)
		printf("%s", member_text(attr, "policy"));
	else if (strcmp(name, "slice") == 0 && value > 0)
		printf("slice %g ms", value / 1e6);
	else if (strcmp(name, "slice") == 0)
		printf("no custom slice");
	else if (strcmp(name, "io_priority") == 0 && member_is(attr, "io_class", "idle"))
		printf("I/O idle");
	else if (strcmp(name, "io_priority") == 0 && member(attr, "io_class"))
		printf("I/O %s %.0f", member_text(attr, "io_class"), value);
	else if (strcmp(name, "io_priority") == 0)
		printf("no I/O priority");
	else
		printf("%s %.0f", name, value);
}

/* Prints attributes, such as "nice 5 and slice 3 ms". */
static void print_attributes(const cJSON *attr, const cJSON *names)
{
	const cJSON *name;

	cJSON_ArrayForEach (name, names) {
		print_attribute(attr, name->valuestring);
		if (name->next)
			printf(name->next->next ? ", " : " and ");
	}
}

/* Prints a rule as "PATTERN" at FILE:LINE:COLUMN; built-in rules have no place. */
static void print_rule(const cJSON *rule)
{
	printf("\"%s\"", member_text(rule, "pattern"));
	if (member(rule, "file"))
		printf(" at %s:%.0f:%.0f", member_text(rule, "file"), cJSON_GetNumberValue(member(rule, "line")),
		       cJSON_GetNumberValue(member(rule, "column")));
}

static void print_items(const cJSON *list)
{
	const cJSON *one;

	cJSON_ArrayForEach (one, list) {
		if (one->string)
			printf("%s ", one->string);
		words_value(one);
		if (one->next && one->string)
			printf(", ");
		else if (one->next)
			printf("\n" LABEL, "");
	}
}

void words_value(const cJSON *value)
{
	if (cJSON_IsNumber(value))
		printf("%.0f", value->valuedouble);
	else if (cJSON_IsBool(value))
		printf("%s", cJSON_IsTrue(value) ? "yes" : "no");
	else if (cJSON_IsString(value))
		printf("%s", strcmp(value->valuestring, "argv0") == 0 ? "argv[0]" : value->valuestring);
	else if (member(value, "pattern"))
		print_rule(value);
	else
		print_items(value);
}

static void print_text(const struct about *about, const char *text)
{
	while (*text) {
		const size_t plain = strcspn(text, "<");
		char name[64], *rest = name;
		const cJSON *value;

		printf("%.*s", (int)plain, text);
		text += plain;
		if (!*text)
			break;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(text + 1, ">"), text + 1);
		text += strlen(name) + 2;
		value = find(about, strsep(&rest, ":"));
		if (rest)
			print_attributes(value, find(about, rest));
		else
			words_value(value);
	}
}

void words_say(const struct about *about, const struct sentence *sentences)
{
	bool was_said = false;

	for (; sentences->when; sentences++) {
		if (was_said && strncmp(sentences->when, "else", 4) == 0)
			continue;
		was_said = all_hold(about, sentences->when);
		if (was_said && sentences->label)
			printf("\n" LABEL, sentences->label);
		if (was_said)
			print_text(about, sentences->text);
	}
}
