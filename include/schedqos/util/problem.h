/* SPDX-License-Identifier: GPL-2.0-only */
/* A recurring problem is logged only when it first happens, and its total at the end. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct problem {
	uint64_t count;
	char text[160]; /* of the first time */
};

/* Counts the problem; logs the text, at warning level, only the first time. */
void problem_report(struct problem *problem, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Logs how often it happened, if more than once. */
void problem_summary(const struct problem *problem);
