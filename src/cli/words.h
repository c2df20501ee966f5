/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints parts of the daemon's JSON in words. Its texts are safe to print. */
#pragma once

#include "client.h"

/* Of a line; the words come after it. */
#define LABEL "%-9s "

/* Ends the line before and prints the next one's label and text. */
__attribute__((format(printf, 2, 3))) void words_line(const char *label, const char *format, ...);

/*
 * Prints a value: a list with one item per line; an object's members as "name 12, other yes"; a rule as its pattern and
 * place.
 */
void words_value(const cJSON *value);

/* Prints the attributes that are named in the list: "nice 5 and slice 3 ms". */
void words_attributes(const cJSON *attr, const cJSON *names);
