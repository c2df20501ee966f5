/* SPDX-License-Identifier: GPL-2.0-only */
#include "print_errors.h"

#include <stdio.h>

#include <schedqos/util/cleanup.h>

void print_errors(const struct config_errors *errors)
{
	for (size_t i = 0; i < errors->count; i++) {
		_cleanup_free_ char *line = config_error_text(&errors->items[i]);

		fprintf(stderr, "%s\n", line ? line : "out of memory");
	}
}
