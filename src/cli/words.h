/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns the daemon's JSON into words, by tables of sentences. Its texts must be escaped. */
#pragma once

#include "client.h"

/* printf format of a line's label; the words follow it. */
#define LABEL "%-9s "

/*
 * A piece of text that is printed if all of `when` holds. `when` is a list of words:
 *	- MEMBER: that member exists, and is not false, zero or empty;
 *	- MEMBER=TEXT: it is this text;
 *	- a leading '!' negates a word;
 *	- "else": the previous sentence was not printed. In a row of such sentences at most one is printed.
 *
 * A sentence with a label begins a line, others continue it. In the text, <member> stands for that member's value, and
 * <attributes:names> for the attributes that the list `names` contains. A table ends with a row of zeroes.
 */
struct sentence {
	const char *when, *label, *text;
};

/* The objects that a table is about. A member is looked up in the first of them that has it. */
struct about {
	const cJSON *objects[3]; /* such as an item of a list, its thread, the whole; NULL for none */
};

void words_say(const struct about *about, const struct sentence *sentences);

/*
 * Prints a value: a list as one line per item, a rule as its pattern and place, another object as "name 12, other yes".
 */
void words_value(const cJSON *value);
