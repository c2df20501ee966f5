/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads and parses files of /proc, for all callers that need facts about tasks. */
#include <schedqos/kernel/procfs.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>
#include <schedqos/util/text.h>

#define DELETED " (deleted)"

int procfs_open(void)
{
	_cleanup_close_ int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs statfs;

	if (fd < 0 || fstatfs(fd, &statfs) < 0)
		return -errno;
	return statfs.f_type == PROC_SUPER_MAGIC ? take_fd(fd) : -ENODEV;
}

/*
 * Writes the path without snprintf, which would cost a tenth of all that the daemon itself does for an exec. name has
 * up to 48 bytes.
 */
static void task_path(char path[64], pid_t tid, const char *name)
{
	char digits[12], *first = digits + sizeof(digits);
	unsigned rest = (unsigned)tid;

	*--first = '\0';
	do
		*--first = (char)('0' + rest % 10);
	while (rest /= 10);
	strcpy(stpcpy(stpcpy(path, first), "/"), name);
}

/* Returns -errno, or -ESRCH for a task that is gone: its folder is missing, or a file opened before gives ESRCH. */
static int gone_or_errno(void)
{
	return errno == ENOENT ? -ESRCH : -errno;
}

static ssize_t read_proc(int proc, const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;

	if (fd < 0)
		return gone_or_errno();
	while (used < size - 1) {
		ssize_t n = read(fd, buf + used, size - 1 - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return gone_or_errno();
		used += n;
		/*
		 * Skip the second read if the first was short: most of these files come whole, and it would only report
		 * the end.
		 */
		if (n == 0 || used < 1024)
			break;
	}
	buf[used] = '\0';
	return (ssize_t)used;
}

ssize_t procfs_read(int proc, pid_t tid, const char *name, char *buf, size_t size)
{
	char path[64];

	task_path(path, tid, name);
	return read_proc(proc, path, buf, size);
}

static bool is_task_gone(int proc, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "%d", (int)tid);
	return faccessat(proc, path, F_OK, 0) < 0 && errno == ENOENT;
}

ssize_t procfs_exe(int proc, pid_t tid, char *buf, size_t size)
{
	const size_t tail = sizeof(DELETED) - 1;
	char path[64];
	ssize_t n;

	task_path(path, tid, "exe");
	n = readlinkat(proc, path, buf, size - 1);
	buf[n > 0 ? n : 0] = '\0';
	/*
	 * EACCES means a missing permission, or that the task ended in between (proc_pid_readlink in fs/proc/base.c).
	 */
	if (n < 0 && errno == EACCES)
		return is_task_gone(proc, tid) ? -ESRCH : -EACCES;
	if (n < 0)
		return errno == ENOENT ? 0 : -errno;
	if ((size_t)n > tail && strcmp(buf + n - tail, DELETED) == 0) {
		n -= tail;
		buf[n] = '\0';
	}
	return n;
}

ssize_t procfs_argv(int proc, pid_t tid, char *buf, size_t size)
{
	ssize_t n = procfs_read(proc, tid, "cmdline", buf, size);

	/* A task may have overwritten its arguments, including the last NUL. */
	if (n > 0 && buf[n - 1] != '\0')
		n++;
	return n;
}

int procfs_comm(int proc, pid_t tid, char comm[16])
{
	char buf[64];
	ssize_t n = procfs_read(proc, tid, "comm", buf, sizeof(buf));

	if (n < 0)
		return (int)n;
	if (n > 0 && buf[n - 1] == '\n')
		n--;
	if (n > 15)
		n = 15;
	memcpy(comm, buf, n);
	comm[n] = '\0';
	return 0;
}

/* Numbers of the fields after the name, as in proc(5). */
enum {
	STAT_STATE = 3,
	STAT_PPID = 4,
	STAT_TTY = 7,
	STAT_FLAGS = 9,
	STAT_START = 22,
	STAT_RSS = 24,
};

int procfs_parse_stat(const char *text, struct procfs_stat *ret)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')'), *p;
	uint64_t fields[STAT_RSS + 1] = { 0 };
	size_t n;

	/* The task chooses its name, which may hold spaces, parentheses and newlines. */
	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return -EBADMSG;
	*ret = (struct procfs_stat){ .state = close[2] };
	n = close - open - 1;
	if (n >= sizeof(ret->comm))
		n = sizeof(ret->comm) - 1;
	memcpy(ret->comm, open + 1, n);

	p = close + 3;
	for (int i = STAT_PPID; i <= STAT_RSS; i++) {
		char *end;

		if (*p != ' ')
			return -EBADMSG;
		/* Some fields can be negative, but none that we use. */
		fields[i] = strtoull(p, &end, 10);
		if (end == p)
			return -EBADMSG;
		p = end;
	}
	if (fields[STAT_PPID] > INT_MAX)
		return -EBADMSG;
	ret->ppid = (pid_t)fields[STAT_PPID];
	ret->tty = (int32_t)fields[STAT_TTY];
	ret->flags = (uint32_t)fields[STAT_FLAGS];
	ret->start = fields[STAT_START];
	ret->rss_pages = fields[STAT_RSS];
	return 0;
}

int procfs_stat(int proc, pid_t tid, struct procfs_stat *ret)
{
	char buf[1024];
	ssize_t n = procfs_read(proc, tid, "stat", buf, sizeof(buf));

	return n < 0 ? (int)n : procfs_parse_stat(buf, ret);
}

int procfs_thread_stat(int proc, pid_t tgid, pid_t tid, struct procfs_stat *ret)
{
	char name[32], buf[1024];
	ssize_t n;

	snprintf(name, sizeof(name), "task/%d/stat", (int)tid);
	n = procfs_read(proc, tgid, name, buf, sizeof(buf));
	return n < 0 ? (int)n : procfs_parse_stat(buf, ret);
}

int procfs_schedstat(int proc, pid_t tid, struct procfs_schedstat *ret)
{
	char buf[128];
	ssize_t n = procfs_read(proc, tid, "schedstat", buf, sizeof(buf));

	if (n < 0)
		return (int)n;
	return sscanf(buf, "%" SCNu64 " %" SCNu64 " %" SCNu64, &ret->run_ns, &ret->delay_ns, &ret->waits) == 3
		       ? 0
		       : -EBADMSG;
}

int procfs_parse_busy(const char *text, uint64_t *ret_ticks)
{
	uint64_t user, nice, system;

	/* user and nice include the time of guests. Stolen time and interrupts belong to nobody. */
	if (sscanf(text, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64, &user, &nice, &system) != 3)
		return -EBADMSG;
	*ret_ticks = user + nice + system;
	return 0;
}

int procfs_busy(int proc, uint64_t *ret_ns)
{
	_cleanup_close_ int fd = openat(proc, "stat", O_RDONLY | O_CLOEXEC);
	char text[256];
	uint64_t ticks;
	ssize_t n;
	int r;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	r = procfs_parse_busy(text, &ticks);
	if (r == 0)
		*ret_ns = ticks * clock_tick_ns();
	return r;
}

const char *procfs_parse_cgroup(const char *text, const char *controller, size_t *ret_length)
{
	for (const char *line = text; *line;) {
		const char *end = strchrnul(line, '\n'), *names = memchr(line, ':', end - line);
		const char *path = names ? memchr(names + 1, ':', end - names - 1) : NULL;

		if (path &&
		    (*controller ? text_has_word(names + 1, path - names - 1, controller) : path == names + 1)) {
			*ret_length = end - path - 1;
			return path + 1;
		}
		line = *end ? end + 1 : end;
	}
	return NULL;
}

ssize_t procfs_cgroup(int proc, pid_t tid, char *buf, size_t size, size_t *ret_read)
{
	ssize_t n = procfs_read(proc, tid, "cgroup", buf, size);
	const char *path, *named;
	size_t length = 0, named_length;

	if (ret_read)
		*ret_read = n > 0 ? (size_t)n : 0;
	if (n < 0)
		return n;
	path = procfs_parse_cgroup(buf, "", &length);
	named = length > 1 ? NULL : procfs_parse_cgroup(buf, "name=systemd", &named_length);
	if (named) {
		path = named;
		length = named_length;
	}
	/*
	 * Our buffer was too small for the path, or for the line that counts. A path that the kernel has cut, as 6.18
	 * does, has PATH_MAX - 1 bytes; callers check that.
	 */
	if ((size_t)n == size - 1 && (!path || path == named || path[length] != '\n'))
		return -ENAMETOOLONG;
	/* A kernel without cgroups has no such line. The path is empty then, which is no error. */
	memmove(buf, path ? path : buf, length);
	buf[length] = '\0';
	return (ssize_t)length;
}

int procfs_parse_status(const char *text, struct procfs_status *ret)
{
	const char *users = strstr(text, "\nUid:"), *caps = strstr(text, "\nCapPrm:");
	unsigned real, effective, saved;
	unsigned long long permitted;

	if (!users || sscanf(users, "\nUid: %u %u %u", &real, &effective, &saved) != 3)
		return -EBADMSG;
	*ret = (struct procfs_status){ .real = real, .effective = effective, .owner = (uid_t)-1 };
	if (!caps || sscanf(caps, "\nCapPrm: %llx", &permitted) != 1)
		return 0;
	if (real == effective && real == saved && !permitted)
		ret->owner = real;
	ret->may_nice = real == effective && (permitted & 1ULL << CAP_SYS_NICE);
	return 0;
}

/*
 * The capabilities follow the groups, of which there may be 65,536. A task with more than about 5,000 groups therefore
 * has no owner here.
 */
int procfs_status(int proc, pid_t tid, struct procfs_status *ret, size_t *ret_read)
{
	char buf[65536];
	ssize_t n = procfs_read(proc, tid, "status", buf, sizeof(buf));

	if (ret_read)
		*ret_read = n > 0 ? (size_t)n : 0;
	return n < 0 ? (int)n : procfs_parse_status(buf, ret);
}

static int owner_of(int proc, pid_t tid, const char *file, uid_t *ret)
{
	struct stat stat;
	char path[64];

	task_path(path, tid, file);
	if (fstatat(proc, path, &stat, 0) < 0)
		return gone_or_errno();
	*ret = stat.st_uid;
	return 0;
}

int procfs_owner(int proc, pid_t tid, uid_t *ret)
{
	return owner_of(proc, tid, "", ret);
}

int procfs_files_owner(int proc, pid_t tid, uid_t *ret)
{
	return owner_of(proc, tid, "environ", ret);
}

int procfs_own_userns(int proc, pid_t tid, bool *ret)
{
	struct stat own, theirs;
	char path[64];

	*ret = true;
	if (fstatat(proc, "self/ns/user", &own, 0) < 0)
		return errno == ENOENT ? 0 : -errno;
	task_path(path, tid, "ns/user");
	if (fstatat(proc, path, &theirs, 0) < 0)
		return gone_or_errno();
	*ret = theirs.st_dev == own.st_dev && theirs.st_ino == own.st_ino;
	return 0;
}

uid_t procfs_user(int proc, pid_t pid)
{
	uid_t uid = PROCFS_OTHERS;
	bool is_own = false;

	if (procfs_own_userns(proc, pid, &is_own) < 0 || !is_own || procfs_owner(proc, pid, &uid) < 0)
		return PROCFS_OTHERS;
	return uid;
}

uid_t procfs_payer(int proc, pid_t pid)
{
	const uid_t uid = procfs_user(proc, pid);
	struct procfs_status status;

	return uid == 0 && procfs_status(proc, pid, &status, NULL) == 0 ? status.real : uid;
}

int procfs_list(int proc, pid_t tgid, DIR **ret)
{
	char path[64] = ".";
	int r;

	if (tgid)
		task_path(path, tgid, "task");
	r = open_list(proc, path, ret);
	return r == -ENOENT ? -ESRCH : r;
}

/* A folder's link count is the number of folders in it plus two (proc_task_getattr in fs/proc/base.c). */
int procfs_threads(int proc, pid_t tgid)
{
	struct stat stat;
	char path[64];

	task_path(path, tgid, "task");
	return fstatat(proc, path, &stat, 0) < 0 ? gone_or_errno() : (int)stat.st_nlink - 2;
}

pid_t procfs_next(DIR *list)
{
	struct dirent *item;

	while ((item = readdir(list))) {
		uint64_t id;

		if (parse_u64(item->d_name, strlen(item->d_name), INT_MAX, &id) == 0)
			return (pid_t)id;
	}
	return 0;
}
