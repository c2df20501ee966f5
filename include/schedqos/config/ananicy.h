/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules of ananicy (github.com/Nefelim4ag/Ananicy, and ananicy-cpp) turned into rules files of ours. A line of theirs is
 * a JSON object: a rule if it has a "name", a type if it has a "type" only. `#` begins a line of comment, and what
 * follows the closing brace is ignored. Does no I/O: the caller reads the files.
 */
#pragma once

#include <stddef.h>

struct ananicy;

/* 0 or -ENOMEM. */
int ananicy_new(struct ananicy **ret);
void ananicy_free(struct ananicy *ananicy);

/*
 * Takes one file: size bytes, which need not be NUL-terminated. path: as shown to people. Of two rules with the same
 * name, or types, the one that was read later is in force. Returns 0 or -ENOMEM: what is wrong with a line is noted.
 */
int ananicy_read(struct ananicy *ananicy, const char *path, const char *text, size_t size);

/*
 * Gives each rule its class; once, when all files were read. Two texts, which the caller frees:
 * *ret: a rules file, in byte order of the names, that depends on nothing but the rules in force; NULL if there is none;
 * *ret_summary: what became of the rules, in lines for people: how many, and each kind of thing that was left out, or
 * overridden, with the first few by FILE:LINE. Names are escaped. 0 or -ENOMEM.
 */
int ananicy_convert(struct ananicy *ananicy, char **ret, char **ret_summary);
