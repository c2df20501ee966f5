/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts helper processes and leaves them behind if they hang; the reader of arguments is one. */
#include <schedqos/kernel/helper.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/futex.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>

/* Descriptors of the helper, in fixed places. */
#define SERVED_FD (STDERR_FILENO + 1)
#define LEASH_FD  (SERVED_FD + 1)

/* ---- in the helper ---- */

/* The memory shared with the daemon. */
static void *own_shared;

/* Keeps the helper's two descriptors and closes all others of the daemon's, such as a lock or sockets. */
static void take_descriptors(int fd, int leash)
{
	int null;

	/* By way of descriptors that are open, because no other may be left. */
	if (dup2(fd, STDIN_FILENO) < 0 || dup2(leash, STDOUT_FILENO) < 0 || dup2(STDIN_FILENO, SERVED_FD) < 0 ||
	    dup2(STDOUT_FILENO, LEASH_FD) < 0)
		_exit(EXIT_FAILURE);
	close_range(LEASH_FD + 1, ~0U, 0);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int i = 0; i <= STDERR_FILENO; i++)
		dup2(null, i);
	close(null);
}

/*
 * Makes the helper end when the other end of the leash is closed. The kernel then sends SIGIO (pipe_release in
 * fs/pipe.c), which also ends waits that only fatal signals end, such as mmap_read_lock_killable. We could not send a
 * signal: the service's seccomp filter forbids that. Blocks all other signals, which are for the daemon.
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

static _Noreturn void run(const struct helper *helper, void *shared, int fd, int leash)
{
	own_shared = shared;
	take_descriptors(fd, leash);
	prctl(PR_SET_NAME, "schedqos-helper", 0, 0, 0);
	obey_leash();
	helper->serve(SERVED_FD);
	_exit(EXIT_SUCCESS);
}

/* ---- in the daemon ---- */

/* Allocates memory to share; other children do not get it. Returns 0 or -errno. */
static int share(size_t size, void **ret)
{
	if (!size)
		return 0;
	*ret = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return *ret == MAP_FAILED ? -errno : 0;
}

/* Starts a helper. Returns 0 or -errno. */
static int start(struct helper *helper)
{
	int ends[2] = { -1, -1 }, leash[2] = { -1, -1 };
	void *shared = NULL;
	int r = share(helper->shared_size, &shared);
	pid_t pid = 0;

	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0 || pipe2(leash, O_CLOEXEC) < 0 ||
	    (pid = fork()) < 0)
		r = -errno;
	if (r == 0 && pid == 0)
		run(helper, shared, ends[1], leash[0]);
	cleanup_close(&ends[1]);
	cleanup_close(&leash[0]);
	if (r < 0) {
		cleanup_close(&ends[0]);
		cleanup_close(&leash[1]);
		if (shared)
			munmap(shared, helper->shared_size);
		return r;
	}
	if (shared)
		madvise(shared, helper->shared_size, MADV_DONTFORK);
	helper->now = (struct helper_process){ .pid = pid, .fd = ends[0], .leash = leash[1], .shared = shared };
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

void helper_leave(struct helper *helper)
{
	struct helper_process *process = &helper->now;

	if (!process->pid)
		return;
	close(process->fd);
	close(process->leash);
	if (process->shared)
		munmap(process->shared, helper->shared_size);
	if (waitpid(process->pid, NULL, WNOHANG) == 0)
		helper->left[helper->n_left++] = process->pid;
	*process = (struct helper_process){ 0 };
}

int helper_need(struct helper *helper)
{
	int r;

	if (helper->n_left)
		reap(helper);
	if (helper->now.pid)
		return helper->now.fd;
	if (helper->n_left >= HELPERS_LEFT_MAX)
		return -EAGAIN;
	r = start(helper);
	return r < 0 ? r : helper->now.fd;
}

void helper_end(struct helper *helper)
{
	if (helper->now.pid)
		waitpid(helper->now.pid, NULL, 0);
	helper_leave(helper);
}

char helper_state(const struct helper *helper, int proc)
{
	struct procfs_stat stat;

	if (!helper->now.pid)
		return 'Z';
	return procfs_stat(proc, helper->now.pid, &stat) == 0 ? stat.state : '\0';
}

uint64_t helper_cpu_ns(const struct helper *helper)
{
	clockid_t clock;

	return helper->now.pid && clock_getcpuclockid(helper->now.pid, &clock) == 0 ? clock_ns(clock) : 0;
}

void helper_close(struct helper *helper)
{
	reap(helper);
	helper_leave(helper);
	reap(helper);
}

/* ---- arguments ---- */

/* The shared memory: questions and answers. */
struct exchange {
	/* whole pages, which are never returned: 4 MiB at most */
	char texts[READER_QUESTIONS_MAX][READER_BYTES];
	/* number of questions so far, and of answers; the helper sleeps until there are more questions */
	_Atomic uint32_t asked, answered;
	_Atomic uint32_t is_awaited; /* we sleep until the helper resets this, after it has answered all */
	uint32_t taken;		     /* number of answers that we have taken */
	struct reader_question questions[READER_QUESTIONS_MAX]; /* question n is at n % READER_QUESTIONS_MAX */
};

/* Sleeps while the word has this value. timeout is NULL for no limit. */
static void sleep_on(_Atomic uint32_t *word, uint32_t value, const struct timespec *timeout)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, timeout, NULL, 0);
}

static void wake_at(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static struct reader_question *question_at(struct exchange *exchange, uint32_t number)
{
	return &exchange->questions[number % READER_QUESTIONS_MAX];
}

static void serve(int fd)
{
	struct exchange *exchange = own_shared;
	const int proc = procfs_open();

	(void)fd;
	if (proc < 0)
		return;
	for (uint32_t n = 0;;) {
		while (n != exchange->asked) {
			struct reader_question *question = question_at(exchange, n);

			question->size = (int32_t)procfs_argv(proc, question->tid, exchange->texts[question->place],
							      READER_BYTES);
			exchange->answered = ++n;
		}
		if (atomic_exchange(&exchange->is_awaited, 0))
			wake_at(&exchange->is_awaited);
		sleep_on(&exchange->asked, n, NULL);
	}
}

/* Large enough for the CPUs of any kernel. */
union cpus {
	cpu_set_t set;
	uint8_t bytes[1024];
};

/*
 * Binds the helper to our CPU. An answer then takes 35 us, and 90 us in one case of a hundred; without this 45 us and
 * 0.8 to 4 ms, at a third more CPU time (6.18, two busy CPUs, one question each millisecond). Messages over a socket in
 * place of the futexes cost a quarter more.
 */
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

/* Lets the helper run wherever we may. */
static void let_go(struct helper *helper)
{
	union cpus cpus = { 0 };

	if (!helper->now.kept_on || sched_getaffinity(0, sizeof(cpus), &cpus.set) < 0)
		return;
	sched_setaffinity(helper->now.pid, sizeof(cpus), &cpus.set);
	helper->now.kept_on = 0;
}

int reader_ask(struct helper *reader, const struct reader_question *questions, size_t count)
{
	struct exchange *exchange;
	int r;

	reader->serve = serve;
	reader->shared_size = sizeof(struct exchange);
	r = helper_need(reader);
	if (r < 0 || !count)
		return r < 0 ? r : 0;
	exchange = reader->now.shared;
	if (!exchange || exchange->asked - exchange->taken + count > READER_QUESTIONS_MAX)
		return -EAGAIN;
	for (size_t i = 0; i < count; i++)
		*question_at(exchange, exchange->asked + (uint32_t)i) = questions[i];
	keep_near(reader);
	exchange->asked += (uint32_t)count;
	wake_at(&exchange->asked);
	return 0;
}

void reader_wait(struct helper *reader, uint32_t timeout_us)
{
	const struct timespec timeout = { .tv_sec = timeout_us / 1000000, .tv_nsec = timeout_us % 1000000 * 1000 };
	struct exchange *exchange = reader->now.shared;

	if (!exchange)
		return;
	exchange->is_awaited = true;
	/*
	 * Do not use sched_yield: every other task on this CPU would run first, until a tick (yield_task_fair, 6.18).
	 */
	if (exchange->answered != exchange->asked)
		sleep_on(&exchange->is_awaited, true, &timeout);
	exchange->is_awaited = false;
	/* Tasks of higher priority may keep this CPU busy. */
	if (exchange->answered != exchange->asked)
		let_go(reader);
}

const struct reader_question *reader_take(struct helper *reader, const char **ret_text)
{
	struct exchange *exchange = reader->now.shared;
	struct reader_question *question;

	if (!exchange || exchange->taken == exchange->answered)
		return NULL;
	question = question_at(exchange, exchange->taken++);
	*ret_text = exchange->texts[question->place];
	return question;
}

const struct reader_question *reader_current(const struct helper *reader)
{
	struct exchange *exchange = reader->now.shared;

	return exchange && exchange->answered != exchange->asked ? question_at(exchange, exchange->answered) : NULL;
}
