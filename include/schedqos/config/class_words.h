/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <schedqos/policy/config.h>

/*
 * That there is no class of this name, which may have been meant, and which there are, safe for a terminal. The caller
 * frees; NULL without memory.
 */
char *class_words_unknown(const struct config *config, const char *name);
