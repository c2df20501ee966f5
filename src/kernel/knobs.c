/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/knobs.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include <schedqos/kernel/detached_mount.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

#define DEBUGFS_MOUNT "/sys/kernel/debug"

static const char *const folders[KNOB_TREES] = {
	[KNOB_DEBUGFS] = DEBUGFS_MOUNT "/sched",
	[KNOB_CPUFREQ] = "/sys/devices/system/cpu/cpufreq",
	[KNOB_SYSCTL] = "/proc/sys",
	[KNOB_BLOCK] = "/sys/block",
};

static bool is_same_file_system(int one, int other)
{
	struct stat stat_one, stat_other;

	return fstat(one, &stat_one) == 0 && fstat(other, &stat_other) == 0 &&
	       stat_one.st_dev == stat_other.st_dev;
}

/* Opens an entry of the folder, if it is on the same file system. */
static int open_in(int folder, const char *name, int flags)
{
	_cleanup_close_ int fd = -1;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return -EXDEV;
	fd = openat(folder, name, flags | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return is_same_file_system(folder, fd) ? take_fd(fd) : -EXDEV;
}

static int open_folder(int folder, const char *name)
{
	return open_in(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/*
 * Step by step, without openat2: RestrictSUIDSGID=yes makes it fail with ENOSYS (seen in systemd 252),
 * and its RESOLVE_NO_XDEV refuses the bind mounts that make up a service's read-only view.
 */
static int open_beneath(int folder, const char *path, int flags)
{
	_cleanup_close_ int at = -1;
	const char *slash;

	while ((slash = strchr(path, '/'))) {
		char name[NAME_MAX + 1];
		size_t len = slash - path;
		int next;

		if (len == 0 || len >= sizeof(name))
			return -EXDEV;
		memcpy(name, path, len);
		name[len] = '\0';
		next = open_folder(at < 0 ? folder : at, name);
		if (next < 0)
			return next;
		if (at >= 0)
			close(at);
		at = next;
		path = slash + 1;
	}
	return open_in(at < 0 ? folder : at, path, flags | O_NOFOLLOW);
}

static int open_debugfs(void)
{
	_cleanup_close_ int root = open(DEBUGFS_MOUNT, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs stat;

	if (root >= 0 && (fstatfs(root, &stat) < 0 || stat.f_type != DEBUGFS_MAGIC)) {
		close(root);
		root = -1;
	}
	if (root < 0) {
		root = detached_mount("debugfs");
		if (root < 0)
			return root;
	}
	return open_folder(root, "sched");
}

void knobs_init(struct knobs *knobs)
{
	for (int i = 0; i < KNOB_TREES; i++)
		knobs->tree[i] = KNOBS_UNOPENED;
}

void knobs_close(struct knobs *knobs)
{
	for (int i = 0; i < KNOB_TREES; i++) {
		if (knobs->tree[i] >= 0)
			close(knobs->tree[i]);
	}
	knobs_init(knobs);
}

int knobs_open(struct knobs *knobs, enum knob_tree tree)
{
	int *fd = &knobs->tree[tree];

	if (*fd != KNOBS_UNOPENED)
		return *fd < 0 ? *fd : 0;
	if (tree == KNOB_DEBUGFS) {
		*fd = open_debugfs();
	} else {
		*fd = open(folders[tree], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (*fd < 0)
			*fd = -errno;
	}
	return *fd < 0 ? *fd : 0;
}

const char *knobs_folder(enum knob_tree tree)
{
	return folders[tree];
}

const char *knobs_name(enum knob_tree tree, const char *path, char buf[KNOBS_PATH_MAX])
{
	size_t unit = tree == KNOB_BLOCK ? strcspn(path, "/") : 0;

	if (unit && path[unit])
		snprintf(buf, KNOBS_PATH_MAX, "%.*s/queue%s", (int)unit, path, path + unit);
	else
		snprintf(buf, KNOBS_PATH_MAX, "%s", path);
	return buf;
}

/*
 * Opens the folder that the knob's path begins in and removes that part from *path. A device in
 * /sys/block is a symbolic link made by the kernel. It is the only one that is followed.
 */
static int open_queue(int block, const char **path)
{
	_cleanup_close_ int device = -1;
	const char *slash = strchr(*path, '/');
	char name[NAME_MAX + 1];
	size_t len;

	if (!slash)
		return -EINVAL;
	len = slash - *path;
	if (len == 0 || len >= sizeof(name))
		return -EINVAL;
	memcpy(name, *path, len);
	name[len] = '\0';
	device = open_in(block, name, O_PATH | O_DIRECTORY);
	if (device < 0)
		return device;
	*path = slash + 1;
	return open_folder(device, "queue");
}

static int open_knob(struct knobs *knobs, enum knob_tree tree, const char *path, int flags)
{
	_cleanup_close_ int queue = -1;
	int folder, r = knobs_open(knobs, tree);

	if (r < 0)
		return r;
	folder = knobs->tree[tree];
	if (tree == KNOB_BLOCK) {
		folder = queue = open_queue(folder, &path);
		if (queue < 0)
			return queue;
	}
	/* In a made-up tree of a test it may be a FIFO. */
	return open_beneath(folder, path, flags | O_NONBLOCK | O_NOCTTY);
}

/* The one word of a list that is WORD or NO_WORD. */
static int parse_features(const char *word, char *text)
{
	char *rest = text, *token;

	while ((token = strsep(&rest, " \t\n"))) {
		const char *name = strncmp(token, "NO_", 3) == 0 ? token + 3 : token;

		if (strcmp(name, word) == 0) {
			memmove(text, token, strlen(token) + 1);
			return 0;
		}
	}
	return -EINVAL;
}

/* "none [bfq] kyber" as block devices have it, "none (full) lazy" as debugfs' preempt and cgroup_mode have it. */
static void parse_choice(char *text, const char *brackets)
{
	char *open = strchr(text, brackets[0]), *end = open ? strchr(open, brackets[1]) : NULL;

	if (!end)
		return;
	*end = '\0';
	memmove(text, open + 1, end - open);
}

int knobs_parse(enum knob_tree tree, const char *path, const char *word, char *text)
{
	const char *file = strrchr(path, '/');
	size_t len = strlen(text);

	while (len > 0 && strchr(" \t\n", text[len - 1]))
		text[--len] = '\0';
	file = file ? file + 1 : path;
	if (word)
		return parse_features(word, text);
	if (tree == KNOB_BLOCK && strcmp(file, "scheduler") == 0)
		parse_choice(text, "[]");
	if (tree == KNOB_DEBUGFS)
		parse_choice(text, "()");
	return 0;
}

int knobs_read(struct knobs *knobs, enum knob_tree tree, const char *path, const char *word,
	       char buf[KNOBS_VALUE_MAX])
{
	_cleanup_close_ int fd = open_knob(knobs, tree, path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read_full(fd, buf, KNOBS_VALUE_MAX);
	if (n < 0)
		return (int)n;
	/* No knob's value is this long. */
	if (n == KNOBS_VALUE_MAX)
		return -EMSGSIZE;
	buf[n] = '\0';
	return knobs_parse(tree, path, word, buf);
}

int knobs_write(struct knobs *knobs, enum knob_tree tree, const char *path, const char *value)
{
	_cleanup_close_ int fd = -1;
	char line[KNOBS_VALUE_MAX];
	int len = snprintf(line, sizeof(line), "%s\n", value);
	ssize_t n;

	if (len >= (int)sizeof(line))
		return -EMSGSIZE;
	fd = open_knob(knobs, tree, path, O_WRONLY);
	if (fd < 0)
		return fd;
	if (ftruncate(fd, 0) < 0)
		return -errno;
	do {
		n = write(fd, line, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == len ? 0 : -EIO;
}

void knobs_names_clear(struct knobs_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct knobs_names){ 0 };
}

int knobs_names_add(struct knobs_names *names, char *text)
{
	char **items = text ? reallocarray(names->items, names->count + 1, sizeof(*items)) : NULL;

	if (!items) {
		free(text);
		return -ENOMEM;
	}
	names->items = items;
	items[names->count++] = text;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds PREFIX and the name of every entry that matches, except those that begin with a dot. */
static int names_of(int folder, const char *glob, const char *prefix, struct knobs_names *names)
{
	_cleanup_closedir_ DIR *list = NULL;
	int r = open_list(folder, ".", &list);
	struct dirent *item;

	while (r == 0 && (item = readdir(list))) {
		char *text;

		if (item->d_name[0] == '.' || fnmatch(glob, item->d_name, 0) != 0)
			continue;
		r = knobs_names_add(names,
				    asprintf(&text, "%s%s", prefix, item->d_name) < 0 ? NULL : text);
	}
	return r;
}

int knobs_units(struct knobs *knobs, enum knob_tree tree, const char *glob,
		struct knobs_names *ret)
{
	struct knobs_names names = { 0 };
	int r = knobs_open(knobs, tree);

	if (r == 0)
		r = names_of(knobs->tree[tree], glob, "", &names);
	if (r < 0) {
		knobs_names_clear(&names);
		return r;
	}
	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items), compare_names);
	*ret = names;
	return 0;
}

/* A device without a scheduler has no folder for its settings: that is no error. */
static int names_of_iosched(int queue, const char *device, int len, struct knobs_names *names)
{
	_cleanup_close_ int folder = open_folder(queue, "iosched");
	_cleanup_free_ char *prefix = NULL;

	if (folder < 0)
		return 0;
	if (asprintf(&prefix, "%.*s/iosched/", len, device) < 0) {
		prefix = NULL;
		return -ENOMEM;
	}
	return names_of(folder, "*", prefix, names);
}

int knobs_disturbed(struct knobs *knobs, enum knob_tree tree, const char *path,
		    struct knobs_names *ret)
{
	static const char *const of_queue[] = { "nr_requests", "wbt_lat_usec" };
	const char *file = strchr(path, '/'), *rest = path;
	struct knobs_names names = { 0 };
	_cleanup_close_ int queue = -1;
	int len, r;

	*ret = names;
	if (tree != KNOB_BLOCK || !file || strcmp(file, "/scheduler") != 0)
		return 0;
	len = (int)(file - path);
	r = knobs_open(knobs, tree);
	if (r == 0)
		r = queue = open_queue(knobs->tree[tree], &rest);
	for (size_t i = 0; i < array_size(of_queue) && r >= 0; i++) {
		char *text;

		r = knobs_names_add(&names,
				    asprintf(&text, "%.*s/%s", len, path, of_queue[i]) < 0 ? NULL : text);
	}
	if (r >= 0)
		r = names_of_iosched(queue, path, len, &names);
	if (r < 0)
		knobs_names_clear(&names);
	*ret = names;
	return r < 0 ? r : 0;
}
