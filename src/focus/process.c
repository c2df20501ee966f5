/* SPDX-License-Identifier: GPL-2.0-only */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <systemd/sd-login.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/text.h>

int process_open(pid_t pid)
{
	const int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

/* Reads a file of the process. Returns its length, or -errno. */
static ssize_t read_proc(pid_t pid, const char *name, char *buf, size_t size)
{
	_cleanup_close_ int fd = -1;
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read_full(fd, buf, size - 1);
	buf[n < 0 ? 0 : n] = '\0';
	return n;
}

bool process_is_app(pid_t pid)
{
	_cleanup_free_ char *slice = NULL, *unit = NULL;
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (pid == getpid() || stat(path, &st) < 0 || st.st_uid != getuid())
		return false;
	if (sd_pid_get_user_slice(pid, &slice) >= 0 && strncmp(slice, "session", strlen("session")) == 0)
		return false;
	return sd_pid_get_user_unit(pid, &unit) < 0 || strcmp(unit, "init.scope") != 0;
}

pid_t process_parent(pid_t pid)
{
	char buf[512];
	const char *at;
	int parent;

	if (read_proc(pid, "stat", buf, sizeof(buf)) <= 0)
		return 0;
	/* The name is in parentheses, and may have some of its own. */
	at = strrchr(buf, ')');
	return at && sscanf(at, ") %*c %d", &parent) == 1 ? parent : 0;
}

char *process_unit(pid_t pid)
{
	_cleanup_free_ char *slice = NULL;
	char *unit = NULL;

	if (sd_pid_get_user_slice(pid, &slice) < 0 || strncmp(slice, "app", strlen("app")) != 0)
		return NULL;
	return sd_pid_get_user_unit(pid, &unit) < 0 ? NULL : unit;
}

char *process_name(pid_t pid, char *buf, size_t size)
{
	char comm[64];
	const ssize_t n = read_proc(pid, "comm", comm, sizeof(comm));

	return text_escape_to(buf, size, n > 0 ? comm : "?", n > 0 ? (size_t)n - 1 : 1);
}
