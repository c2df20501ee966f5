/* SPDX-License-Identifier: GPL-2.0-only */
#include "detached_mount.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/mount.h>

#include <schedqos/util/cleanup.h>

int detached_mount(const char *type)
{
	_cleanup_close_ int context = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
	int fd;

	if (context < 0 || syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}
