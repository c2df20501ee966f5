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

#include "words.h"

/* About tasks of which the daemon keeps no record. */
static const struct sentence strangers[] = {
	{ "kind=kernel-thread", NULL, "a kernel thread: left alone, whatever the rules say" },
	{ "kind=daemon", NULL, "the daemon itself: left alone, whatever the rules say" },
	{ "kind=ended", NULL, "has ended, and waits for its parent to take notice" },
	{ "kind=unreadable", NULL, "left alone: its executable cannot be read" },
	{ "kind=unknown", NULL, "not known yet: ask again" },
	{ 0 },
};

/* About a thread, after its name and a colon. */
static const struct sentence about_thread[] = {
	{ "reason=undecided", NULL, "not decided yet" },
	{ "else reason=refused", NULL, "refused by the kernel" },
	{ "else reason=not-kept", NULL, "accepted by the kernel, but not kept" },
	{ "else reason=undone", NULL, "put back, since the daemon stops" },
	{ "else !class limited limit", NULL, "no class, but no more than <limit> is allowed" },
	{ "else !class limited", NULL, "no class, but its cgroup's group allows no more" },
	{ "else !class", NULL, "left alone" },
	{ "else daemon", NULL, "<class>" },
	{ "else", NULL, "would be <class>" },

	{ "assigned_by=override", "rule", "none counts: this class was asked for at run time, by set or run" },
	{ "else assigned_by=undecided", NULL, "" },
	{ "else !rule process_rule", "rule", "the program's rule gives this thread no class" },
	{ "else !rule", "rule", "no rule names it" },
	{ "rule", NULL, "" },
	{ "else assigned_by=override", NULL, "" },
	{ "else assigned_by=no-rule", NULL, ", and \"default\" is none" },
	{ "else reason=chosen-by-others assigned_by=unit", NULL,
	  ", and its unit's class is for tasks for which nobody chose anything" },
	{ "else reason=chosen-by-others", NULL, ", and QOS_DEFAULT is for tasks for which nobody chose anything" },
	{ "else assigned_by=unit", NULL, "; its unit <unit.name> says Class=<unit.qos> (<unit.place>)" },
	{ "else assigned_by=default", NULL, ", so it is QOS_DEFAULT's" },
	{ "parent_rule", "not taken", "<parent_rule>: its parent's, which has no \"inherit\": true" },

	{ "thread_rule", "rule", "<thread_rule> (<thread_rule.path>): the thread's name matches that" },
	{ "else rule", "rule", "<rule> (<rule.path>)" },
	{ "thread_rule", NULL, "" },
	{ "else inherited_from", NULL, ", inherited from <inherited_from.pid> <inherited_from.name>" },
	{ "else assigned_by=inherited-rule", NULL,
	  ", inherited from an ancestor that has ended or runs another program" },
	{ "else rule !matched arguments_unread", NULL, "" },
	{ "else rule !matched", NULL, ": the program had another name when it was matched" },
	{ "else rule matched.kind=path", NULL, ": the path <matched.name> matches that" },
	{ "else rule matched.kind=script", NULL, ": the script's name matches that" },
	{ "else rule", NULL, ": the program's name matches that" },
	{ "rule.conditions !assigned_by=inherited-rule", NULL, ", and its \"match\" holds" },
	{ "class rule.enforce", "enforced", "whatever anybody changes is put back: the rule has \"enforce\": true" },

	{ "limited limit !shown=hidden", "limited", "no more than <limit> is allowed: asked for at run time" },
	{ 0 },
};

/* About a group, for each thread that it limits. */
static const struct sentence about_group[] = {
	{ "limited", "limited", "its cgroup <cgroup> is in the group <>, which allows" },
	{ "limited max", NULL, " no more than <max>" },
	{ "else limited", NULL, " not every class" },
	{ 0 },
};

/* About a thread: its app's visibility, attributes that others chose, and the result. */
static const struct sentence about_rest[] = {
	{ "raised shown=focused", "raised", "its app has the focus: at least <class> meanwhile" },
	{ "else keeps", "hidden", "its app's windows are; its rule has \"hidden\": \"keep\"" },
	{ "else shown=hidden", "hidden",
	  "its app's windows are, so it has QOS_UTILITY at most; \"hidden\": \"keep\" in its rule "
	  "prevents that" },

	{ "reason=not-fair", "others", "<carries.policy> was chosen by somebody: only fair tasks are given classes" },
	{ "else reason=chosen-by-others assigned_by=inherited-rule", "others",
	  "<carries:theirs>, chosen since: an inherited rule yields to that" },
	{ "else reason=chosen-by-others rule.yield", "others",
	  "<had:chosen_before>, there before: the rule leaves it so, since it has \"yield\": "
	  "true" },
	{ "else reason=chosen-by-others", "others", "<had:chosen_before>, there before" },
	{ "else theirs rule.enforce", "others", "<carries:theirs>: changed after us, and not put back yet" },
	{ "else theirs", "others", "<carries:theirs>: changed after us, and left so until the next exec" },
	{ "class withheld", "others",
	  "<had:withheld>, there before: no rule raises what was lowered, unless it has \"yield\": "
	  "false" },

	{ "spared", "not read",
	  "its cgroup and the users it runs as: reading about its user's processes takes too long" },

	{ "class daemon", "wanted", "<wanted.text>" },
	{ "else limited daemon", "wanted", "<wanted.text>" },
	{ "else class", "would get", "<wanted.text>" },
	{ "kind=made-up", NULL, "" },
	{ "else daemon", "carries", "<carries.text>" },
	{ "else", "has", "<carries.text>" },
	{ "daemon differs", NULL, ": not as wanted" },
	{ "else daemon class", NULL, ", as wanted" },
	{ "else daemon limited", NULL, ", as wanted" },
	{ 0 },
};

/* About a rule that came close. */
static const struct sentence about_close[] = {
	{ "pattern", NULL, "<>: " },
	{ "condition=user_namespace", NULL,
	  "holds in the initial user namespace only, and this is in another, as in a sandbox: "
	  "\"match\": {\"user_namespace\": \"any\"} takes those as well" },
	{ "else condition=raise", NULL, "uid <uid> has no session at a seat, and nobody else is raised by it" },
	{ "condition=user", NULL, "match.user asks for \"<wanted>\", and it runs as uid <uid>" },
	{ "else condition=argv", NULL, "match.argv asks for \"<wanted>\", and no argument matches that" },
	{ "else condition=parent !wanted found", NULL, "match.parent asks for others, and that is <found>" },
	{ "else wanted found", NULL, "match.<condition> asks for \"<wanted>\", and that is <found>" },
	{ "else wanted", NULL, "match.<condition> asks for \"<wanted>\", and that is not known" },
	{ "why=masked", NULL, "null masks the rules of files before this one" },
	{ "why=replaced", NULL, "overridden by a later file" },
	{ "why=beaten", NULL, "matches, too, but the rule that was taken goes first" },
	{ "why=comm", NULL, "the task's name, which thread_qos looks at, within the program's rule" },
	{ "why=folder compared_with=path", NULL, "the path is <compared>" },
	{ "else why=folder", NULL, "the path is not known" },
	{ "why=similar", NULL, "<compared_with> is \"<compared>\"" },
	{ "why=case", NULL, "<compared_with> is \"<compared>\": upper and lower case are different letters" },
	{ 0 },
};

static const struct sentence about_machine[] = {
	{ "what=cpu-cgroup", NULL, "the border of cpu cgroup <path> (weight <weight>): " DOCTOR_BORDER_WORDS },
	{ 0 },
};

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
	const struct about about = { { thread, all } };
	const cJSON *group;

	print_ids(all, thread);
	words_say(&about, about_thread);
	cJSON_ArrayForEach (group, member(all, "groups"))
		words_say(&(struct about){ { group, thread, all } }, about_group);
	words_say(&about, about_rest);
	printf("\n");
}

static void print_names(const cJSON *all)
{
	const cJSON *names = member(all, "names"), *name;
	const char *path = member_text(names ? names->child : NULL, "name");

	if (!names || !names->child)
		return;
	printf(LABEL, "names");
	for (name = names->child->next; name; name = name->next) {
		words_value(member(name, "kind"));
		printf(" \"%s\", ", member_text(name, "name"));
	}
	printf("path %s%s\n", *path == '/' ? path : "not known",
	       member_flag(all, "arguments_unread") ? " (its arguments cannot be read now)" : "");
}

/* Prints a line for each item of the list. */
static void print_each(const cJSON *all, const char *key, const char *label, const struct sentence *sentences)
{
	const cJSON *one;

	cJSON_ArrayForEach (one, member(all, key)) {
		printf(LABEL, label);
		words_say(&(struct about){ { one, all } }, sentences);
		printf("\n");
		label = "";
	}
}

int explain_print(const char *json)
{
	_cleanup_(cJSON_Deletep) cJSON *all = cJSON_Parse(json);
	const cJSON *threads = member(all, "threads"), *thread;
	bool has_class = false;

	if (!all)
		return -EBADMSG;
	if (!threads) {
		printf("%.0f %s: ", cJSON_GetNumberValue(member(all, "pid")), member_text(all, "name"));
		words_say(&(struct about){ { all } }, strangers);
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
	print_each(all, "close", "not taken", about_close);
	if (has_class)
		print_each(all, "weaker", "weaker", about_machine);
	return 0;
}
