/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/helper.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>

/* In the other process, where they do not clash with what we have open. */
#define SERVED_FD (STDERR_FILENO + 1)
#define LEASH_FD  (SERVED_FD + 1)

/* ---- the other process ---- */

/* Its two descriptors and no other of ours: a lock, sockets, somebody's terminal. */
static void take_descriptors(int fd, int leash)
{
	int null;

	fd = fcntl(fd, F_DUPFD, LEASH_FD + 1);
	leash = fcntl(leash, F_DUPFD, LEASH_FD + 1);
	dup2(fd, SERVED_FD);
	dup2(leash, LEASH_FD);
	close_range(LEASH_FD + 1, ~0U, 0);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int i = 0; i <= STDERR_FILENO; i++)
		dup2(null, i);
	close(null);
}

/*
 * When the other end of the leash is closed the kernel sends SIGIO (pipe_release in fs/pipe.c), which also ends a wait
 * that only fatal signals end, such as mmap_read_lock_killable. We could not send one: the service's seccomp filter
 * forbids that. Other signals are for the daemon alone.
 */
static void obey_leash(void)
{
	struct pollfd gone = { .fd = LEASH_FD };
	sigset_t all_others;

	signal(SIGIO, SIG_DFL);
	sigfillset(&all_others);
	sigdelset(&all_others, SIGIO);
	sigprocmask(SIG_SETMASK, &all_others, NULL);
	if (fcntl(LEASH_FD, F_SETOWN, getpid()) < 0 || fcntl(LEASH_FD, F_SETFL, O_ASYNC) < 0 || poll(&gone, 1, 0) != 0)
		_exit(EXIT_FAILURE);
}

static _Noreturn void run(const struct helper *helper, int fd, int leash)
{
	take_descriptors(fd, leash);
	prctl(PR_SET_NAME, "schedqos-helper", 0, 0, 0);
	obey_leash();
	helper->serve(SERVED_FD);
	_exit(EXIT_SUCCESS);
}

/* ---- ours ---- */

static void close_both(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

/* Returns 0 or -errno. */
static int start(const struct helper *helper, struct helper_process *ret)
{
	int ends[2], leash[2], r;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	if (pipe2(leash, O_CLOEXEC) < 0) {
		r = -errno;
		close_both(ends);
		return r;
	}
	pid = fork();
	if (pid == 0)
		run(helper, ends[1], leash[0]);
	if (pid < 0) {
		r = -errno;
		close_both(ends);
		close_both(leash);
		return r;
	}
	close(ends[1]);
	close(leash[0]);
	*ret = (struct helper_process){ .pid = pid, .fd = ends[0], .leash = leash[1] };
	return 0;
}

static void reap(struct helper *helper)
{
	size_t kept = 0;

	for (size_t i = 0; i < helper->n_left; i++) {
		if (waitpid(helper->left[i], NULL, WNOHANG) == 0)
			helper->left[kept++] = helper->left[i];
	}
	helper->n_left = kept;
}

static void end(struct helper *helper, struct helper_process *process)
{
	if (!process->pid)
		return;
	close(process->fd);
	close(process->leash);
	if (waitpid(process->pid, NULL, WNOHANG) == 0)
		helper->left[helper->n_left++] = process->pid;
	*process = (struct helper_process){ 0 };
}

int helper_need(struct helper *helper)
{
	int r = 0;

	if (helper->n_left)
		reap(helper);
	if (helper->now.pid && (helper->spare.pid || !helper->has_spare))
		return helper->now.fd;
	if (!helper->now.pid && helper->n_left >= HELPERS_LEFT_MAX)
		return -EAGAIN;
	if (!helper->now.pid) {
		helper->now = helper->spare;
		helper->spare = (struct helper_process){ 0 };
	}
	if (!helper->now.pid)
		r = start(helper, &helper->now);
	/* Without a spare one we go on as well. */
	if (r == 0 && helper->has_spare && helper->n_left < HELPERS_LEFT_MAX)
		start(helper, &helper->spare);
	return r < 0 ? r : helper->now.fd;
}

void helper_leave(struct helper *helper)
{
	end(helper, &helper->now);
}

void helper_end(struct helper *helper)
{
	if (helper->now.pid)
		waitpid(helper->now.pid, NULL, 0);
	helper_leave(helper);
}

bool helper_is_runnable(const struct helper *helper, int proc)
{
	struct procfs_stat stat;

	return helper->now.pid && procfs_stat(proc, helper->now.pid, &stat) == 0 && stat.state == 'R';
}

static uint64_t cpu_ns(const struct helper_process *process)
{
	clockid_t clock;

	return process->pid && clock_getcpuclockid(process->pid, &clock) == 0 ? clock_ns(clock) : 0;
}

uint64_t helper_cpu_ns(const struct helper *helper)
{
	return cpu_ns(&helper->now) + cpu_ns(&helper->spare);
}

void helper_close(struct helper *helper)
{
	reap(helper);
	end(helper, &helper->now);
	end(helper, &helper->spare);
	reap(helper);
}

/* ---- arguments ---- */

/* An answer is there within 50 us, unless a CPU has to be waited for. */
#define TAKE_WAIT_US 2000

static void serve(int fd)
{
	static char buf[READER_BYTES];
	struct reader_question questions[READER_QUESTIONS_MAX];
	const int proc = procfs_open();
	ssize_t n;

	while (proc >= 0 && (n = recv(fd, questions, sizeof(questions), 0)) > 0) {
		for (size_t i = 0; i < (size_t)n / sizeof(*questions); i++) {
			const ssize_t size = procfs_argv(proc, questions[i].tid, buf, sizeof(buf));
			struct reader_answer answer = { questions[i].number, (int32_t)size };
			struct iovec parts[] = { { &answer, sizeof(answer) }, { buf, size > 0 ? (size_t)size : 0 } };

			if (writev(fd, parts, 2) < 0)
				return;
		}
	}
}

/* Room for the CPUs of any kernel. */
union cpus {
	cpu_set_t set;
	uint8_t bytes[1024];
};

static void keep_near(struct helper *helper)
{
	union cpus cpus = { 0 };
	const int cpu = sched_getcpu();

	if (cpu < 0 || helper->now.kept_on == cpu + 1)
		return;
	CPU_SET_S((unsigned)cpu, sizeof(cpus), &cpus.set);
	sched_setaffinity(helper->now.pid, sizeof(cpus), &cpus.set);
	helper->now.kept_on = cpu + 1;
}

static void let_go(struct helper *helper)
{
	union cpus cpus;

	if (!helper->now.kept_on)
		return;
	memset(&cpus, 0xff, sizeof(cpus));
	sched_setaffinity(helper->now.pid, sizeof(cpus), &cpus.set);
	helper->now.kept_on = 0;
}

int reader_ask(struct helper *reader, const struct reader_question *questions, size_t count)
{
	const struct timeval timeout = { .tv_usec = TAKE_WAIT_US };
	const pid_t before = reader->now.pid;
	int fd;

	reader->serve = serve;
	reader->has_spare = true;
	fd = helper_need(reader);
	if (fd < 0)
		return fd;
	if (reader->now.pid != before)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	keep_near(reader);
	/* Of one that has ended reader_take tells. */
	if (count && send(fd, questions, count * sizeof(*questions), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EAGAIN)
		return -EAGAIN;
	return 0;
}

int reader_take(struct helper *reader, bool wait, struct reader_answer *ret, char *buf, size_t size)
{
	struct iovec parts[] = { { ret, sizeof(*ret) }, { buf, size } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t n;

	do {
		n = recvmsg(reader->now.fd, &message, wait ? 0 : MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	/* Perhaps this CPU is busy with what goes before it. */
	if (n < 0 && errno == EAGAIN && wait)
		let_go(reader);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < (ssize_t)sizeof(*ret))
		return -ENOTCONN;
	if (ret->size > (ssize_t)size)
		ret->size = (int32_t)size;
	return 1;
}

void reader_wait(const struct helper *reader, int timeout_ms)
{
	struct pollfd pollfd = { .fd = reader->now.fd, .events = POLLIN };

	poll(&pollfd, 1, timeout_ms);
}
