/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/tagging/watch.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>

/* A read that has lasted WATCH_MS hangs if the loop is asleep in the kernel, and still is after this time. */
#define SECOND_CHECK_MS 40

/*
 * A runnable process is given this many rounds, 2 s: at a load of 100 it may hold the lock for as long before it gets a
 * CPU. Not for ever, since somebody may hold it on purpose.
 */
#define RUNNABLE_ROUNDS 24

static struct {
	pthread_t thread;
	bool is_on;
	atomic_bool is_over;
	int timer;
	pid_t loop; /* the thread that is watched */
	pid_t process;
	atomic_uint reads; /* goes up as a read begins and ends: odd during one */
	atomic_uint seen;  /* reads when the timer was set */
	atomic_bool is_armed;
	void (*replace)(void *context);
	void *context;
} watch = { .timer = -1 };

static void set_timer(long ms)
{
	const struct itimerspec timer = { .it_value.tv_nsec = ms * 1000000 };

	timerfd_settime(watch.timer, 0, &timer, NULL);
}

/*
 * The timer is not stopped at the end of a read: while reads follow each other it is then set once in WATCH_MS, not
 * once for each, at the price of one wake-up after the last.
 */
void watch_enter(pid_t tgid)
{
	unsigned reads;

	if (!watch.is_on)
		return;
	watch.process = tgid;
	reads = atomic_fetch_add_explicit(&watch.reads, 1, memory_order_release) + 1;
	if (atomic_load_explicit(&watch.is_armed, memory_order_relaxed))
		return;
	atomic_store(&watch.seen, reads);
	atomic_store(&watch.is_armed, true);
	set_timer(WATCH_MS);
}

void watch_leave(void)
{
	unsigned reads;

	if (!watch.is_on)
		return;
	reads = atomic_load_explicit(&watch.reads, memory_order_relaxed);
	if ((reads & 1) && atomic_compare_exchange_strong(&watch.reads, &reads, reads + 1))
		return;
	/* We have been replaced. */
	for (;;)
		pause();
}

pid_t watch_process(void)
{
	return watch.process;
}

/* Whether the loop is in uninterruptible sleep, rather than stopped or waiting for a CPU. */
static bool is_stuck(void)
{
	_cleanup_close_ int proc = procfs_open();
	struct procfs_stat stat;

	return proc >= 0 && procfs_thread_stat(proc, getpid(), watch.loop, &stat) == 0 && stat.state == 'D';
}

/* Whether the process being read is waiting for a CPU, and will release the lock once it has one. */
static bool is_runnable(void)
{
	_cleanup_close_ int proc = procfs_open();
	struct procfs_stat stat;

	return proc >= 0 && procfs_stat(proc, watch.process, &stat) == 0 && stat.state == 'R';
}

/* Whether the read has lasted long enough. rounds: for how many times WATCH_MS. */
static bool hangs(unsigned rounds)
{
	return rounds && is_stuck() && (rounds > RUNNABLE_ROUNDS || !is_runnable());
}

static void *run(void *unused)
{
	unsigned rounds = 0;
	uint64_t times;

	(void)unused;
	for (;;) {
		unsigned reads;

		if (read(watch.timer, &times, sizeof(times)) < 0)
			continue;
		if (atomic_load(&watch.is_over))
			return NULL;
		reads = atomic_load(&watch.reads);
		rounds = (reads & 1) && reads == atomic_load(&watch.seen) ? rounds + 1 : 0;
		if (hangs(rounds)) {
			poll(NULL, 0, SECOND_CHECK_MS);
			/* Made even, it tells watch_leave that the loop has been replaced. */
			if (atomic_load(&watch.reads) == reads && is_stuck() &&
			    atomic_compare_exchange_strong(&watch.reads, &reads, reads + 1)) {
				watch.replace(watch.context);
				return NULL;
			}
		}
		/* The loop sets the timer again with its next read, but it may still be in this one. */
		atomic_store(&watch.seen, reads);
		atomic_store(&watch.is_armed, false);
		if (atomic_load(&watch.reads) == reads && (reads & 1)) {
			atomic_store(&watch.is_armed, true);
			set_timer(WATCH_MS);
		}
	}
}

int watch_start(void (*replace)(void *context), void *context)
{
	int r;

	watch.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (watch.timer < 0)
		return -errno;
	watch.loop = gettid();
	watch.replace = replace;
	watch.context = context;
	atomic_store(&watch.reads, 0);
	atomic_store(&watch.is_over, false);
	atomic_store(&watch.is_armed, false);
	r = pthread_create(&watch.thread, NULL, run, NULL);
	watch.is_on = r == 0;
	if (r) {
		close(watch.timer);
		watch.timer = -1;
	}
	return -r;
}

void watch_stop(void)
{
	if (!watch.is_on)
		return;
	watch.is_on = false;
	if (gettid() == watch.loop) {
		/* pthread_cancel would load a library, for which there may be no descriptor left. */
		atomic_store(&watch.is_over, true);
		set_timer(1);
		pthread_join(watch.thread, NULL);
		close(watch.timer);
	}
	watch.timer = -1;
}
