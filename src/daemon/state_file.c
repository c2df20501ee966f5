/* SPDX-License-Identifier: GPL-2.0-only */
#include "state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/kernel/host.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

#define FOLDER	     RUNDIR "/schedqos"
#define BOOT_KEY     "boot_id"

static void cleanup_json(cJSON **json)
{
	cJSON_Delete(*json);
}

int state_folder_open(void)
{
	int fd;

	if (mkdir(FOLDER, 0755) < 0 && errno != EEXIST)
		return -errno;
	fd = open(FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Fills at most size bytes of buf, and a NUL behind them. Returns their number, or -errno. */
static ssize_t read_whole(int fd, char *buf, size_t size)
{
	ssize_t n = read_full(fd, buf, size);

	if (n >= 0)
		buf[n] = '\0';
	return n;
}

static int write_whole(int fd, const char *text)
{
	size_t len = strlen(text);

	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= n;
	}
	return 0;
}

static int read_text(int folder, const char *name, char **ret, size_t *ret_size)
{
	_cleanup_close_ int fd =
		openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	struct stat stat;
	ssize_t n;

	if (fd < 0)
		return state_file_open_error(errno);
	if (fstat(fd, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode) || stat.st_uid != geteuid() || stat.st_nlink != 1 ||
	    (stat.st_mode & 077))
		return -EPERM;
	if (stat.st_size > STATE_SIZE_MAX)
		return -EBADMSG;
	text = malloc(stat.st_size + 1);
	if (!text)
		return -ENOMEM;
	n = read_whole(fd, text, stat.st_size);
	if (n < 0)
		return (int)n;
	*ret = take_ptr(text);
	*ret_size = n;
	return 0;
}

int state_file_parse(const char *text, size_t size, const char *boot_now, cJSON **ret)
{
	_cleanup_(cleanup_json) cJSON *json = NULL;
	const char *boot_then;

	/* cJSON takes a NUL for the end, whatever follows it. */
	if (memchr(text, '\0', size))
		return -EBADMSG;
	json = cJSON_ParseWithLengthOpts(text, size + 1, NULL, true);
	boot_then = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, BOOT_KEY));
	if (!cJSON_IsObject(json) || !boot_then)
		return -EBADMSG;
	if (strcmp(boot_then, boot_now) != 0)
		return -ESTALE;
	*ret = take_ptr(json);
	return 0;
}

int state_file_read(int folder, const char *name, cJSON **ret)
{
	_cleanup_free_ char *text = NULL;
	char boot_now[BOOT_ID_SIZE];
	size_t size = 0;
	int r = read_text(folder, name, &text, &size);

	if (r == 0)
		r = host_boot_id(boot_now);
	if (r == 0 && text)
		r = state_file_parse(text, size, boot_now, ret);
	return r;
}

static int replace(int folder, const char *name, const char *text)
{
	_cleanup_close_ int fd = -1;
	char new[64];
	int r;

	snprintf(new, sizeof(new), ".%s.new", name);
	/* What an earlier run was killed over. */
	if (unlinkat(folder, new, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(folder, new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_whole(fd, text);
	if (r == 0 && renameat(folder, new, folder, name) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(folder, new, 0);
	return r;
}

int state_file_write(int folder, const char *name, cJSON *content)
{
	_cleanup_free_ char *text = NULL;
	char boot[BOOT_ID_SIZE];
	int r = host_boot_id(boot);

	if (r < 0)
		return r;
	cJSON_DeleteItemFromObjectCaseSensitive(content, BOOT_KEY);
	if (!cJSON_AddStringToObject(content, BOOT_KEY, boot))
		return -ENOMEM;
	text = cJSON_PrintUnformatted(content);
	return text ? replace(folder, name, text) : -ENOMEM;
}

int state_file_remove(int folder, const char *name)
{
	return unlinkat(folder, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

int state_file_open_error(int error)
{
	if (error == ELOOP)
		return -EPERM;
	/* What some security module says is no word on whose file it is. */
	return error == EPERM ? -EACCES : -error;
}

bool state_file_is_void(int error)
{
	return error == -EPERM || error == -EBADMSG || error == -EPROTONOSUPPORT;
}

/* The first one stays: what tasks and knobs had before all that was set since, only that can tell. */
int state_file_set_aside(int folder, const char *name)
{
	char aside[64];
	int r;

	snprintf(aside, sizeof(aside), "%s" STATE_DAMAGED, name);
	if (renameat2(folder, name, folder, aside, RENAME_NOREPLACE) == 0 || errno == ENOENT)
		return 0;
	if (errno != EEXIST)
		return -errno;
	r = state_file_remove(folder, name);
	return r < 0 ? r : 1;
}

const char *state_file_fault(int error)
{
	switch (error) {
	case -EPERM:
		return "not ours alone: another user or a link may have made it";
	case -EBADMSG:
		return "torn or not what schedqos writes";
	case -EPROTONOSUPPORT:
		return "of another version of schedqos";
	case -ESTALE:
		return "of another boot";
	default:
		return strerror(-error);
	}
}
