/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints an explanation in words: for each group of threads that agree its class and the reason, then the names that
 * rules were compared with.
 */
#include "explain.h"

#include <errno.h>
#include <string.h>

#include <schedqos/machine/doctor.h>
#include <schedqos/util/cleanup.h>

#include "client.h"
#include "words.h"

/* The explanation of a process, and the part about one of its threads. */
struct view {
	const cJSON *all, *thread;
};

/* Prints why the daemon has no record of a task. */
static void print_stranger(const cJSON *all)
{
	static const struct {
		const char *kind, *text;
	} table[] = {
		{ "kernel-thread", "a kernel thread: left alone, whatever the rules say" },
		{ "daemon", "the daemon itself: left alone, whatever the rules say" },
		{ "ended", "has ended, and waits for its parent to reap it" },
		{ "unreadable", "left alone: its executable cannot be read" },
		{ "unknown", "the daemon does not know it yet: ask again" },
	};

	for (size_t i = 0; i < array_size(table); i++) {
		if (member_is(all, "kind", table[i].kind))
			printf("%s", table[i].text);
	}
}

/* ---- a thread's class and rule ---- */

/* Completes the first line, after the thread's name. */
static void print_outcome(const struct view *view)
{
	const cJSON *thread = view->thread;

	if (member_is(thread, "reason", "undecided"))
		printf("not decided yet");
	else if (member_is(thread, "reason", "refused"))
		printf("refused by the kernel");
	else if (member_is(thread, "reason", "not-kept"))
		printf("accepted by the kernel, but not kept");
	else if (member_is(thread, "reason", "undone"))
		printf("put back, because the daemon stops");
	else if (member_holds(thread, "class"))
		printf("%s%s", member_flag(view->all, "daemon") ? "" : "would be ", member_text(thread, "class"));
	else if (member_holds(thread, "limited") && member_holds(view->all, "limit"))
		printf("no class, but no more than %s is allowed", member_text(view->all, "limit"));
	else if (member_holds(thread, "limited"))
		printf("no class, but its cgroup's group allows no more");
	else
		printf("left alone");
}

/* Returns whether a rule matches now that did not when the daemon decided. */
static bool has_pending_rule(const cJSON *all)
{
	const cJSON *close;

	cJSON_ArrayForEach (close, member(all, "close")) {
		if (member_is(close, "why", "pending"))
			return true;
	}
	return false;
}

/* Completes the line that says that no rule applies: where the class comes from instead. */
static void print_without_rule(const struct view *view)
{
	const cJSON *thread = view->thread, *unit = member(view->all, "unit");
	const bool is_chosen = member_is(thread, "reason", "chosen-by-others"),
		   of_unit = member_is(thread, "assigned_by", "unit");

	if (member_is(thread, "assigned_by", "override"))
		return;
	if (member_is(thread, "assigned_by", "no-rule"))
		printf(", and \"default\" is none");
	else if (is_chosen)
		printf(", and somebody chose attributes for this task, so %s does not apply",
		       of_unit ? "its unit's class" : "QOS_DEFAULT");
	else if (of_unit && unit)
		printf("; its unit %s says Class=%s (%s)", member_text(unit, "name"), member_text(unit, "qos"),
		       member_text(unit, "place"));
	else if (member_is(thread, "assigned_by", "default"))
		printf(", so it %s QOS_DEFAULT", member_is(thread, "reason", "not-fair") ? "would have" : "has");
}

/* Completes the line of the process's rule: how the process came to it. */
static void print_matched(const struct view *view)
{
	const cJSON *from = member(view->thread, "inherited_from"), *matched = member(view->all, "matched");

	if (from)
		printf(", inherited from %.0f %s", cJSON_GetNumberValue(member(from, "pid")),
		       member_text(from, "name"));
	else if (member_is(view->thread, "assigned_by", "inherited-rule"))
		printf(", inherited from an ancestor that has ended, runs another program or is another user's");
	else if (!member_holds(view->all, "matched"))
		printf("%s", member_holds(view->all, "arguments_unread")
				     ? ""
				     : ": the program had another name when it was matched");
	else if (member_is(matched, "kind", "path"))
		printf(": the path %s matches that", member_text(matched, "name"));
	else
		printf(": the %s name matches that", member_is(matched, "kind", "script") ? "script's" : "program's");
}

/* Returns whether a rule with this path, such as "make[1]", is one of a list. A pattern with brackets would be quoted. */
static bool is_in_list(const char *path)
{
	const size_t length = strlen(path);

	return length > 2 && path[length - 1] == ']' && path[length - 2] >= '0' && path[length - 2] <= '9';
}

static void print_rule(const struct view *view)
{
	const cJSON *thread = view->thread, *rule = member(thread, "rule"), *of_thread = member(thread, "thread_rule");
	const bool has_rule = member_holds(thread, "rule");

	if (member_is(thread, "assigned_by", "override"))
		words_line("rule", "none applies: somebody requested %s at run time, with set or run",
			   member_text(thread, "assigned_class"));
	else if (!has_rule && !member_is(thread, "assigned_by", "undecided"))
		words_line("rule", "%s",
			   member_holds(view->all, "process_rule") ? "the program's rule gives this thread no class"
			   : has_pending_rule(view->all)	   ? "no rule named it when the daemon decided"
								   : "no rule names it");
	if (!has_rule)
		print_without_rule(view);
	if (member_holds(thread, "parent_rule")) {
		words_line("not taken", "%s", "");
		words_value(member(thread, "parent_rule"));
		printf(": this is the parent's rule, which has no \"inherit\": true");
	}
	if (member_holds(thread, "thread_rule")) {
		words_line("rule", "%s", "");
		words_value(of_thread);
		printf(" (%s): the thread's name matches that", member_text(of_thread, "path"));
	} else if (has_rule) {
		words_line("rule", "%s", "");
		words_value(rule);
		if (is_in_list(member_text(rule, "path")))
			printf(" (%s)", member_text(rule, "path"));
		print_matched(view);
	}
	if (member_holds(rule, "conditions") && !member_is(thread, "assigned_by", "inherited-rule"))
		printf(", and its \"match\" holds");
	if (member_holds(thread, "class") && member_holds(rule, "enforce"))
		words_line("enforced", "the class is put back after any change: the rule has \"enforce\": true");
}

/* ---- a thread's limits ---- */

static void print_limits(const struct view *view)
{
	const bool is_hidden = member_is(view->all, "shown", "hidden");
	const cJSON *group;

	if (member_holds(view->thread, "limited") && member_holds(view->all, "requested_limit"))
		words_line("limited", "no more than %s: somebody requested this limit at run time",
			   member_text(view->all, "requested_limit"));
	cJSON_ArrayForEach (group, member(view->all, "groups")) {
		if (!member_holds(view->thread, "limited"))
			continue;
		words_line("limited", "its cgroup %s is in the group ", member_text(view->all, "cgroup"));
		words_value(group);
		if (member_holds(group, "max"))
			printf(", which allows no more than %s", member_text(group, "max"));
		else
			printf(", which excludes some classes");
	}
	if (member_holds(view->thread, "raised") && member_is(view->all, "shown", "focused"))
		words_line("raised", "its app has the focus: at least %s meanwhile",
			   member_text(view->thread, "class"));
	else if (member_holds(view->all, "keeps"))
		words_line("hidden", "all windows of its app are hidden, but its rule has \"hidden\": \"keep\"");
	else if (is_hidden)
		words_line("hidden", "all windows of its app are hidden, so it has QOS_UTILITY at most; "
				     "\"hidden\": \"keep\" in its rule prevents that");
}

/* ---- attributes that others chose, and the result ---- */

static void print_choice(const char *text, const cJSON *attr, const cJSON *names)
{
	words_line("others", "%s", "");
	words_attributes(attr, names);
	printf("%s", text);
}

static bool is_fair(const char *policy)
{
	return strcmp(policy, "SCHED_NORMAL") == 0 || strcmp(policy, "SCHED_BATCH") == 0 ||
	       strcmp(policy, "SCHED_IDLE") == 0;
}

static void print_others(const struct view *view)
{
	const cJSON *thread = view->thread, *rule = member(thread, "rule");
	const cJSON *carries = member(thread, "carries"), *theirs = member(thread, "theirs");
	const cJSON *had = member(thread, "had"), *before = member(thread, "chosen_before");

	if (member_is(thread, "reason", "not-fair") && is_fair(member_text(carries, "policy")))
		words_line(
			"others",
			"when the daemon last looked, it had a policy that is not fair: only fair tasks get classes");
	else if (member_is(thread, "reason", "not-fair"))
		words_line("others", "somebody chose %s: only fair tasks get classes", member_text(carries, "policy"));
	else if (member_is(thread, "reason", "chosen-by-others") && member_is(thread, "assigned_by", "inherited-rule"))
		print_choice(", chosen by somebody: an inherited rule yields to that", carries, theirs);
	else if (member_is(thread, "reason", "chosen-by-others") && member_holds(rule, "yield"))
		print_choice(", chosen before the rule applied: the rule yields, because it has \"yield\": true", had,
			     before);
	else if (member_is(thread, "reason", "chosen-by-others"))
		print_choice(", chosen before", had, before);
	else if (member_holds(thread, "theirs") && member_holds(rule, "enforce"))
		print_choice(": changed by somebody, and not put back yet", carries, theirs);
	else if (member_holds(thread, "theirs") && member_holds(thread, "limited"))
		print_choice(": changed by somebody; at its next look the daemon lowers what exceeds the limit",
			     carries, theirs);
	else if (member_holds(thread, "theirs") && member_holds(thread, "class"))
		print_choice(": changed by somebody, and left so until a rule takes effect", carries, theirs);
	else if (member_holds(thread, "theirs"))
		print_choice(": changed by somebody, and left so", carries, theirs);
	if (member_holds(thread, "class") && member_holds(thread, "withheld"))
		print_choice(
			", chosen before the rule applied: no rule raises a lowered task unless it has \"yield\": false",
			had, member(thread, "withheld"));
	if (member_holds(view->all, "spared"))
		words_line("not read",
			   "its cgroup and uids, because reading about its user's processes takes too long");
}

/* Returns whether only attributes that others changed, and that stay so, differ from the wanted ones. */
static bool differs_by_choice(const cJSON *thread)
{
	const cJSON *theirs = member(thread, "theirs"), *name, *their_name;

	if (member_holds(thread, "limited") || member_holds(member(thread, "rule"), "enforce"))
		return false;
	cJSON_ArrayForEach (name, member(thread, "differs")) {
		cJSON_ArrayForEach (their_name, theirs) {
			if (strcmp(name->valuestring, their_name->valuestring) == 0)
				break;
		}
		if (!their_name)
			return false;
	}
	return true;
}

static void print_attributes(const struct view *view)
{
	const cJSON *thread = view->thread;
	const char *wanted = member_text(member(thread, "wanted"), "text");
	const bool has_daemon = member_flag(view->all, "daemon"), has_class = member_holds(thread, "class");
	const bool is_ours = has_daemon && (has_class || member_holds(thread, "limited"));

	if (is_ours)
		words_line("wanted", "%s", wanted);
	else if (has_class)
		words_line("would get", "%s", wanted);
	if (!member_is(view->all, "kind", "made-up"))
		words_line(has_daemon ? "carries" : "has", "%s", member_text(member(thread, "carries"), "text"));
	if (has_daemon && member_holds(thread, "differs") && differs_by_choice(thread))
		printf(", as wanted but for that change");
	else if (has_daemon && member_holds(thread, "differs"))
		printf(": not as wanted");
	else if (is_ours)
		printf(", as wanted");
}

/* ---- rules that came close ---- */

/* Prints which condition of the rule does not hold. */
static void print_condition(const cJSON *all, const cJSON *close)
{
	const char *condition = member_text(close, "condition"), *wanted = member_text(close, "wanted");
	const double uid = cJSON_GetNumberValue(member(all, "uid"));
	const bool has_uid = cJSON_IsNumber(member(all, "uid"));

	if (strcmp(condition, "user_namespace") == 0)
		printf("matches only in the initial user namespace, but this task is in another, as in a sandbox: \"match\": {\"user_namespace\": \"any\"} includes those");
	else if (strcmp(condition, "raise") == 0 && !has_uid)
		printf("this rule raises nobody without a session at a seat, and the user is not known");
	else if (strcmp(condition, "raise") == 0)
		printf("uid %.0f has no session at a seat, and this rule raises nobody without one", uid);
	else if (strcmp(condition, "user") == 0 && has_uid)
		printf("match.user requires \"%s\", but it runs as uid %.0f", wanted, uid);
	else if (strcmp(condition, "argv") == 0)
		printf("match.argv requires \"%s\", but no argument matches that", wanted);
	else if (*condition && !*wanted)
		printf("match.%s requires another name, but that is %s", condition, member_text(close, "found"));
	else if (member_holds(close, "found"))
		printf("match.%s requires \"%s\", but that is %s", condition, wanted, member_text(close, "found"));
	else if (*condition)
		printf("match.%s requires \"%s\", but that is not known", condition, wanted);
}

static void print_close(const cJSON *all, const cJSON *close)
{
	const char *why = member_text(close, "why"), *compared = member_text(close, "compared");
	const cJSON *with = member(close, "compared_with");

	words_value(close);
	printf(": ");
	if (strcmp(why, "masked") == 0) {
		printf("null masks the rules of files before this one");
	} else if (strcmp(why, "replaced") == 0) {
		printf("overridden by a later file");
	} else if (strcmp(why, "pending") == 0) {
		printf("matches now, but did not when the daemon decided: the process has changed since, or its arguments had not been read yet");
	} else if (strcmp(why, "beaten") == 0) {
		printf("matches, too, but the rule that applies comes first");
	} else if (strcmp(why, "comm") == 0) {
		printf("the task's name, which only thread_qos of the program's rule compares");
	} else if (strcmp(why, "folder") == 0 && member_is(close, "compared_with", "path")) {
		printf("the path is %s", compared);
	} else if (strcmp(why, "folder") == 0) {
		printf("the path is not known");
	} else if (strcmp(why, "similar") == 0 || strcmp(why, "case") == 0) {
		words_value(with);
		printf(" is \"%s\"%s", compared,
		       strcmp(why, "case") == 0 ? ": upper and lower case are different letters" : "");
	} else {
		print_condition(all, close);
	}
}

/* ---- printing ---- */

static void print_ids(const cJSON *all, const cJSON *thread)
{
	const cJSON *tids = member(thread, "tids"), *tid;
	const int count = (int)member_count(thread, "count");

	if (!tids) {
		printf("%s: ", member_text(all, "name"));
		return;
	}
	printf("%.0f %s", cJSON_GetNumberValue(tids->child), member_text(thread, "name"));
	if (count > 1)
		printf(" (%d threads", count);
	if (count > 1 && cJSON_GetArraySize(member(all, "threads")) > 1) {
		printf(":");
		cJSON_ArrayForEach (tid, tids)
			printf(" %.0f", tid->valuedouble);
		if (count > cJSON_GetArraySize(tids))
			printf(" ...");
	}
	printf(count > 1 ? "): " : ": ");
}

static void print_thread(const cJSON *all, const cJSON *thread)
{
	const struct view view = { all, thread };

	print_ids(all, thread);
	print_outcome(&view);
	print_rule(&view);
	print_limits(&view);
	print_others(&view);
	print_attributes(&view);
	printf("\n");
}

static void print_names(const cJSON *all)
{
	const cJSON *names = member(all, "names"), *name;
	const char *path = "not known";

	if (!cJSON_GetArraySize(names))
		return;
	printf(LABEL, "names");
	cJSON_ArrayForEach (name, names) {
		if (member_is(name, "kind", "path")) {
			path = member_text(name, "name");
			continue;
		}
		words_value(member(name, "kind"));
		printf(" \"%s\", ", member_text(name, "name"));
	}
	printf("path %s%s\n", path,
	       member_flag(all, "arguments_unread") ? " (its arguments cannot be read now)" : "");
}

/* Prints a line for each rule that came close. */
static void print_all_close(const cJSON *all)
{
	const char *label = "not taken";
	const cJSON *close;

	cJSON_ArrayForEach (close, member(all, "close")) {
		printf(LABEL, label);
		print_close(all, close);
		printf("\n");
		label = "";
	}
}

/* Prints a line for each thing that weakens the class. */
static void print_weaker(const cJSON *all)
{
	const char *label = "weaker";
	const cJSON *weaker;

	cJSON_ArrayForEach (weaker, member(all, "weaker")) {
		printf(LABEL, label);
		if (member_is(weaker, "what", "sched-ext"))
			printf("the sched_ext scheduler \"%s\" replaces the kernel's: slices have no effect, and nice values little",
			       member_text(weaker, "name"));
		else
			printf("the border of cpu cgroup %s (weight %s): " DOCTOR_BORDER_WORDS, member_text(weaker, "path"),
			       member_text(weaker, "weight"));
		printf("\n");
		label = "";
	}
}

int explain_print(const char *json)
{
	_cleanup_(cJSON_Deletep) cJSON *all = client_json(json);
	const cJSON *threads = member(all, "threads"), *thread;
	bool has_class = false;

	if (!all)
		return -EBADMSG;
	if (!threads) {
		printf("%.0f %s: ", cJSON_GetNumberValue(member(all, "pid")), member_text(all, "name"));
		print_stranger(all);
		printf("\n");
		return 0;
	}
	if (member_is(all, "kind", "process") && !member_flag(all, "daemon"))
		printf("no daemon runs: this is what one would do\n");
	cJSON_ArrayForEach (thread, threads) {
		print_thread(all, thread);
		has_class |= member(thread, "class") != NULL;
	}
	if (member_count(all, "other_threads"))
		printf("and %.0f threads that differ from these\n", (double)member_count(all, "other_threads"));
	print_names(all);
	print_all_close(all);
	if (has_class)
		print_weaker(all);
	return 0;
}
