/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints parts of the daemon's JSON in words. Its texts are safe to print. */
#pragma once

#include "client.h"

/* The format of the label that begins a line; the text follows it. */
#define LABEL "%-9s "

/* Ends the previous line, and prints the label and text of the next one. */
__attribute__((format(printf, 2, 3))) void words_line(const char *label, const char *format, ...);

/*
 * Prints a value: a list with one item per line; an object's members as "name 12, other yes"; a rule as its pattern and
 * place.
 */
void words_value(const cJSON *value);

/* Prints the attributes that are named in the list: "nice 5 and slice 3 ms". */
void words_attributes(const cJSON *attr, const cJSON *names);
