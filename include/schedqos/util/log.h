/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log for people. config, policy and kernel do not log: they return -errno, and the caller that handles the error
 * logs it. Text that a task chose must have gone through text_escape first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <syslog.h>

/* Add this to a level if the line has a prefix of its own, such as FILE:LINE:COLUMN, and needs no other. */
#define LOG_PLAIN 0x100

/* Receives each line. `level` comes without LOG_PLAIN. */
typedef void log_sink(int level, bool plain, const char *line);

/* The default sink: writes "schedqos: LINE" to stderr, with "warning:" or "error:" before warnings and errors. */
void log_to_stderr(int level, bool plain, const char *line);

void log_set_sink(log_sink *sink); /* NULL: the default sink */
void log_set_level(int level);	   /* LOG_ERR .. LOG_DEBUG; initially LOG_INFO */
bool log_enabled(int level);

void log_write(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_ERR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_WARNING, __VA_ARGS__)
#define log_notice(...) log_write(LOG_NOTICE, __VA_ARGS__)
#define log_info(...) log_write(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_DEBUG, __VA_ARGS__)

/* A problem that may recur. Only its first occurrence is logged, and the total at the end. */
struct problem {
	uint64_t count;
	char text[160]; /* of the first occurrence */
};

/* Counts the problem, and logs the text as a warning if this is its first occurrence. */
void problem_report(struct problem *problem, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Logs how often the problem occurred, if more than once. */
void problem_summary(const struct problem *problem);
