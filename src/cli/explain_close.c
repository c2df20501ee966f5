/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process was matched by, and which rules came close. */
#include "explain.h"

#include <string.h>

#include <schedqos/util/cleanup.h>

static const char *word_for(const char *kind)
{
	if (strcmp(kind, "argv0") == 0)
		return "argv[0]";
	return kind;
}

static bool is_same_name(const cJSON *a, const cJSON *b)
{
	return b && strcmp(member_text(a, "name"), member_text(b, "name")) == 0;
}

static void print_names(const cJSON *all)
{
	const cJSON *names = cJSON_GetObjectItem(all, "names"), *name;
	const char *path = member_text(names ? names->child : NULL, "name");

	if (!names || !names->child)
		return;
	printf(LABEL, "names");
	for (name = names->child->next; name; name = name->next) {
		printf("%s", word_for(member_text(name, "kind")));
		if (is_same_name(name, name->next))
			printf(" and ");
		else
			printf(" \"%s\", ", member_text(name, "name"));
	}
	printf("%s%s", *path == '/' ? "path " : "path not known", *path == '/' ? path : "");
	if (member_flag(all, "arguments_unread"))
		printf(" (its arguments cannot be read now)");
	printf("\n");
}

static void print_condition(const cJSON *close, const cJSON *all)
{
	const char *condition = member_text(close, "condition"), *found = member_text(close, "found");

	if (strcmp(condition, "user_namespace") == 0) {
		printf("holds in the initial user namespace only, and this is in another, as in a sandbox: "
		       "\"match\": {\"user_namespace\": \"any\"} takes those as well\n");
		return;
	}
	printf("match.%s asks for \"%s\": ", condition, member_text(close, "wanted"));
	if (strcmp(condition, "exe") == 0)
		printf("the path is %s\n", found);
	else if (strcmp(condition, "cgroup") == 0)
		printf("it is in %s\n", *found ? found : "no cgroup");
	else if (strcmp(condition, "user") == 0)
		printf("it runs as uid %.0f\n", cJSON_GetNumberValue(cJSON_GetObjectItem(all, "uid")));
	else if (strcmp(condition, "argv") == 0)
		printf("no argument matches that\n");
	else if (*found)
		printf("its parent is \"%s\"\n", found);
	else
		printf("its parent is not known\n");
}

static void print_name_differs(const cJSON *close)
{
	const char *kind = member_text(close, "compared_with");

	printf("the %s is called \"%s\"", strcmp(kind, "script") == 0 ? "script" : "program",
	       member_text(close, "compared"));
}

static void print_why(const cJSON *close, const cJSON *all)
{
	const char *why = member_text(close, "why"), *compared = member_text(close, "compared");

	if (strcmp(why, "condition") == 0) {
		print_condition(close, all);
	} else if (strcmp(why, "masked") == 0) {
		printf("null masks the rules of files before this one\n");
	} else if (strcmp(why, "replaced") == 0) {
		printf("overridden by a later file\n");
	} else if (strcmp(why, "beaten") == 0) {
		printf("matches \"%s\" too, but the rule that was taken goes first\n", compared);
	} else if (strcmp(why, "case") == 0) {
		print_name_differs(close);
		printf(": upper and lower case are different letters\n");
	} else if (strcmp(why, "folder") == 0 && *compared != '/') {
		printf("the path is not known\n");
	} else if (strcmp(why, "folder") == 0) {
		printf("the path is %s\n", compared);
	} else if (strcmp(why, "comm") == 0) {
		printf("only the task's name is \"%s\", which thread_qos looks at, within the program's rule\n", compared);
	} else if (strcmp(why, "argument") == 0) {
		printf("that is an argument (\"%s\"), which match.argv looks at\n", compared);
	} else {
		print_name_differs(close);
		printf("\n");
	}
}

void explain_print_close(const cJSON *all)
{
	const char *label = "not taken";
	const cJSON *close;

	print_names(all);
	cJSON_ArrayForEach (close, cJSON_GetObjectItem(all, "close")) {
		printf(LABEL, label);
		explain_print_place(close);
		printf(": ");
		print_why(close, all);
		label = "";
	}
}
