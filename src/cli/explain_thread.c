/* SPDX-License-Identifier: GPL-2.0-only */
/* One thread, or several that agree: its class, the rule behind it, what it carries, why it was left alone; in words. */
#include "explain.h"

#include <string.h>

#include <schedqos/util/cleanup.h>

void explain_print_place(const cJSON *rule)
{
	const char *file = member_text(rule, "file");

	printf("\"%s\"", member_text(rule, "pattern"));
	if (*file)
		printf(" at %s:%.0f:%.0f", file, cJSON_GetNumberValue(cJSON_GetObjectItem(rule, "line")),
		       cJSON_GetNumberValue(cJSON_GetObjectItem(rule, "column")));
}

static const cJSON *item(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static double number(const cJSON *object, const char *key)
{
	return cJSON_GetNumberValue(item(object, key));
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

/* Prints "nice 5 and slice 3 ms"; nothing for an empty list. */
static void print_attributes(const cJSON *attr, const cJSON *names)
{
	const cJSON *name;

	cJSON_ArrayForEach (name, names) {
		print_attribute(attr, name->valuestring);
		if (name->next)
			printf(name->next->next ? ", " : " and ");
	}
}

static const char *was(const cJSON *names)
{
	return cJSON_GetArraySize(names) == 1 ? "was" : "were";
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
	static const struct {
		const char *reason, *words;
	} table[] = {
		{ "undecided", "not decided yet" },
		{ "refused", "refused by the kernel" },
		{ "not-kept", "accepted by the kernel, but not kept" },
		{ "undone", "put back, since the daemon stops" },
	};

	for (size_t i = 0; i < array_size(table); i++) {
		if (member_is(thread, "reason", table[i].reason)) {
			printf(": %s\n", table[i].words);
			return;
		}
	}
	if (is_left_alone(thread)) {
		printf(": left alone\n");
		return;
	}
	printf(": %s%s\n", member_flag(all, "daemon") ? "" : "would be ", member_text(thread, "class"));
}

/* Whether the executable has another name. */
static bool is_argv0_only(const cJSON *all, const cJSON *matched)
{
	const cJSON *names = item(all, "names"), *last = cJSON_GetArrayItem(names, cJSON_GetArraySize(names) - 1);

	return member_is(matched, "kind", "argv0") && !member_is(last, "name", member_text(matched, "name"));
}

/* What of it decided. */
static void print_by(const cJSON *all, const cJSON *thread, const cJSON *rule)
{
	const cJSON *matched = item(all, "matched"), *from = item(thread, "inherited_from");
	const char *how = member_flag(rule, "glob") ? "matches" : "is exactly";

	if (member_is(thread, "assigned_by", "inherited-rule")) {
		if (from)
			printf(", inherited from %.0f %s", number(from, "pid"), member_text(from, "name"));
		else
			printf(", inherited from an ancestor that has ended or runs another program");
	} else if (member_is(thread, "assigned_by", "thread-rule")) {
		printf(": the thread's name %s that", how);
	} else if (!matched) {
		printf(": the program had another name when it was matched");
	} else if (member_is(matched, "kind", "path")) {
		printf(": the path %s %s that", member_text(matched, "name"), how);
	} else {
		printf(": the %s's name%s %s that", member_is(matched, "kind", "script") ? "script" : "program",
		       is_argv0_only(all, matched) ? ", in argv[0]," : "", how);
	}
	if (member_flag(rule, "conditions") && !member_is(thread, "assigned_by", "inherited-rule"))
		printf(", and its \"match\" holds");
}

static void print_no_rule(const cJSON *all, const cJSON *thread)
{
	const char *does = item(all, "process_rule") ? "the program's rule gives this thread no class" :
						       "no rule names it";

	if (member_is(thread, "assigned_by", "none"))
		printf(LABEL "%s, and \"default\" is none\n", "rule", does);
	else if (member_is(thread, "reason", "chosen-by-others"))
		printf(LABEL "%s, and %s is for tasks for which nobody chose anything\n", "rule", does,
		       member_is(thread, "assigned_by", "unit") ? "its unit's class" : "QOS_DEFAULT");
	else if (member_is(thread, "assigned_by", "unit"))
		printf(LABEL "%s; its unit %s says Class=%s (%s)\n", "rule", does, member_text(item(all, "unit"), "name"),
		       member_text(item(all, "unit"), "qos"), member_text(item(all, "unit"), "place"));
	else if (member_is(thread, "assigned_by", "default"))
		printf(LABEL "%s, so it is QOS_DEFAULT's\n", "rule", does);
}

/* Why what somebody changes does not stay. */
static void print_enforced(const cJSON *rule)
{
	if (!member_flag(rule, "enforce"))
		return;
	printf(LABEL "whatever anybody changes is put back: the rule has \"enforce\": true\n", "enforced");
}

static void print_overridden(const cJSON *rule)
{
	printf(LABEL, "rule");
	if (rule) {
		explain_print_place(rule);
		printf(" does not count");
	} else {
		printf("none counts");
	}
	printf(": this class was asked for at run time, by set or run\n");
}

static void print_rule(const cJSON *all, const cJSON *thread)
{
	const cJSON *thread_rule = item(thread, "thread_rule"), *rule = thread_rule ? thread_rule : item(thread, "rule");

	if (member_is(thread, "assigned_by", "override"))
		print_overridden(item(all, "process_rule"));
	else if (!rule)
		print_no_rule(all, thread);
	if (item(thread, "parent_rule")) {
		printf(LABEL, "not taken");
		explain_print_place(item(thread, "parent_rule"));
		printf(": its parent's, which has no \"inherit\": true\n");
	}
	if (!rule)
		return;
	printf(LABEL, "rule");
	explain_print_place(rule);
	printf(" (%s)", member_text(rule, "path"));
	print_by(all, thread, rule);
	printf("\n");
	if (!is_left_alone(thread))
		print_enforced(rule);
}

static void print_close_rule(const cJSON *thread)
{
	const cJSON *rule = item(thread, "close_thread_rule");

	if (!rule)
		return;
	printf(LABEL, "not taken");
	explain_print_place(rule);
	printf(" (%s): the thread is called \"%s\"%s\n", member_text(rule, "path"), member_text(thread, "name"),
	       member_is(thread, "close_thread_why", "cut") ?
		       ": the kernel keeps 15 bytes of a name" :
	       member_is(thread, "close_thread_why", "case") ?
		       ": upper and lower case are different letters" :
		       "");
}

static void print_limit(const cJSON *all, const cJSON *thread)
{
	const char *max = member_text(all, "limit");
	const cJSON *group;

	if (!member_flag(thread, "limited"))
		return;
	if (*max)
		printf(LABEL "no more than %s is allowed: asked for at run time\n", "limited", max);
	if (*max && !cJSON_GetArraySize(item(all, "groups")))
		return;
	printf(LABEL "%s is not allowed in its cgroup %s", "limited", member_text(thread, "assigned_class"),
	       member_text(all, "cgroup"));
	cJSON_ArrayForEach (group, item(all, "groups")) {
		printf("%s", group == item(all, "groups")->child ? ": group " : ", ");
		explain_print_place(group);
		if (item(group, "max"))
			printf(" has %s at most", member_text(group, "max"));
	}
	printf("\n");
}

/* ---- what others chose ---- */

/* Of a task that is left alone for it. */
static void print_yielded(const cJSON *thread)
{
	const bool is_inherited = member_is(thread, "assigned_by", "inherited-rule");
	const cJSON *names = item(thread, is_inherited ? "theirs" : "chosen_before");

	printf(LABEL, "others");
	print_attributes(item(thread, is_inherited ? "carries" : "had"), names);
	printf(" %s %s%s\n", was(names),
	       is_inherited ? "chosen since: an inherited rule yields to that" : "there before",
	       !is_inherited && member_flag(item(thread, "rule"), "yield") ?
		       ": the rule leaves it so, since it has \"yield\": true" :
		       "");
}

static void print_changed(const cJSON *thread)
{
	printf(LABEL, "others");
	print_attributes(item(thread, "carries"), item(thread, "theirs"));
	if (member_flag(item(thread, "rule"), "enforce"))
		printf(": changed after us, and not put back yet\n");
	else
		printf(": changed after us, and left so until the next exec%s\n",
		       member_is(thread, "assigned_by", "thread-rule") ? " or rename" : "");
}

static void print_chosen(const cJSON *thread)
{
	if (member_is(thread, "reason", "chosen-by-others")) {
		print_yielded(thread);
		return;
	}
	if (member_is(thread, "reason", "not-fair")) {
		printf(LABEL "%s was chosen by somebody: only fair tasks are given classes\n", "others",
		       member_text(item(thread, "carries"), "policy"));
		return;
	}
	if (cJSON_GetArraySize(item(thread, "theirs")))
		print_changed(thread);
	if (cJSON_GetArraySize(item(thread, "withheld"))) {
		printf(LABEL, "others");
		print_attributes(item(thread, "had"), item(thread, "withheld"));
		printf(" %s there before: no rule raises what was lowered, unless it has \"yield\": false\n",
		       was(item(thread, "withheld")));
	}
}

static void print_carries(const cJSON *all, const cJSON *thread)
{
	const cJSON *differs = item(thread, "differs");
	const bool is_real = member_flag(all, "daemon");

	if (!is_left_alone(thread))
		printf(LABEL "%s\n", is_real ? "wanted" : "would get", member_text(item(thread, "wanted"), "text"));
	if (member_is(all, "kind", "made-up"))
		return;
	printf(LABEL "%s", is_real ? "carries" : "has", member_text(item(thread, "carries"), "text"));
	if (is_real && cJSON_GetArraySize(differs))
		printf(": not as wanted");
	else if (is_real && !is_left_alone(thread))
		printf(", as wanted");
	/* Since when it is as somebody else has it is not known. */
	printf("\n");
}

void explain_print_thread(const cJSON *all, const cJSON *thread)
{
	print_ids(all, thread);
	print_verdict(all, thread);
	print_rule(all, thread);
	print_close_rule(thread);
	print_limit(all, thread);
	print_chosen(thread);
	print_carries(all, thread);
}
