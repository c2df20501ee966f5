/* SPDX-License-Identifier: GPL-2.0-only */
/* An explanation in words. */
#pragma once

/* Prints the JSON of tagger_explain to stdout. 0 or -errno. */
int explain_print(const char *json);
