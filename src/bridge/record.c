/* SPDX-License-Identifier: GPL-2.0-only */
#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

int record_open(const char *path)
{
	_cleanup_close_ int folder = folder_open(path, 0755);

	if (folder < 0)
		return take_fd(folder);
	if (flock(folder, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return take_fd(folder);
}

bool record_find(int record, const char *unit, struct kept_weight *ret)
{
	char text[64];
	ssize_t n = readlinkat(record, unit, text, sizeof(text) - 1);
	int is_transient;

	if (n < 0)
		return false;
	text[n] = '\0';
	if (sscanf(text, "%" SCNu64 " %" SCNu64 " %d", &ret->before, &ret->set, &is_transient) != 3)
		return false;
	ret->is_transient = is_transient;
	return true;
}

int record_add(int record, const char *unit, const struct kept_weight *kept)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 " %d", kept->before, kept->set, kept->is_transient);
	return symlinkat(text, record, unit) < 0 ? -errno : 0;
}

int record_remove(int record, const char *unit)
{
	return state_file_remove(record, unit);
}

int record_each(int record, int (*found)(void *context, const char *unit), void *context)
{
	struct dirent **entries;
	int n = scandirat(record, ".", &entries, NULL, alphasort), r = n < 0 ? -errno : 0;

	for (int i = 0; i < n; i++) {
		if (r >= 0 && entries[i]->d_type == DT_LNK)
			r = found(context, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return r;
}
