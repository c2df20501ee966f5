/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in the configuration something was said. */
#pragma once

#include <stdint.h>

struct source {
	uint32_t line;	 /* from 1; 0: built in, no file */
	uint16_t column; /* from 1, in bytes */
	uint16_t file;	 /* index into the configuration's files; later files override earlier ones */
};
