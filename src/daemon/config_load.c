/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/daemon/daemon.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>

#include "users.h"

#ifndef DATADIR
#define DATADIR "/usr/share"
#endif
#ifndef SYSCONFDIR
#define SYSCONFDIR "/etc"
#endif

/* The files read so far, in order; it owns their paths and texts. */
struct inputs {
	struct config_file *files;
	size_t count;
	unsigned users_ms; /* for the lookup of users */
	struct config_errors *errors;
};

static void inputs_clear(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		free((char *)inputs->files[i].path);
		free((char *)inputs->files[i].text);
	}
	free(inputs->files);
}

/* Why a file must not be used; NULL if it may. */
static const char *file_fault(const struct stat *stat)
{
	if (S_ISDIR(stat->st_mode))
		return "is a folder, not a file";
	if (!S_ISREG(stat->st_mode))
		return "is not a regular file";
	if (stat->st_size > CONFIG_SIZE_MAX)
		return "is larger than 4 MiB";
	/* Whoever can write it can make any task of the machine real-time. */
	if (geteuid() == 0 && stat->st_uid != 0)
		return "belongs to another user than root: refused (chown root)";
	if (geteuid() == 0 && (stat->st_mode & (S_IWGRP | S_IWOTH)))
		return "can be written by others than root: refused (chmod go-w)";
	return NULL;
}

/* Opens without blocking, in case it is a FIFO. Returns 0, or adds the error and returns -errno. */
static int read_file(const char *path, char **ret_text, size_t *ret_size,
		     struct config_errors *errors)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const char *fault;
	struct stat stat;
	int r;

	if (fd < 0 || fstat(fd, &stat) < 0) {
		r = -errno;
		config_error_add(errors, path, "cannot be read: %s", strerror(-r));
		return r;
	}
	fault = file_fault(&stat);
	if (fault) {
		config_error_add(errors, path, "%s", fault);
		return -EINVAL;
	}
	r = read_text(fd, stat.st_size, ret_text, ret_size);
	if (r < 0)
		config_error_add(errors, path, "cannot be read: %s", strerror(-r));
	return r;
}

/* text: becomes the list's. NULL: no memory. */
static int inputs_take(struct inputs *inputs, const char *path, char *text, size_t size, enum config_kind kind)
{
	struct config_file *files = reallocarray(inputs->files, inputs->count + 1, sizeof(*files));
	char *copy = strdup(path);

	if (files)
		inputs->files = files;
	if (!copy || !files || !text) {
		free(copy);
		free(text);
		return -ENOMEM;
	}
	files[inputs->count++] = (struct config_file){ copy, text, size, kind };
	/* cppcheck-suppress memleak */
	return 0;
}

/* Reads a file. One that cannot be used adds an error and is left out, so that the others are still checked. */
static int inputs_add(struct inputs *inputs, const char *path, enum config_kind kind)
{
	char *text = NULL;
	size_t size = 0;

	if (read_file(path, &text, &size, inputs->errors) < 0)
		return 0;
	return inputs_take(inputs, path, text, size, kind);
}

static bool ends_in(const char *name, const char *end)
{
	size_t length = strlen(name), end_length = strlen(end);

	return length > end_length && strcmp(name + length - end_length, end) == 0;
}

/* A schema is JSON, too, but for editors. */
static int is_config(const struct dirent *item)
{
	return item->d_name[0] != '.' && ends_in(item->d_name, ".json") && !ends_in(item->d_name, ".schema.json");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Returns "FOLDER/NAME", to be freed by the caller, or NULL. */
static char *join(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Reads every file of the configuration in FOLDER/NAME in byte order of the names; none if there is no such folder. */
static int inputs_add_folder(struct inputs *inputs, const char *folder, const char *name, enum config_kind kind)
{
	_cleanup_free_ char *path = join(folder, name);
	struct dirent **items;
	int n, r = 0;

	if (!path)
		return -ENOMEM;
	n = scandir(path, &items, is_config, by_bytes);
	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0) {
		config_error_add(inputs->errors, path, "cannot be read: %s", strerror(errno));
		return 0;
	}
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *file = join(path, items[i]->d_name);

		if (r == 0)
			r = file ? inputs_add(inputs, file, kind) : -ENOMEM;
		free(items[i]);
	}
	free(items);
	return r;
}

static int inputs_add_optional(struct inputs *inputs, const char *folder, const char *name, enum config_kind kind)
{
	_cleanup_free_ char *path = join(folder, name);
	struct stat stat;

	if (!path)
		return -ENOMEM;
	/* A dangling symlink is an error: somebody wanted the file to be read. */
	return lstat(path, &stat) < 0 && errno == ENOENT ? 0 : inputs_add(inputs, path, kind);
}

/* Reads a folder in upstream's layout. */
static int inputs_add_layout(struct inputs *inputs, const char *folder)
{
	int r = inputs_add_folder(inputs, folder, "mappings", CONFIG_PRESET);

	if (r == 0)
		r = inputs_add_optional(inputs, folder, "qos_mappings.json", CONFIG_MAPPING);
	if (r == 0)
		r = inputs_add_optional(inputs, folder, "sched_profiles.json", CONFIG_PROFILES);
	if (r == 0)
		r = inputs_add_folder(inputs, folder, "app_configs", CONFIG_RULES);
	if (r == 0)
		r = inputs_add_optional(inputs, folder, "schedqos.json", CONFIG_RULES);
	return r;
}

/* context: the deadline of all lookups together. */
static int look_up(void *context, const char *name, uid_t *ret)
{
	const uint64_t *until_ns = context;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	return now_ns < *until_ns ? user_lookup_wait(name, (int)((*until_ns - now_ns) / 1000000), ret, NULL) : -ETIMEDOUT;
}

/* Parses the files even if one could not be read, so that all errors are reported at once. */
static int parse(struct inputs *inputs, struct config **ret)
{
	size_t unreadable = inputs->errors->n_errors;
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + inputs->users_ms * 1000000ULL;
	struct config *config;
	int r = config_parse(inputs->files, inputs->count, look_up, &until_ns, &config, inputs->errors);

	if (r < 0)
		return r;
	if (unreadable) {
		config_free(config);
		return -EINVAL;
	}
	*ret = config;
	return 0;
}

/* The folders in upstream's layout: one or two. */
#define CONFIG_LAYERS_MAX 2
static size_t config_layers(const struct config_paths *paths, const char *ret[CONFIG_LAYERS_MAX])
{
	ret[0] = paths->folder ? paths->folder : DATADIR "/schedqos";
	ret[1] = SYSCONFDIR "/schedqos";
	return paths->folder ? 1 : 2;
}

const char *config_own_file(const struct config_paths *paths)
{
	return paths->file ? paths->file : SYSCONFDIR "/schedqos.json";
}

int config_load(const struct config_paths *paths, unsigned users_ms, struct config **ret,
		struct config_errors *errors)
{
	_cleanup_(inputs_clear) struct inputs inputs = { .users_ms = users_ms, .errors = errors };
	const char *layers[CONFIG_LAYERS_MAX];
	size_t n_layers = config_layers(paths, layers);
	int r = 0;

	if (paths->folder && access(paths->folder, F_OK) < 0)
		config_error_add(errors, paths->folder, "cannot be read: %s", strerror(errno));
	for (size_t i = 0; i < n_layers && r == 0; i++)
		r = inputs_add_layout(&inputs, layers[i]);
	if (r == 0 && paths->file)
		r = inputs_add(&inputs, paths->file, CONFIG_RULES);
	else if (r == 0)
		r = inputs_add_optional(&inputs, SYSCONFDIR, "schedqos.json", CONFIG_RULES);
	if (r == 0 && paths->mapping)
		r = inputs_take(&inputs, "--mapping", strdup(paths->mapping), strlen(paths->mapping), CONFIG_CHOICE);
	return r < 0 ? r : parse(&inputs, ret);
}

/* Reads a folder named by the user. If it is empty that is an error, since "no errors" would be misleading. */
static int inputs_add_named(struct inputs *inputs, const char *folder)
{
	size_t before = inputs->count + inputs->errors->n_errors;
	int r = inputs_add_layout(inputs, folder);

	if (r == 0 && inputs->count + inputs->errors->n_errors == before)
		config_error_add(inputs->errors, folder,
				 "holds none of qos_mappings.json, sched_profiles.json, app_configs and mappings: name its files, or the folder above it");
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
	_cleanup_(inputs_clear) struct inputs inputs = { .users_ms = users_ms, .errors = errors };
	int r = 0;

	for (size_t i = 0; r == 0 && i < n_names; i++) {
		struct stat stat_buf;

		if (stat(names[i], &stat_buf) == 0 && S_ISDIR(stat_buf.st_mode))
			r = inputs_add_named(&inputs, names[i]);
		else
			r = inputs_add(&inputs, names[i], kind_of(names[i]));
	}
	return r < 0 ? r : parse(&inputs, ret);
}

int config_load_texts(const struct config_file *files, size_t n_files, unsigned users_ms, struct config **ret,
		      struct config_errors *errors)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + users_ms * 1000000ULL;

	return config_parse(files, n_files, look_up, &until_ns, ret, errors);
}
