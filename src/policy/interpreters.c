/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the script that an interpreter runs, by its arguments, for the rules. */
#include <schedqos/policy/rules.h>

#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

/* Read at most this many arguments: a hostile program may have thousands of options, java has some dozens. */
#define ARGS_MAX 256

/* A family of interpreters, with those of its options that matter. A letter counts at the end of an option: -c, -lc. */
struct family {
	const char *const *names; /* names of programs; a version may follow */
	const char *value; /* letters whose value is the next argument */
	const char *code;  /* letters after which the program is an argument or comes from standard input */
	const char *const *words; /* long options whose value is the next argument */
};

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct family families[] = {
	{ LIST("python", "platform-python", "pypy"), "WXQ", "c", LIST("--check-hash-based-pycs") },
	{ LIST("perl"), "I", "eE", LIST(NULL) },
	{ LIST("ruby"), "CEIr", "e", LIST(NULL) },
	{ LIST("node", "nodejs"), "rC", "ep", LIST("--require", "--import") },
	{ LIST("sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "yash", "fish"), "oO", "cs",
	  LIST("--rcfile", "--init-file") },
	{ LIST("php"), "cdtzS", "BERr", LIST(NULL) },
	{ LIST("lua", "luajit", "tclsh", "wish", "gjs", "gjs-console", "mono", "mono-sgen"), "Il", "ce", LIST(NULL) },
	{ LIST("java"), "", "",
	  LIST("-cp", "-p", "-classpath", "--class-path", "--module-path", "--add-modules", "--add-exports",
	       "--add-opens") },
	{ LIST("wine", "wine-preloader", "wine64-preloader", "busybox"), "", "", LIST(NULL) },
	{ LIST("ld-linux.so", "ld-linux-x86-64.so", "ld-linux-aarch64.so"), "", "",
	  LIST("--library-path", "--preload", "--argv0") },
};

static bool is_of_family(const struct family *family, const char *program)
{
	for (const char *const *name = family->names; *name; name++) {
		const size_t length = strlen(*name);

		/* Compare the first byte beforehand, because it nearly always differs. */
		if (**name == *program && strncmp(*name, program, length) == 0 &&
		    !program[length + strspn(program + length, "0123456789.-")])
			return true;
	}
	return false;
}

static const struct family *family_of(const char *program)
{
	for (size_t i = 0; i < array_size(families); i++) {
		if (is_of_family(&families[i], program))
			return &families[i];
	}
	return NULL;
}

/* Returns whether the option consists of letters and ends with one of these. */
static bool ends_with(const char *option, const char *letters)
{
	return option[1] && option[1] != '-' && strchr(letters, option[strlen(option) - 1]);
}

bool interpreter_is_known(const char *program)
{
	return family_of(program);
}

static bool has_value(const struct family *family, const char *option)
{
	const char *const *word = family->words;

	while (*word && strcmp(*word, option) != 0)
		word++;
	return *word || ends_with(option, family->value);
}

const char *interpreter_script(const struct facts *facts)
{
	const char *arg = facts->argv_size ? facts->argv : "", *program = path_base(arg);
	/* The argv[0] of a login shell begins with a dash (login(1)). */
	const struct family *family = family_of(program + (program == arg && *arg == '-'));

	for (int i = 0; family && i < ARGS_MAX && (arg = facts_next_arg(facts, arg)); i++) {
		const bool is_option = *arg && strchr("-+@", *arg);
		const char *base = path_base(arg);
		const struct family *inner = is_option ? NULL : family_of(base);

		if (!is_option && !inner)
			return *base ? base : NULL;
		/* As in `busybox sh build.sh`. */
		if (inner)
			family = inner;
		else if (strcmp(arg, "-") == 0 || ends_with(arg, family->code))
			return NULL;
		else if (has_value(family, arg))
			arg = facts_next_arg(facts, arg);
		if (!arg)
			return NULL;
	}
	return NULL;
}
