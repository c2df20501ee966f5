/* SPDX-License-Identifier: GPL-2.0-only */
/* What interpreters run, as a specification: a table of command lines. */
#include "fake_process.h"

#include <schedqos/policy/rules.h>

/* The script that the executable of this name runs; arguments: a command line, split at each space. */
static const char *script_of(const char *exe, const char *arguments, char buf[256])
{
	struct facts facts = { .have = FACT_ARGV, .argv = buf, .argv_size = strlen(arguments) + 1 };

	snprintf(buf, 256, "%s", arguments);
	for (char *p = buf; *p; p++)
		*p = *p == ' ' ? '\0' : *p;
	return interpreter_script(exe, &facts);
}

static void the_script_is_found_behind_the_options(void **state)
{
	static const struct {
		const char *exe, *arguments, *script; /* NULL: none */
	} cases[] = {
		{ "python3.13", "python3 report.py", "report.py" },
		{ "python3.13", "/usr/bin/python3 -u ./report.py -x", "report.py" },
		{ "python3.13", "python3 -W ignore -Xdev -X utf8 a/report.py", "report.py" },
		{ "python3.13", "python3 -IuW ignore report.py", "report.py" },
		{ "python3.13", "python3 --check-hash-based-pycs never report.py", "report.py" },
		{ "python3.13", "python3 -m http.server 80", "http.server" },
		{ "python3.13", "python3 -Imhttp.server", "http.server" },
		{ "python3.13", "python3 -c report.py x", NULL },
		{ "python3.13", "python3 -uc report.py", NULL },
		{ "python3.13", "python3 - report.py", NULL },
		{ "python3.13", "python3 -- -report.py", "-report.py" },
		{ "python3.13", "python3", NULL },
		{ "python3.13", "python3 -m", NULL },
		{ "python3.13", "python3 -W", NULL },
		{ "python3.13", "python3 app/", NULL },
		{ "pypy3", "pypy3 report.py", "report.py" },
		{ "perl", "perl -w -I lib -Mstrict tool", "tool" },
		{ "perl", "perl -lane print tool", NULL },
		{ "perl", "perl -Mre tool", "tool" },
		{ "perl", "perl -d:NYTProf tool", "tool" },
		{ "ruby3.1", "ruby -r json -Ilib app.rb", "app.rb" },
		{ "node", "node --require x.js --max-old-space-size=4096 srv/app.js", "app.js" },
		{ "node", "node --import=x.js app.js", "app.js" },
		{ "node", "node --eval 1 app.js", NULL },
		{ "bash", "bash build.sh all", "build.sh" },
		{ "bash", "-bash build.sh", "build.sh" },
		{ "bash", "bash -euo pipefail +O extglob --rcfile x build.sh", "build.sh" },
		{ "dash", "sh -ec build.sh", NULL },
		{ "dash", "sh -s build.sh", NULL },
		{ "fish", "fish -P build.fish", "build.fish" },
		{ "php8.2", "php -d a=b -f x.php", "x.php" },
		{ "php8.2", "php -r x.php", NULL },
		{ "lua5.4", "lua -W app.lua", "app.lua" },
		{ "java", "java -jar x/jenkins.jar", "jenkins.jar" },
		{ "java", "java -Xmx4g -cp a:b -Da=b -jar x/jenkins.jar -jar y", "jenkins.jar" },
		{ "java", "java @opts -classpath a --add-opens a=b org.x.Main", "org.x.Main" },
		{ "java", "java -p mods -m com.x/com.x.Main", "com.x.Main" },
		{ "java", "java --module=m/c.D", "c.D" },
		{ "busybox", "busybox sh -x build.sh", "build.sh" },
		{ "busybox", "busybox httpd -f", "httpd" },
		{ "busybox", "sh build.sh", "build.sh" },
		{ "busybox", "-ash build.sh", "build.sh" },
		{ "busybox", "tac build.sh", NULL },
		{ "busybox", "busybox --list", NULL },
		{ "wine", "wine C:\\Games\\game.exe -x", "game.exe" },
		{ "wine64-preloader", "/usr/bin/wine64-preloader /usr/bin/wine64 z/game.exe", "game.exe" },
		{ "wine64-preloader", "C:\\Games\\game.exe a b", NULL },
		{ "ld-linux-x86-64.so.2", "ld.so --library-path lib ./app x", "app" },
		{ "gjs-console", "gjs -m app.js", "app.js" },
		{ "shotwell", "shotwell -o a.jpg b.jpg", "a.jpg" },
		{ "Rscript", "Rscript --vanilla model.R", "model.R" },
		{ "Rscript", "Rscript -e model.R", NULL },
	};
	char buf[256];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *script = script_of(cases[i].exe, cases[i].arguments, buf), *wanted = cases[i].script;

		if (!script != !wanted || (script && strcmp(script, wanted) != 0))
			fail_msg("%s: %s, not %s", cases[i].arguments, script ? script : "none", wanted ? wanted : "none");
	}
}

static void hostile_arguments_are_not_searched_for_long(void **state)
{
	enum { MANY = 65536 };
	char *argv = calloc(1, MANY);
	struct facts facts = { .have = FACT_ARGV, .argv = argv, .argv_size = MANY };

	(void)state;
	/* All empty: the first argument is the script, and has no name. */
	assert_null(interpreter_script("python3", &facts));
	/* Nothing but options, and the last one is not complete. */
	for (size_t i = 0; i + 1 < MANY; i += 2)
		argv[i] = '+';
	assert_null(interpreter_script("bash", &facts));
	/* Argument 256 is looked at, the next one is not. */
	argv[2 * 256] = 's';
	assert_string_equal(interpreter_script("bash", &facts), "s");
	argv[2 * 256] = '+';
	argv[2 * 257] = 's';
	assert_null(interpreter_script("bash", &facts));
	/* One that is all of it. */
	memset(argv, '-', MANY - 1);
	assert_null(interpreter_script("bash", &facts));
	memset(argv, 'c', MANY - 1);
	assert_null(interpreter_script("bash", &facts));
	facts.argv_size = 0;
	assert_null(interpreter_script("bash", &facts));
	assert_null(interpreter_script("busybox", &facts));
	assert_null(interpreter_script("wine", &facts));
	free(argv);
}

static void a_name_may_hold_anything(void **state)
{
	struct process process = PROCESS("/usr/bin/bash", "bash", "bash\0/x/a\nb\xff");
	struct config *config = rules_file("'a\\nb?': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &process, "a\nb?");
	config_free(config);
}

/* ---- which programs ---- */

static void the_usual_interpreters_are_known(void **state)
{
	static const char *const known[] = {
		"python3.13", "python", "perl", "perl5.40-x86_64-linux-gnu", "ruby3.1", "node", "sh", "bash", "dash", "zsh",
		"zsh5", "php8.2", "lua5.4", "java", "busybox", "wine64-preloader", "ld-linux-x86-64.so.2",
	};
	static const char *const others[] = {
		"", "pythonista", "perlis", "nodemon", "shotwell", "bashtop", "javac", "phpstorm", "luakit", "rsync", "vi",
		"\xff",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(known); i++) {
		if (!interpreters_has(interpreters_default, interpreters_default_count, known[i]))
			fail_msg("%s", known[i]);
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		if (interpreters_has(interpreters_default, interpreters_default_count, others[i]))
			fail_msg("%s", others[i]);
	}
}

static void the_setting_takes_the_place_of_the_usual_ones(void **state)
{
	struct process python = PROCESS("/usr/bin/python3", "python3", "python3\0tool");
	struct process other = PROCESS("/opt/my-x", "my-x", "my-x\0tool");
	struct config *usual = rules_file("'tool': { 'qos': 'QOS_UTILITY' }");
	struct config *mine = rules_file("'schedqos': { 'interpreters': [ '*-[xy]', 'other' ] }, "
					 "'tool': { 'qos': 'QOS_UTILITY' }");
	struct config *none = two_files("'schedqos': { 'interpreters': [ 'python3' ] }",
					"'schedqos': { 'interpreters': [] }, 'tool': { 'qos': 'QOS_UTILITY' }");
	char *printed = config_print(mine, false);
	struct config *again = GOOD(RULES(printed));

	(void)state;
	assert_matches(usual, &python, "tool");
	assert_matches(usual, &other, NULL);
	assert_matches(mine, &python, NULL);
	assert_matches(mine, &other, "tool");
	assert_matches(again, &python, NULL);
	assert_matches(again, &other, "tool");
	assert_matches(none, &python, NULL);
	config_free(usual);
	config_free(mine);
	config_free(none);
	config_free(again);
	free(printed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_script_is_found_behind_the_options),
		cmocka_unit_test(hostile_arguments_are_not_searched_for_long),
		cmocka_unit_test(a_name_may_hold_anything),
		cmocka_unit_test(the_usual_interpreters_are_known),
		cmocka_unit_test(the_setting_takes_the_place_of_the_usual_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
