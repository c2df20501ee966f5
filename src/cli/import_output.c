/* SPDX-License-Identifier: GPL-2.0-only */
#include "import_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

#include "install_file.h"

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

/* How long the path is without its ending. */
static int stem_of(const char *path)
{
	const size_t len = strlen(path);

	return (int)(len > 5 && strcmp(path + len - 5, ".json") == 0 ? len - 5 : len);
}

/* NAME.json without a label, else NAME-LABEL.json. The caller frees; NULL without memory. */
static char *part_path(const char *path, const char *label)
{
	const int stem = stem_of(path);
	char *part;

	return asprintf(&part, "%.*s%s%s%s", stem, path, *label ? "-" : "", label, path + stem) < 0
		       ? NULL
		       : part;
}

/* Whether the file was made by an import. */
static bool is_ours(const char *path)
{
	_cleanup_close_ int fd =
		open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char start[sizeof(ANANICY_HEADER)];
	size_t len = strlen(ANANICY_HEADER);

	return fd >= 0 && read_full(fd, start, len) == (ssize_t)len &&
	       memcmp(start, ANANICY_HEADER, len) == 0;
}

/* By way of a file whose first character keeps the daemon from reading it. */
static int replace(const char *path, const char *text)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	_cleanup_free_ char *temporary = NULL;
	struct stat stat;
	int r;

	if (lstat(path, &stat) < 0)
		stat = (struct stat){ .st_mode = S_IFREG };
	if (!S_ISREG(stat.st_mode))
		return complain(path, "is there already, and no regular file");
	if (stat.st_size && !is_ours(path))
		return complain(path, "is there already, and not from an import: move it away, or "
				      "write another file");
	if (asprintf(&temporary, "%.*s.%s.%d", (int)(name - path), path, name, (int)getpid()) < 0) {
		temporary = NULL;
		return complain(path, strerror(ENOMEM));
	}
	r = install_file(path, temporary, text, strlen(text));
	if (r < 0)
		return complain(path, strerror(-r));
	say("wrote", path);
	return 0;
}

/* Whether it is called as a part of the file at path is. */
static bool is_part(const char *name, const char *path)
{
	const char *base = path + (strrchr(path, '/') ? strrchr(path, '/') + 1 - path : 0);
	const size_t stem = (size_t)(path + stem_of(path) - base), ending = strlen(base) - stem,
		     len = strlen(name);

	if (strcmp(name, base) == 0)
		return true;
	return len > stem + 1 + ending && strncmp(name, base, stem) == 0 && name[stem] == '-' &&
	       strcmp(name + len - ending, base + stem) == 0 &&
	       ananicy_is_label(name + stem + 1, len - stem - 1 - ending);
}

/* Removes the part with this name, unless it is among those written. */
static void remove_if_stale(const char *path, const char *name, char *const *written, size_t n)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *part = NULL;

	if (asprintf(&part, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name) < 0) {
		part = NULL;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (strcmp(part, written[i]) == 0)
			return;
	}
	if (!is_ours(part))
		return;
	if (unlink(part) < 0)
		complain(part, strerror(errno));
	else
		say("removed, since it is from an earlier import:", part);
}

/* Rules that are no more would stay in force. */
static void remove_stale(const char *path, char *const *written, size_t n)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = slash ? strndup(path, slash + 1 - path) : strdup("./");
	struct dirent **found = NULL;
	int count = folder ? scandir(folder, &found, NULL, alphasort) : 0;

	for (int i = 0; i < count; i++) {
		if (is_part(found[i]->d_name, path))
			remove_if_stale(path, found[i]->d_name, written, n);
		free(found[i]);
	}
	free(found);
}

static int write_parts(const char *path, const struct ananicy_output *output)
{
	char **written = calloc(output->count, sizeof(*written));
	int r = written ? 0 : -ENOMEM;
	size_t n;

	for (n = 0; r == 0 && n < output->count; n++) {
		written[n] = part_path(path, output->parts[n].label);
		r = written[n] ? replace(written[n], output->parts[n].text) : -ENOMEM;
	}
	if (r == 0)
		remove_stale(path, written, n);
	for (size_t i = 0; i < n; i++)
		free(written[i]);
	free(written);
	return r;
}

static int print(const struct ananicy_output *output)
{
	if (strlen(output->parts[0].text) > CONFIG_SIZE_MAX) {
		log_error("the result is larger than a configuration file may be: -o FOLDER splits "
			  "it");
		return -EFBIG;
	}
	/* main() tells of what did not arrive. */
	fputs(output->parts[0].text, stdout);
	return 0;
}

/* The daemon reads only files with the name *.json, so what has no such name, and is no other file,
 * is to be a folder. */
static bool is_folder(const char *path, size_t len)
{
	struct stat stat_buf;

	if (path[len - 1] == '/')
		return true;
	if (stat(path, &stat_buf) == 0)
		return S_ISDIR(stat_buf.st_mode);
	return len < 5 || strcmp(path + len - 5, ".json") != 0;
}

int import_write(const char *path, const struct ananicy_output *output)
{
	_cleanup_free_ char *file = NULL;
	size_t len;

	if (!path)
		return print(output);
	len = strlen(path);
	if (!len)
		return complain("-o", "the name of a file or folder is missing");
	if (!is_folder(path, len))
		return write_parts(path, output);
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return complain(path, strerror(errno));
	if (asprintf(&file, "%s%sananicy.json", path, path[len - 1] == '/' ? "" : "/") < 0) {
		file = NULL;
		return complain(path, strerror(ENOMEM));
	}
	return write_parts(file, output);
}
