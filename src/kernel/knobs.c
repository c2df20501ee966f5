/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads, writes and compares knobs, and lists the cpufreq policies and block devices that have them. */
#include <schedqos/kernel/knobs.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

#define SPACES " \t\n"

static const char *const folders[KNOB_TREES] = {
	[KNOB_DEBUGFS] = "/sys/kernel/debug/sched",
	[KNOB_CPUFREQ] = "/sys/devices/system/cpu/cpufreq",
	[KNOB_SYSCTL] = "/proc/sys",
	[KNOB_BLOCK] = "/sys/block",
};

const char *knobs_folder(enum knob_tree tree)
{
	return folders[tree];
}

static int open_folder(int root, const char *path)
{
	int fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Opens the tree's folder. Returns a descriptor or -errno: -ENOENT if this kernel does not have the tree. */
static int open_tree(int root, enum knob_tree tree)
{
	int fd = open_folder(root, host_path(root, folders[tree]));

	if (fd == -ENOENT && tree == KNOB_DEBUGFS && root == AT_FDCWD) {
		_cleanup_close_ int debugfs = host_mount_detached("debugfs");

		fd = debugfs < 0 ? debugfs : open_folder(debugfs, "sched");
	}
	return fd;
}

/* ---- reading and writing ---- */

/* Returns the WORD of a path "features WORD"; NULL for a path without a word. */
static const char *switch_of(enum knob_tree tree, const char *path)
{
	const char *space = tree == KNOB_DEBUGFS ? strchr(path, ' ') : NULL;

	return space ? space + 1 : NULL;
}

static int open_knob(int root, enum knob_tree tree, const char *path, int flags)
{
	_cleanup_close_ int folder = open_tree(root, tree);
	const char *word = switch_of(tree, path);
	char file[512];
	int fd;

	if (folder < 0)
		return folder;
	if (*path == '/' || strstr(path, ".."))
		return -EXDEV;
	if (snprintf(file, sizeof(file), "%.*s", word ? (int)(word - 1 - path) : INT_MAX, path) >= (int)sizeof(file))
		return -ENAMETOOLONG;
	fd = openat(folder, file, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Moves to the start of text the first of its words that is WORD or NO_WORD. Returns 0 or -EINVAL. */
static int parse_features(const char *word, char *text)
{
	char *rest = text, *token;

	while ((token = strsep(&rest, SPACES))) {
		const char *name = strncmp(token, "NO_", 3) == 0 ? token + 3 : token;

		if (strcmp(name, word) == 0) {
			memmove(text, token, strlen(token) + 1);
			return 0;
		}
	}
	return -EINVAL;
}

/*
 * Reduces a choice to the chosen word: "none [bfq] kyber" of block devices, "none (full) lazy" of debugfs' preempt and
 * cgroup_mode.
 */
static void parse_choice(char *text, const char *brackets)
{
	char *open = strchr(text, brackets[0]), *end = open ? strchr(open, brackets[1]) : NULL;

	if (!end)
		return;
	*end = '\0';
	memmove(text, open + 1, end - open);
}

int knobs_parse(enum knob_tree tree, const char *path, char *text)
{
	const char *file = strrchr(path, '/'), *word = switch_of(tree, path);
	size_t len = strlen(text);

	while (len > 0 && strchr(SPACES, text[len - 1]))
		text[--len] = '\0';
	if (word)
		return parse_features(word, text);
	if (tree == KNOB_BLOCK && file && strcmp(file, "/scheduler") == 0)
		parse_choice(text, "[]");
	if (tree == KNOB_DEBUGFS)
		parse_choice(text, "()");
	return 0;
}

int knobs_read(int root, enum knob_tree tree, const char *path, char buf[KNOBS_VALUE_MAX])
{
	_cleanup_close_ int fd = open_knob(root, tree, path, O_RDONLY);
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
	return knobs_parse(tree, path, buf);
}

int knobs_write(int root, enum knob_tree tree, const char *path, const char *value)
{
	_cleanup_close_ int fd = -1;
	char line[KNOBS_VALUE_MAX];
	const int len = snprintf(line, sizeof(line), "%s\n", value);

	if (len >= (int)sizeof(line))
		return -EMSGSIZE;
	fd = open_knob(root, tree, path, O_WRONLY | O_TRUNC);
	return fd < 0 ? fd : write_full(fd, line, (size_t)len);
}

/* ---- comparing ---- */

struct knob_word {
	const char *text;
	size_t len;
};

/* Takes the next word off *text. Returns an empty word at the end. */
static struct knob_word next_word(const char **text)
{
	struct knob_word word = { .text = *text + strspn(*text, SPACES) };

	word.len = strcspn(word.text, SPACES);
	*text = word.text + word.len;
	return word;
}

static bool parse_number(struct knob_word word, int64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoll(word.text, &end, 0);
	return word.len && errno == 0 && end == word.text + word.len;
}

/* Parses a boolean as kstrtobool does; debugfs shows it as Y or N. Returns 1, 0, or -1 for any other word. */
static int parse_bool(struct knob_word word)
{
	static const char *const words[] = { "0", "1", "n", "y", "no", "yes", "off", "on", "false", "true" };

	for (size_t i = 0; i < array_size(words); i++) {
		if (strlen(words[i]) == word.len && strncasecmp(word.text, words[i], word.len) == 0)
			return i % 2;
	}
	return -1;
}

static bool same_word(struct knob_word a, struct knob_word b)
{
	int64_t number_a, number_b;
	int bool_a = parse_bool(a);

	if (a.len == b.len && memcmp(a.text, b.text, a.len) == 0)
		return true;
	if (parse_number(a, &number_a) && parse_number(b, &number_b))
		return number_a == number_b;
	return bool_a >= 0 && bool_a == parse_bool(b);
}

bool knobs_same(const char *a, const char *b)
{
	struct knob_word word_a, word_b;

	if (!a || !b)
		return false;
	do {
		word_a = next_word(&a);
		word_b = next_word(&b);
		if (!same_word(word_a, word_b))
			return false;
	} while (word_a.len);
	return true;
}

/* ---- lists ---- */

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

static int compare_units(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int knobs_units(int root, enum knob_tree tree, const char *glob, struct knobs_names *ret)
{
	_cleanup_close_ int folder = open_tree(root, tree);
	_cleanup_closedir_ DIR *list = NULL;
	int r = folder < 0 ? folder : open_list(folder, ".", &list);
	struct dirent *item;

	*ret = (struct knobs_names){ 0 };
	while (r == 0 && (item = readdir(list))) {
		if (item->d_name[0] != '.' && fnmatch(glob, item->d_name, 0) == 0)
			r = knobs_names_add(ret, strdup(item->d_name));
	}
	if (ret->count)
		qsort(ret->items, ret->count, sizeof(*ret->items), compare_units);
	if (r < 0)
		knobs_names_clear(ret);
	return r;
}
