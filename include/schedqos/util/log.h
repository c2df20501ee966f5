/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line of log for people. Nothing below the tagger, the machine and the command line logs; they return -errno.
 * Text that a task chose must have gone through text_escape before it comes here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <syslog.h>

/* Or'ed into a level: the line has its own prefix, such as FILE:LINE:COLUMN, and gets no other. */
#define LOG_PLAIN 0x100

/*
 * Where lines go. The default sink writes "schedqos: line" to stderr, with the level's name before warnings and errors.
 * level comes without LOG_PLAIN.
 */
typedef void log_sink(int level, bool plain, const char *line);

/* The default sink. */
void log_to_stderr(int level, bool plain, const char *line);

void log_set_sink(log_sink *sink); /* NULL: the default one */
void log_set_level(int level);	   /* LOG_ERR .. LOG_DEBUG; initially LOG_INFO */
bool log_enabled(int level);

void log_write(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_ERR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_WARNING, __VA_ARGS__)
#define log_notice(...) log_write(LOG_NOTICE, __VA_ARGS__)
#define log_info(...) log_write(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_DEBUG, __VA_ARGS__)

/* A recurring problem is logged only when it first happens, and its total at the end. */
struct problem {
	uint64_t count;
	char text[160]; /* of the first time */
};

/* Counts the problem; logs the text, at warning level, only the first time. */
void problem_report(struct problem *problem, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Logs how often it happened, if more than once. */
void problem_summary(const struct problem *problem);
