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
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "import_output.h"
#include "verb.h"

/* The largest file of ananicy's rules has a fifth of a megabyte. */
#define FILE_MAX (16 * 1024 * 1024)

DEFINE_CLEANUP(struct ananicy, ananicy_free)

static int complain(const char *path, int error)
{
	char shown[512];

	log_error("%s: %s", text_escape_to(shown, sizeof(shown), path, strlen(path)),
		  strerror(error));
	return -error;
}

/* Opens without blocking, in case it is a FIFO. */
static int read_file(struct ananicy *ananicy, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	struct stat stat;
	size_t size;
	int r;

	if (fd < 0 || fstat(fd, &stat) < 0)
		return complain(path, errno);
	if (!S_ISREG(stat.st_mode))
		return complain(path, S_ISDIR(stat.st_mode) ? EISDIR : EINVAL);
	if (stat.st_size > FILE_MAX)
		return complain(path, EFBIG);
	r = read_text(fd, stat.st_size, &text, &size);
	if (r == 0)
		r = ananicy_read(ananicy, path, text, size);
	return r < 0 ? complain(path, -r) : 0;
}

/* In the order of the bytes of the names: of two rules the later one is in force, whatever the file
 * system's order is. */
static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* A file that was named is read whatever its name is; in folders only these are. */
static bool is_of_ananicy(const FTSENT *item)
{
	const char *dot = strrchr(item->fts_name, '.');

	if (item->fts_level == FTS_ROOTLEVEL)
		return true;
	return dot && (strcmp(dot, ".rules") == 0 || strcmp(dot, ".types") == 0 ||
		       strcmp(dot, ".cgroups") == 0);
}

static int read_item(struct ananicy *ananicy, const FTSENT *item)
{
	switch (item->fts_info) {
	case FTS_D:
	case FTS_DP:
		return 0;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return complain(item->fts_path, item->fts_errno);
	default:
		return is_of_ananicy(item) ? read_file(ananicy, item->fts_path) : 0;
	}
}

/* One folder with all that is below it, or one file. */
static int read_operand(struct ananicy *ananicy, char *operand)
{
	char *const paths[] = { operand, NULL };
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, compare_names);
	const FTSENT *item;
	int r = 0;

	if (!walk)
		return complain(operand, errno);
	while (r == 0 && (item = fts_read(walk)))
		r = read_item(ananicy, item);
	fts_close(walk);
	return r;
}

static int read_all(struct ananicy *ananicy, char **operands, int n)
{
	int r = 0;

	for (int i = 0; r == 0 && i < n; i++)
		r = read_operand(ananicy, operands[i]);
	return r;
}

static int convert(struct ananicy *ananicy, const struct command *command)
{
	const struct ananicy_options options = {
		.exact = option_given(command, OPTION_EXACT),
		.skip_doubtful = option_given(command, OPTION_SKIP_DOUBTFUL),
		.in_one = !option_given(command, OPTION_OUTPUT),
	};
	struct ananicy_output output = { 0 };
	int r = ananicy_convert(ananicy, &options, &output);
	_cleanup_free_ char *summary = ananicy_summary(ananicy);

	if (r == 0)
		r = import_write(option_value(command, OPTION_OUTPUT), &output);
	else if (r != -ENOENT)
		log_error("%s", r == -E2BIG ? "more classes than a configuration may have"
					    : strerror(-r));
	ananicy_output_clear(&output);
	if ((r == 0 || r == -ENOENT || r == -EFBIG) && summary)
		fputs(summary, stderr);
	if (r == -ENOENT)
		log_error("no rule to import: name ananicy's folder, such as /etc/ananicy.d, or "
			  "its files");
	return r;
}

int cmd_import(const struct command *command)
{
	_cleanup_(ananicy_freep) struct ananicy *ananicy = NULL;

	if (strcmp(command->operands[0], "ananicy") != 0)
		return usage_error(command->verb,
				   "only rules of ananicy can be imported: import ananicy FOLDER");
	if (ananicy_new(&ananicy) < 0) {
		log_error("%s", strerror(ENOMEM));
		return EXIT_FAILURE;
	}
	if (read_all(ananicy, command->operands + 1, command->n_operands - 1) < 0 ||
	    convert(ananicy, command) < 0)
		return EXIT_FAILURE;
	return 0;
}
