/* SPDX-License-Identifier: GPL-2.0-only */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <schedqos/util/log.h>

void problem_report(struct problem *problem, const char *format, ...)
{
	va_list args;

	if (problem->count++)
		return;
	va_start(args, format);
	vsnprintf(problem->text, sizeof(problem->text), format, args);
	va_end(args);
	log_warning("%s", problem->text);
}

void problem_summary(const struct problem *problem)
{
	if (problem->count > 1)
		log_notice("happened %" PRIu64 " times: %s", problem->count, problem->text);
}
