/* SPDX-License-Identifier: GPL-2.0-only */
/* Folders like those of the kernel's, made up in a temporary folder, so that no test needs root. */
#pragma once

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

/* The temporary folder; paths below are beneath it. */
static char top[64];

static inline void make_folder(const char *path)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	for (char *p = whole + strlen(top) + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(whole, 0755);
		*p = '/';
	}
	assert_true(mkdir(whole, 0755) == 0 || errno == EEXIST);
}

/* Makes the file, in folders that it makes if need be, or replaces its contents. */
static inline void put(const char *path, const char *text)
{
	char whole[1024], folder[512];
	FILE *file;

	snprintf(folder, sizeof(folder), "%s", path);
	if (strrchr(folder, '/')) {
		*strrchr(folder, '/') = '\0';
		make_folder(folder);
	}
	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	file = fopen(whole, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static inline void make_link(const char *target, const char *path)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	assert_int_equal(symlink(target, whole), 0);
}

static inline void take_away(const char *path)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	assert_int_equal(remove(whole), 0);
}

/* Contents, of the last call; NULL for no such file. */
static inline const char *get(const char *path)
{
	static char text[8192];
	char whole[1024];
	FILE *file;
	size_t n;

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	file = fopen(whole, "re");
	if (!file)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	return text;
}

static inline int open_folder(const char *path)
{
	char whole[1024];
	int fd;

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	fd = open(whole, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* The temporary folder, and one for the state. */
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
