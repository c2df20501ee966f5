/* SPDX-License-Identifier: GPL-2.0-only */
/* An explanation in words: of each thread, or several that agree, its class and why; then what it was matched by. */
#include "explain.h"

#include <errno.h>
#include <string.h>

#include <schedqos/machine/machine.h>
#include <schedqos/util/cleanup.h>

/*
 * What is said if all of `when` holds: words that each name a member that is there, and neither
 * false, zero nor empty, or say which text it is; a '!' before it: if it is not so. "else": if the
 * sentence before was not said, in a row of which one at most is. A sentence with a label begins a
 * line, others continue it.
 *
 * In the text <member> is its value, of a rule its pattern and place, and <attributes:names> the
 * attributes of those names.
 */
struct sentence {
	const char *when, *label, *text;
};

/* Tasks that no daemon knows by a record. */
static const struct sentence strangers[] = {
	{ "kind=kernel-thread", NULL, "a kernel thread: left alone, whatever the rules say" },
	{ "kind=daemon", NULL, "the daemon itself: left alone, whatever the rules say" },
	{ "kind=ended", NULL, "has ended, and waits for its parent to take notice" },
	{ "kind=unreadable", NULL, "left alone: its executable cannot be read" },
	{ "kind=unknown", NULL, "not known yet: ask again" },
	{ 0 },
};

/* Of a thread, after the colon behind its name. */
static const struct sentence about_thread[] = {
	{ "reason=undecided", NULL, "not decided yet" },
	{ "else reason=refused", NULL, "refused by the kernel" },
	{ "else reason=not-kept", NULL, "accepted by the kernel, but not kept" },
	{ "else reason=undone", NULL, "put back, since the daemon stops" },
	{ "else !class", NULL, "left alone" },
	{ "else daemon", NULL, "<class>" },
	{ "else", NULL, "would be <class>" },

	{ "assigned_by=override", "rule", "none counts: this class was asked for at run time, by set or run" },
	{ "else assigned_by=not-yet", NULL, "" },
	{ "else !rule process_rule", "rule", "the program's rule gives this thread no class" },
	{ "else !rule", "rule", "no rule names it" },
	{ "rule", NULL, "" },
	{ "else assigned_by=override", NULL, "" },
	{ "else assigned_by=none", NULL, ", and \"default\" is none" },
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
	{ "else assigned_by=inherited-rule", NULL, ", inherited from an ancestor that has ended or runs another program" },
	{ "else rule !matched", NULL, ": the program had another name when it was matched" },
	{ "else rule matched.kind=path", NULL, ": the path <matched.name> matches that" },
	{ "else rule matched.kind=script", NULL, ": the script's name matches that" },
	{ "else rule", NULL, ": the program's name matches that" },
	{ "rule.conditions !assigned_by=inherited-rule", NULL, ", and its \"match\" holds" },
	{ "class rule.enforce", "enforced", "whatever anybody changes is put back: the rule has \"enforce\": true" },

	{ "close_thread_rule", "not taken",
	  "<close_thread_rule> (<close_thread_rule.path>): the thread is called \"<name>\"" },
	{ "close_thread_why=cut", NULL, ": the kernel keeps 15 bytes of a name" },
	{ "close_thread_why=case", NULL, ": upper and lower case are different letters" },
	{ "limited limit !shown=hidden", "limited", "no more than <limit> is allowed: asked for at run time" },
	{ 0 },
};

/* Of a group, for each thread that it limits. */
static const struct sentence about_group[] = {
	{ "limited", "limited", "<assigned_class> is not allowed in its cgroup <cgroup>: group <>" },
	{ "limited max", NULL, " has <max> at most" },
	{ 0 },
};

/* Of a thread: what is seen of its app, what somebody else chose, and what comes of it all. */
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

	{ "class daemon", "wanted", "<wanted.text>" },
	{ "else class", "would get", "<wanted.text>" },
	{ "kind=made-up", NULL, "" },
	{ "else daemon", "carries", "<carries.text>" },
	{ "else", "has", "<carries.text>" },
	{ "daemon differs", NULL, ": not as wanted" },
	{ "else daemon class", NULL, ", as wanted" },
	{ 0 },
};

/* Of a rule that came close, after its place. */
static const struct sentence about_close[] = {
	{ "condition=user_namespace", NULL,
	  "holds in the initial user namespace only, and this is in another, as in a sandbox: "
	  "\"match\": {\"user_namespace\": \"any\"} takes those as well" },
	{ "else condition=raise", NULL, "uid <uid> has no session at a seat, and nobody else is raised by it" },
	{ "condition=user", NULL, "match.user asks for \"<wanted>\", and it runs as uid <uid>" },
	{ "else condition=argv", NULL, "match.argv asks for \"<wanted>\", and no argument matches that" },
	{ "else wanted found", NULL, "match.<condition> asks for \"<wanted>\", and that is <found>" },
	{ "else wanted", NULL, "match.<condition> asks for \"<wanted>\", and that is not known" },
	{ "why=masked", NULL, "null masks the rules of files before this one" },
	{ "why=replaced", NULL, "overridden by a later file" },
	{ "why=beaten", NULL, "matches, too, but the rule that was taken goes first" },
	{ "why=comm", NULL, "the task's name, which thread_qos looks at, within the program's rule" },
	{ "why=argument", NULL, "an argument, which match.argv looks at" },
	{ "why=folder compared_with=path", NULL, "the path is <compared>" },
	{ "else why=folder", NULL, "the path is not known" },
	{ "why=similar", NULL, "<compared_with> is \"<compared>\"" },
	{ "why=case", NULL, "<compared_with> is \"<compared>\": upper and lower case are different letters" },
	{ 0 },
};

static const struct sentence about_machine[] = {
	{ "what=autogroup", NULL, "autogroup is on: nice ranks tasks only within their session" },
	{ "what=sched-ext", NULL, "a sched_ext scheduler is loaded: slices, and often nice, mean little" },
	{ "what=no-slice", NULL, "this kernel has no custom slices: the class's is left out" },
	{ "what=no-util-clamp", NULL, "this kernel has no util clamp: the class's is left out" },
	{ "what=cpu-cgroup", NULL, "the border of cpu cgroup <path> (weight <weight>): " DOCTOR_BORDER_WORDS },
	{ 0 },
};

/* ---- members ---- */

/* What sentences are about: a member is looked for in the first of them that has it. */
struct about {
	const cJSON *objects[3]; /* an item of a list, its thread, the whole; NULL: none */
};

static const cJSON *item(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* path, which is written to: "member", or "member.member"; "": the item itself. */
static const cJSON *find(const struct about *about, char *path)
{
	const cJSON *found = *path ? NULL : about->objects[0];
	const char *key = strsep(&path, ".");

	for (size_t i = 0; i < array_size(about->objects) && !found; i++)
		found = item(about->objects[i], key);
	return path ? item(found, path) : found;
}

static bool is_so(const cJSON *found)
{
	if (cJSON_IsString(found))
		return *found->valuestring;
	return cJSON_IsTrue(found) || (cJSON_IsNumber(found) && found->valuedouble > 0) || (found && found->child);
}

/* word: of `when`. */
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

/* ---- values ---- */

/* One attribute in words: "nice 5". */
static void print_attribute(const cJSON *attr, const char *name)
{
	const double value = cJSON_GetNumberValue(item(attr, name));

	if (strcmp(name, "policy") == 0)
		printf("%s", member_text(attr, "policy"));
	else if (strcmp(name, "slice") == 0 && value > 0)
		printf("slice %g ms", value / 1e6);
	else if (strcmp(name, "slice") == 0)
		printf("no custom slice");
	else if (strcmp(name, "io_priority") == 0 && item(attr, "io_class"))
		printf("I/O %s %.0f", member_text(attr, "io_class"), value);
	else if (strcmp(name, "io_priority") == 0)
		printf("no I/O priority");
	else
		printf("%s %.0f", name, value);
}

/* "nice 5 and slice 3 ms" */
static void print_attributes(const cJSON *attr, const cJSON *names)
{
	const cJSON *name;

	cJSON_ArrayForEach (name, names) {
		print_attribute(attr, name->valuestring);
		if (name->next)
			printf(name->next->next ? ", " : " and ");
	}
}

/* Of a rule "PATTERN" at FILE:LINE:COLUMN; what is built in has no place. */
static void print_value(const cJSON *value)
{
	if (cJSON_IsNumber(value))
		printf("%.0f", value->valuedouble);
	else if (cJSON_IsString(value))
		printf("%s", strcmp(value->valuestring, "argv0") == 0 ? "argv[0]" : value->valuestring);
	else if (item(value, "file"))
		printf("\"%s\" at %s:%.0f:%.0f", member_text(value, "pattern"), member_text(value, "file"),
		       cJSON_GetNumberValue(item(value, "line")), cJSON_GetNumberValue(item(value, "column")));
	else if (value)
		printf("\"%s\"", member_text(value, "pattern"));
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
			print_value(value);
	}
}

static void say(const struct about *about, const struct sentence *sentences)
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

/* ---- the whole ---- */

static void print_ids(const cJSON *all, const cJSON *thread)
{
	const cJSON *tids = item(thread, "tids"), *tid;
	const int count = (int)member_count(thread, "count");

	if (!tids) {
		printf("%s: ", member_text(all, "name"));
		return;
	}
	printf("%.0f %s", cJSON_GetNumberValue(tids->child), member_text(thread, "name"));
	if (count > 1)
		printf(" (%d threads", count);
	if (count > 1 && cJSON_GetArraySize(item(all, "threads")) > 1) {
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
	say(&about, about_thread);
	cJSON_ArrayForEach (group, item(all, "groups"))
		say(&(struct about){ { group, thread, all } }, about_group);
	say(&about, about_rest);
	printf("\n");
}

static void print_names(const cJSON *all)
{
	const cJSON *names = item(all, "names"), *name;
	const char *path = member_text(names ? names->child : NULL, "name");

	if (!names || !names->child)
		return;
	printf(LABEL, "names");
	for (name = names->child->next; name; name = name->next) {
		print_value(item(name, "kind"));
		printf(" \"%s\", ", member_text(name, "name"));
	}
	printf("path %s%s\n", *path == '/' ? path : "not known",
	       member_flag(all, "arguments_unread") ? " (its arguments cannot be read now)" : "");
}

static void print_close(const cJSON *all)
{
	const char *label = "not taken";
	const cJSON *close;

	cJSON_ArrayForEach (close, item(all, "close")) {
		printf(LABEL, label);
		print_value(close);
		printf(": ");
		say(&(struct about){ { close, all } }, about_close);
		printf("\n");
		label = "";
	}
}

int explain_print(const char *json)
{
	_cleanup_(cJSON_Deletep) cJSON *all = cJSON_Parse(json);
	const cJSON *threads = item(all, "threads"), *thread, *weaker;
	bool has_class = false;

	if (!all)
		return -EBADMSG;
	if (!threads) {
		printf("%.0f %s: ", cJSON_GetNumberValue(item(all, "pid")), member_text(all, "name"));
		say(&(struct about){ { all } }, strangers);
		printf("\n");
		return 0;
	}
	if (member_is(all, "kind", "process") && !member_flag(all, "daemon"))
		printf("no daemon runs: this is what one would do\n");
	cJSON_ArrayForEach (thread, threads) {
		print_thread(all, thread);
		has_class |= item(thread, "class") != NULL;
	}
	if (member_count(all, "other_threads"))
		printf("and %.0f threads that differ from these\n", (double)member_count(all, "other_threads"));
	print_names(all);
	print_close(all);
	cJSON_ArrayForEach (weaker, (has_class ? item(all, "weaker") : NULL)) {
		printf(LABEL, "weaker");
		say(&(struct about){ { weaker } }, about_machine);
		printf("\n");
	}
	return 0;
}
