/* SPDX-License-Identifier: GPL-2.0-only */
#include "edit_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>

/* An edit that ends just now removes the folder that we have opened. */
#define TRIES 100

static int complain(const char *path, int error)
{
	if (error == -EACCES || error == -EPERM)
		log_error("%s: %s: must be root", path, strerror(-error));
	else
		log_error("%s: %s", path, strerror(-error));
	return error;
}

/* The path with all symlinks followed; its last part need not exist. NULL with errno. */
static char *resolve(const char *file)
{
	_cleanup_free_ char *copy = NULL, *again = NULL, *folder = NULL;
	char *path = realpath(file, NULL);
	struct stat stat;

	if (path || errno != ENOENT)
		return path;
	/* A symlink to what does not exist: nobody knows what is meant. */
	if (lstat(file, &stat) == 0) {
		errno = ENOENT;
		return NULL;
	}
	copy = strdup(file);
	again = strdup(file);
	folder = copy && again ? realpath(dirname(copy), NULL) : NULL;
	if (!folder ||
	    asprintf(&path, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, basename(again)) < 0)
		return NULL;
	return path;
}

/* The names of folder and files. 0 or -errno. */
static int name_files(struct edit_copy *copy, const char *file)
{
	const char *base;
	int len;

	copy->target = resolve(file);
	if (!copy->target)
		return -errno;
	base = strrchr(copy->target, '/') + 1;
	len = (int)(base - copy->target);
	if (asprintf(&copy->folder, "%.*s.%s.edit", len, copy->target, base) < 0)
		copy->folder = NULL;
	if (!copy->folder || asprintf(&copy->path, "%s/%s", copy->folder, base) < 0)
		copy->path = NULL;
	if (!copy->path || asprintf(&copy->new_path, "%s/.%s.new", copy->folder, base) < 0)
		copy->new_path = NULL;
	return copy->new_path ? 0 : -ENOMEM;
}

/* Whether the folder is still the one of that name. */
static bool is_in_place(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && lstat(path, &there) == 0 && ours.st_ino == there.st_ino &&
	       ours.st_dev == there.st_dev;
}

/* Nobody else can take the lock, nor put something there for us to read. */
static bool is_private(int fd)
{
	struct stat stat;

	return fstat(fd, &stat) == 0 && stat.st_uid == geteuid() && !(stat.st_mode & 077);
}

/*
 * Whether nobody else can put something in the place of our folder, so that what we write, or remove, by its name would be
 * elsewhere.
 */
static bool is_parent_safe(const char *folder)
{
	_cleanup_free_ char *copy = strdup(folder);
	struct stat stat;

	if (!copy || lstat(dirname(copy), &stat) < 0 || (stat.st_uid != 0 && stat.st_uid != geteuid()))
		return false;
	return !(stat.st_mode & 022) || (stat.st_mode & S_ISVTX);
}

/* Makes or opens the folder, and locks it. A descriptor or -errno; -EAGAIN: it was removed
 * meanwhile. */
static int take_folder(const char *path)
{
	_cleanup_close_ int fd = -1;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (!is_private(fd))
		return -EPERM;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return is_in_place(fd, path) ? take_fd(fd) : -EAGAIN;
}

static int lock_folder(struct edit_copy *copy)
{
	int r = -EAGAIN;

	if (!is_parent_safe(copy->folder)) {
		log_error("%s: others can exchange files in its folder: edit a copy elsewhere", copy->target);
		return -EPERM;
	}
	for (int i = 0; i < TRIES && r == -EAGAIN; i++)
		r = take_folder(copy->folder);
	if (r == -EBUSY)
		log_error("%s: somebody else edits it", copy->target);
	else if (r < 0)
		complain(copy->folder, r);
	copy->lock = r;
	return r < 0 ? r : 0;
}

/* 0, -ENOENT or another -errno. */
static int read_whole(const char *path, char **ret, size_t *ret_size)
{
	_cleanup_close_ int fd =
		open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return S_ISDIR(stat.st_mode) ? -EISDIR : -EINVAL;
	/* Whoever reads it as a configuration refuses more than that, too. */
	if (stat.st_size > 2 * CONFIG_SIZE_MAX)
		return -EFBIG;
	return read_text(fd, (size_t)stat.st_size, ret, ret_size);
}

static void clear(struct edit_copy *copy)
{
	if (copy->lock >= 0)
		close(copy->lock);
	free(copy->target);
	free(copy->folder);
	free(copy->path);
	free(copy->new_path);
	free(copy->before);
	*copy = (struct edit_copy){ .lock = -1 };
}

int edit_copy_open(struct edit_copy *copy, const char *file)
{
	struct stat stat;
	int r;

	*copy = (struct edit_copy){ .lock = -1 };
	r = name_files(copy, file);
	if (r < 0) {
		complain(file, r);
		clear(copy);
		return r;
	}
	r = lock_folder(copy);
	if (r < 0) {
		clear(copy);
		return r;
	}
	copy->is_left = lstat(copy->path, &stat) == 0;
	r = read_whole(copy->target, &copy->before, &copy->before_size);
	if (r < 0 && r != -ENOENT) {
		complain(copy->target, r);
		edit_copy_close(copy, copy->is_left);
		return r;
	}
	return 0;
}

int edit_copy_write(const struct edit_copy *copy, const char *text, size_t size)
{
	_cleanup_close_ int fd = -1;
	int r;

	unlink(copy->path);
	fd = open(copy->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	r = fd < 0 ? -errno : write_full(fd, text, size);
	return r < 0 ? complain(copy->path, r) : 0;
}

int edit_copy_read(const struct edit_copy *copy, char **ret, size_t *ret_size)
{
	int r = read_whole(copy->path, ret, ret_size);

	return r < 0 ? complain(copy->path, r) : 0;
}

bool edit_copy_is_current(const struct edit_copy *copy)
{
	_cleanup_free_ char *now = NULL;
	size_t size = 0;
	int r = read_whole(copy->target, &now, &size);

	if (r < 0)
		return r == -ENOENT && !copy->before;
	return now && copy->before && size == copy->before_size &&
	       memcmp(now, copy->before, size) == 0;
}

/* The folder with all files that it holds. */
static void remove_folder(const struct edit_copy *copy)
{
	_cleanup_closedir_ DIR *list = NULL;
	struct dirent *item;

	if (open_list(copy->lock, ".", &list) < 0)
		return;
	while ((item = readdir(list)))
		unlinkat(dirfd(list), item->d_name, 0);
	if (is_in_place(copy->lock, copy->folder) && rmdir(copy->folder) < 0)
		log_warning("%s: cannot be removed: %s", copy->folder, strerror(errno));
}

void edit_copy_close(struct edit_copy *copy, bool keep)
{
	if (keep)
		log_notice("the text is kept in %s: the next edit offers it", copy->path);
	else if (copy->lock >= 0)
		remove_folder(copy);
	clear(copy);
}
