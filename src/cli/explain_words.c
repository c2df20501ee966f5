/* SPDX-License-Identifier: GPL-2.0-only */
/* An explanation in words: of each thread, or several that agree, its class and why; then what it was matched by. */
#include "explain.h"

#include <errno.h>
#include <pwd.h>
#include <string.h>

#include <schedqos/machine/machine.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

struct words {
	const char *key, *words;
};

/* NULL if there is no such key. */
static const char *words_for(const struct words *table, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(table[i].key, key) == 0)
			return table[i].words;
	}
	return NULL;
}

#define WORDS_FOR(table, key) words_for(table, array_size(table), key)

static const cJSON *item(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static double number(const cJSON *object, const char *key)
{
	return cJSON_GetNumberValue(item(object, key));
}

/* "PATTERN" at FILE:LINE:COLUMN; what is built in has no place. */
static void print_place(const cJSON *rule)
{
	const char *file = member_text(rule, "file");

	printf("\"%s\"", member_text(rule, "pattern"));
	if (*file)
		printf(" at %s:%.0f:%.0f", file, number(rule, "line"), number(rule, "column"));
}

/* ---- attributes ---- */

/* One attribute in words: "nice 5". */
static void print_attribute(const cJSON *attr, const char *name)
{
	if (strcmp(name, "policy") == 0)
		printf("%s", member_text(attr, "policy"));
	else if (strcmp(name, "slice") == 0 && number(attr, "slice") > 0)
		printf("slice %g ms", number(attr, "slice") / 1e6);
	else if (strcmp(name, "slice") == 0)
		printf("no custom slice");
	else if (strcmp(name, "io_priority") == 0 && item(attr, "io_class"))
		printf("I/O %s %.0f", member_text(attr, "io_class"), number(attr, "io_priority"));
	else if (strcmp(name, "io_priority") == 0)
		printf("no I/O priority");
	else
		printf("%s %.0f", name, number(attr, name));
}

/* Begins a line with "nice 5 and slice 3 ms". */
static void print_others(const cJSON *attr, const cJSON *names)
{
	const cJSON *name;

	printf(LABEL, "others");
	cJSON_ArrayForEach (name, names) {
		print_attribute(attr, name->valuestring);
		if (name->next)
			printf(name->next->next ? ", " : " and ");
	}
}

/* ---- which class, and why ---- */

/* Whether it has no class, and so nothing is wanted of it. */
static bool is_left_alone(const cJSON *thread)
{
	return member_is(thread, "reason", "no-rule") || member_is(thread, "reason", "chosen-by-others") ||
	       member_is(thread, "reason", "not-fair");
}

static void print_ids(const cJSON *all, const cJSON *thread)
{
	const cJSON *tids = item(thread, "tids"), *tid;
	const double count = number(thread, "count");

	if (!tids) {
		printf("%s", member_text(all, "name"));
		return;
	}
	printf("%.0f %s", cJSON_GetNumberValue(tids->child), member_text(thread, "name"));
	if (count < 2)
		return;
	printf(" (%.0f threads", count);
	if (cJSON_GetArraySize(item(all, "threads")) > 1) {
		printf(":");
		cJSON_ArrayForEach (tid, tids)
			printf(" %.0f", tid->valuedouble);
		if (count > cJSON_GetArraySize(tids))
			printf(" ...");
	}
	printf(")");
}

/* After the colon of the first line. */
static void print_verdict(const cJSON *all, const cJSON *thread)
{
	static const struct words table[] = {
		{ "undecided", "not decided yet" },
		{ "refused", "refused by the kernel" },
		{ "not-kept", "accepted by the kernel, but not kept" },
		{ "undone", "put back, since the daemon stops" },
	};
	const char *words = is_left_alone(thread) ? "left alone" : WORDS_FOR(table, member_text(thread, "reason"));

	if (words)
		printf(": %s\n", words);
	else
		printf(": %s%s\n", member_flag(all, "daemon") ? "" : "would be ", member_text(thread, "class"));
}

/* What of it decided. */
static void print_by(const cJSON *all, const cJSON *thread, const cJSON *rule)
{
	const cJSON *matched = item(all, "matched"), *from = item(thread, "inherited_from");

	if (member_is(thread, "assigned_by", "inherited-rule")) {
		if (from)
			printf(", inherited from %.0f %s", number(from, "pid"), member_text(from, "name"));
		else
			printf(", inherited from an ancestor that has ended or runs another program");
		return;
	}
	if (member_is(thread, "assigned_by", "thread-rule"))
		printf(": the thread's name matches that");
	else if (!matched)
		printf(": the program had another name when it was matched");
	else if (member_is(matched, "kind", "path"))
		printf(": the path %s matches that", member_text(matched, "name"));
	else
		printf(": the %s's name matches that", member_is(matched, "kind", "script") ? "script" : "program");
	if (member_flag(rule, "conditions"))
		printf(", and its \"match\" holds");
}

static void print_no_rule(const cJSON *all, const cJSON *thread)
{
	const char *does = item(all, "process_rule") ? "the program's rule gives this thread no class" :
						       "no rule names it";
	const cJSON *unit = item(all, "unit");
	const bool by_unit = member_is(thread, "assigned_by", "unit");

	if (member_is(thread, "assigned_by", "none"))
		printf(LABEL "%s, and \"default\" is none\n", "rule", does);
	else if (member_is(thread, "reason", "chosen-by-others"))
		printf(LABEL "%s, and %s is for tasks for which nobody chose anything\n", "rule", does,
		       by_unit ? "its unit's class" : "QOS_DEFAULT");
	else if (by_unit)
		printf(LABEL "%s; its unit %s says Class=%s (%s)\n", "rule", does, member_text(unit, "name"),
		       member_text(unit, "qos"), member_text(unit, "place"));
	else if (member_is(thread, "assigned_by", "default"))
		printf(LABEL "%s, so it is QOS_DEFAULT's\n", "rule", does);
}

static void print_rule(const cJSON *all, const cJSON *thread)
{
	const cJSON *thread_rule = item(thread, "thread_rule"), *rule = thread_rule ? thread_rule : item(thread, "rule");

	if (member_is(thread, "assigned_by", "override"))
		printf(LABEL "none counts: this class was asked for at run time, by set or run\n", "rule");
	else if (!rule)
		print_no_rule(all, thread);
	if (item(thread, "parent_rule")) {
		printf(LABEL, "not taken");
		print_place(item(thread, "parent_rule"));
		printf(": its parent's, which has no \"inherit\": true\n");
	}
	if (!rule)
		return;
	printf(LABEL, "rule");
	print_place(rule);
	printf(" (%s)", member_text(rule, "path"));
	print_by(all, thread, rule);
	printf("\n");
	if (member_flag(rule, "enforce") && !is_left_alone(thread))
		printf(LABEL "whatever anybody changes is put back: the rule has \"enforce\": true\n", "enforced");
}

static void print_close_thread_rule(const cJSON *thread)
{
	static const struct words table[] = {
		{ "cut", ": the kernel keeps 15 bytes of a name" },
		{ "case", ": upper and lower case are different letters" },
	};
	const cJSON *rule = item(thread, "close_thread_rule");
	const char *why = WORDS_FOR(table, member_text(thread, "close_thread_why"));

	if (!rule)
		return;
	printf(LABEL, "not taken");
	print_place(rule);
	printf(" (%s): the thread is called \"%s\"%s\n", member_text(rule, "path"), member_text(thread, "name"), why ? why : "");
}

static void print_limit(const cJSON *all, const cJSON *thread)
{
	const char *max = member_text(all, "limit");
	const cJSON *group, *groups = item(all, "groups");

	if (!member_flag(thread, "limited"))
		return;
	if (*max && !member_is(all, "shown", "hidden"))
		printf(LABEL "no more than %s is allowed: asked for at run time\n", "limited", max);
	cJSON_ArrayForEach (group, groups) {
		printf(LABEL "%s is not allowed in its cgroup %s: group ", "limited", member_text(thread, "assigned_class"),
		       member_text(all, "cgroup"));
		print_place(group);
		if (item(group, "max"))
			printf(" has %s at most", member_text(group, "max"));
		printf("\n");
	}
}

static void print_shown(const cJSON *all, const cJSON *thread)
{
	if (member_is(all, "shown", "focused") && member_flag(thread, "raised"))
		printf(LABEL "its app has the focus: at least %s meanwhile\n", "raised", member_text(thread, "class"));
	else if (member_flag(all, "keeps"))
		printf(LABEL "its app's windows are; its rule has \"hidden\": \"keep\"\n", "hidden");
	else if (member_is(all, "shown", "hidden"))
		printf(LABEL "its app's windows are, so it has QOS_UTILITY at most; \"hidden\": \"keep\" in its rule prevents that\n",
		       "hidden");
}

/* What others chose, before or since. */
static void print_chosen(const cJSON *thread)
{
	const bool is_inherited = member_is(thread, "assigned_by", "inherited-rule");
	const cJSON *withheld = item(thread, "withheld"), *carries = item(thread, "carries"), *theirs = item(thread, "theirs");

	if (member_is(thread, "reason", "not-fair")) {
		printf(LABEL "%s was chosen by somebody: only fair tasks are given classes\n", "others",
		       member_text(carries, "policy"));
	} else if (member_is(thread, "reason", "chosen-by-others") && is_inherited) {
		print_others(carries, theirs);
		printf(", chosen since: an inherited rule yields to that\n");
	} else if (member_is(thread, "reason", "chosen-by-others")) {
		print_others(item(thread, "had"), item(thread, "chosen_before"));
		printf(", there before%s\n", member_flag(item(thread, "rule"), "yield") ?
						     ": the rule leaves it so, since it has \"yield\": true" : "");
	} else if (cJSON_GetArraySize(theirs)) {
		print_others(carries, theirs);
		printf(": changed after us, and %s\n", member_flag(item(thread, "rule"), "enforce") ?
							       "not put back yet" : "left so until the next exec");
	}
	if (!is_left_alone(thread) && cJSON_GetArraySize(withheld)) {
		print_others(item(thread, "had"), withheld);
		printf(", there before: no rule raises what was lowered, unless it has \"yield\": false\n");
	}
}

static void print_carries(const cJSON *all, const cJSON *thread)
{
	const bool is_real = member_flag(all, "daemon"), differs = cJSON_GetArraySize(item(thread, "differs"));

	if (!is_left_alone(thread))
		printf(LABEL "%s\n", is_real ? "wanted" : "would get", member_text(item(thread, "wanted"), "text"));
	if (!member_is(all, "kind", "made-up"))
		printf(LABEL "%s%s\n", is_real ? "carries" : "has", member_text(item(thread, "carries"), "text"),
		       is_real && differs		 ? ": not as wanted" :
		       is_real && !is_left_alone(thread) ? ", as wanted" :
							   "");
}

/* ---- what it was matched by, and which rules came close ---- */

static const char *kind_of(const cJSON *name, const char *key)
{
	return member_is(name, key, "argv0") ? "argv[0]" : member_text(name, key);
}

static void print_names(const cJSON *all)
{
	const cJSON *names = item(all, "names"), *name;
	const char *path = member_text(names ? names->child : NULL, "name");

	if (!names || !names->child)
		return;
	printf(LABEL, "names");
	for (name = names->child->next; name; name = name->next)
		printf("%s \"%s\", ", kind_of(name, "kind"), member_text(name, "name"));
	printf("path %s%s\n", *path == '/' ? path : "not known",
	       member_flag(all, "arguments_unread") ? " (its arguments cannot be read now)" : "");
}

static void print_user(uid_t uid)
{
	const struct passwd *found = getpwuid(uid);
	char name[64];

	if (found)
		printf("%s", text_escape_to(name, sizeof(name), found->pw_name, strlen(found->pw_name)));
	else
		printf("uid %u", (unsigned)uid);
}

static void print_condition(const cJSON *close, const cJSON *all)
{
	const char *condition = member_text(close, "condition"), *found = member_text(close, "found");

	if (strcmp(condition, "user_namespace") == 0) {
		printf("holds in the initial user namespace only, and this is in another, as in a sandbox: "
		       "\"match\": {\"user_namespace\": \"any\"} takes those as well\n");
		return;
	}
	if (strcmp(condition, "raise") == 0) {
		print_user((uid_t)number(all, "uid"));
		printf(" has no session at a seat, and nobody else is raised by it\n");
		return;
	}
	printf("match.%s asks for \"%s\"", condition, member_text(close, "wanted"));
	if (strcmp(condition, "user") == 0)
		printf(", and it runs as uid %.0f\n", number(all, "uid"));
	else if (strcmp(condition, "argv") == 0)
		printf(", and no argument matches that\n");
	else
		printf(", and that is %s\n", *found ? found : "not known");
}

static void print_why(const cJSON *close, const cJSON *all)
{
	static const struct words table[] = {
		{ "masked", "null masks the rules of files before this one" },
		{ "replaced", "overridden by a later file" },
		{ "beaten", "matches, too, but the rule that was taken goes first" },
		{ "comm", "the task's name, which thread_qos looks at, within the program's rule" },
		{ "argument", "an argument, which match.argv looks at" },
	};
	const char *why = member_text(close, "why"), *compared = member_text(close, "compared"), *words = WORDS_FOR(table, why);

	if (strcmp(why, "condition") == 0)
		print_condition(close, all);
	else if (words)
		printf("%s\n", words);
	else if (strcmp(why, "folder") == 0)
		printf("the path is %s\n", *compared == '/' ? compared : "not known");
	else
		printf("%s is \"%s\"%s\n", kind_of(close, "compared_with"), compared,
		       strcmp(why, "case") == 0 ? ": upper and lower case are different letters" : "");
}

static void print_close(const cJSON *all)
{
	const char *label = "not taken";
	const cJSON *close;

	cJSON_ArrayForEach (close, item(all, "close")) {
		printf(LABEL, label);
		print_place(close);
		printf(": ");
		print_why(close, all);
		label = "";
	}
}

/* ---- the whole ---- */

static void print_weaker(const cJSON *all)
{
	static const struct words table[] = {
		{ "autogroup", "autogroup is on: nice ranks tasks only within their session" },
		{ "sched-ext", "a sched_ext scheduler is loaded: slices, and often nice, mean little" },
		{ "no-slice", "this kernel has no custom slices: the class's is left out" },
		{ "no-util-clamp", "this kernel has no util clamp: the class's is left out" },
	};
	const cJSON *weaker;

	cJSON_ArrayForEach (weaker, item(all, "weaker")) {
		const char *words = WORDS_FOR(table, member_text(weaker, "what"));

		if (words)
			printf(LABEL "%s\n", "weaker", words);
		else
			printf(LABEL "the border of " BORDER_FORMAT ": " DOCTOR_BORDER_WORDS "\n", "weaker",
			       member_text(weaker, "path"), member_text(weaker, "weight"));
	}
}

int explain_print(const char *json)
{
	/* Those that no daemon knows by a record. */
	static const struct words strangers[] = {
		{ "kernel-thread", "a kernel thread: left alone, whatever the rules say" },
		{ "daemon", "the daemon itself: left alone, whatever the rules say" },
		{ "ended", "has ended, and waits for its parent to take notice" },
		{ "unreadable", "left alone: its executable cannot be read" },
		{ "unknown", "not known yet: ask again" },
	};
	_cleanup_(cJSON_Deletep) cJSON *all = cJSON_Parse(json);
	const char *stranger = WORDS_FOR(strangers, member_text(all, "kind"));
	bool has_class = false;
	const cJSON *thread;

	if (!all)
		return -EBADMSG;
	if (stranger) {
		printf("%.0f %s: %s\n", number(all, "pid"), member_text(all, "name"), stranger);
		return 0;
	}
	if (member_is(all, "kind", "process") && !member_flag(all, "daemon"))
		printf("no daemon runs: this is what one would do\n");
	cJSON_ArrayForEach (thread, item(all, "threads")) {
		print_ids(all, thread);
		print_verdict(all, thread);
		print_rule(all, thread);
		print_close_thread_rule(thread);
		print_limit(all, thread);
		print_shown(all, thread);
		print_chosen(thread);
		print_carries(all, thread);
		has_class |= *member_text(thread, "class") != '\0';
	}
	if (number(all, "other_threads") > 0)
		printf("and %.0f threads that differ from these\n", number(all, "other_threads"));
	print_names(all);
	print_close(all);
	if (has_class)
		print_weaker(all);
	return 0;
}
