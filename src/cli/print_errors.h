/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <schedqos/config/config_text.h>

/* Errors and warnings on stderr, a line each. */
void print_errors(const struct config_errors *errors);
