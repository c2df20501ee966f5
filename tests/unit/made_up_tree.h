/* SPDX-License-Identifier: GPL-2.0-only */
/* Imitates folders of the kernel in a temporary folder, so that no test needs root. */
#pragma once

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

/* The temporary folder; paths below are beneath it. */
static char top[64];

/* Returns the path in the temporary folder, valid until the next call. */
static inline char *whole(const char *path)
{
	static char all[1024];

	snprintf(all, sizeof(all), "%s/%s", top, path);
	return all;
}

/* Makes the folders around a path. Returns the path in the temporary folder. */
static inline char *make_room_for(const char *path)
{
	char *all = whole(path);

	for (char *slash = all + strlen(top); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		assert_true(mkdir(all, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
	return all;
}

static inline void make_folder(const char *path)
{
	assert_true(mkdir(make_room_for(path), 0755) == 0 || errno == EEXIST);
}

/* Writes the file, and makes the folders around it if needed. */
static inline void put(const char *path, const char *text)
{
	FILE *file = fopen(make_room_for(path), "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static inline void make_link(const char *target, const char *path)
{
	assert_int_equal(symlink(target, whole(path)), 0);
}

static inline void take_away(const char *path)
{
	assert_int_equal(remove(whole(path)), 0);
}

/* Returns the contents, valid until the next call; NULL if there is no such file. */
static inline const char *get(const char *path)
{
	static char text[8192];
	FILE *file = fopen(whole(path), "re");

	if (!file)
		return NULL;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static inline int open_folder(const char *path)
{
	int fd = open(whole(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* Makes the temporary folder, and one for the state. */
static inline int make_trees(void **state)
{
	strcpy(top, "/tmp/schedqos-unit-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	make_folder("run");
	(void)state;
	return 0;
}

static inline int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int remove_trees(void **state)
{
	(void)state;
	return nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
