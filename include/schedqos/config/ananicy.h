/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules of ananicy (github.com/Nefelim4ag/Ananicy, and ananicy-cpp) turned into a rules file of
 * ours. A line of theirs is a JSON object: a rule if it has a "name", a type if it has a "type"
 * only, a control group if it has a "cgroup" only.
 * `#` begins a line of comment, and what follows the closing brace is ignored. Does no I/O: the
 * caller reads the files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ANANICY_HEADER "// Made by `schedqos import ananicy`"

struct ananicy;

struct ananicy_options {
	bool exact;	    /* each type becomes a class of its own, with its own values */
	bool skip_doubtful; /* leave out names that programs share which have nothing to do with
			       each other */
	bool in_one;	    /* one text, whatever its size */
};

/* The longest label has a word, a dash and a number. */
#define ANANICY_LABEL_SIZE 24

/* A rules file. */
struct ananicy_part {
	char label[ANANICY_LABEL_SIZE]; /* for its name; empty if all rules are in it */
	char *text;
};

/*
 * Rules files, the classes first. Unless all was asked for in one, each is within CONFIG_SIZE_MAX; and if one is not
 * enough for the rules, there is one for each initial, so that a rule stays in its file whatever others do.
 */
struct ananicy_output {
	struct ananicy_part *parts;
	size_t count;
};

/* 0 or -ENOMEM. */
int ananicy_new(struct ananicy **ret);
void ananicy_free(struct ananicy *ananicy);

/*
 * Takes one file: size bytes, which need not be NUL-terminated. path: as shown to people. Of two
 * rules with the same name, or types, the one that was read later is in force. Returns 0 or
 * -ENOMEM: what is wrong with a line only counts.
 */
int ananicy_read(struct ananicy *ananicy, const char *path, const char *text, size_t size);

/*
 * Once all files were read, and once only. The result depends on nothing but the rules in force, in
 * the order of the bytes of their names, so that a small change of them is a small change of it.
 * Returns 0; -ENOENT if no rule is left; -E2BIG if there are more classes than a configuration may
 * have; or -ENOMEM.
 */
int ananicy_convert(struct ananicy *ananicy, const struct ananicy_options *options,
		    struct ananicy_output *ret);
void ananicy_output_clear(struct ananicy_output *output);

/* Whether a part of this or an earlier version may have this label, so that an import replaces it. */
bool ananicy_is_label(const char *text, size_t len);

/*
 * What became of the rules, in lines for people: how many of which class, and each kind of thing
 * that was left out, overridden or is doubtful, with the first few by FILE:LINE. Names are escaped.
 * The caller frees; NULL without memory.
 */
char *ananicy_summary(const struct ananicy *ananicy);
