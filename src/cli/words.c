/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints parts of the daemon's JSON in words, for status and explain. */
#include "words.h"

#include <stdarg.h>
#include <string.h>

void words_line(const char *label, const char *format, ...)
{
	va_list values;

	printf("\n" LABEL, label);
	va_start(values, format);
	vprintf(format, values);
	va_end(values);
}

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

void words_attributes(const cJSON *attr, const cJSON *names)
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
