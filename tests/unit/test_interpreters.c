/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which script an interpreter runs, by a table of command lines. */
#include "fake_process.h"

#include <schedqos/policy/rules.h>

/* Returns the script that a command line runs, which is split at each space. */
static const char *script_of(const char *arguments, char buf[256])
{
	struct facts facts = { .have = FACT_ARGV, .argv = buf, .argv_size = strlen(arguments) + 1 };

	snprintf(buf, 256, "%s", arguments);
	for (char *p = buf; *p; p++)
		*p = *p == ' ' ? '\0' : *p;
	return interpreter_script(&facts);
}

TEST(the_script_is_found_after_the_options)
{
	static const struct {
		const char *arguments, *script; /* NULL: none */
	} cases[] = {
		{ "python3 report.py", "report.py" },
		{ "/usr/bin/python3.13 -u ./report.py -x", "report.py" },
		{ "python3 -W ignore -Xdev -X utf8 a/report.py", "report.py" },
		{ "python3 -IuW ignore report.py", "report.py" },
		{ "python3 --check-hash-based-pycs never report.py", "report.py" },
		{ "python3 -m http.server 80", "http.server" },
		{ "python3 -c report.py x", NULL },
		{ "python3 -uc report.py", NULL },
		{ "python3 - report.py", NULL },
		{ "python3", NULL },
		{ "python3 -m", NULL },
		{ "python3 -W", NULL },
		{ "python3 app/", NULL },
		{ "python3  report.py", NULL },
		{ "pypy3 report.py", "report.py" },
		{ "perl5.40 -w -I lib -Mstrict tool", "tool" },
		{ "perl -lane print tool", NULL },
		{ "ruby3.1 -r json -Ilib app.rb", "app.rb" },
		{ "node --require x.js --max-old-space-size=4096 srv/app.js", "app.js" },
		{ "node --import=x.js app.js", "app.js" },
		{ "bash build.sh all", "build.sh" },
		{ "-bash build.sh", "build.sh" },
		{ "bash -euo pipefail +O extglob --rcfile x build.sh", "build.sh" },
		{ "sh -ec build.sh", NULL },
		{ "sh -s build.sh", NULL },
		{ "zsh-5.9 build.sh", "build.sh" },
		{ "fish -P build.fish", "build.fish" },
		{ "php8.2 -d a=b -f x.php", "x.php" },
		{ "php -r x.php", NULL },
		{ "lua5.4 -W -l lib app.lua", "app.lua" },
		{ "java -jar x/jenkins.jar", "jenkins.jar" },
		{ "java -Xmx4g -cp a:b -Da=b -jar x/jenkins.jar -jar y", "jenkins.jar" },
		{ "java @opts -classpath a --add-opens a=b org.x.Main", "org.x.Main" },
		{ "java -p mods -m com.x/com.x.Main", "com.x.Main" },
		{ "busybox sh -x build.sh", "build.sh" },
		{ "busybox httpd -f", "httpd" },
		{ "busybox --list", NULL },
		{ "wine C:\\Games\\game.exe -x", "game.exe" },
		{ "/usr/bin/wine64-preloader /usr/bin/wine64 z/game.exe", "game.exe" },
		{ "/lib64/ld-linux-x86-64.so.2 --library-path lib ./app x", "app" },
		{ "/lib64/ld-linux-x86-64.so.2 /usr/bin/python3 -u ./report.py", "report.py" },
		{ "gjs -m app.js", "app.js" },
		/* An interpreter is recognised by its name only. */
		{ "C:\\Games\\game.exe a b", NULL },
		{ "tac build.sh", NULL },
		{ "- build.sh", NULL },
		{ "-/ build.sh", NULL },
		{ " build.sh", NULL },
		{ "pythonista a", NULL },
		{ "perlis a", NULL },
		{ "nodemon a", NULL },
		{ "shotwell a.jpg", NULL },
		{ "bashtop a", NULL },
		{ "javac a", NULL },
		{ "phpstorm a", NULL },
	};
	char buf[256];

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *script = script_of(cases[i].arguments, buf), *wanted = cases[i].script;

		if (!script != !wanted || (script && strcmp(script, wanted) != 0))
			fail_msg("%s: %s, not %s", cases[i].arguments, script ? script : "none", wanted ? wanted : "none");
	}
}

TEST(the_search_through_hostile_arguments_is_short)
{
	enum { MANY = 65536, FIRST = sizeof("bash") };
	char *argv = calloc(1, MANY);
	struct facts facts = { .have = FACT_ARGV, .argv = argv, .argv_size = MANY };

	/* All arguments are empty: the first is the script, and has no name. */
	strcpy(argv, "bash");
	assert_null(interpreter_script(&facts));
	/* There are only options, and the last one lacks its value. */
	for (size_t i = FIRST; i + 1 < MANY; i += 2)
		argv[i] = '+';
	assert_null(interpreter_script(&facts));
	/* Argument 256 is read, the next one is not. */
	argv[FIRST + 2 * 255] = 's';
	assert_string_equal(interpreter_script(&facts), "s");
	argv[FIRST + 2 * 255] = '+';
	argv[FIRST + 2 * 256] = 's';
	assert_null(interpreter_script(&facts));
	/* One argument takes all the room. */
	memset(argv + FIRST, '-', MANY - FIRST - 1);
	assert_null(interpreter_script(&facts));
	/* The arguments are as many interpreters as fit. */
	for (size_t i = FIRST; i + 3 < MANY; i += 3)
		memcpy(argv + i, "sh", 3);
	assert_null(interpreter_script(&facts));
	facts.argv_size = 0;
	assert_null(interpreter_script(&facts));
	free(argv);
}

TEST(a_script_may_have_any_name)
{
	struct process process = PROCESS("/usr/bin/bash", "bash", "bash\0/x/a\nb\xff");
	struct config *config = rules_file("'a\\nb?': { 'qos': 'QOS_UTILITY' }");

	assert_matches(config, &process, "a\nb?");
	config_free(config);
}
