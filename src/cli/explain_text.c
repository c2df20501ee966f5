/* SPDX-License-Identifier: GPL-2.0-only */
#include "explain_text.h"

#include <errno.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#include "explain_private.h"

DEFINE_CLEANUP(cJSON, cJSON_Delete)

const char *explain_text(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

	return text ? text : "";
}

bool explain_flag(const cJSON *object, const char *key)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

void explain_print_place(const cJSON *rule)
{
	const char *file = explain_text(rule, "file");

	printf("\"%s\"", explain_text(rule, "pattern"));
	if (*file)
		printf(" at %s:%.0f:%.0f", file, cJSON_GetNumberValue(cJSON_GetObjectItem(rule, "line")),
		       cJSON_GetNumberValue(cJSON_GetObjectItem(rule, "column")));
}

static void print_weaker_one(const char *label, const cJSON *weaker)
{
	static const struct {
		const char *what, *words;
	} table[] = {
		{ "autogroup", "autogroup is on: nice ranks tasks only within their session" },
		{ "sched-ext", "a sched_ext scheduler is loaded: slices, and often nice, mean little" },
		{ "no-slice", "this kernel has no custom slices: the class's is left out" },
		{ "no-util-clamp", "this kernel has no util clamp: the class's is left out" },
	};
	const char *what = explain_text(weaker, "what");

	printf(LABEL, label);
	for (size_t i = 0; i < array_size(table); i++) {
		if (strcmp(table[i].what, what) == 0)
			printf("%s\n", table[i].words);
	}
	if (strcmp(what, "cpu-cgroup") == 0)
		printf("its cgroup %s gets a share of the CPUs as a whole (weight %s): classes rank tasks only within it\n",
		       explain_text(weaker, "path"), explain_text(weaker, "weight"));
}

static bool has_class(const cJSON *all)
{
	const cJSON *thread;

	cJSON_ArrayForEach (thread, cJSON_GetObjectItem(all, "threads")) {
		if (*explain_text(thread, "class"))
			return true;
	}
	return false;
}

static void print_weaker(const cJSON *all)
{
	const char *label = "weaker";
	const cJSON *weaker;

	if (!has_class(all))
		return;
	cJSON_ArrayForEach (weaker, cJSON_GetObjectItem(all, "weaker")) {
		print_weaker_one(label, weaker);
		label = "";
	}
}

/* Those that no daemon knows by a record. Returns whether it is one. */
static bool print_stranger(const cJSON *all, const char *kind)
{
	static const struct {
		const char *kind, *words;
	} table[] = {
		{ "kernel-thread", "a kernel thread: left alone, whatever the rules say" },
		{ "daemon", "the daemon itself: left alone, whatever the rules say" },
		{ "ended", "has ended, and waits for its parent to take notice" },
		{ "unreadable", "left alone: its executable cannot be read" },
		{ "unknown", "not known yet: ask again" },
	};

	for (size_t i = 0; i < array_size(table); i++) {
		if (strcmp(table[i].kind, kind) != 0)
			continue;
		printf("%.0f %s: %s\n", cJSON_GetNumberValue(cJSON_GetObjectItem(all, "pid")),
		       explain_text(all, "name"), table[i].words);
		return true;
	}
	return false;
}

int explain_print(const char *json)
{
	_cleanup_(cJSON_Deletep) cJSON *all = cJSON_Parse(json);
	const cJSON *thread, *more;

	if (!all)
		return -EBADMSG;
	if (print_stranger(all, explain_text(all, "kind")))
		return 0;
	if (strcmp(explain_text(all, "kind"), "process") == 0 && !explain_flag(all, "daemon"))
		printf("no daemon runs: this is what one would do\n");
	cJSON_ArrayForEach (thread, cJSON_GetObjectItem(all, "threads"))
		explain_print_thread(all, thread);
	more = cJSON_GetObjectItem(all, "other_threads");
	if (cJSON_GetNumberValue(more) > 0)
		printf("and %.0f threads that differ from these\n", cJSON_GetNumberValue(more));
	explain_print_close(all);
	print_weaker(all);
	return 0;
}
