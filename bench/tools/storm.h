/* SPDX-License-Identifier: GPL-2.0-only */
/* A storm: one kind of operation, repeated by each worker. storm.c repeats, storm_KIND.c is the operation. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define STORM_NAME_MAX 16

/* A task left alive, so that its attributes can be looked at after the storm. */
struct kept {
	int32_t tid;
	char name[STORM_NAME_MAX]; /* by which its class is to be found */
};

/* Whether the kind starts a program, which has to be named on the command line then. */
extern const bool storm_needs_program;

/* Makes a task that ends at once, and waits for its end. */
void storm_pass(const char *program, uint64_t n);

/* Makes a task that stays until its worker ends. On return it has its final name. */
void storm_keep(const char *program, uint64_t n, struct kept *ret);
