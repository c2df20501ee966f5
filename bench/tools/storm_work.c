/* SPDX-License-Identifier: GPL-2.0-only */
/* Work without system calls: how much of it gets done shows what others take. */
#include "storm.h"

#include <stdio.h>
#include <unistd.h>

#define ROUNDS 10000

const bool storm_needs_program = false;

void storm_pass(const char *program, uint64_t n)
{
	volatile uint64_t state = n;

	(void)program;
	for (int i = 0; i < ROUNDS; i++)
		state = state * 6364136223846793005U + 1442695040888963407U;
}

void storm_keep(const char *program, uint64_t n, struct kept *ret)
{
	storm_pass(program, n);
	ret->tid = getpid();
	snprintf(ret->name, sizeof(ret->name), "bench-work");
}
