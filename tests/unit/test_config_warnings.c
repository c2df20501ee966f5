/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies the warnings about a valid configuration. */
#include "config_case.h"

TEST(patterns_that_can_never_match_are_reported)
{
	static const struct bad cases[] = {
		{ "{'a': {'thread_qos': {'0123456789abcdef': 'QOS_UTILITY'}}}", 1, 23,
		  "a.thread_qos.0123456789abcdef",
		  "can never match: thread names are cut to 15 bytes: write \"0123456789abcde\"" },
		{ "{'a': {'thread_qos': {'0123456789abcdef*': 'QOS_UTILITY'}}}", 1, 23,
		  "a.thread_qos[\"0123456789abcdef*\"]", "cut to 15 bytes" },
		{ "{'a': {'match': {'user': 'bob'}}}", 1, 26, "a.match.user", "unknown user \"bob\": this never matches" },
		{ "{'a': {'match': {'user': '17'}}}", 1, 26, "a.match.user", "(a uid stands without quotes)" },
		{ "{'a': [{'qos': 'QOS_UTILITY'},\n {'match': {'argv': 'x'}}]}", 2, 2,
		  "a[1]", "can never match: a rule before it has no \"match\"" },
		{ "{'/a': [{},\n {'match': {'user_namespace': 'any'}},\n {}]}", 3, 2,
		  "[\"/a\"][2]", "can never match: a rule before it has no" },
		{ "{'/a': [{},\n {'match': {'exe': '/a'}}]}", 2, 2,
		  "[\"/a\"][1]", "can never match: a rule before it has no \"match\"" },
		{ "{'bin/a': {}}", 1, 2, "[\"bin/a\"]", "compared with a full path: write \"*/bin/a\"" },
		{ "{'~/bin/a': {}}", 1, 2, "[\"~/bin/a\"]", ": write \"*/bin/a\"" },
		{ "{'./a': {}}", 1, 2, "[\"./a\"]", ": write \"*/a\"" },
		{ "{'/bin/../a': {}}", 1, 2, "[\"/bin/../a\"]", "no program's path has two slashes, . or .. in it" },
		{ "{'/opt//a*': {}}", 1, 2, "[\"/opt//a*\"]", "can never match" },
		{ "{'a': {'match': {'exe': '/opt/./a'}}}", 1, 25, "a.match.exe", "can never match" },
		{ "{'/opt/a/': {}}", 1, 2, "[\"/opt/a/\"]", "does not end with a slash: write \"/opt/a/*\"" },
		{ "{'gcc|clang': {}}", 1, 2, "[\"gcc|clang\"]", "a | or {,} stands for itself: write a rule for each name" },
		{ "{'/bin/{gcc,clang}': {}}", 1, 2, "[\"/bin/{gcc,clang}\"]", "a | or {,} stands for itself" },
		{ "{'^firefox': {}}", 1, 2, "[\"^firefox\"]", "looks like a regular expression, but is a glob" },
		{ "{'firefox$': {}}", 1, 2, "[\"firefox$\"]", "looks like a regular expression" },
		{ "{'.*fox': {}}", 1, 2, "[\".*fox\"]", "write * for .*" },
		{ "{'a': {'match': {'exe': '^/bin/.*'}}}", 1, 25, "a.match.exe", "looks like a regular expression" },
		{ "{'a': {'match': {'cgroup': '.*/b'}}}", 1, 28, "a.match.cgroup", "looks like a regular expression" },
		{ "{'a': {'thread_qos': {'ui$': 'QOS_UTILITY'}}}", 1, 23, "a.thread_qos[\"ui$\"]", "looks like a regular" },
		{ "{'C:\\\\Games\\\\a.exe': {}}", 1, 2, "[\"C:\\\\Games\\\\a.exe\"]", "what follows the last backslash: write \"a.exe\"" },
		{ "{'a': {'match': {'argv': '-j 8'}}}", 1, 26, "a.match.argv", "with each argument alone" },
		{ "{'a': {'match': {'exe': 'gcc'}}}", 1, 25, "a.match.exe", "compared with a full path: write \"*/gcc\"" },
		{ "{'a': {'match': {'parent': 'bin/make'}}}", 1, 28, "a.match.parent", "compared with a full path" },
		{ "{'a': {'match': {'parent': ['x', 'bin/make']}}}", 1, 34, "a.match.parent[1]", "compared with a full path" },
		{ "{'a': {'match': {'cgroup': 'user.slice/*'}}}", 1, 28, "a.match.cgroup",
		  "the path of a cgroup begins with a /: write \"*/user.slice/*\"" },
		{ "{'schedqos': {'groups': {'a/b': {'max': 'QOS_UTILITY'}}}}", 1, 26,
		  "schedqos.groups[\"a/b\"]", "the path of a cgroup begins with a /: write \"*/a/b\"" },
		{ "{'gcc-[0-9': {}}", 1, 2, "[\"gcc-[0-9\"]", "a [ is not closed by a ]" },
		{ "{'gcc-[[:digit:]': {}}", 1, 2, "[\"gcc-[[:digit:]\"]", "a [ is not closed by a ]" },
		{ "{'a': {'thread_qos': {'io[1': 'QOS_UTILITY'}}}", 1, 23, "a.thread_qos[\"io[1\"]", "a [ is not closed" },
		{ "{'a': {'match': {'exe': '/a[b'}}}", 1, 25, "a.match.exe", "a [ is not closed" },
		{ "{'a': {'match': {'argv': ['x', 'a[b']}}}", 1, 32, "a.match.argv[1]", "a [ is not closed" },
		{ "{'a': {'match': {'parent': 'a[!]'}}}", 1, 28, "a.match.parent", "a [ is not closed" },
		{ "{'a': {'match': {'cgroup': '/['}}}", 1, 28, "a.match.cgroup", "a [ is not closed" },
		{ "{'schedqos': {'groups': {'a[': {'max': 'QOS_UTILITY'}}}}", 1, 26, "schedqos.groups[\"a[\"]",
		  "a [ is not closed" },
		{ "{'a': {'match': {'cgroup': '/sys/fs/cgroup/x/*'}}}", 1, 28, "a.match.cgroup", "write \"/x/*\"" },
		{ "{'schedqos': {'groups': {'/sys/fs/cgroup/x': {'max': 'QOS_UTILITY'}}}}", 1, 26,
		  "schedqos.groups[\"/sys/fs/cgroup/x\"]", "write \"/x\"" },
		{ "{'schedqos': {'groups': {'/x/': {'max': 'QOS_UTILITY'}}}}", 1, 26, "schedqos.groups[\"/x/\"]",
		  "a cgroup's path does not end with a slash: write \"/x\"" },
		{ "{'a': {'match': {'cgroup': 'user.slice/'}}}", 1, 28, "a.match.cgroup", "write \"*/user.slice\"" },
		{ "{'a': {'match': {'cgroup': '/a//b'}}}", 1, 28, "a.match.cgroup", "no cgroup's path has two slashes" },
		{ "{'a': {'match': {'cgroup': '/a/../b'}}}", 1, 28, "a.match.cgroup", "two slashes, . or .. in it" },
		{ "{'firefox --private-window': {}}", 1, 2, "[\"firefox --private-window\"]",
		  ": write \"firefox\" with a \"match\" of \"argv\", such as \"--private-window\"" },
		{ "{'a': {'match': {'parent': 'make -j2'}}}", 1, 28, "a.match.parent", ": write \"make\" with" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct config_file file = RULES(cases[i].text);
		struct config_errors errors = { 0 };
		struct config *config = NULL;

		assert_int_equal(parse(&file, 1, &config, &errors), 0);
		assert_only(&errors, "rules.json", &cases[i], true);
		config_errors_clear(&errors);
		config_free(config);
	}
}

TEST(patterns_that_can_match_are_not_reported)
{
	config_free(GOOD(RULES("{'The Game.exe': {}, 'a - b': {}, 'A -B C-.EXE': {}, '/opt/My App/run': {}, 'nginx: worker process': {}, 'python3 report.py': {},\n"
			       "'gcc-[]0-9]': {}, '[[]x': {}, '[[:alpha:]]': {}, 'x\\\\[*': {}, 'a]': {},\n"
			       "'b': {'match': {'argv': 'python3 report.py'}}}")));
	config_free(GOOD(RULES("{'a': {'thread_qos': {'0123456789abcde': 'QOS_UTILITY',\n"
			       "'0123456789abcd*': 'QOS_UTILITY',\n"
			       "'0123456789[abcdefgh]*': 'QOS_UTILITY'}},\n"
			       "'/u': [{}, {'match': {'user_namespace': 'any', 'user': 0}},"
			       "{'match': {'user_namespace': 'any'}}],\n"
			       "'v': [{'match': {'user_namespace': 'initial'}}, {}],\n"
			       "'*/bin/x': {}, '/bin/y': {}, '?bin/z': {}, '{a': {}, 'b,}': {}}")));
}

TEST(unknown_users_are_reported_and_match_nothing)
{
	const struct config_file file = RULES("{'a': {'match': {'user': 'slow'}},\n'b': {'match': {'user': 'slow'}},\n"
					      "'c': {'match': {'user': 'root'}},\n'd': {'match': {'user': 'bob'}}}");
	struct config_errors errors = { 0 };
	struct config *config = NULL;
	const struct rule_user *slow, *bob;

	assert_int_equal(parse(&file, 1, &config, &errors), 0);
	/* Each place is reported, but each name is looked up and stored once. */
	assert_int_equal(errors.count, 3);
	assert_non_null(strstr(errors.items[1].text, ":2:25: b.match.user: warning: user \"slow\" cannot be looked up now (Connection timed out)"));
	slow = rule_for(config, "a")->match->user;
	bob = rule_for(config, "d")->match->user;
	assert_true(rule_user_is_pending(slow));
	assert_false(rule_user_is_pending(bob));
	assert_int_equal(slow->uid, (uid_t)-1);
	assert_int_equal(bob->uid, (uid_t)-1);
	assert_ptr_equal(rule_for(config, "b")->match->user, slow);
	assert_int_equal(rule_for(config, "c")->match->user->uid, 0);
	config_errors_clear(&errors);
	config_free(config);
}
