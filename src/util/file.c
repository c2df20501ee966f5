/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/util/file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

ssize_t read_full(int fd, char *buf, size_t size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t n = read(fd, buf + used, size - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		used += n;
	}
	return (ssize_t)used;
}

int read_text(int fd, size_t size, char **ret, size_t *ret_size)
{
	char *text = malloc(size + 1);
	ssize_t n;

	if (!text)
		return -ENOMEM;
	n = read_full(fd, text, size);
	if (n < 0) {
		free(text);
		return (int)n;
	}
	text[n] = '\0';
	*ret = text;
	*ret_size = (size_t)n;
	return 0;
}

int read_text_file(const char *path, size_t max, char **ret, size_t *ret_size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return -EINVAL;
	return (size_t)stat.st_size > max ? -EFBIG : read_text(fd, (size_t)stat.st_size, ret, ret_size);
}

int write_full(int fd, const void *buf, size_t size)
{
	const char *from = buf;

	while (size) {
		ssize_t n = write(fd, from, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		from += n;
		size -= (size_t)n;
	}
	return 0;
}

int open_list(int folder, const char *path, DIR **ret)
{
	int fd = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*ret = fdopendir(fd);
	if (!*ret) {
		close(fd);
		return -ENOMEM;
	}
	return 0;
}

/* ---- the runtime folder ---- */

int folder_open(const char *path, mode_t mode)
{
	int fd;

	/* Set the mode in spite of the umask: other users have to reach the runtime folder. */
	if (mkdir(path, mode) < 0 ? errno != EEXIST : chmod(path, mode) < 0)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int state_folder_open(void)
{
	return folder_open(STATE_FOLDER, 0755);
}

static int open_error(int error)
{
	if (error == ELOOP)
		return -EPERM;
	/* A security module may return EPERM too; that does not mean that another user owns the file. */
	return error == EPERM ? -EACCES : -error;
}

int state_file_open(int folder, const char *name, size_t *ret_size)
{
	_cleanup_close_ int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat stat;

	if (fd < 0)
		return open_error(errno);
	if (fstat(fd, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode) || stat.st_uid != geteuid() || stat.st_nlink != 1 || (stat.st_mode & 077))
		return -EPERM;
	*ret_size = (size_t)stat.st_size;
	return take_fd(fd);
}

int state_file_remove(int folder, const char *name)
{
	return unlinkat(folder, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

/* Keeps the first damaged file: only that one knows what tasks and knobs had before schedqos first set anything. */
int state_file_set_aside(int folder, const char *name, const char *what, int error)
{
	const char *remedy =
		error == -EPROTONOSUPPORT ? ": moved back, it can be restored by the version that wrote it" : "";
	const char *how = "it is kept as";
	char aside[64];

	if (error != -EPERM && error != -EBADMSG && error != -EPROTONOSUPPORT)
		return error;
	snprintf(aside, sizeof(aside), "%s" STATE_DAMAGED, name);
	if (renameat2(folder, name, folder, aside, RENAME_NOREPLACE) < 0 && errno != ENOENT) {
		if (errno != EEXIST || unlinkat(folder, name, 0) < 0)
			return -errno;
		how = "it is removed, since one is kept already as";
	}
	log_warning("%s of an earlier daemon cannot be used (%s), and what that daemon set stays: %s " STATE_FOLDER "/%s%s", what,
		    state_file_fault(error), how, aside, remedy);
	return 0;
}

const char *state_file_fault(int error)
{
	switch (error) {
	case -EPERM:
		return "another user may have made it, or it is a link";
	case -EBADMSG:
		return "corrupt, or not written by schedqos";
	case -EPROTONOSUPPORT:
		return "from another version of schedqos";
	case -ESTALE:
		return "from another boot";
	default:
		return strerror(-error);
	}
}
