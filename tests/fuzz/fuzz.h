/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the fuzzers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/config/config_text.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* A condition that does not hold is a finding. */
#define check(what)                                                                               \
	do {                                                                                      \
		if (!(what)) {                                                                    \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #what); \
			abort();                                                                  \
		}                                                                                 \
	} while (0)

/* The input, taken from its front; zeros when it is used up. */
struct input {
	const uint8_t *at;
	size_t left;
};

static inline uint8_t take_byte(struct input *input)
{
	if (!input->left)
		return 0;
	input->left--;
	return *input->at++;
}

/* A little-endian number of up to four bytes. */
static inline uint32_t take_number(struct input *input, unsigned bytes)
{
	uint32_t number = 0;

	for (unsigned i = 0; i < bytes; i++)
		number |= (uint32_t)take_byte(input) << 8 * i;
	return number;
}

/* Up to max bytes, in memory of their own that ends with them: reading beyond shows. The caller frees. */
uint8_t *take_bytes(struct input *input, size_t max, size_t *ret_size);

/* The same with a NUL at the end, and none before it. */
char *take_text(struct input *input, size_t max);

/* Valid UTF-8 that moves no cursor. */
void check_printable(const char *text);

/* Valid UTF-8. */
void check_utf8(const char *text);

struct plan;
struct tasks_memory;

/* What holds of a task's record after every event. */
void check_known(const struct plan *plan, pid_t tid);

/* What holds of the plan's whole table. Slow. */
void check_plan(const struct plan *plan);

/* One chunk for all runs: making and dropping a table costs more than all that is done with it. */
extern const struct tasks_memory one_chunk;
