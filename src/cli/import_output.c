/* SPDX-License-Identifier: GPL-2.0-only */
#include "import_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* NAME.json for number 0, else NAME-NUMBER.json. The caller frees; NULL without memory. */
static char *part_path(const char *path, unsigned number)
{
	size_t len = strlen(path), end = len > 5 && strcmp(path + len - 5, ".json") == 0 ? 5 : 0;
	char *part;

	if (!number)
		return strdup(path);
	return asprintf(&part, "%.*s-%u%s", (int)(len - end), path, number, path + len - end) < 0
		       ? NULL
		       : part;
}

/* By way of a file whose first character keeps the daemon from reading it. */
static int replace(const char *path, const char *text)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	_cleanup_free_ char *temporary = NULL;
	struct stat stat;
	int r;

	if (lstat(path, &stat) == 0 && !S_ISREG(stat.st_mode))
		return complain(path, "is there already, and no regular file");
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

/* Rules that are no more would stay in force. Returns whether there was such a file. */
static bool remove_stale(const char *path, unsigned number)
{
	_cleanup_free_ char *part = part_path(path, number);

	if (!part || !is_ours(part))
		return false;
	if (unlink(part) < 0)
		complain(part, strerror(errno));
	else
		say("removed, since it is from an earlier import:", part);
	return true;
}

static int write_parts(const char *path, const struct ananicy_output *output)
{
	const unsigned first = output->count > 1;
	unsigned next;
	int r = 0;

	for (size_t i = 0; r == 0 && i < output->count; i++) {
		_cleanup_free_ char *part = part_path(path, first + i);

		r = part ? replace(part, output->texts[i]) : -ENOMEM;
	}
	if (r < 0)
		return r;
	if (first)
		remove_stale(path, 0);
	for (next = first ? output->count + 1 : 1; remove_stale(path, next);)
		next++;
	return 0;
}

static int print(const struct ananicy_output *output)
{
	if (strlen(output->texts[0]) > CONFIG_SIZE_MAX) {
		log_error(
			"the result is larger than a configuration file may be: -o FILE splits it");
		return -EFBIG;
	}
	/* main() tells of what did not arrive. */
	fputs(output->texts[0], stdout);
	return 0;
}

int import_write(const char *path, const struct ananicy_output *output)
{
	_cleanup_free_ char *file = NULL;
	struct stat stat_buf;
	size_t len;

	if (!path)
		return print(output);
	len = strlen(path);
	if (!len)
		return complain("-o", "the name of a file or folder is missing");
	if (path[len - 1] != '/' && (stat(path, &stat_buf) < 0 || !S_ISDIR(stat_buf.st_mode)))
		return write_parts(path, output);
	if (asprintf(&file, "%s%sananicy.json", path, path[len - 1] == '/' ? "" : "/") < 0) {
		file = NULL;
		return complain(path, strerror(ENOMEM));
	}
	return write_parts(file, output);
}
