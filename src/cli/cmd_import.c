/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "verb.h"

/* Limit for one file; the largest of ananicy's own has a fifth of a megabyte. */
#define FILE_MAX (16 * 1024 * 1024)

DEFINE_CLEANUP(struct ananicy, ananicy_free)

/* Logs what is wrong with a file. Returns an exit status. */
static int import_error(const char *path, const char *why)
{
	char shown[512];

	log_error("%s: %s", text_escape_to(shown, sizeof(shown), path, strlen(path)), why);
	return EXIT_FAILURE;
}

/* Reads one file. Returns an exit status. */
static int read_rules_file(struct ananicy *ananicy, const char *path)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r = read_text_file(path, FILE_MAX, &text, &size);

	if (r == -EINVAL)
		return import_error(path, "is not a regular file");
	if (r == 0)
		r = ananicy_read(ananicy, path, text, size);
	return r < 0 ? import_error(path, strerror(-r)) : 0;
}

/* Sorts by name: of two rules the later one wins, which must not depend on the file system. */
static int compare_entries(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/*
 * Returns whether to read the file: in folders only files with ananicy's suffixes, otherwise any file that was named.
 */
static bool is_of_ananicy(const FTSENT *item)
{
	const char *dot = strrchr(item->fts_name, '.');

	return item->fts_level == FTS_ROOTLEVEL ||
	       (dot && (strcmp(dot, ".rules") == 0 || strcmp(dot, ".types") == 0 || strcmp(dot, ".cgroups") == 0));
}

/* Reads files, and folders with everything below them. Returns an exit status. */
static int read_all(struct ananicy *ananicy, char **operands)
{
	for (; *operands; operands++) {
		char *const paths[] = { *operands, NULL };
		FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, compare_entries);
		const FTSENT *item;
		int status = walk ? 0 : import_error(*operands, strerror(errno));

		while (status == 0 && (item = fts_read(walk))) {
			if (item->fts_info == FTS_DNR || item->fts_info == FTS_ERR || item->fts_info == FTS_NS)
				status = import_error(item->fts_path, strerror(item->fts_errno));
			else if (item->fts_info != FTS_D && item->fts_info != FTS_DP && is_of_ananicy(item))
				status = read_rules_file(ananicy, item->fts_path);
		}
		if (walk)
			fts_close(walk);
		if (status)
			return status;
	}
	return 0;
}

/* Prints the converted rules, and a summary on stderr. Returns an exit status. */
static int convert(struct ananicy *ananicy)
{
	_cleanup_free_ char *text = NULL, *summary = NULL;
	int r = ananicy_convert(ananicy, &text, &summary);

	if (r < 0)
		return import_error("import", strerror(-r));
	/* main() reports failures to write. */
	fputs(text ? text : "", stdout);
	fputs(summary, stderr);
	if (text && strlen(text) > CONFIG_SIZE_MAX)
		log_warning("the result is larger than a configuration file may be: import the folders one by one");
	return text ? 0
		    : import_error("no rule to import", "name ananicy's folder, such as /etc/ananicy.d, or its files");
}

int cmd_import(const struct command *command)
{
	_cleanup_(ananicy_freep) struct ananicy *ananicy = NULL;
	int status;

	if (strcmp(command->operands[0], "ananicy") != 0)
		return usage_error(command->verb, "only rules of ananicy can be imported: import ananicy FOLDER");
	if (ananicy_new(&ananicy) < 0)
		return import_error("import", strerror(ENOMEM));
	status = read_all(ananicy, command->operands + 1);
	return status ? status : convert(ananicy);
}
