/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text that a task chose (comm, argv, paths) made safe for a log, a terminal, JSON and D-Bus: printable
 * UTF-8 stays, everything else (controls, C1, direction overrides, broken UTF-8, the backslash) becomes \n, \t, \\
 * or \xNN.
 */
#pragma once

#include <stddef.h>

/* Escapes len bytes of s into buf and always terminates it; cut, at a whole character, to fit. Returns buf. */
char *text_escape_to(char *buf, size_t size, const char *s, size_t len);

/* The same into new memory, which the caller frees. NULL without memory. */
char *text_escape(const char *s, size_t len);

/* The length of the valid UTF-8 character at s (1..4), or 0 if it is not valid. */
size_t text_utf8_length(const char *s, size_t len);
