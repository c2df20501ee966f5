/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers from text, strictly: digits only, the whole text, within the range. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Decimal, no sign, no spaces, in 0..max. Returns 0, -EINVAL for bad text, -ERANGE for too large a number. */
int parse_u64(const char *text, size_t len, uint64_t max, uint64_t *ret);
