/* SPDX-License-Identifier: GPL-2.0-only */
/* Which programs are interpreters. */
#include <schedqos/policy/rules.h>

#include <ctype.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

const char *const interpreters_default[] = {
	"python",  "python[0-9]*", "platform-python*", "pypy*",	     "perl",   "perl[0-9]*", "ruby",	  "ruby[0-9]*",
	"node",	   "nodejs",	   "sh",	       "bash",	     "dash",   "ash",	     "zsh",	  "zsh[0-9-]*",
	"ksh*",	   "mksh",	   "yash",	       "fish",	     "php",    "php[0-9]*",  "lua",	  "lua[0-9]*",
	"luajit*", "java",	   "mono",	       "mono-sgen*", "tclsh*", "wish",	     "wish[0-9]*", "gjs*",
	"wine*",   "busybox*",	   "ld-linux*",	       "ld-musl-*",
};
const size_t interpreters_default_count = array_size(interpreters_default);

bool interpreters_has(const char *const *patterns, size_t n, const char *exe)
{
	for (size_t i = 0; i < n; i++) {
		/* Nearly always the first byte rules a name out. */
		if ((*patterns[i] == *exe || !isalnum((unsigned char)*patterns[i])) && pattern_match(patterns[i], exe))
			return true;
	}
	return false;
}

/* ---- what one runs, by its arguments ---- */

/* The arguments of a hostile program may be thousands of options; java's are some dozens. */
#define ARGS_MAX 256

/* ---- what an option means ---- */

enum effect {
	FLAG,	  /* nothing follows */
	ATTACHED, /* the rest of the argument belongs to it */
	VALUE,	  /* the rest of the argument, else the next one, is its value */
	NAME,	  /* ... is what is run */
	CODE,	  /* ... is the program itself, or there is none */
};

struct word {
	const char *text; /* with its dashes */
	enum effect effect;
};

/* The options of one family of interpreters that are no flags. */
struct grammar {
	const char *const *programs; /* what base names begin with; nothing but a number or the like follows */
	const char *attached, *value, *name, *code; /* options of one letter, of which several can share a dash */
	const struct word *words;
	const char *more; /* what other options begin with than a dash */
	bool is_of_words; /* a single dash begins a word, too */
};

#define PROGRAMS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define WORDS(...)    ((const struct word[]){ __VA_ARGS__, { NULL, FLAG } })

static const struct grammar grammars[] = {
	{
		.programs = PROGRAMS("python", "platform-python", "pypy"),
		.value = "WXQ",
		.name = "m",
		.code = "c",
		.words = WORDS({ "--check-hash-based-pycs", VALUE }),
	},
	{
		.programs = PROGRAMS("perl"),
		.attached = "CDFMVimx",
		.value = "I",
		.code = "eE",
	},
	{
		.programs = PROGRAMS("ruby"),
		.attached = "FKTWix",
		.value = "CEIXr",
		.code = "e",
	},
	{
		.programs = PROGRAMS("node", "nodejs"),
		.value = "rC",
		.code = "ep",
		.words = WORDS({ "--eval", CODE }, { "--print", CODE }, { "--require", VALUE }, { "--import", VALUE }),
	},
	{
		.programs = PROGRAMS("sh", "bash", "dash", "ash", "hush", "zsh", "ksh", "mksh", "yash"),
		.value = "oO",
		.code = "cs",
		.words = WORDS({ "--rcfile", VALUE }, { "--init-file", VALUE }),
		.more = "+",
	},
	{
		.programs = PROGRAMS("php"),
		.value = "StcdgzT",
		.name = "fF",
		.code = "BERr",
	},
	{
		.programs = PROGRAMS("java"),
		.words = WORDS({ "-jar", NAME }, { "-m", NAME }, { "--module", NAME }, { "-cp", VALUE }, { "-p", VALUE },
			       { "-classpath", VALUE }, { "--class-path", VALUE }, { "--module-path", VALUE },
			       { "--add-modules", VALUE }, { "--add-exports", VALUE }, { "--add-opens", VALUE }),
		.more = "@",
		.is_of_words = true,
	},
	/* Any other: these mean the same nearly everywhere. */
	{
		.programs = PROGRAMS(""),
		.code = "ceE",
		.words = WORDS({ "-jar", NAME }, { "--library-path", VALUE }, { "--preload", VALUE },
			       { "--argv0", VALUE }),
	},
};

static bool is_program(const char *exe, const char *program)
{
	const size_t length = strlen(program);

	return !length || (strncmp(exe, program, length) == 0 && !isalpha((unsigned char)exe[length]));
}

static bool is_of_family(const char *exe, const struct grammar *grammar)
{
	for (const char *const *program = grammar->programs; *program; program++) {
		if (is_program(exe, *program))
			return true;
	}
	return false;
}

static const struct grammar *grammar_of(const char *exe)
{
	const struct grammar *grammar = grammars;

	while (!is_of_family(exe, grammar))
		grammar++;
	return grammar;
}

static bool is_in(const char *letters, char letter)
{
	return letters && strchr(letters, letter);
}

static enum effect letter_effect(const struct grammar *grammar, char letter)
{
	if (is_in(grammar->value, letter))
		return VALUE;
	if (is_in(grammar->name, letter))
		return NAME;
	if (is_in(grammar->code, letter))
		return CODE;
	return is_in(grammar->attached, letter) ? ATTACHED : FLAG;
}

/* Options of one letter behind a dash. *ret_value: what follows in the same argument, or "". */
static enum effect letters_effect(const struct grammar *grammar, const char *letter, const char **ret_value)
{
	/* What is neither a letter nor a digit begins a value of some kind. */
	for (; isalnum((unsigned char)*letter); letter++) {
		const enum effect effect = letter_effect(grammar, *letter);

		*ret_value = letter + 1;
		if (effect != FLAG)
			return effect;
	}
	return FLAG;
}

static enum effect word_effect(const struct grammar *grammar, const char *option, const char **ret_value)
{
	const size_t length = strcspn(option, "=");

	for (const struct word *word = grammar->words; word && word->text; word++) {
		if (strncmp(word->text, option, length) != 0 || word->text[length])
			continue;
		*ret_value = option + length + (option[length] == '=');
		return word->effect;
	}
	return FLAG;
}

static enum effect effect_of(const struct grammar *grammar, const char *option, const char **ret_value)
{
	enum effect effect;

	*ret_value = "";
	/* The program comes from standard input. */
	if (!option[1] && *option == '-')
		return CODE;
	effect = word_effect(grammar, option, ret_value);
	if (effect != FLAG || grammar->is_of_words || (option[0] == '-' && option[1] == '-'))
		return effect;
	return letters_effect(grammar, option + 1, ret_value);
}

/* ---- what is run ---- */

static bool is_option(const struct grammar *grammar, const char *arg)
{
	return *arg == '-' || (*arg && is_in(grammar->more, *arg));
}

/* What the interpreter runs by the arguments from this one on, as it is written; or NULL. */
static const char *operand_from(const struct grammar *grammar, const struct facts *facts, const char *arg)
{
	const char *value;

	for (int i = 0; i < ARGS_MAX && arg; i++, arg = facts_next_arg(facts, arg)) {
		if (!is_option(grammar, arg))
			return arg;
		if (strcmp(arg, "--") == 0)
			return facts_next_arg(facts, arg);
		switch (effect_of(grammar, arg, &value)) {
		case CODE:
			return NULL;
		case NAME:
			return *value ? value : facts_next_arg(facts, arg);
		case VALUE:
			if (!*value)
				arg = facts_next_arg(facts, arg);
			if (!arg)
				return NULL;
			break;
		case FLAG:
		case ATTACHED:
			break;
		}
	}
	return NULL;
}

/* Many programs in one: argv[0] or the first argument says which. Only its shell runs scripts. */
static const char *run_by_box(const struct facts *facts, const char *arg)
{
	const char *name = path_base(facts->argv), *script;
	const bool is_box = is_program(name, "busybox");

	if (is_box) {
		name = *arg == '-' ? "" : arg;
		arg = facts_next_arg(facts, arg);
	} else if (*name == '-') {
		name++;
	}
	script = arg && is_of_family(name, grammar_of("sh")) ? operand_from(grammar_of("sh"), facts, arg) : NULL;
	return script || !is_box ? script : name;
}

/*
 * Wine is run as `wine PROGRAM` or `wine64-preloader /usr/bin/wine64 PROGRAM`, and replaces these arguments by the
 * program's own when it has loaded it.
 */
static const char *run_by_wine(const char *exe, const struct facts *facts, const char *arg)
{
	if (strncmp(path_base(facts->argv), "wine", strlen("wine")) != 0)
		return NULL;
	if (strstr(exe, "-preloader"))
		arg = facts_next_arg(facts, arg);
	return arg ? operand_from(grammar_of(""), facts, arg) : NULL;
}

const char *interpreter_script(const char *exe, const struct facts *facts)
{
	const char *arg = facts->argv_size ? facts_next_arg(facts, facts->argv) : NULL, *script, *base;

	if (!arg)
		return NULL;
	if (is_program(exe, "busybox"))
		script = run_by_box(facts, arg);
	else if (is_program(exe, "wine"))
		script = run_by_wine(exe, facts, arg);
	else
		script = operand_from(grammar_of(exe), facts, arg);
	base = script ? path_base(script) : "";
	return *base ? base : NULL;
}
