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

/* The bytes of the file that are locked: the first by whoever works, the second by a daemon as well. */
enum { WORK, DAEMON };

/* A classic record lock: it is gone with the process, however that ends, and the kernel names its owner. */
static struct flock lock_of(off_t byte)
{
	return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
}

/* The pid of who has that lock, 0 for nobody, or -errno. */
static pid_t holder(int fd, off_t byte)
{
	struct flock lock = lock_of(byte);

	if (fcntl(fd, F_GETLK, &lock) < 0)
		return -errno;
	return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

int instance_lock(bool as_daemon, pid_t *ret_owner)
{
	struct flock work = lock_of(WORK), daemon = lock_of(DAEMON);
	_cleanup_close_ int fd = -1;

	if (mkdir(FOLDER, 0755) < 0 && errno != EEXIST)
		return -errno;
	fd = open(LOCK_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (fcntl(fd, F_SETLK, &work) == 0 && (!as_daemon || fcntl(fd, F_SETLK, &daemon) == 0)) {
		/* Kept open on purpose: closing it would give up the lock. */
		(void)take_fd(fd);
		return 0;
	}
	if (errno != EACCES && errno != EAGAIN)
		return -errno;
	*ret_owner = holder(fd, WORK);
	if (*ret_owner < 0)
		return *ret_owner;
	return holder(fd, DAEMON) == 0 ? -EBUSY : -EEXIST;
}

pid_t instance_owner(void)
{
	_cleanup_close_ int fd = open(LOCK_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	return holder(fd, DAEMON);
}
