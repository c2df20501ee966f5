/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/reader.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>

/* A working reader answers or ends within its time; but it may have to wait for a CPU. */
#define GRACE_MS 30

/* The largest request; a socket can hold more. */
#define ANSWER_BYTES (64 * 1024)

struct request {
	pid_t tid;
	uint32_t patience_ms;
	uint32_t size; /* of the caller's buffer */
};

/* ---- the reader's side ---- */

static void set_alarm(long ms)
{
	const struct itimerval timer = { .it_value.tv_usec = ms * 1000 };

	setitimer(ITIMER_REAL, &timer, NULL);
}

/*
 * The reader ends itself when its time is up, since the service's seccomp filter forbids sending signals. SIGALRM is
 * fatal unless the daemon was started with it ignored or blocked, so it ends a wait in mmap_read_lock_killable.
 */
static void expect_alarm(void)
{
	sigset_t alarm;

	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
}

static _Noreturn void serve(int fd)
{
	static char buf[ANSWER_BYTES];
	struct request request;
	int proc;

	/* It needs one descriptor, and must not hold the daemon's others: a lock, sockets. */
	if (fd > 0)
		close_range(0, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0U, 0);
	prctl(PR_SET_NAME, "schedqos-reader", 0, 0, 0);
	expect_alarm();
	proc = procfs_open();
	while (proc >= 0 && recv(fd, &request, sizeof(request), 0) == sizeof(request)) {
		ssize_t n;
		struct iovec parts[] = { { &n, sizeof(n) }, { buf, 0 } };

		set_alarm(request.patience_ms);
		n = procfs_argv(proc, request.tid, buf, request.size < sizeof(buf) ? request.size : sizeof(buf));
		set_alarm(0);
		parts[1].iov_len = n > 0 ? (size_t)n : 0;
		if (writev(fd, parts, 2) < 0)
			break;
	}
	_exit(0);
}

/* ---- the daemon's side ---- */

static void reap_lost(struct reader *reader)
{
	size_t kept = 0;

	for (size_t i = 0; i < reader->n_lost; i++) {
		if (waitpid(reader->lost[i], NULL, WNOHANG) == 0)
			reader->lost[kept++] = reader->lost[i];
	}
	reader->n_lost = kept;
}

/* has_hung_up: it has closed its socket, which it does right before it ends; otherwise it may take any time to end. */
static void leave(struct reader *reader, bool has_hung_up)
{
	close(reader->fd);
	if (waitpid(reader->pid, NULL, has_hung_up ? 0 : WNOHANG) == 0)
		reader->lost[reader->n_lost++] = reader->pid;
	reader->pid = 0;
}

/* Returns 0 or -errno. */
static int need(struct reader *reader)
{
	int ends[2];
	pid_t pid;

	if (reader->n_lost)
		reap_lost(reader);
	if (reader->pid)
		return 0;
	if (reader->n_lost == READERS_LOST_MAX)
		return -EAGAIN;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		serve(ends[1]);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -EAGAIN;
	}
	reader->pid = pid;
	reader->fd = ends[0];
	return 0;
}

/* Returns whether there is something to receive, or the reader has hung up. */
static bool await(const struct reader *reader, uint32_t timeout_ms)
{
	struct pollfd pollfd = { .fd = reader->fd, .events = POLLIN };
	int n;

	do {
		n = poll(&pollfd, 1, (int)timeout_ms);
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

/* Returns what procfs_argv did, -ETIMEDOUT, or -ENOTCONN if there is no reader any more. */
static ssize_t receive(const struct reader *reader, uint32_t timeout_ms, char *buf, size_t size)
{
	ssize_t answer, n;
	struct iovec parts[] = { { &answer, sizeof(answer) }, { buf, size } };

	if (!await(reader, timeout_ms))
		return -ETIMEDOUT;
	n = readv(reader->fd, parts, 2);
	return n >= (ssize_t)sizeof(answer) && answer <= (ssize_t)size ? answer : -ENOTCONN;
}

/* Whether the reader was waiting for the process. If not, something else ended it, such as the OOM killer. */
static bool has_waited(uint64_t began_ns, uint32_t patience_ms)
{
	return clock_ns(CLOCK_MONOTONIC) - began_ns > patience_ms * 1000000ULL * 3 / 4;
}

ssize_t reader_argv(struct reader *reader, pid_t tid, uint32_t patience_ms, char *buf, size_t size)
{
	const struct request request = { tid, patience_ms, (uint32_t)size };

	for (int attempt = 0; attempt < 2; attempt++) {
		uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
		ssize_t n = need(reader);

		if (n < 0)
			return n == -EMFILE || n == -ENFILE || n == -ENOMEM ? n : -EAGAIN;
		n = -ENOTCONN;
		if (send(reader->fd, &request, sizeof(request), MSG_NOSIGNAL) == sizeof(request))
			n = receive(reader, patience_ms + GRACE_MS, buf, size);
		if (n != -ENOTCONN && n != -ETIMEDOUT)
			return n;
		leave(reader, n == -ENOTCONN);
		if (n == -ETIMEDOUT || has_waited(began_ns, patience_ms))
			break;
	}
	return -EAGAIN;
}

void reader_close(struct reader *reader)
{
	if (reader->pid) {
		shutdown(reader->fd, SHUT_WR);
		leave(reader, await(reader, GRACE_MS));
	}
	if (reader->n_lost)
		reap_lost(reader);
}
