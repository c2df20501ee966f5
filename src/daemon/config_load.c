/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds and reads the configuration's files, for the daemon and for the verbs that work on configurations. */
#include "daemon_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>
#include <schedqos/util/text.h>

/* The files read so far, in order; it owns their paths and texts. */
struct inputs {
	struct config_file *files;
	size_t count;
	bool no_memory; /* remembered until the end, where it is checked once */
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

/* Returns the reason why a file must not be used; NULL if it may. */
static const char *file_fault(const struct stat *stat)
{
	if (S_ISDIR(stat->st_mode))
		return "is a folder, not a file";
	if (!S_ISREG(stat->st_mode))
		return "is not a regular file";
	if (stat->st_size > CONFIG_SIZE_MAX)
		return "is larger than 4 MiB";
	/* A user who can write this file can make any task real-time. */
	if (geteuid() == 0 && stat->st_uid != 0)
		return "does not belong to root: refused (chown root)";
	if (geteuid() == 0 && (stat->st_mode & (S_IWGRP | S_IWOTH)))
		return "can be written by users other than root: refused (chmod go-w)";
	return NULL;
}

/* Reads a file; opens it without blocking, in case it is a FIFO. Returns 0, or adds the error and returns -errno. */
static int read_config_file(const char *path, char **ret_text, size_t *ret_size, bool *ret_is_private,
			    struct config_errors *errors)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const char *fault = NULL;
	struct stat stat;
	int r;

	if (fd >= 0 && fstat(fd, &stat) == 0) {
		fault = file_fault(&stat);
		*ret_is_private = !(stat.st_mode & S_IROTH);
		r = fault ? -EINVAL : read_text(fd, stat.st_size, ret_text, ret_size);
	} else {
		r = -errno;
	}
	if (fault)
		config_error_add(errors, path, "%s", fault);
	else if (r < 0)
		config_error_add(errors, path, "cannot be read: %s", strerror(-r));
	return r;
}

/* Appends a file and takes ownership of path and text. NULL means that the caller had no memory for them. */
static void inputs_take(struct inputs *inputs, char *path, char *text, size_t size, enum config_kind kind,
			bool is_private)
{
	struct config_file *files = array_room(inputs->files, inputs->count, sizeof(*files));

	if (files)
		inputs->files = files;
	if (files && path && text) {
		files[inputs->count++] = (struct config_file){ path, text, size, kind, is_private };
		return;
	}
	inputs->no_memory = true;
	free(path);
	free(text);
}

/*
 * Reads a file and appends it. If it cannot be used, adds an error and goes on, so that the other files are still
 * checked.
 */
static void inputs_add(struct inputs *inputs, const char *path, enum config_kind kind)
{
	char *text = NULL;
	bool is_private = false;
	size_t size = 0;

	if (read_config_file(path, &text, &size, &is_private, inputs->errors) == 0)
		inputs_take(inputs, strdup(path), text, size, kind, is_private);
}

static bool ends_in(const char *name, const char *end)
{
	size_t length = strlen(name), end_length = strlen(end);

	return length > end_length && strcmp(name + length - end_length, end) == 0;
}

/* Returns whether scandir should list the file: all JSON files except schemas, which are for editors. */
static int is_config(const struct dirent *item)
{
	return item->d_name[0] != '.' && ends_in(item->d_name, ".json") && !ends_in(item->d_name, ".schema.json");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Returns "FOLDER/NAME", to be freed by the caller, or NULL. */
static char *join(struct inputs *inputs, const char *folder, const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%s", folder, name) >= 0)
		return path;
	inputs->no_memory = true;
	return NULL;
}

/* Reads every file of the configuration in FOLDER/NAME in byte order of the names; none if there is no such folder. */
static void inputs_add_folder(struct inputs *inputs, const char *folder, const char *name, enum config_kind kind)
{
	_cleanup_free_ char *path = join(inputs, folder, name);
	struct dirent **items = NULL;
	int n = path ? scandir(path, &items, is_config, by_bytes) : 0;

	if (n < 0 && errno != ENOENT)
		config_error_add(inputs->errors, path, "cannot be read: %s", strerror(errno));
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *file = join(inputs, path, items[i]->d_name);

		if (file)
			inputs_add(inputs, file, kind);
		free(items[i]);
	}
	free(items);
}

static void inputs_add_optional(struct inputs *inputs, const char *folder, const char *name, enum config_kind kind)
{
	_cleanup_free_ char *path = join(inputs, folder, name);
	struct stat stat;

	/* A dangling symlink is an error: somebody wanted the file to be read. */
	if (path && (lstat(path, &stat) == 0 || errno != ENOENT))
		inputs_add(inputs, path, kind);
}

/* Reads a folder in upstream's layout. */
static void inputs_add_layout(struct inputs *inputs, const char *folder)
{
	inputs_add_folder(inputs, folder, "mappings", CONFIG_PRESET);
	inputs_add_optional(inputs, folder, "qos_mappings.json", CONFIG_MAPPING);
	inputs_add_optional(inputs, folder, "sched_profiles.json", CONFIG_PROFILES);
	inputs_add_folder(inputs, folder, "app_configs", CONFIG_RULES);
	inputs_add_optional(inputs, folder, "schedqos.json", CONFIG_RULES);
}

struct deadline {
	struct user_lookup *lookup;
	uint64_t ns; /* of all lookups together, by CLOCK_MONOTONIC */
};

/* Looks up a user for config_parse. context is the struct deadline. */
static int look_up(void *context, const char *name, uid_t *ret)
{
	const struct deadline *until = context;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	gid_t unused;

	return now_ns < until->ns
		       ? user_lookup(until->lookup, name, (int)((until->ns - now_ns) / 1000000), ret, &unused)
		       : -ETIMEDOUT;
}

int config_load_texts(const struct config_file *files, size_t n_files, struct user_lookup *lookup, unsigned users_ms,
		      struct config **ret, struct config_errors *errors)
{
	struct deadline until = { lookup, clock_ns(CLOCK_MONOTONIC) + users_ms * 1000000ULL };

	return config_parse(files, n_files, look_up, &until, ret, errors);
}

/* Parses the files even if one could not be read, so that all errors are reported at once. */
static int parse_inputs(const struct inputs *inputs, struct user_lookup *lookup, unsigned users_ms, struct config **ret)
{
	const size_t unreadable = inputs->errors->n_errors;
	struct config *config;
	int r = inputs->no_memory
			? -ENOMEM
			: config_load_texts(inputs->files, inputs->count, lookup, users_ms, &config, inputs->errors);

	if (r < 0)
		return r;
	if (unreadable) {
		config_free(config);
		return -EINVAL;
	}
	*ret = config;
	return 0;
}

const char *config_own_file(const struct config_paths *paths)
{
	return paths->file ? paths->file : SYSCONFDIR "/schedqos.json";
}

static bool has_layout(const char *folder)
{
	static const char *const names[] = { "mappings", "qos_mappings.json", "sched_profiles.json", "app_configs",
					     "schedqos.json" };
	_cleanup_close_ int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < array_size(names); i++) {
		if (faccessat(fd, names[i], F_OK, 0) == 0)
			return true;
	}
	return false;
}

/* Reads a folder that the user named. One without our files is an error, because it is hardly what the user meant. */
static void inputs_add_named_folder(struct inputs *inputs, const char *folder)
{
	inputs_add_layout(inputs, folder);
	if (!has_layout(folder))
		config_error_add(
			inputs->errors, folder,
			"holds none of qos_mappings.json, sched_profiles.json, schedqos.json, app_configs and mappings: name its files, or the folder above it");
}

/* Returns whether the folder holds anything, or -errno. */
static int holds_files(const char *folder)
{
	DIR *list = opendir(folder);
	const struct dirent *item;
	bool found = false;

	if (!list)
		return -errno;
	while (!found && (item = readdir(list)))
		found = item->d_name[0] != '.';
	closedir(list);
	return found;
}

/* Reads all files but the administrator's. A user who wants none of the shipped ones names an empty folder. */
static void inputs_add_shipped(struct inputs *inputs, const char *folder)
{
	const int r = folder ? holds_files(folder) : 0;

	if (r < 0)
		config_error_add(inputs->errors, folder, "cannot be read: %s", strerror(-r));
	if (r > 0)
		inputs_add_named_folder(inputs, folder);
	if (folder)
		return;
	inputs_add_layout(inputs, DATADIR "/schedqos");
	inputs_add_layout(inputs, SYSCONFDIR "/schedqos");
}

static void inputs_add_layers(struct inputs *inputs, const struct config_paths *paths)
{
	inputs_add_shipped(inputs, paths->folder);
	if (paths->file)
		inputs_add(inputs, paths->file, CONFIG_RULES);
	else
		inputs_add_optional(inputs, SYSCONFDIR, "schedqos.json", CONFIG_RULES);
}

static enum config_kind kind_of_file(const char *path)
{
	const char *base = path_base(path);

	if (strcmp(base, "qos_mappings.json") == 0)
		return CONFIG_MAPPING;
	if (strcmp(base, "sched_profiles.json") == 0)
		return CONFIG_PROFILES;
	return CONFIG_RULES;
}

static void inputs_add_named(struct inputs *inputs, const char *name)
{
	struct stat stat_buf;

	if (stat(name, &stat_buf) == 0 && S_ISDIR(stat_buf.st_mode))
		inputs_add_named_folder(inputs, name);
	else
		inputs_add(inputs, name, kind_of_file(name));
}

int config_load(const struct config_paths *paths, struct user_lookup *lookup, unsigned users_ms, struct config **ret,
		struct config_errors *errors)
{
	_cleanup_(inputs_clear) struct inputs inputs = { .errors = errors };
	const char *mapping = paths->mapping;

	for (char *const *name = paths->only; name && *name; name++)
		inputs_add_named(&inputs, *name);
	if (!paths->only)
		inputs_add_layers(&inputs, paths);
	if (mapping)
		inputs_take(&inputs, strdup("--mapping"), strdup(mapping), strlen(mapping), CONFIG_CHOICE, false);
	return parse_inputs(&inputs, lookup, users_ms, ret);
}
