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

/* The path in version 2 of cgroups, in buf; NULL if there is none, or it is longer than systemd's are. */
static char *read_cgroup(pid_t pid, char *buf, size_t size)
{
	char *line = NULL, *end;

	if (read_proc(pid, "cgroup", buf, size) > 0)
		line = strncmp(buf, "0::", 3) == 0 ? buf : strstr(buf, "\n0::");
	if (!line)
		return NULL;
	line = strchr(line, '/');
	end = line ? strchr(line, '\n') : NULL;
	if (!end)
		return NULL;
	*end = '\0';
	return line;
}

static bool has_part(const char *path, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = strstr(path, name); at; at = strstr(at + 1, name)) {
		if (at[-1] == '/' && (at[length] == '/' || at[length] == '\0'))
			return true;
	}
	return false;
}

bool process_is_app(pid_t pid)
{
	char path[32], buf[4096];
	const char *cgroup;
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (pid == getpid() || stat(path, &st) < 0 || st.st_uid != getuid())
		return false;
	cgroup = read_cgroup(pid, buf, sizeof(buf));
	return !cgroup || (!has_part(cgroup, "session.slice") && !has_part(cgroup, "init.scope"));
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

void process_unit(pid_t pid, char *buf, size_t size)
{
	char text[4096];
	const char *cgroup = read_cgroup(pid, text, sizeof(text));
	const char *last = cgroup ? strrchr(cgroup, '/') + 1 : "";
	const char *dot = strrchr(last, '.');
	const bool is_unit = dot && (strcmp(dot, ".scope") == 0 || strcmp(dot, ".service") == 0);

	*buf = '\0';
	if (is_unit && has_part(cgroup, "app.slice"))
		snprintf(buf, size, "%s", cgroup);
}

char *process_name(pid_t pid, char *buf, size_t size)
{
	char comm[64];
	const ssize_t n = read_proc(pid, "comm", comm, sizeof(comm));

	return text_escape_to(buf, size, n > 0 ? comm : "?", n > 0 ? (size_t)n - 1 : 1);
}
