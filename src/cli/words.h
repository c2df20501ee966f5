/* SPDX-License-Identifier: GPL-2.0-only */
/* What the daemon says in JSON, in words, by tables of sentences. Its texts are safe to print. */
#pragma once

#include "client.h"

/* Of a line; the words come after it. */
#define LABEL "%-9s "

/*
 * What is said if all of `when` holds: words that each name a member that is there, and neither
 * false, zero nor empty, or say which text it is; a '!' before it: if it is not so. "else": if the
 * sentence before was not said, in a row of which one at most is. A sentence with a label begins a
 * line, others continue it.
 *
 * In the text <member> is its value, and <attributes:names> the attributes of those names. The last
 * of a table is all zeroes.
 */
struct sentence {
	const char *when, *label, *text;
};

/* What sentences are about: a member is looked for in the first of them that has it. */
struct about {
	const cJSON *objects[3]; /* an item of a list, its thread, the whole; NULL: none */
};

void words_say(const struct about *about, const struct sentence *sentences);

/*
 * Prints a value: of a list each item in a line of its own; of an object each member, as "name 12, other yes", but of a
 * rule its pattern and where that stands.
 */
void words_value(const cJSON *value);
