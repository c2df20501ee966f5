/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that the fuzzers share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/config/config_text.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* Aborts if the condition does not hold, which is a finding. */
#define check(what)                                                                               \
	do {                                                                                      \
		if (!(what)) {                                                                    \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #what); \
			abort();                                                                  \
		}                                                                                 \
	} while (0)

/* The input, which is taken from its front. Gives zeros once it is used up. */
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

/* Takes a little-endian number of up to four bytes. */
static inline uint32_t take_number(struct input *input, unsigned bytes)
{
	uint32_t number = 0;

	for (unsigned i = 0; i < bytes; i++)
		number |= (uint32_t)take_byte(input) << 8 * i;
	return number;
}

/* Takes up to max bytes, into memory that ends with them, so that a read beyond them is found. The caller frees it. */
uint8_t *take_bytes(struct input *input, size_t max, size_t *ret_size);

/* Takes text in the same way: bytes without NUL, and a NUL at the end. */
char *take_text(struct input *input, size_t max);

/* Checks that the text is valid UTF-8 that moves no cursor. */
void check_printable(const char *text);

/* Checks that the text is valid UTF-8. */
void check_utf8(const char *text);

struct plan;
struct tasks_memory;

/* Checks a task's record, after every event. */
void check_known(const struct plan *plan, pid_t tid);

/* Checks the plan's whole table, which is slow. */
void check_plan(const struct plan *plan);

/* One chunk of memory for all runs, because making and freeing a table costs more than a run. */
extern const struct tasks_memory one_chunk;
