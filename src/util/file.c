/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/util/file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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
