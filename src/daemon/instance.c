/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/daemon/instance.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>

#define FOLDER RUNDIR "/schedqos"
#define LOCK_FILE FOLDER "/lock"

int instance_lock(pid_t *ret_owner)
{
	/* A classic record lock: it is gone with the process, however that ends, and the kernel names its owner. */
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	_cleanup_close_ int fd = -1;

	if (mkdir(FOLDER, 0755) < 0 && errno != EEXIST)
		return -errno;
	fd = open(LOCK_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (fcntl(fd, F_SETLK, &lock) == 0) {
		/* Kept open on purpose: closing it would give up the lock. */
		(void)take_fd(fd);
		return 0;
	}
	if (errno != EACCES && errno != EAGAIN)
		return -errno;
	if (fcntl(fd, F_GETLK, &lock) < 0)
		return -errno;
	*ret_owner = lock.l_type == F_UNLCK ? 0 : lock.l_pid;
	return -EEXIST;
}

pid_t instance_owner(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	_cleanup_close_ int fd = open(LOCK_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fcntl(fd, F_GETLK, &lock) < 0)
		return -errno;
	return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}
