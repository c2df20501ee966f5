/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/kconfig.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

/* Distributions' configurations have 300 KB. */
#define SIZE_MAX_BYTES (4 * 1024 * 1024)

/*
 * zlib's, as its header declares them. The library is loaded only when it is needed, and stays then: the daemon, which
 * never asks, should not carry it.
 */
struct zlib {
	void *(*gzdopen)(int fd, const char *mode);
	int (*gzread)(void *file, void *buf, unsigned size);
	int (*gzclose)(void *file);
};

static bool zlib_load(struct zlib *ret)
{
	void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	*(void **)&ret->gzdopen = dlsym(library, "gzdopen");
	*(void **)&ret->gzread = dlsym(library, "gzread");
	*(void **)&ret->gzclose = dlsym(library, "gzclose");
	return ret->gzdopen && ret->gzread && ret->gzclose;
}

/* Returns the number of bytes or -errno, as read_full does. Takes ownership of fd. */
static ssize_t gunzip(int fd, char *buf, size_t size)
{
	_cleanup_close_ int own = fd;
	struct zlib zlib = { 0 };
	void *file;
	int n, r;

	if (!zlib_load(&zlib))
		return -EOPNOTSUPP;
	file = zlib.gzdopen(own, "rb");
	if (!file)
		return -ENOMEM;
	take_fd(own);
	n = zlib.gzread(file, buf, (unsigned)size);
	/* Of a file that ends too early, only this tells. */
	r = zlib.gzclose(file);
	return n < 0 || r != 0 ? -EBADMSG : n;
}

static bool is_gzip(int fd)
{
	unsigned char magic[2];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && magic[0] == 0x1f && magic[1] == 0x8b;
}

int kconfig_parse(const char *text, const char *option)
{
	size_t len = strlen(option);
	bool is_kconfig = false;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, option, len) == 0 && line[len] == '=')
			return line[len + 1] == 'y' || line[len + 1] == 'm';
		is_kconfig |= strncmp(line, "CONFIG_", strlen("CONFIG_")) == 0;
	}
	return is_kconfig ? 0 : -EBADMSG;
}

int kconfig_has(const char *path, const char *option)
{
	/* It may turn out to be a FIFO. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	struct stat stat;
	ssize_t n;

	if (fd < 0 || fstat(fd, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return -EBADMSG;
	text = malloc(SIZE_MAX_BYTES);
	if (!text)
		return -ENOMEM;
	n = is_gzip(fd) ? gunzip(take_fd(fd), text, SIZE_MAX_BYTES - 1) : read_full(fd, text, SIZE_MAX_BYTES - 1);
	if (n < 0)
		return (int)n;
	if (n == SIZE_MAX_BYTES - 1)
		return -EFBIG;
	text[n] = '\0';
	return kconfig_parse(text, option);
}
