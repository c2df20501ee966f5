/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes the lock that all processes take before they work on tasks or knobs. */
#include <schedqos/daemon/instance.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>

#define LOCK_FILE STATE_FOLDER "/lock"

/* The locked bytes of the file: a verb or daemon at work locks the first, a daemon also the second. */
enum { WORK, DAEMON };

/*
 * How long to wait for a verb, and how often to retry. Restoring ten thousand tasks takes a tenth of a second; it
 * repeats while forks are under way, for at most 5 s (LINGER_MAX_MS in undo.c).
 */
enum { WAIT_MAX_MS = 8000, RETRY_MS = 20 };

/* Describes a POSIX record lock, which ends with the process in any case, and whose owner the kernel reports. */
static struct flock lock_of(off_t byte, off_t count)
{
	return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = count };
}

/* Returns the pid of the process that holds this lock, 0 if there is none, or -errno. */
static pid_t holder(int fd, off_t byte)
{
	struct flock lock = lock_of(byte, 1);

	if (fcntl(fd, F_GETLK, &lock) < 0)
		return -errno;
	return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

/* Returns 0; -EEXIST (a daemon) or -EBUSY (a verb) with the owner; or -errno. */
static int try_to_lock(int fd, bool as_daemon, pid_t *ret_owner)
{
	struct flock lock = lock_of(WORK, as_daemon ? 2 : 1);

	if (fcntl(fd, F_SETLK, &lock) == 0)
		return 0;
	if (errno != EACCES && errno != EAGAIN)
		return -errno;
	*ret_owner = holder(fd, WORK);
	if (*ret_owner < 0)
		return *ret_owner;
	return holder(fd, DAEMON) == 0 ? -EBUSY : -EEXIST;
}

/* Creates the lock file and locks it, waiting for a verb. Returns the same as try_to_lock. */
static int take_lock(bool as_daemon, pid_t *ret_owner)
{
	const struct timespec pause = { .tv_nsec = RETRY_MS * 1000000L };
	_cleanup_close_ int folder = state_folder_open(), fd = -1;
	int r;

	if (folder < 0)
		return folder;
	fd = open(LOCK_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = try_to_lock(fd, as_daemon, ret_owner);
	for (int waited = 0; r == -EBUSY && waited < WAIT_MAX_MS; waited += RETRY_MS) {
		nanosleep(&pause, NULL);
		r = try_to_lock(fd, as_daemon, ret_owner);
	}
	/* Keep the file open: closing it would release the lock. */
	if (r == 0)
		(void)take_fd(fd);
	return r;
}

int instance_lock(bool as_daemon, const char *remedy)
{
	pid_t owner = 0;
	int r;

	/*
	 * The holder of the lock changes the machine, so no signal may end it halfway. A log that nobody reads, or a
	 * record larger than ulimit -f allows, is then an error of write().
	 */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	r = take_lock(as_daemon, &owner);

	if (r == -EEXIST)
		log_error("already running as pid %d%s%s", (int)owner, remedy ? ": " : "", remedy ? remedy : "");
	else if (r == -EBUSY)
		log_error("another schedqos command is at work as pid %d: try again", (int)owner);
	else if (r == -EACCES || r == -EPERM)
		log_error("must be run as root");
	else if (r < 0)
		log_error("cannot lock " STATE_FOLDER ": %s", strerror(-r));
	return r;
}

pid_t instance_owner(void)
{
	_cleanup_close_ int fd = open(LOCK_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	return holder(fd, DAEMON);
}
