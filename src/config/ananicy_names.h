/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

/* No file has a longer name. */
#define ANANICY_NAME_MAX     255
#define ANANICY_PATTERN_SIZE (3 * ANANICY_NAME_MAX + 1)

/* Why a rule of this name matches nothing; NULL if it may match. */
const char *ananicy_name_fault(const char *name);

/* Whether programs share the name that have nothing to do with each other. */
bool ananicy_name_is_doubtful(const char *name);

/* The pattern that matches this name, which has no fault, and nothing else; ANANICY_PATTERN_SIZE bytes. */
void ananicy_pattern(const char *name, char *buf);
