/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads facts about this machine: small files, the boot id, namespaces, mounted cgroup hierarchies. */
#include <schedqos/kernel/host.h>

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/mount.h>

#include <systemd/sd-login.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

/*
 * The links of the initial namespaces; the kernel fixes their inodes (PROC_USER_INIT_INO and others in
 * include/linux/proc_ns.h).
 */
static const struct {
	const char *name, *path, *initial;
} namespaces[] = {
	{ "user", "/proc/self/ns/user", "user:[4026531837]" },
	{ "PID", "/proc/self/ns/pid", "pid:[4026531836]" },
	{ "time", "/proc/self/ns/time", "time:[4026531834]" },
};

const char *host_path(int root, const char *path)
{
	return root == AT_FDCWD ? path : path + strspn(path, "/");
}

int host_read_at(int root, const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = openat(root, host_path(root, path), O_RDONLY | O_CLOEXEC);
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
	return host_read_at(AT_FDCWD, path, buf, size);
}

bool host_sched_ext(int root, char *name, size_t size)
{
	char state[32], all[8];

	*name = '\0';
	if (host_read_at(root, "/sys/kernel/sched_ext/state", state, sizeof(state)) < 0 || strcmp(state, "disabled") == 0)
		return false;
	if (host_read_at(root, "/sys/kernel/sched_ext/switch_all", all, sizeof(all)) == 0 && strcmp(all, "0") == 0)
		return false;
	if (host_read_at(root, "/sys/kernel/sched_ext/root/ops", name, size) < 0)
		*name = '\0';
	return true;
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

const char *host_other_namespace(int root)
{
	for (size_t i = 0; i < array_size(namespaces); i++) {
		char text[64];
		ssize_t n = readlinkat(root, host_path(root, namespaces[i].path), text, sizeof(text) - 1);

		text[n < 0 ? 0 : n] = '\0';
		if (n >= 0 && strcmp(text, namespaces[i].initial) != 0)
			return namespaces[i].name;
	}
	return NULL;
}

static bool is_hierarchy(const struct mntent *mount, struct cgroup_mount *ret)
{
	ret->version = strcmp(mount->mnt_type, "cgroup2") == 0 ? 2 : 1;
	if (ret->version == 1 && (strcmp(mount->mnt_type, "cgroup") != 0 || !hasmntopt(mount, "cpu")))
		return false;
	return (size_t)snprintf(ret->path, sizeof(ret->path), "%s", mount->mnt_dir) < sizeof(ret->path);
}

struct cpu_hierarchies cpu_hierarchies_find(int root)
{
	struct cpu_hierarchies where = { .root = root };
	int fd = openat(root, host_path(root, "/proc/self/mounts"), O_RDONLY | O_CLOEXEC);
	FILE *mounts = fd < 0 ? NULL : fdopen(fd, "r");
	struct mntent mount;
	char buf[4096];

	if (!mounts) {
		cleanup_close(&fd);
		return where;
	}
	while (where.count < array_size(where.mounts) && getmntent_r(mounts, &mount, buf, sizeof(buf)))
		where.count += is_hierarchy(&mount, &where.mounts[where.count]);
	endmntent(mounts);
	return where;
}

/* Usual mount point of systemd's hierarchy (systemd, elogind); nothing records it. */
#define SYSTEMD_HIERARCHY "/sys/fs/cgroup/systemd"

int host_cgroup_folder(const char *cgroup, char *ret, size_t size)
{
	const struct cpu_hierarchies where = cpu_hierarchies_find(AT_FDCWD);

	for (size_t i = 0; i <= where.count; i++) {
		const char *top = i < where.count ? where.mounts[i].path : SYSTEMD_HIERARCHY;

		if (i < where.count && where.mounts[i].version != 2)
			continue;
		if ((size_t)snprintf(ret, size, "%s%s", top, cgroup) >= size)
			return -ENAMETOOLONG;
		if (access(ret, F_OK) == 0)
			return 0;
	}
	return -ENOENT;
}

int host_mount_detached(const char *type)
{
	_cleanup_close_ int context = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
	int fd;

	if (context < 0 || syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

bool host_has_seat(uid_t uid)
{
	return sd_uid_get_seats(uid, 0, NULL) > 0;
}
