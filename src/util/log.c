/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/util/log.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <schedqos/util/text.h>

#define LINE_MAX_BYTES 4096

void log_to_stderr(int level, bool plain, const char *line)
{
	if (plain)
		fprintf(stderr, "%s\n", line);
	else if (level <= LOG_WARNING)
		fprintf(stderr, "schedqos: %s: %s\n", level == LOG_WARNING ? "warning" : "error", line);
	else
		fprintf(stderr, "schedqos: %s\n", line);
}

static struct {
	log_sink *sink;
	int level;
} logger = { log_to_stderr, LOG_INFO };

void log_set_sink(log_sink *sink)
{
	logger.sink = sink ? sink : log_to_stderr;
}

void log_set_level(int level)
{
	logger.level = level;
}

bool log_enabled(int level)
{
	return level <= logger.level;
}

void log_write(int level, const char *format, ...)
{
	char line[LINE_MAX_BYTES];
	va_list args;

	if (!log_enabled(level & ~LOG_PLAIN))
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	logger.sink(level & ~LOG_PLAIN, level & LOG_PLAIN, line);
}

/* Removes part of a character from the end of text that was cut: it becomes part of JSON, which has to be UTF-8. */
static void drop_part(char *text, size_t length)
{
	size_t start = length;

	while (start > 0 && (text[start - 1] & 0xc0) == 0x80)
		start--;
	if (start > 0 && (text[start - 1] & 0x80))
		start--;
	if (start < length && text_utf8_length(text + start, length - start) != length - start)
		text[start] = '\0';
}

void problem_report(struct problem *problem, const char *format, ...)
{
	va_list args;
	size_t n;

	if (problem->count++)
		return;
	va_start(args, format);
	n = (size_t)vsnprintf(problem->text, sizeof(problem->text), format, args);
	va_end(args);
	if (n >= sizeof(problem->text))
		drop_part(problem->text, sizeof(problem->text) - 1);
	log_warning("%s", problem->text);
}

void problem_summary(const struct problem *problem)
{
	if (problem->count > 1)
		log_notice("happened %" PRIu64 " times: %s", problem->count, problem->text);
}
