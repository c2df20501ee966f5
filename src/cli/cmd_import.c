/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <schedqos/config/ananicy.h>
#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "verb.h"

/* The largest file of ananicy's rules has a fifth of a megabyte. */
#define FILE_MAX (16 * 1024 * 1024)

DEFINE_CLEANUP(struct ananicy, ananicy_free)

static int complain(const char *path, const char *why)
{
	char shown[512];

	log_error("%s: %s", text_escape_to(shown, sizeof(shown), path, strlen(path)), why);
	return -EIO;
}

static void say(const char *what, const char *path)
{
	char shown[512];

	log_info("%s %s", what, text_escape_to(shown, sizeof(shown), path, strlen(path)));
}

/* ---- reading ---- */

/* Opens without blocking, in case it is a FIFO. */
static int read_file(struct ananicy *ananicy, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	struct stat stat;
	size_t size;
	int r;

	if (fd < 0 || fstat(fd, &stat) < 0)
		return complain(path, strerror(errno));
	if (!S_ISREG(stat.st_mode) || stat.st_size > FILE_MAX)
		return complain(path, S_ISREG(stat.st_mode) ? "is too large" : "is no regular file");
	r = read_text(fd, stat.st_size, &text, &size);
	if (r == 0)
		r = ananicy_read(ananicy, path, text, size);
	return r < 0 ? complain(path, strerror(-r)) : 0;
}

/* In byte order of the names: of two rules the later one is in force, whatever the file system's order is. */
static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* A file that was named is read whatever its name is; in folders only these are. */
static bool is_of_ananicy(const FTSENT *item)
{
	const char *dot = strrchr(item->fts_name, '.');

	return item->fts_level == FTS_ROOTLEVEL ||
	       (dot && (strcmp(dot, ".rules") == 0 || strcmp(dot, ".types") == 0 || strcmp(dot, ".cgroups") == 0));
}

/* Folders with all that is below them, or files. */
static int read_all(struct ananicy *ananicy, char **operands)
{
	for (; *operands; operands++) {
		char *const paths[] = { *operands, NULL };
		FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, compare_names);
		const FTSENT *item;
		int r = walk ? 0 : complain(*operands, strerror(errno));

		while (r == 0 && (item = fts_read(walk))) {
			if (item->fts_info == FTS_DNR || item->fts_info == FTS_ERR || item->fts_info == FTS_NS)
				r = complain(item->fts_path, strerror(item->fts_errno));
			else if (item->fts_info != FTS_D && item->fts_info != FTS_DP && is_of_ananicy(item))
				r = read_file(ananicy, item->fts_path);
		}
		if (walk)
			fts_close(walk);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- writing ---- */

/* Whether the file was made by an import. */
static bool is_ours(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char start[sizeof(ANANICY_HEADER)];
	const size_t len = strlen(ANANICY_HEADER);

	return fd >= 0 && read_full(fd, start, len) == (ssize_t)len && memcmp(start, ANANICY_HEADER, len) == 0;
}

/* The file appears whole, by way of one whose first character keeps the daemon from reading it. */
static int replace(const char *path, const char *text)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	_cleanup_free_ char *temporary = NULL;
	struct stat stat;
	FILE *file;
	int r;

	if (lstat(path, &stat) == 0 && !is_ours(path))
		return complain(path, "is there already, and not from an import: move it away, or write another file");
	if (asprintf(&temporary, "%.*s.%s.%d", (int)(name - path), path, name, (int)getpid()) < 0) {
		temporary = NULL;
		return complain(path, strerror(ENOMEM));
	}
	file = fopen(temporary, "wxe");
	if (!file)
		return complain(path, strerror(errno));
	fputs(text, file);
	r = fflush(file) == 0 && !ferror(file) && fchmod(fileno(file), 0644) == 0 && fsync(fileno(file)) == 0 ? 0 : -errno;
	if (fclose(file) != 0 && r == 0)
		r = -errno;
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r == 0) {
		say("wrote", path);
		return 0;
	}
	unlink(temporary);
	return complain(path, strerror(-r));
}

/* NAME.json, of which part NAME-LABEL.json is; a folder stands for ananicy.json in it. NULL without memory. */
static char *part_path(const char *path, bool is_folder, int part)
{
	const size_t len = strlen(path);
	const char *label = ananicy_label(part), *dash = *label ? "-" : "";
	char *ret;
	int r;

	if (is_folder)
		r = asprintf(&ret, "%s%sananicy%s%s.json", path, path[len - 1] == '/' ? "" : "/", dash, label);
	else
		r = asprintf(&ret, "%.*s%s%s.json", (int)(len - strlen(".json")), path, dash, label);
	return r < 0 ? NULL : ret;
}

/* Writes a part, or removes what an earlier import has left of it: rules that are no more would stay in force. */
static int write_part(const struct ananicy *ananicy, const char *path, int part, bool is_wanted)
{
	_cleanup_free_ char *text = NULL;
	int r = is_wanted ? ananicy_text(ananicy, part, &text) : -ENOENT;

	if (r == 0 && strlen(text) > CONFIG_SIZE_MAX)
		return complain(path, "larger than a configuration file may be");
	if (r == 0)
		return replace(path, text);
	if (r != -ENOENT)
		return complain(path, strerror(-r));
	if (is_ours(path) && unlink(path) < 0)
		return complain(path, strerror(errno));
	return 0;
}

/* The daemon reads only files with the name *.json, so what has no such name is to be a folder. */
static int write_all(const struct ananicy *ananicy, const char *path, bool is_split)
{
	const size_t len = strlen(path);
	struct stat stat_buf;
	bool is_folder;
	int r = 0;

	if (!len)
		return complain("-o", "the name of a file or folder is missing");
	is_folder = stat(path, &stat_buf) == 0 ? S_ISDIR(stat_buf.st_mode) : len < 6 || strcmp(path + len - 5, ".json") != 0;
	if (!is_folder && (len < 6 || strcmp(path + len - 5, ".json") != 0))
		return complain(path, "is there already, and neither a folder nor called NAME.json");
	if (is_folder && mkdir(path, 0755) < 0 && errno != EEXIST)
		return complain(path, strerror(errno));
	for (int part = ANANICY_ALL; r == 0 && part < ANANICY_PARTS; part++) {
		_cleanup_free_ char *file = part_path(path, is_folder, part);

		r = file ? write_part(ananicy, file, part, is_split == (part != ANANICY_ALL)) : complain(path, strerror(ENOMEM));
	}
	return r;
}

static int write_result(const struct ananicy *ananicy, const char *path)
{
	_cleanup_free_ char *all = NULL;
	int r = ananicy_text(ananicy, ANANICY_ALL, &all);

	if (r == -ENOENT)
		return complain("no rule to import", "name ananicy's folder, such as /etc/ananicy.d, or its files");
	if (r < 0)
		return complain("import", strerror(-r));
	if (path)
		return write_all(ananicy, path, strlen(all) > CONFIG_SIZE_MAX);
	if (strlen(all) > CONFIG_SIZE_MAX)
		return complain("standard output", "larger than a configuration file may be: -o FOLDER splits it");
	/* main() tells of what did not arrive. */
	fputs(all, stdout);
	return 0;
}

static int import(struct ananicy *ananicy, const struct command *command)
{
	_cleanup_free_ char *summary = NULL;
	int r;

	ananicy_choose(ananicy, option_given(command, OPTION_SKIP_DOUBTFUL));
	r = write_result(ananicy, option_value(command, OPTION_OUTPUT));
	summary = ananicy_summary(ananicy);
	if (summary)
		fputs(summary, stderr);
	return r;
}

int cmd_import(const struct command *command)
{
	_cleanup_(ananicy_freep) struct ananicy *ananicy = NULL;

	if (strcmp(command->operands[0], "ananicy") != 0)
		return usage_error(command->verb, "only rules of ananicy can be imported: import ananicy FOLDER");
	if (ananicy_new(&ananicy) < 0)
		return complain("import", strerror(ENOMEM)), EXIT_FAILURE;
	return read_all(ananicy, command->operands + 1) < 0 || import(ananicy, command) < 0 ? EXIT_FAILURE : 0;
}
