/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which rule a process takes, and which class a thread gets by its own name. */
#include "fake_process.h"

#include <errno.h>

#define CASES_MAX 10
#define PATH(path)            \
	{                     \
		.exe = (path) \
	} /* started in the plain way: its name and its only argument are those of the path */
#define TAKES(pattern, ...) { .process = __VA_ARGS__, .want = (pattern) }
#define GIVES(pattern, class, ...) { .process = __VA_ARGS__, .want = (pattern), .qos = (class) }
#define ASKS(pattern, facts, ...) { .process = __VA_ARGS__, .want = (pattern), .asked = (facts) }
#define MATCH(pattern, conditions) "'" pattern "': { 'qos': 'QOS_UTILITY', 'match': { " conditions " } }"

static struct process make = PROCESS("/usr/bin/gmake", "make", "make\0-j2"), shell = PROCESS("/bin/sh", "sh", "sh");
static struct process script = PROCESS("/bin/sh", "build.sh", "sh\0./build.sh");
static struct process contained = PROCESS("/usr/bin/gmake", "make", "make", .sandboxed = true);
static struct process gone = { .missing = FACT_EXE, .error = -ESRCH };

static const struct example {
	const char *name;
	const char *files[2]; /* patterns, separated by |, each of which gives QOS_UTILITY; or rules, with ' for " */
	struct {
		struct process process;
		const char *want; /* the rule's pattern; NULL: none */
		const char *qos;  /* NULL: any */
		unsigned asked;	  /* enum fact: all facts that were fetched; 0: any */
	} cases[CASES_MAX];
} examples[] = {
	/* ---- which pattern wins ---- */
	{ "no rules", { "" }, { TAKES(NULL, PATH("/usr/bin/vi")) } },
	{ "an exact match beats a glob, whatever its file", { "chrome", "chrom*|*" },
	  { TAKES("chrome", PATH("/usr/bin/chrome")), TAKES("chrom*", PATH("/usr/bin/chromium")), TAKES("*", PATH("/usr/bin/vi")) } },
	{ "the glob with the longest literal text", { "*-server|a[bcdefgh]*", "x*|xy*|*.exe|ab?" },
	  { TAKES("xy*", PATH("/usr/bin/xyz")), TAKES("x*", PATH("/usr/bin/xz")), TAKES("*-server", PATH("/usr/bin/xy-server")),
	    TAKES("*.exe", PATH("/usr/bin/xy.exe")), TAKES("ab?", PATH("/usr/bin/abc")) } },
	{ "of equal globs that of the later file", { "ab*", "*bc" }, { TAKES("*bc", PATH("/usr/bin/abc")) } },
	{ "of equal globs in a file the earlier", { "a?c|*bc|ab*|?bc" },
	  { TAKES("a?c", PATH("/usr/bin/abc")), TAKES("*bc", PATH("/usr/bin/abbc")), TAKES("ab*", PATH("/usr/bin/abb")) } },
	{ "a glob may be as short as a name", { "a*|*b|?|c?|*[xy]|d*e" },
	  { TAKES("a*", PATH("/usr/bin/a")), TAKES("*b", PATH("/usr/bin/b")), TAKES("?", PATH("/usr/bin/c")), TAKES("c?", PATH("/usr/bin/cd")),
	    TAKES("*[xy]", PATH("/usr/bin/zy")), TAKES("a*", PATH("/usr/bin/ab")), TAKES("d*e", PATH("/usr/bin/de")),
	    TAKES(NULL, PATH("/usr/bin/ed")) } },
	{ "a later file replaces the rule of a pattern", { "vi", "'vi': { 'qos': 'QOS_BACKGROUND' }" },
	  { GIVES("vi", "QOS_BACKGROUND", PATH("/usr/bin/vi")) } },
	{ "null masks an earlier file's rule", { "chrome|chr*|v*", "'chrome': null, 'v*': null" },
	  { TAKES("chr*", PATH("/usr/bin/chrome")), TAKES(NULL, PATH("/usr/bin/vi")) } },
	/* ---- what a pattern is compared with ---- */
	{ "a pattern with a slash is a path", { "/opt/app/run|/opt/*/tool-*|*/bin/game" },
	  { TAKES("/opt/app/run", PATH("/opt/app/run")), TAKES(NULL, PATH("/opt/app/bin/run")), TAKES("/opt/*/tool-*", PATH("/opt/a/b/tool-x")),
	    TAKES("*/bin/game", PATH("/home/me/bin/game")), TAKES(NULL, PROCESS("/usr/bin/evil", "evil", "/opt/app/run")) } },
	{ "a name is not compared with the path", { "*opt*" }, { TAKES(NULL, PATH("/opt/app/run")) } },
	{ "a path beats a name", { "run|/opt/run" }, { TAKES("/opt/run", PATH("/opt/run")), TAKES("run", PATH("/bin/run")) } },
	{ "a script's name goes first", { "python3.13|python3|tool" },
	  { TAKES("tool", PROCESS("/usr/bin/python3.13", "tool", "python3\0/usr/bin/tool")) } },
	{ "then that in argv[0]", { "python3.13|python3" },
	  { TAKES("python3", PROCESS("/usr/bin/python3.13", "tool", "python3\0/usr/bin/tool")) } },
	{ "then the executable's", { "python3.13" },
	  { TAKES("python3.13", PROCESS("/usr/bin/python3.13", "tool", "python3\0/usr/bin/tool")) } },
	{ "argv[0] ends at a slash or a backslash", { "game.exe|z.exe|ls" },
	  { TAKES("game.exe", PROCESS("/usr/bin/wine64-preloader", "game.exe", "C:\\Games\\The Game\\game.exe")),
	    TAKES("z.exe", PROCESS("/usr/bin/wine", "x", "/home/me\\x/y\\z.exe")), TAKES("ls", PROCESS("/usr/bin/busybox", "ls", "/bin/ls\0-l")) } },
	{ "a login shell's dash is no part of its name", { "bash|-X-.exe|sh" },
	  { TAKES("bash", PROCESS("/usr/bin/bash", "bash", "-bash")), TAKES("sh", PROCESS("/usr/bin/busybox", "sh", "-sh")),
	    TAKES("-X-.exe", PROCESS("/usr/bin/wine", "-X-.exe", "Z:\\games\\-X-.exe")) } },
	{ "without arguments there is the executable's name", { "vi|?*" },
	  { TAKES("vi", { .exe = "/usr/bin/vi", .comm = "vi", .argv = "" }), TAKES("vi", PROCESS("/usr/bin/vi", "vi", "")),
	    TAKES(NULL, { .exe = "", .comm = "", .argv = "" }) } },
	{ "* is even for a process without anything", { "*" }, { TAKES("*", { .exe = "", .comm = "", .argv = "" }) } },
	/* ---- scripts ---- */
	{ "a script may be behind one option of its interpreter", { "tool" },
	  { TAKES("tool", PROCESS("/usr/bin/awk", "tool", "awk\0-f\0/usr/bin/tool\0x")),
	    TAKES(NULL, PROCESS("/usr/bin/awk", "tool", "awk\0-w\0-f\0/usr/bin/tool")) } },
	{ "a long name is known by its first 15 bytes", { "a-very-long-script-name" },
	  { TAKES("a-very-long-script-name", PROCESS("/usr/bin/awk", "a-very-long-scr", "awk\0/usr/bin/a-very-long-script-name")) } },
	/* The last process has the name as that of its executable. */
	{ "an argument that comm does not confirm is no script", { "tool|a?k" },
	  { TAKES(NULL, PROCESS("/usr/bin/vi", "vi", "vi\0/usr/bin/tool")), TAKES("a?k", PROCESS("/usr/bin/awk", "worker", "awk\0/usr/bin/tool")),
	    TAKES("tool", PROCESS("/opt/tool", "tool", "x\0tool")) } },
	{ "nor is a comm that nothing confirms a name", { "chrome" }, { TAKES(NULL, PROCESS("/usr/bin/evil", "chrome", "evil")) } },
	{ "what an interpreter was handed is its script, with no need of comm", { "report.py|python*" },
	  { ASKS("report.py", FACT_EXE | FACT_ARGV, PROCESS("/usr/bin/python3.13", "python3", "python3\0-u\0./report.py")),
	    TAKES("report.py", PROCESS("/usr/bin/python3.13", "worker", "python3\0/home/me/report.py")),
	    TAKES("python*", PROCESS("/usr/bin/python3.13", "python3", "python3\0-c\0report.py")) } },
	/* exec has named the task after the executed file: a script or a link. */
	{ "without arguments comm takes the place of a script", { "build.sh|sh|app|other", MATCH("x", "'argv': '*'") },
	  { TAKES("build.sh", PROCESS("/bin/sh", "build.sh", "sh\0build.sh", .unread = true)),
	    TAKES("app", PROCESS("/bin/app", "app", "app", .unread = true)), TAKES("app", PROCESS("/bin/app", "app", "other", .unread = true)),
	    TAKES("other", PROCESS("/bin/app", "app", "other")) } },
	{ "comm is read only where a script's name is of use", { "chrome|notes.txt", "'notes.txt': null" },
	  { ASKS(NULL, FACT_EXE | FACT_ARGV, PROCESS("/usr/bin/vi", "vi", "vi\0notes.txt\0other")) } },
	{ "and a glob may be", { "*.txt" },
	  { ASKS(NULL, FACT_EXE | FACT_ARGV | FACT_COMM, PROCESS("/usr/bin/vi", "vi", "vi\0notes.txt\0other")) } },
	/* ---- conditions ---- */
	{ "exe is a glob on the path", { MATCH("java", "'exe': '/opt/*'") },
	  { TAKES("java", PATH("/opt/a/java")), TAKES(NULL, PATH("/usr/bin/java")) } },
	{ "every glob of argv matches some argument", { MATCH("java", "'argv': [ '-jar', '*server*' ]") },
	  { TAKES("java", PROCESS("/usr/bin/java", "java", "java\0-Xmx4g\0-jar\0server.jar")),
	    TAKES(NULL, PROCESS("/usr/bin/java", "java", "java\0-jar\0client.jar")), TAKES(NULL, { .exe = "/usr/bin/java", .comm = "java", .argv = "" }) } },
	{ "cgroup is a glob on the cgroup's path", { MATCH("cc", "'cgroup': '/user.slice/*'") },
	  { TAKES("cc", { .exe = "/bin/cc", .cgroup = "/user.slice/user-1000.slice/session-2.scope" }),
	    TAKES(NULL, { .exe = "/bin/cc", .cgroup = "/system.slice/cron" }) } },
	{ "user is a name or a number", { MATCH("cc", "'user': 'alice'"), MATCH("ld", "'user': 7") },
	  { TAKES("cc", { .exe = "/bin/cc", .uid = 1000 }), TAKES("ld", { .exe = "/bin/ld", .uid = 7 }), TAKES(NULL, { .exe = "/bin/cc", .uid = 1001 }) } },
	{ "parent is a pattern on the parent's names",
	  { MATCH("cc", "'parent': 'make'"), MATCH("as", "'parent': '/usr/bin/g*'") ", " MATCH("ld", "'parent': 'build.*'") },
	  { TAKES("cc", { .exe = "/bin/cc", .parent = &make }), TAKES("as", { .exe = "/bin/as", .parent = &make }),
	    TAKES("ld", { .exe = "/bin/ld", .parent = &script }), TAKES(NULL, { .exe = "/bin/cc", .parent = &shell }),
	    TAKES(NULL, { .exe = "/bin/as", .parent = &shell }), TAKES(NULL, { .exe = "/bin/ld", .parent = &shell }),
	    TAKES(NULL, { .exe = "/bin/cc" }), TAKES(NULL, { .exe = "/bin/cc", .parent = &gone }) } },
	{ "one of several parents is enough",
	  { MATCH("cc", "'parent': [ 'ninja', 'make' ]") ", " MATCH("ld", "'parent': [ 'ninja', '/usr/bin/g*' ]") ", " MATCH("as", "'parent': [ 'ninja' ]") },
	  { TAKES("cc", { .exe = "/bin/cc", .parent = &make }), TAKES("ld", { .exe = "/bin/ld", .parent = &make }),
	    TAKES(NULL, { .exe = "/bin/as", .parent = &make }), TAKES(NULL, { .exe = "/bin/cc", .parent = &shell }),
	    TAKES(NULL, { .exe = "/bin/ld", .parent = &contained }), TAKES(NULL, { .exe = "/bin/cc" }) } },
	{ "all of them have to hold", { MATCH("cc", "'exe': '/opt/*', 'argv': [ '-O?' ], 'user': 7, 'cgroup': '/?'") },
	  { TAKES("cc", PROCESS("/opt/cc", "cc", "cc\0-O2", .uid = 7, .cgroup = "/a")),
	    TAKES(NULL, PROCESS("/usr/cc", "cc", "cc\0-O2", .uid = 7, .cgroup = "/a")),
	    TAKES(NULL, PROCESS("/opt/cc", "cc", "cc\0-g0", .uid = 7, .cgroup = "/a")),
	    TAKES(NULL, PROCESS("/opt/cc", "cc", "cc\0-O2", .uid = 8, .cgroup = "/a")),
	    TAKES(NULL, PROCESS("/opt/cc", "cc", "cc\0-O2", .uid = 7, .cgroup = "/aa")) } },
	{ "of a list the first that matches",
	  { "'java': [ { 'qos': 'QOS_UTILITY', 'match': { 'user': 7 } }, { 'qos': 'QOS_BACKGROUND', 'match': { 'exe': '/opt/*' } }, "
	    "{ 'qos': 'QOS_USER_INITIATED' } ]" },
	  { GIVES("java", "QOS_BACKGROUND", { .exe = "/opt/java", .uid = 1 }), GIVES("java", "QOS_UTILITY", { .exe = "/opt/java", .uid = 7 }),
	    GIVES("java", "QOS_USER_INITIATED", { .exe = "/bin/java", .uid = 1 }) } },
	{ "where conditions fail, the next best pattern",
	  { MATCH("java", "'user': 7") ", " MATCH("jav*", "'user': 8") ", " MATCH("/bin/j*", "'user': 9") ", " MATCH("ja*", "'user': 10"), "j*" },
	  { TAKES("java", { .exe = "/bin/java", .uid = 7 }), TAKES("jav*", { .exe = "/bin/java", .uid = 8 }),
	    TAKES("/bin/j*", { .exe = "/bin/java", .uid = 9 }), TAKES("ja*", { .exe = "/bin/java", .uid = 10 }), TAKES("j*", PATH("/bin/java")) } },
	/* The facts are fetched one after another, until a condition fails. */
	{ "costly facts are asked for only when a pattern matched", { MATCH("java", "'user': 0, 'cgroup': '/x*', 'parent': 'p'") },
	  { ASKS(NULL, FACT_EXE | FACT_ARGV, PATH("/bin/vi")),
	    ASKS(NULL, FACT_EXE | FACT_ARGV | FACT_UID | FACT_CGROUP, PATH("/bin/java")) } },
	{ "a missing fact is no error if another rule takes the process", { MATCH("java", "'cgroup': '/x*'"), "j*" },
	  { TAKES("j*", { .exe = "/bin/java", .missing = FACT_CGROUP, .error = -EACCES }) } },
	/* ---- user namespaces: users can mount a file over any path in a namespace of their own ---- */
	{ "a path counts in the initial one only", { "/bin/ls|/bin/p*|*/vi|ed" },
	  { TAKES("/bin/ls", PATH("/bin/ls")), TAKES(NULL, { .exe = "/bin/ls", .sandboxed = true }), TAKES("/bin/p*", PATH("/bin/ps")),
	    TAKES(NULL, { .exe = "/bin/ps", .sandboxed = true }), TAKES("*/vi", PATH("/bin/vi")), TAKES(NULL, { .exe = "/bin/vi", .sandboxed = true }),
	    TAKES("ed", { .exe = "/bin/ed", .sandboxed = true }) } },
	{ "and so does exe", { "'ls': [ { 'qos': 'QOS_UTILITY', 'match': { 'exe': '/bin/*' } }, { 'qos': 'QOS_BACKGROUND' } ]" },
	  { GIVES("ls", "QOS_UTILITY", PATH("/bin/ls")), GIVES("ls", "QOS_BACKGROUND", { .exe = "/bin/ls", .sandboxed = true }) } },
	{ "and a parent's path",
	  { MATCH("cc", "'parent': '/usr/bin/gmake'") ", " MATCH("ld", "'parent': 'make'"),
	    MATCH("as", "'parent': '*/gmake', 'user_namespace': 'any'") },
	  { TAKES("cc", { .exe = "/bin/cc", .parent = &make, .sandboxed = true }), TAKES(NULL, { .exe = "/bin/cc", .parent = &contained, .sandboxed = true }),
	    TAKES("ld", { .exe = "/bin/ld", .parent = &contained, .sandboxed = true }),
	    TAKES("as", { .exe = "/bin/as", .parent = &contained, .sandboxed = true }) } },
	{ "a rule says which it means",
	  { MATCH("/app/*", "'exe': '*/gimp', 'user_namespace': 'any'"), MATCH("vi", "'user_namespace': 'initial'") },
	  { ASKS("/app/*", FACT_EXE | FACT_ARGV, { .exe = "/app/bin/gimp", .sandboxed = true }), TAKES("/app/*", PATH("/app/bin/gimp")),
	    TAKES(NULL, { .exe = "/bin/vi", .sandboxed = true }), TAKES("vi", PATH("/bin/vi")) } },
	/* Only a process that meets all other conditions costs this read. */
	{ "it is asked for last", { MATCH("/bin/ls", "'user': 7") ", " MATCH("ls", "'exe': '/opt/*'"), "/opt/*|l*" },
	  { ASKS("l*", FACT_EXE | FACT_ARGV | FACT_UID, PATH("/bin/ls")),
	    ASKS("/bin/ls", FACT_EXE | FACT_ARGV | FACT_UID | FACT_USERNS, { .exe = "/bin/ls", .uid = 7 }) } },
	/* ---- the processes that a rule may raise ---- */
	{ "who has a session at a seat",
	  { "'schedqos': { 'raise': 'seat' }, 'sway': { 'qos': 'QOS_USER_INITIATED' }, 'cc': { 'qos': 'QOS_UTILITY' }, "
	    "'ld': { 'raise': 'all', 'qos': 'QOS_USER_INITIATED' }, 'sw*': { 'qos': 'QOS_BACKGROUND' }, "
	    "'vi': { 'qos': 'QOS_UTILITY', 'thread_qos': { 'ui': 'QOS_USER_INITIATED' } }",
	    "'as': { 'qos': 'QOS_USER_INITIATED' }, 'ed': { 'qos': 'QOS_USER_INITIATED', 'raise': 'seat' }" },
	  { ASKS("sway", FACT_EXE | FACT_ARGV | FACT_SEAT, PATH("/bin/sway")), TAKES("sw*", { .exe = "/bin/sway", .elsewhere = true }),
	    ASKS("cc", FACT_EXE | FACT_ARGV, { .exe = "/bin/cc", .elsewhere = true }), TAKES("ld", { .exe = "/bin/ld", .elsewhere = true }),
	    TAKES(NULL, { .exe = "/bin/vi", .elsewhere = true }), TAKES("as", { .exe = "/bin/as", .elsewhere = true }),
	    TAKES(NULL, { .exe = "/bin/ed", .elsewhere = true }), TAKES("ed", PATH("/bin/ed")) } },
	{ "what does not raise is for everybody",
	  { "'QOS_USER_INITIATED': { 'sched_nice': 0 }, 'sway': { 'qos': 'QOS_USER_INITIATED', 'raise': 'seat' }" },
	  { ASKS("sway", FACT_EXE | FACT_ARGV, { .exe = "/bin/sway", .elsewhere = true }) } },
	{ "of a list the next one",
	  { "'vi': [ { 'qos': 'QOS_USER_INITIATED', 'raise': 'seat' }, { 'qos': 'QOS_UTILITY' } ]" },
	  { GIVES("vi", "QOS_USER_INITIATED", PATH("/bin/vi")), GIVES("vi", "QOS_UTILITY", { .exe = "/bin/vi", .elsewhere = true }) } },
};

TEST(each_process_takes_this_rule)
{
	for (const struct example *example = examples; example < examples + COUNT(examples); example++) {
		struct config *config = two_files(example->files[0], example->files[1] ? example->files[1] : "");

		for (size_t i = 0; i < CASES_MAX && example->cases[i].process.exe; i++) {
			struct process process = example->cases[i].process;
			const char *want = example->cases[i].want, *qos = example->cases[i].qos;
			int error;
			const struct rule *rule = process_match(config, &process, &error);

			if (error || strcmp(rule ? rule->pattern : "none", want ? want : "none") != 0 ||
			    (qos && strcmp(rule->qos, qos) != 0))
				fail_msg("%s: %s: error %d, %s and not %s", example->name, process.exe, error, rule ? rule->pattern : "none",
					 want ? want : "none");
			if (example->cases[i].asked && process.fetched != example->cases[i].asked)
				fail_msg("%s: %s: asked for %x", example->name, process.exe, process.fetched);
		}
		config_free(config);
	}
}

TEST(an_unknown_user_matches_no_process)
{
	struct process process = { .exe = "/bin/cc", .uid = (uid_t)-1 };
	const struct config_file file = RULES("{ \"cc\": { \"qos\": \"QOS_UTILITY\", \"match\": { \"user\": \"bob\" } } }");
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	assert_int_equal(parse(&file, 1, &config, &errors), 0);
	assert_matches(config, &process, NULL);
	config_errors_clear(&errors);
	config_free(config);
}

/* ---- arguments that are read after the decision ---- */

TEST(arguments_matter_if_a_rule_needs_a_name_or_a_condition_of_them)
{
	static const struct {
		struct process process;
		bool matter, may_matter;
	} cases[] = {
		{ PROCESS("/usr/bin/vi", "vi", "vi\0notes"), false, false },
		{ PROCESS("/usr/bin/vi", "vi", "/usr/local/bin/vi"), false, false },
		{ PROCESS("/usr/bin/bash-like", "bash-like", "-bash-like"), false, false },
		{ PROCESS("/usr/bin/vi", "vi", "other"), false, false },
		{ PROCESS("/usr/bin/vi", "vi", ""), false, false },
		{ PROCESS("/usr/bin/vi", "tool", "tool"), true, true },
		{ PROCESS("/usr/bin/vi", "vi", "C:\\tool"), true, true },
		{ PROCESS("/usr/bin/awk", "tool", "awk\0-f\0/usr/bin/tool"), true, true },
		/* Only comm shows that this is no script. */
		{ PROCESS("/usr/bin/vi", "vi", "vi\0tool"), false, true },
		{ PROCESS("/bin/sh", "sh", "sh\0-c\0true"), true, true },
		{ PROCESS("/opt/x", "x", "python3\0-c\0x"), true, true },
		{ PROCESS("/usr/bin/asks", "asks", "asks"), true, false },
	};
	struct config *config = rules_file("'vi': { 'qos': 'QOS_UTILITY' }, 'tool': { 'qos': 'QOS_UTILITY' }, "
					   "'asks': { 'qos': 'QOS_UTILITY', 'match': { 'argv': 'x' } }");

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct process process = cases[i].process;
		int error;

		process_match(config, &process, &error);
		assert_int_equal(error, 0);
		assert_int_equal(process.facts.argv_matters, cases[i].matter);
		assert_int_equal(rules_argv_may_matter(config->rules, &process.facts), cases[i].may_matter);
	}
	config_free(config);
}

TEST(the_number_of_arguments_that_are_compared_is_limited)
{
	struct config *config = rules_file("'java': { 'qos': 'QOS_UTILITY', 'match': { 'argv': '-jar' } }");
	char argv[1200 * 2 + 8] = "java";
	struct process process = { .exe = "/usr/bin/java", .comm = "java", .argv = argv };

	for (size_t i = 5; i < 5 + 1022 * 2; i += 2)
		argv[i] = 'x';
	process.argv_size = 5 + 1022 * 2 + 5;
	memcpy(argv + 5 + 1022 * 2, "-jar", 5);
	assert_matches(config, &process, "java");
	/* One more before it. */
	process = (struct process){ .exe = "/usr/bin/java", .comm = "java", .argv = argv };
	argv[5 + 1022 * 2 + 1] = '\0';
	memcpy(argv + 5 + 1023 * 2, "-jar", 5);
	process.argv_size = 5 + 1023 * 2 + 5;
	assert_matches(config, &process, NULL);
	config_free(config);
}

TEST(without_arguments_the_executable_decides)
{
	struct config *config = rules_file("vi|tool");

	/* comm does not decide, because the task may choose it. */
	struct process process = PROCESS("/usr/bin/vi", "tool", "tool", .deferred = true);

	assert_matches(config, &process, "vi");
	assert_true(process.facts.argv_is_deferred);
	assert_false(process.facts.argv_matters);
	config_free(config);
}

TEST(arguments_are_read_at_once_for_a_condition)
{
	struct config *config = rules_file("'vi': [ { 'qos': 'QOS_UTILITY', 'match': { 'argv': '-x' } }, "
					   "{ 'qos': 'QOS_BACKGROUND' } ], 'tool': { 'qos': 'QOS_UTILITY' }");
	struct process process = PROCESS("/usr/bin/vi", "vi", "vi\0-x", .deferred = true);

	assert_string_equal(check_matches(config, &process, "vi", __FILE__, __LINE__)->qos, "QOS_UTILITY");
	assert_false(process.facts.argv_is_deferred);
	/* Then all arguments count. */
	process = (struct process)PROCESS("/usr/bin/vi", "vi", "tool\0-x", .deferred = true);
	assert_matches(config, &process, "tool");
	config_free(config);
}

/* ---- facts that cannot be read ---- */

TEST(a_fact_that_cannot_be_read_is_an_error)
{
	static const enum fact facts[] = { FACT_EXE, FACT_ARGV,	  FACT_COMM,   FACT_CGROUP,
					   FACT_UID, FACT_PARENT, FACT_USERNS, FACT_SEAT };
	struct process parent = PROCESS("/bin/p", "p", "p");
	struct process process = PROCESS("/bin/awk", "tool", "awk\0tool", .cgroup = "/x", .parent = &parent, .error = -ESRCH);
	struct config *config = rules_file("'tool': { 'qos': 'QOS_USER_INITIATED', 'raise': 'seat', "
					  "'match': { 'exe': '*', 'user': 0, 'cgroup': '/x*', 'parent': 'p' } }");
	int error;

	for (size_t i = 0; i < COUNT(facts); i++) {
		process.missing = facts[i];
		assert_null(process_match(config, &process, &error));
		assert_int_equal(error, -ESRCH);
	}
	/* A parent that has ended is no error. */
	process.missing = 0;
	parent.missing = FACT_EXE;
	parent.error = -EACCES;
	assert_null(process_match(config, &process, &error));
	assert_int_equal(error, -EACCES);
	config_free(config);
}

TEST(without_a_fetch_function_only_given_facts_are_used)
{
	struct config *config = rules_file("vi");
	struct facts facts = { .have = FACT_EXE, .exe = "/bin/vi" };
	int error;

	assert_null(rules_match(config->rules, &facts, &error));
	assert_int_equal(error, -ENODATA);
	facts.have |= FACT_ARGV;
	assert_non_null(rules_match(config->rules, &facts, &error));
	assert_int_equal(error, 0);
	config_free(config);
}

TEST(without_rules_no_fact_is_needed)
{
	struct config *config = rules_file("");
	struct facts facts = { 0 };
	int error;

	assert_null(rules_match(config->rules, &facts, &error));
	assert_int_equal(error, 0);
	config_free(config);
}

/* ---- thread names ---- */

TEST(a_thread_takes_the_class_of_its_name)
{
	static const struct {
		const char *threads, *comm, *want;
	} cases[] = {
		{ "'*': 'QOS_DEFAULT', 'pool-*': 'QOS_UTILITY', 'pool-1': 'QOS_BACKGROUND'", "pool-1", "QOS_BACKGROUND" },
		{ "'*': 'QOS_DEFAULT', 'pool-*': 'QOS_UTILITY', 'pool-1': 'QOS_BACKGROUND'", "pool-2", "QOS_UTILITY" },
		{ "'*': 'QOS_DEFAULT', 'a': 'QOS_UTILITY', 'z z': 'QOS_BACKGROUND'", "z z", "QOS_BACKGROUND" },
		{ "'*': 'QOS_DEFAULT', 'a': 'QOS_UTILITY', 'z z': 'QOS_BACKGROUND'", "", "QOS_DEFAULT" },
		{ "'a*': 'QOS_BACKGROUND', 'ab*': 'QOS_UTILITY'", "abyz", "QOS_UTILITY" },
		{ "'*yz': 'QOS_UTILITY', '?b*': 'QOS_DEFAULT'", "xbyz", "QOS_UTILITY" },
		{ "'?yz': 'QOS_UTILITY', '*yz': 'QOS_DEFAULT'", "xyz", "QOS_UTILITY" },
		{ "'a*': 'QOS_UTILITY'", "b", NULL },
		{ "", "b", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct thread_rule *thread;
		struct config *config;
		char text[256];

		snprintf(text, sizeof(text), "'x': { 'thread_qos': { %s } }", cases[i].threads);
		config = rules_file(text);
		thread = rule_thread(config->rules->lists[0], cases[i].comm);
		assert_string_equal(thread ? thread->qos : "none", cases[i].want ? cases[i].want : "none");
		config_free(config);
	}
}

/* ---- sets of rules, and tags ---- */

TEST(rules_are_found_by_pattern_and_number)
{
	struct config *config = two_files("chrome|chr*", "'chrome': null"), *none = rules_file("");

	assert_int_equal(config->rules->n_lists, 1);
	assert_null(rules_of_pattern(config->rules, "chrome"));
	assert_string_equal(rules_of_pattern(config->rules, "chr*")->pattern, "chr*");
	assert_int_equal(none->rules->n_lists, 0);
	assert_null(rules_of_pattern(none->rules, "a"));
	assert_null(rules_by_id(none->rules, 0));
	assert_null(rules_by_id(none->rules, 1));
	rules_free(NULL);
	config_free(config);
	config_free(none);
}

TEST(a_tag_stands_for_a_class_with_a_period)
{
	struct config *config = rules_file("'a': { 'qos': 'QOS_UTILITY' }, 'b': { 'qos': 'QOS_UTILITY' }, "
					   "'c': { 'qos': 'QOS_UTILITY', 'period': 8000000 }, "
					   "'d': { 'qos': 'QOS_DEFAULT' }, 'e': { 'thread_qos': { 't': 'QOS_UTILITY' } }");
	const struct rule *a = rule_for(config, "a"), *c = rule_for(config, "c");
	const struct tag *tags = config->rules->tags;

	assert_int_equal(config->rules->n_of_rules, 3);
	/* There is also a tag for each class that no rule names. */
	assert_int_equal(config->rules->n_tags, 3 + QOS_BUILTIN_COUNT - 2);
	assert_int_equal(a->tag, rule_for(config, "b")->tag);
	assert_int_not_equal(a->tag, c->tag);
	assert_int_equal(rule_for(config, "d")->tag, TAG_DEFAULT);
	assert_int_equal(rule_for(config, "e")->tag, TAG_DEFAULT);
	assert_int_equal(rule_for(config, "e")->threads[0].tag, a->tag);
	assert_int_equal(tags[a->tag].attr.runtime, 16000000);
	assert_int_equal(tags[c->tag].attr.runtime, 8000000);
	assert_ptr_equal(rules_by_id(config->rules, c->id), c);
	config_free(config);
}
