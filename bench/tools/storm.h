/* SPDX-License-Identifier: GPL-2.0-only */
/* A storm: one kind of operation, repeated by each worker. storm.c repeats, storm_KIND.c is the operation. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define STORM_NAME_MAX 16

/* Whether the kind starts a program, which has to be named on the command line then. */
extern const bool storm_needs_program;

/* Makes a task that ends at once, and waits for its end. */
void storm_pass(const char *program, uint64_t n);
