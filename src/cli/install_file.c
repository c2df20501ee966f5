/* SPDX-License-Identifier: GPL-2.0-only */
#include "install_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

#define NEW_MODE 0644

/* A signature of the old contents, which the kernel makes anew. */
static bool is_of_contents(const char *name)
{
	return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0;
}

static int copy_attribute(int from, int to, const char *name)
{
	_cleanup_free_ char *value = NULL;
	ssize_t size = fgetxattr(from, name, NULL, 0);

	if (size < 0)
		return -errno;
	value = malloc(size ? (size_t)size : 1);
	if (!value)
		return -ENOMEM;
	size = fgetxattr(from, name, value, (size_t)size);
	return size < 0 || fsetxattr(to, name, value, (size_t)size, 0) < 0 ? -errno : 0;
}

/* The ACL is one of them. */
static int copy_attributes(int from, int to)
{
	_cleanup_free_ char *names = NULL;
	ssize_t size = flistxattr(from, NULL, 0);
	int r = 0;

	if (size < 0)
		return errno == ENOTSUP ? 0 : -errno;
	if (size == 0)
		return 0;
	names = malloc((size_t)size);
	if (!names)
		return -ENOMEM;
	size = flistxattr(from, names, (size_t)size);
	if (size < 0)
		return -errno;
	for (char *name = names; r == 0 && name < names + size; name += strlen(name) + 1) {
		if (!is_of_contents(name))
			r = copy_attribute(from, to, name);
	}
	return r;
}

/* Makes the new file like the old one but for its contents. */
static int keep_attributes(int from, int to)
{
	struct stat stat;

	if (fstat(from, &stat) < 0)
		return -errno;
	if (fchown(to, stat.st_uid, stat.st_gid) < 0)
		return -errno;
	/* The folder may have given it an ACL, which the old one need not have. */
	fremovexattr(to, "system.posix_acl_access");
	if (fchmod(to, stat.st_mode & 07777) < 0)
		return -errno;
	return copy_attributes(from, to);
}

static int fill(const char *path, int fd, const char *text, size_t size)
{
	_cleanup_close_ int old =
		open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int r;

	if (old < 0 && errno != ENOENT)
		return -errno;
	r = write_full(fd, text, size);
	if (r == 0 && old >= 0)
		r = keep_attributes(old, fd);
	else if (r == 0 && fchmod(fd, NEW_MODE) < 0)
		r = -errno;
	return r == 0 && fsync(fd) < 0 ? -errno : r;
}

/* So that the new name is on the disk, too. What cannot be done about it is no error: the file is
 * in its place. */
static void sync_folder(const char *path)
{
	_cleanup_free_ char *copy = strdup(path);
	_cleanup_close_ int folder =
		copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (folder >= 0)
		fsync(folder);
}

int install_file(const char *path, const char *temporary, const char *text, size_t size)
{
	_cleanup_close_ int fd =
		open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r;

	if (fd < 0)
		return -errno;
	r = fill(path, fd, text, size);
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(temporary);
	else
		sync_folder(path);
	return r;
}
