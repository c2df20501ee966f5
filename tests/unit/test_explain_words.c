/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how an explanation reads in words. */

#include "test.h"

#include <unistd.h>

#include <schedqos/util/cleanup.h>

#include "../../src/cli/explain.h"

/* Returns the text for an explanation of a process by the daemon, with one thread whose members are given. */
static char *text_of(const char *thread, const char *others)
{
	_cleanup_free_ char *json = NULL;
	const int out = dup(STDOUT_FILENO);
	FILE *file = tmpfile();
	char *text = calloc(1, 4096);

	assert_non_null(file);
	assert_non_null(text);
	assert_true(asprintf(&json,
			     "{\"kind\": \"process\", \"daemon\": true, \"name\": \"x\", \"threads\": [{\"count\": 1, "
			     "\"tids\": [7], \"name\": \"x\", %s, \"theirs\": [\"nice\"], "
			     "\"carries\": {\"nice\": 9}}], %s}",
			     thread, others) > 0);
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	assert_int_equal(explain_print(json), 0);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	rewind(file);
	text[fread(text, 1, 4095, file)] = '\0';
	fclose(file);
	return text;
}

static void assert_says(const char *thread, const char *others, const char *want, const char *lack)
{
	_cleanup_free_ char *text = text_of(thread, others);

	if (!strstr(text, want) || (lack && strstr(text, lack)))
		fail_msg("%s", text);
}

TEST(a_change_by_others_lasts_as_long_as_the_text_says)
{
	assert_says("\"class\": \"QOS_UTILITY\", \"assigned_by\": \"default\"", "\"names\": []",
		    "nice 9: changed by somebody, and left so until a rule takes effect", NULL);
	/* Without a class nothing takes its place at an exec. */
	assert_says("\"assigned_by\": \"no-rule\"", "\"names\": []", "nice 9: changed by somebody, and left so",
		    "exec");
	assert_says("\"assigned_by\": \"no-rule\", \"limited\": true", "\"limit\": \"QOS_UTILITY\"",
		    "nice 9: changed by somebody; at its next look the daemon lowers", "left so");
}

TEST(only_an_attribute_that_nobody_chose_is_not_as_wanted)
{
	const char *in_class = "\"class\": \"QOS_UTILITY\", \"assigned_by\": \"default\"", *names = "\"names\": []";
	char differs[128], limited[160];

	snprintf(differs, sizeof(differs), "%s, \"differs\": [\"nice\"]", in_class);
	assert_says(differs, names, ", as wanted but for that change", "not as wanted");
	snprintf(limited, sizeof(limited), "%s, \"limited\": true", differs);
	assert_says(limited, names, ": not as wanted", "but for");
	snprintf(differs, sizeof(differs), "%s, \"differs\": [\"nice\", \"slice\"]", in_class);
	assert_says(differs, names, ": not as wanted", "but for");
}

TEST(a_lowered_override_is_named_by_the_class_that_was_requested)
{
	assert_says("\"class\": \"QOS_UTILITY\", \"assigned_class\": \"QOS_USER_INTERACTIVE\", "
		    "\"assigned_by\": \"override\"", "\"names\": []",
		    "somebody requested QOS_USER_INTERACTIVE at run time", NULL);
}

TEST(the_place_within_a_list_follows_a_rule)
{
	assert_says("\"class\": \"QOS_UTILITY\", \"assigned_by\": \"rule\", \"rule\": {\"pattern\": \"a\", "
		    "\"file\": \"f\", \"line\": 2, \"column\": 3, \"path\": \"a[1]\"}",
		    "\"matched\": {\"kind\": \"argv0\", \"name\": \"a\"}",
		    "\"a\" at f:2:3 (a[1]): the program's name matches that", NULL);
	assert_says("\"class\": \"QOS_UTILITY\", \"assigned_by\": \"rule\", \"rule\": {\"pattern\": \"a\", "
		    "\"file\": \"f\", \"line\": 2, \"column\": 3, \"path\": \"a\"}",
		    "\"matched\": {\"kind\": \"argv0\", \"name\": \"a\"}",
		    "\"a\" at f:2:3: the program's name matches that", NULL);
	/* The JSON path of a pattern with a dot is quoted. */
	assert_says("\"class\": \"QOS_UTILITY\", \"assigned_by\": \"rule\", \"rule\": {\"pattern\": \"a.py\", "
		    "\"file\": \"f\", \"line\": 2, \"column\": 3, \"path\": \"[\\\"a.py\\\"]\"}",
		    "\"matched\": {\"kind\": \"argv0\", \"name\": \"a.py\"}",
		    "\"a.py\" at f:2:3: the program's name matches that", NULL);
}

TEST(a_policy_that_is_fair_again_is_not_called_the_choice)
{
	assert_says("\"reason\": \"not-fair\", \"carries\": {\"policy\": \"SCHED_RR\"}", "\"names\": []",
		    "somebody chose SCHED_RR: only fair tasks get classes", NULL);
	assert_says("\"reason\": \"not-fair\", \"carries\": {\"policy\": \"SCHED_NORMAL\"}", "\"names\": []",
		    "when the daemon last looked, it had a policy that is not fair", "chose SCHED_NORMAL");
}

TEST(a_list_of_parents_has_no_single_name)
{
	assert_says("\"class\": \"QOS_UTILITY\", \"assigned_by\": \"default\"",
		    "\"names\": [], \"close\": [{\"pattern\": \"a\", \"why\": \"condition\", "
		    "\"condition\": \"parent\", \"found\": \"b\"}]",
		    "match.parent requires another name, but that is b", NULL);
}

TEST(a_sched_ext_scheduler_weakens_a_class)
{
	const char *weaker = "\"names\": [], \"weaker\": [{\"what\": \"sched-ext\", \"name\": \"lavd\"}]";

	assert_says("\"class\": \"QOS_UTILITY\", \"assigned_by\": \"default\"", weaker,
		    "weaker    the sched_ext scheduler \"lavd\" replaces the kernel's: slices have no effect", "border");
	assert_says("\"assigned_by\": \"no-rule\"", weaker, "", "sched_ext");
}

TEST(a_requested_limit_is_named_though_the_windows_are_hidden)
{
	static const char class[] = "\"class\": \"QOS_BACKGROUND\", \"limited\": true, \"assigned_by\": \"default\"";
	static const char none[] = "\"limited\": true, \"assigned_by\": \"no-rule\"";
	static const char *const says = "no more than QOS_BACKGROUND: somebody requested this limit";

	assert_says(class, "\"shown\": \"hidden\", \"keeps\": true, \"requested_limit\": \"QOS_BACKGROUND\"", says, NULL);
	assert_says(class, "\"shown\": \"hidden\", \"requested_limit\": \"QOS_BACKGROUND\"", says, NULL);
	assert_says(class, "\"shown\": \"hidden\"", "all windows of its app are hidden", "somebody requested");
	assert_says(none, "\"shown\": \"hidden\", \"limit\": \"QOS_UTILITY\", \"requested_limit\": \"QOS_USER_INITIATED\"",
		    "no more than QOS_UTILITY is allowed", NULL);
}
