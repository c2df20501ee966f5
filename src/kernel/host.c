/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/host.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/text.h>

/* The inodes of the initial namespaces: PROC_USER_INIT_INO and its like in include/linux/proc_ns.h. */
static const struct {
	const char *name, *path;
	ino_t initial;
} namespaces[] = {
	{ "user", "/proc/self/ns/user", 0xEFFFFFFDU },
	{ "PID", "/proc/self/ns/pid", 0xEFFFFFFCU },
	{ "time", "/proc/self/ns/time", 0xEFFFFFFAU },
};

/* Deeper than any real hierarchy. */
#define CGROUP_DEPTH_MAX 32

static int read_at(int folder, const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -errno : read_full(fd, buf, size - 1);

	if (n < 0)
		return (int)n;
	while (n > 0 && strchr(" \t\n", buf[n - 1]))
		n--;
	buf[n] = '\0';
	return 0;
}

int host_read(const char *path, char *buf, size_t size)
{
	return read_at(AT_FDCWD, path, buf, size);
}

int host_boot_id(char ret[BOOT_ID_SIZE])
{
	char text[BOOT_ID_SIZE + 1]; /* and a newline */
	int r = host_read("/proc/sys/kernel/random/boot_id", text, sizeof(text));

	if (r < 0)
		return r;
	if (strlen(text) != BOOT_ID_SIZE - 1)
		return -EIO;
	memcpy(ret, text, BOOT_ID_SIZE);
	return 0;
}

bool host_parse_lockdown(char *text)
{
	char *open = strchr(text, '['), *end = open ? strchr(open, ']') : NULL;

	if (!end)
		return false;
	*end = '\0';
	memmove(text, open + 1, end - open);
	return true;
}

uint64_t host_tick_ns(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) < 0 || tick.tv_sec)
		return 0;
	return (uint64_t)tick.tv_nsec;
}

const char *host_other_namespace(void)
{
	for (size_t i = 0; i < array_size(namespaces); i++) {
		struct stat stat_buf;

		if (stat(namespaces[i].path, &stat_buf) == 0 &&
		    stat_buf.st_ino != namespaces[i].initial)
			return namespaces[i].name;
	}
	return NULL;
}

/* Whether `word` is in a list whose words end at a comma or a space. */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (*list) {
		size_t n = strcspn(list, ", \n");

		if (n == len && strncmp(list, word, n) == 0)
			return true;
		list += n + (list[n] != '\0');
	}
	return false;
}

/*
 * proc(5): "ID PARENT DEVICE ROOT MOUNT OPTIONS [TAG ...] - TYPE SOURCE SUPER-OPTIONS"; the controllers of a hierarchy
 * of version 1 are among the last. A path with special characters, which are shown as
 * \ooo, is not a cgroup mount.
 */
static bool parse_mount(const char *line, struct cgroup_mount *ret)
{
	const char *rest = strstr(line, " - ");
	char type[16], options[512];

	if (!rest || sscanf(line, "%*s %*s %*s %*s %255s", ret->path) != 1 ||
	    sscanf(rest, " - %15s %*s %511s", type, options) != 2)
		return false;
	if (strcmp(type, "cgroup2") == 0)
		ret->version = 2;
	else if (strcmp(type, "cgroup") == 0 && has_word(options, "cpu"))
		ret->version = 1;
	else
		return false;
	return true;
}

size_t host_parse_cgroups(const char *mountinfo, struct cgroup_mount *ret, size_t max)
{
	size_t count = 0;

	for (const char *line = mountinfo; *line && count < max;) {
		size_t len = strcspn(line, "\n");
		char one[1024];

		snprintf(one, sizeof(one), "%.*s", (int)(len < sizeof(one) ? len : 0), line);
		if (parse_mount(one, &ret[count]))
			count++;
		line += len + (line[len] == '\n');
	}
	return count;
}

size_t host_cgroups(struct cgroup_mount *ret, size_t max)
{
	_cleanup_free_ char *text = malloc(256 * 1024);

	if (!text || host_read("/proc/self/mountinfo", text, 256 * 1024) < 0)
		return 0;
	return host_parse_cgroups(text, ret, max);
}

/* Where it is by custom (systemd, elogind); no other process needs the hierarchy. */
#define SYSTEMD_HIERARCHY "/sys/fs/cgroup/systemd"

int host_cgroup_folder(const char *cgroup, char *ret, size_t size)
{
	struct cgroup_mount mounts[16];
	size_t n = host_cgroups(mounts, 16);

	for (size_t i = 0; i <= n; i++) {
		const char *top = i < n ? mounts[i].path : SYSTEMD_HIERARCHY;

		if (i < n && mounts[i].version != 2)
			continue;
		if ((size_t)snprintf(ret, size, "%s%s", top, cgroup) >= size)
			return -ENAMETOOLONG;
		if (access(ret, F_OK) == 0)
			return 0;
	}
	return -ENOENT;
}

static bool is_populated(int group, unsigned version)
{
	char text[256] = "";

	if (version == 2)
		return read_at(group, "cgroup.events", text, sizeof(text)) == 0 &&
		       strstr(text, "populated 1");
	return read_at(group, "cgroup.procs", text, sizeof(text)) == 0 && *text;
}

static void add_group(struct cgroup_groups *groups, const char *name)
{
	size_t used = strlen(groups->names);
	char safe[32];

	if (groups->count++ >= 3)
		return;
	/* The name was chosen by a user who may make cgroups. */
	text_escape_to(safe, sizeof(safe), name, strlen(name));
	snprintf(groups->names + used, sizeof(groups->names) - used, "%s%s", used ? ", " : "",
		 safe);
}

static void look_at_group(int group, const char *name, unsigned version, unsigned depth,
			  struct cgroup_groups *groups);

/* Looks at all direct children of a group. */
static int look_below(int group, unsigned version, unsigned depth, struct cgroup_groups *groups)
{
	_cleanup_closedir_ DIR *list = NULL;
	int r = open_list(group, ".", &list);
	struct dirent *item;

	if (r < 0)
		return r;
	while ((item = readdir(list))) {
		_cleanup_close_ int child = -1;

		if (item->d_name[0] == '.')
			continue;
		child = openat(group, item->d_name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (child >= 0)
			look_at_group(child, item->d_name, version, depth + 1, groups);
	}
	return 0;
}

/* In version 2 a group enables the controller for its children, or they all count as part of it. */
static bool divides(int group, unsigned version)
{
	char text[256] = "";

	return version == 1 || (read_at(group, "cgroup.subtree_control", text, sizeof(text)) == 0 &&
				has_word(text, "cpu"));
}

static void look_at_group(int group, const char *name, unsigned version, unsigned depth,
			  struct cgroup_groups *groups)
{
	if (depth < CGROUP_DEPTH_MAX && divides(group, version)) {
		if (version == 1 && is_populated(group, version))
			add_group(groups, name);
		look_below(group, version, depth, groups);
	} else if (is_populated(group, version)) {
		add_group(groups, name);
	}
}

int host_cpu_groups(int hierarchy, unsigned version, struct cgroup_groups *ret)
{
	return divides(hierarchy, version) ? look_below(hierarchy, version, 0, ret) : 0;
}
