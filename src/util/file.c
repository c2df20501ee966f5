/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/util/file.h>

#include <errno.h>
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
