/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/daemon/config_reach.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/text_buf.h>

#include "program_names.h"

#ifndef DATADIR
#define DATADIR "/usr/share"
#endif

/* A rule, or its match.exe, while it is being checked. */
struct reach {
	const struct config *config;
	const struct rule *list, *rule;
	const char *condition; /* "exe", or NULL: the pattern itself */
	bool may_be_missing;
	struct config_errors *errors;
};

static int warn(const struct reach *reach, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int warn(const struct reach *reach, const char *format, ...)
{
	_cleanup_free_ char *message = NULL;
	va_list args;
	int r;

	va_start(args, format);
	r = vasprintf(&message, format, args);
	va_end(args);
	if (r < 0) {
		message = NULL;
		return -ENOMEM;
	}
	return config_rule_warn(reach->config, reach->rule, reach->condition, message, reach->errors);
}

static bool is_in(const char *path, const char *folder)
{
	const size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && path[length] == '/';
}

static bool is_for_many_machines(const char *file)
{
	static const char folder[] = "app_configs";
	const char *slash = strrchr(file, '/');
	const size_t length = strlen(folder);

	return slash && (size_t)(slash - file) >= length && strncmp(slash - length, folder, length) == 0;
}

static int warn_missing(const struct reach *reach, const char *path)
{
	return reach->may_be_missing ? 0 : warn(reach, "matches nothing here: there is no %s", path);
}

/* Whether the file begins with #!. What cannot be read is taken for none. */
static bool is_script(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char first[2];

	return fd >= 0 && read_full(fd, first, sizeof(first)) == sizeof(first) && memcmp(first, "#!", 2) == 0;
}

static int warn_not_executed(const struct reach *reach, const char *path)
{
	return warn(reach, "matches nothing here: the executable is what runs this file: write its name \"%s\" as the pattern",
		    path_base(path));
}

/* The file that a path leads to. */
static int check_file(const struct reach *reach, const char *path, const char *real)
{
	const char *base = path_base(path);
	struct stat stat_buf;

	if (stat(real, &stat_buf) < 0)
		return 0;
	if (S_ISDIR(stat_buf.st_mode))
		return warn(reach, "matches nothing here: this is a folder: write \"%s/*\" for the programs in it", real);
	if (!S_ISREG(stat_buf.st_mode))
		return warn(reach, "matches nothing here: this is no regular file");
	if (!(stat_buf.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) || is_script(real))
		return warn_not_executed(reach, path);
	if (strcmp(path, real) == 0)
		return 0;
	if (strcmp(base, path_base(real)) == 0)
		return warn(reach, "matches nothing here: this leads through a symbolic link: write \"%s\"", real);
	return warn(reach,
		    "matches nothing here: this leads through a symbolic link: write \"%s\", or as the pattern the name that it is "
		    "called by, \"%s\"",
		    real, base);
}

/* What exists for a moment, or under no path at all. */
static bool is_elsewhere(const char *path)
{
	const char *deleted = strstr(path, " (deleted)");

	return is_in(path, "/proc") || strncmp(path, "/memfd:", strlen("/memfd:")) == 0 ||
	       (deleted && !deleted[strlen(" (deleted)")]);
}

static int check_path(const struct reach *reach, const char *path)
{
	_cleanup_free_ char *real = NULL;

	if (is_elsewhere(path))
		return 0;
	real = realpath(path, NULL);
	if (real)
		return check_file(reach, path, real);
	if (errno == ENOMEM)
		return -ENOMEM;
	return errno == ENOENT || errno == ENOTDIR ? warn_missing(reach, path) : 0;
}

/* Of a glob, the folder before the first part with a special character. */
static int check_glob(const struct reach *reach, const char *glob)
{
	const size_t literal = strcspn(glob, "*?[\\");
	const char *slash = memrchr(glob, '/', literal);
	_cleanup_free_ char *folder = slash && slash > glob ? strndup(glob, (size_t)(slash - glob)) : NULL, *real = NULL;

	if (!slash || slash == glob || is_elsewhere(glob))
		return 0;
	if (!folder)
		return -ENOMEM;
	real = realpath(folder, NULL);
	if (!real && errno == ENOMEM)
		return -ENOMEM;
	if (!real)
		return errno == ENOENT || errno == ENOTDIR ? warn_missing(reach, folder) : 0;
	if (strcmp(folder, real) == 0)
		return 0;
	return warn(reach, "matches nothing here: %s leads through a symbolic link: write \"%s%s\"", folder,
		    strcmp(real, "/") == 0 ? "" : real, slash);
}

static bool has_script_ending(const char *pattern)
{
	static const char *const endings[] = { ".py", ".sh", ".pl", ".rb", ".js", ".php", ".lua", ".jar" };
	const size_t length = strlen(pattern);

	for (size_t i = 0; i < array_size(endings); i++) {
		const size_t ending = strlen(endings[i]);

		if (length > ending && strcmp(pattern + length - ending, endings[i]) == 0)
			return true;
	}
	return false;
}

static int check(const struct reach *reach, const char *pattern)
{
	if (!strchr(pattern, '/'))
		return 0;
	if (*pattern == '/' && !pattern_is_glob(pattern))
		return check_path(reach, pattern);
	if (has_script_ending(pattern))
		return warn_not_executed(reach, pattern);
	return *pattern == '/' ? check_glob(reach, pattern) : 0;
}

static bool holds_anywhere(const struct rule *rule)
{
	return rule->match && rule->match->user_namespace == USERNS_ANY;
}

static int check_name(const struct reach *reach, const struct program_names *programs)
{
	const char *pattern = reach->list->pattern, *other;

	if (reach->may_be_missing || strchr(pattern, '/') || pattern_is_glob(pattern))
		return 0;
	other = program_names_find(programs, pattern);
	if (!other || strcmp(other, pattern) == 0)
		return 0;
	return warn(reach, "no program in PATH has this name, but one has \"%s\": case counts", other);
}

static int check_list(struct reach *reach, const struct program_names *programs)
{
	bool is_anywhere = false;
	int r;

	reach->rule = reach->list;
	reach->condition = NULL;
	r = check_name(reach, programs);
	for (const struct rule *rule = reach->list; rule; rule = rule->next)
		is_anywhere = is_anywhere || holds_anywhere(rule);
	if (r == 0 && !is_anywhere)
		r = check(reach, reach->list->pattern);
	reach->condition = "exe";
	for (; r == 0 && reach->rule; reach->rule = reach->rule->next) {
		if (reach->rule->match && reach->rule->match->exe && !holds_anywhere(reach->rule))
			r = check(reach, reach->rule->match->exe);
	}
	return r;
}

int config_check_reach(const struct config *config, const char *folders, struct config_errors *errors)
{
	_cleanup_(program_names_clear) struct program_names programs = { 0 };
	struct reach reach = { .config = config, .errors = errors };
	int r = program_names_read(folders, &programs);

	for (size_t i = 0; r == 0 && (reach.list = rules_nth(config->rules, i)); i++) {
		const char *file = config->files[reach.list->source.file];

		if (is_in(file, DATADIR "/schedqos"))
			continue;
		reach.may_be_missing = is_for_many_machines(file);
		r = check_list(&reach, &programs);
	}
	return r;
}
