/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdint.h>

/* A time in seconds, with a fraction or without, between least and most. 0, -EINVAL or -ERANGE. */
int parse_seconds(const char *text, double least, double most, uint64_t *ret_ns);
