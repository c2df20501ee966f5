/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules against the files of a machine, made up in a folder. */
#include "config_case.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <schedqos/daemon/config_reach.h>

#include "../../src/daemon/program_names.h"

static char root[PATH_MAX];

static const char *in(const char *path)
{
	static char buf[PATH_MAX + 64];

	snprintf(buf, sizeof(buf), "%s/%s", root, path);
	return buf;
}

static void make_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(in(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static const char *const files[] = { "usr/bin/tool", "usr/bin/script", "usr/bin/a.jar", "usr/bin/box" };
static const char *const links[] = { "bin", "usr/bin/tac", "usr/bin/alias", "dangling" };
static const char *const folders[] = { "usr/bin", "usr" };

static int make_machine(void **state)
{
	char made[] = "/tmp/reach-XXXXXX";

	(void)state;
	if (!mkdtemp(made) || !realpath(made, root))
		return -1;
	mkdir(in("usr"), 0755);
	mkdir(in("usr/bin"), 0755);
	make_file("usr/bin/tool", "\177ELF", 0755);
	make_file("usr/bin/box", "\177ELF", 0755);
	make_file("usr/bin/script", "#!/bin/sh\n", 0755);
	make_file("usr/bin/a.jar", "PK", 0644);
	return symlink("usr/bin", in("bin")) || symlink("box", in("usr/bin/tac")) || symlink("script", in("usr/bin/alias")) ||
	       symlink("nowhere", in("dangling"));
}

static int remove_machine(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		unlink(in(files[i]));
	for (size_t i = 0; i < COUNT(links); i++)
		unlink(in(links[i]));
	for (size_t i = 0; i < COUNT(folders); i++)
		rmdir(in(folders[i]));
	return rmdir(root);
}

/* @ in a text stands for the root of the machine. */
static void expand(const char *text, char *ret, size_t size)
{
	size_t used = 0;

	for (; *text && used + 1 < size; text++) {
		const char part[] = { *text, '\0' };

		used += (size_t)snprintf(ret + used, size - used, "%s", *text == '@' ? root : part);
	}
}

/* The warnings of a rules file of this path, without its name. */
static void check_reach(const char *path, const char *rules, const char *wanted)
{
	char text[4096] = "", expected[4096] = "", all[4096] = "", bin[PATH_MAX + 128];
	struct config_file file = { .path = path, .text = text, .kind = CONFIG_RULES };
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	expand(rules, text, sizeof(text));
	expand(wanted, expected, sizeof(expected));
	assert_int_equal(parse(&file, 1, &config, &errors), 0);
	assert_int_equal(errors.count, 0);
	snprintf(bin, sizeof(bin), "relative:%s:/nonexistent:", in("bin"));
	assert_int_equal(config_check_reach(config, bin, &errors), 0);
	for (size_t i = 0; i < errors.count; i++) {
		const size_t used = strlen(all);

		assert_true(errors.items[i].warning);
		snprintf(all + used, sizeof(all) - used, "%u: %s: %s\n", errors.items[i].line, errors.items[i].path,
			 errors.items[i].message);
	}
	assert_string_equal(all, expected);
	config_errors_clear(&errors);
	config_free(config);
}

#define NOTHING "matches nothing here: "

static void paths(void **state)
{
	(void)state;
	check_reach("rules.json",
		    "{\"@/bin/tool\": {},\n\"@/usr/bin/tac\": {},\n\"@/usr/bin/script\": {},\n\"@/usr/bin/a.jar\": {},\n"
		    "\"@/usr/bin/alias\": {},\n\"@/usr\": {},\n\"@/usr/bin/none\": {},\n\"@/dangling\": {},\n"
		    "\"@/usr/bin/tool/x\": {}}",
		    "1: [\"@/bin/tool\"]: " NOTHING "this leads through a symbolic link: write \"@/usr/bin/tool\"\n"
		    "2: [\"@/usr/bin/tac\"]: " NOTHING "this leads through a symbolic link: write \"@/usr/bin/box\", or as the "
		    "pattern the name that it is called by, \"tac\"\n"
		    "3: [\"@/usr/bin/script\"]: " NOTHING "the executable is what runs this file: write its name \"script\" as the pattern\n"
		    "4: [\"@/usr/bin/a.jar\"]: " NOTHING "the executable is what runs this file: write its name \"a.jar\" as the pattern\n"
		    "5: [\"@/usr/bin/alias\"]: " NOTHING "the executable is what runs this file: write its name \"alias\" as the pattern\n"
		    "6: [\"@/usr\"]: " NOTHING "this is a folder: write \"@/usr/*\" for the programs in it\n"
		    "7: [\"@/usr/bin/none\"]: " NOTHING "there is no @/usr/bin/none\n"
		    "8: [\"@/dangling\"]: " NOTHING "there is no @/dangling\n"
		    "9: [\"@/usr/bin/tool/x\"]: " NOTHING "there is no @/usr/bin/tool/x\n");
}

static void globs_and_conditions(void **state)
{
	(void)state;
	check_reach("rules.json", "{\"*/report.py\": {}, \"*.py\": {}}",
		    "1: [\"*/report.py\"]: " NOTHING "the executable is what runs this file: write its name \"report.py\" as the pattern\n");
	check_reach("rules.json",
		    "{\"@/bin/t*\": {},\n\"@/none/t*\": {},\n"
		    "\"tool\": [{\"match\": {\"exe\": \"@/usr/*\"}},\n{\"match\": {\"exe\": \"@/bin/tool\"}}]}",
		    "1: [\"@/bin/t*\"]: " NOTHING "@/bin leads through a symbolic link: write \"@/usr/bin/t*\"\n"
		    "2: [\"@/none/t*\"]: " NOTHING "there is no @/none\n"
		    "4: tool[1].match.exe: " NOTHING "this leads through a symbolic link: write \"@/usr/bin/tool\"\n");
}

static void what_can_match_is_not_warned_of(void **state)
{
	(void)state;
	check_reach("rules.json",
		    "{\"@/usr/bin/tool\": {}, \"@/usr/bin/t*\": {}, \"*/bin/x\": {}, \"/*/x\": {}, \"tac\": {}, \"tool\": {},"
		    "\"elsewhere\": {}, \"script\": {}, \"@/gone (deleted)\": {}, \"/memfd:x (deleted)\": {},"
		    "\"/proc/1/exe\": {}, \"[/]none/x\": {},"
		    "\"/app/bin/x\": {\"match\": {\"user_namespace\": \"any\"}},"
		    "\"x\": {\"match\": {\"user_namespace\": \"any\", \"exe\": \"/app/none\"}}}",
		    "");
}

static void a_name_of_another_case(void **state)
{
	(void)state;
	check_reach("rules.json", "{\"Tool\": {}, \"TOOL*\": {}}",
		    "1: Tool: no program in PATH has this name, but one has \"tool\": case counts\n");
}

/* What comes with a package names programs that need not be there. */
static void rules_for_many_machines_may_name_what_is_missing(void **state)
{
	(void)state;
	check_reach("configs/app_configs/x.json", "{\"@/none\": {}, \"Tool\": {}, \"@/none/*\": {}, \"@/bin/tool\": {}}",
		    "1: [\"@/bin/tool\"]: " NOTHING "this leads through a symbolic link: write \"@/usr/bin/tool\"\n");
	check_reach(DATADIR "/schedqos/app_configs/x.json", "{\"@/none\": {}, \"Tool\": {}, \"@/bin/tool\": {}}", "");
}

static void names_that_differ_in_case_only(void **state)
{
	struct program_names names = { 0 };

	(void)state;
	make_file("usr/bin/TOOL", "", 0755);
	assert_int_equal(program_names_read(in("usr/bin"), &names), 0);
	assert_string_equal(program_names_find(&names, "tool"), "tool");
	assert_string_equal(program_names_find(&names, "TOOL"), "TOOL");
	assert_true(strcasecmp(program_names_find(&names, "Tool"), "tool") == 0);
	assert_null(program_names_find(&names, "too"));
	program_names_clear(&names);
	unlink(in("usr/bin/TOOL"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(globs_and_conditions),
		cmocka_unit_test(what_can_match_is_not_warned_of),
		cmocka_unit_test(a_name_of_another_case),
		cmocka_unit_test(rules_for_many_machines_may_name_what_is_missing),
		cmocka_unit_test(names_that_differ_in_case_only),
	};

	return cmocka_run_group_tests(tests, make_machine, remove_machine);
}
