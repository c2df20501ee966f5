/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/clock_jumps.h>

#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>

/* In seconds: the year 2242, since the kernel counts nanoseconds in 63 bits. */
#define NEVER 8589934592LL

int clock_jumps_open(void)
{
	const struct itimerspec never = { .it_value.tv_sec = NEVER };
	_cleanup_close_ int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) < 0)
		return -errno;
	return take_fd(fd);
}

void clock_jumps_drain(int fd)
{
	uint64_t expired;
	/* It says ECANCELED, once, and the timer goes on. */
	ssize_t n = read(fd, &expired, sizeof(expired));

	(void)n;
}
