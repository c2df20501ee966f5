/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/daemon/config_load.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>

#include "user_lookup.h"

#ifndef DATADIR
#define DATADIR "/usr/share"
#endif
#ifndef SYSCONFDIR
#define SYSCONFDIR "/etc"
#endif

/* Files read so far, in their order; the list owns paths and texts. */
struct pile {
	struct config_file *files;
	size_t count;
	unsigned users_ms; /* for looking up users */
	struct config_errors *errors;
};

static void pile_clear(struct pile *pile)
{
	for (size_t i = 0; i < pile->count; i++) {
		free((char *)pile->files[i].path);
		free((char *)pile->files[i].text);
	}
	free(pile->files);
}

/* What keeps a file from being read, beside errno: NULL when it is good. */
static const char *file_fault(const struct stat *stat)
{
	if (S_ISDIR(stat->st_mode))
		return "is a folder, not a file";
	if (!S_ISREG(stat->st_mode))
		return "is not a regular file";
	if (stat->st_size > CONFIG_SIZE_MAX)
		return "is larger than 1 MiB";
	/* Whoever can write it can have any task of the machine made real-time. */
	if (geteuid() == 0 && stat->st_uid != 0)
		return "belongs to another user than root: refused (chown root)";
	if (geteuid() == 0 && (stat->st_mode & (S_IWGRP | S_IWOTH)))
		return "can be written by others than root: refused (chmod go-w)";
	return NULL;
}

/* Opens without waiting, should it be a FIFO. Returns 0, or -errno with the error already noted. */
static int read_file(const char *path, char **ret_text, size_t *ret_size,
		     struct config_errors *errors)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const char *fault;
	struct stat stat;
	int r;

	if (fd < 0 || fstat(fd, &stat) < 0) {
		r = -errno;
		config_error_add(errors, path, 0, 0, "", "cannot be read: %s", strerror(-r));
		return r;
	}
	fault = file_fault(&stat);
	if (fault) {
		config_error_add(errors, path, 0, 0, "", "%s", fault);
		return -EINVAL;
	}
	r = read_text(fd, stat.st_size, ret_text, ret_size);
	if (r < 0)
		config_error_add(errors, path, 0, 0, "", "cannot be read: %s", strerror(-r));
	return r;
}

/* Reads a file onto the pile. A file at fault is noted and left out: the rest is still to be checked. */
static int pile_add(struct pile *pile, const char *path, enum config_kind kind)
{
	struct config_file *files;
	char *text = NULL, *copy;
	size_t size = 0;

	if (read_file(path, &text, &size, pile->errors) < 0)
		return 0;
	copy = strdup(path);
	files = reallocarray(pile->files, pile->count + 1, sizeof(*files));
	if (files)
		pile->files = files;
	if (!copy || !files) {
		free(copy);
		free(text);
		return -ENOMEM;
	}
	files[pile->count++] = (struct config_file){ copy, text, size, kind };
	/* cppcheck-suppress memleak */
	return 0;
}

static int is_json(const struct dirent *item)
{
	size_t length = strlen(item->d_name);

	return length > 5 && item->d_name[0] != '.' &&
	       strcmp(item->d_name + length - 5, ".json") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* "FOLDER/NAME" for the caller to free, or NULL. */
static char *join(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Every .json of FOLDER/NAME in byte order; none if there is no such folder. */
static int pile_add_folder(struct pile *pile, const char *folder, const char *name,
			   enum config_kind kind)
{
	_cleanup_free_ char *path = join(folder, name);
	struct dirent **items;
	int n, r = 0;

	if (!path)
		return -ENOMEM;
	n = scandir(path, &items, is_json, by_bytes);
	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0) {
		config_error_add(pile->errors, path, 0, 0, "", "cannot be read: %s",
				 strerror(errno));
		return 0;
	}
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *file = join(path, items[i]->d_name);

		if (r == 0)
			r = file ? pile_add(pile, file, kind) : -ENOMEM;
		free(items[i]);
	}
	free(items);
	return r;
}

static int pile_add_optional(struct pile *pile, const char *folder, const char *name,
			     enum config_kind kind)
{
	_cleanup_free_ char *path = join(folder, name);
	struct stat stat;

	if (!path)
		return -ENOMEM;
	/* A link to nowhere is there: somebody wants it to be read. */
	return lstat(path, &stat) < 0 && errno == ENOENT ? 0 : pile_add(pile, path, kind);
}

/* A folder in upstream's layout. */
static int pile_add_layout(struct pile *pile, const char *folder)
{
	int r = pile_add_folder(pile, folder, "mappings", CONFIG_PRESET);

	if (r == 0)
		r = pile_add_optional(pile, folder, "qos_mappings.json", CONFIG_MAPPING);
	if (r == 0)
		r = pile_add_optional(pile, folder, "sched_profiles.json", CONFIG_PROFILES);
	if (r == 0)
		r = pile_add_folder(pile, folder, "app_configs", CONFIG_RULES);
	return r;
}

/* context: until when there is time for it, all names together. */
static int look_up(void *context, const char *name, uid_t *ret)
{
	const uint64_t *until_ns = context;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	return now_ns < *until_ns ? user_lookup_wait(name, (int)((*until_ns - now_ns) / 1000000), ret) : -ETIMEDOUT;
}

/* Parses the pile even if some file could not be read, so that all errors are told at once. */
static int parse(struct pile *pile, struct config **ret)
{
	size_t unreadable = pile->errors->n_errors;
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + pile->users_ms * 1000000ULL;
	struct config *config;
	int r = config_parse(pile->files, pile->count, look_up, &until_ns, &config, pile->errors);

	if (r < 0)
		return r;
	if (unreadable) {
		config_free(config);
		return -EINVAL;
	}
	*ret = config;
	return 0;
}

int config_load(const struct config_paths *paths, unsigned users_ms, struct config **ret,
		struct config_errors *errors)
{
	_cleanup_(pile_clear) struct pile pile = { .users_ms = users_ms, .errors = errors };
	int r;

	if (paths->folder && access(paths->folder, F_OK) < 0)
		config_error_add(errors, paths->folder, 0, 0, "", "cannot be read: %s",
				 strerror(errno));
	r = pile_add_layout(&pile, paths->folder ? paths->folder : DATADIR "/schedqos");
	if (r == 0 && !paths->folder)
		r = pile_add_layout(&pile, SYSCONFDIR "/schedqos");
	if (r == 0 && paths->file)
		r = pile_add(&pile, paths->file, CONFIG_RULES);
	else if (r == 0)
		r = pile_add_optional(&pile, SYSCONFDIR, "schedqos.json", CONFIG_RULES);
	return r < 0 ? r : parse(&pile, ret);
}

/* A folder that somebody has named: to find nothing in it would look like finding nothing wrong. */
static int pile_add_named(struct pile *pile, const char *folder)
{
	size_t before = pile->count + pile->errors->n_errors;
	int r = pile_add_layout(pile, folder);

	if (r == 0 && pile->count + pile->errors->n_errors == before)
		config_error_add(
			pile->errors, folder, 0, 0, "",
			"holds none of qos_mappings.json, sched_profiles.json, app_configs "
			"and mappings: name its files, or the folder above it");
	return r;
}

static enum config_kind kind_of(const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	if (strcmp(base, "qos_mappings.json") == 0)
		return CONFIG_MAPPING;
	if (strcmp(base, "sched_profiles.json") == 0)
		return CONFIG_PROFILES;
	return CONFIG_RULES;
}

int config_load_named(const char *const *names, size_t n_names, unsigned users_ms, struct config **ret,
		      struct config_errors *errors)
{
	_cleanup_(pile_clear) struct pile pile = { .users_ms = users_ms, .errors = errors };
	int r = 0;

	for (size_t i = 0; r == 0 && i < n_names; i++) {
		struct stat stat_buf;

		if (stat(names[i], &stat_buf) == 0 && S_ISDIR(stat_buf.st_mode))
			r = pile_add_named(&pile, names[i]);
		else
			r = pile_add(&pile, names[i], kind_of(names[i]));
	}
	return r < 0 ? r : parse(&pile, ret);
}
