/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/helper.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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
	*ret = (struct helper_process){ pid, ends[0], leash[1] };
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
