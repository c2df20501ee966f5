/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/daemon/user_request.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include <schedqos/kernel/netlink_port.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>
#include <schedqos/util/number.h>

#define TIMEOUT_NS (30 * NS_PER_S)

/* Nothing tells us that the daemon has ended: after each such wait we look whether its port is still there. */
#define WAIT_MS 1000

/* Between two requests if too many ask at once. */
#define PAUSE_NS 10000000

struct exchange {
	int fd;
	uint32_t port; /* the daemon's */
	uint64_t end_ns;
};

static int read_port(uint32_t *ret)
{
	_cleanup_close_ int fd = open(USER_PORT_FILE, O_RDONLY | O_CLOEXEC);
	char text[16];
	uint64_t port;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read_full(fd, text, sizeof(text));
	if (n < 0)
		return (int)n;
	if (parse_u64(text, (size_t)n, UINT32_MAX, &port) < 0)
		return -ENOENT;
	*ret = (uint32_t)port;
	return 0;
}

/* Our own number in the PID namespace that /proc belongs to, or -errno. */
static pid_t own_number(int proc)
{
	char text[16];
	uint64_t number;
	ssize_t n = readlinkat(proc, "self", text, sizeof(text));

	if (n < 0)
		return -errno;
	return parse_u64(text, (size_t)n, INT_MAX, &number) < 0 ? -ESRCH : (pid_t)number;
}

/* pid 0: ourselves. */
static int read_start(pid_t pid, uint64_t *ret)
{
	struct procfs_stat stat = { 0 };
	_cleanup_close_ int proc = procfs_open();
	int r = proc;

	if (r >= 0 && !pid)
		r = pid = own_number(proc);
	if (r >= 0)
		r = procfs_stat(proc, pid, &stat);
	*ret = stat.start;
	return r;
}

static bool is_over(const struct exchange *exchange)
{
	return clock_ns(CLOCK_MONOTONIC) >= exchange->end_ns;
}

static int send_request(const struct exchange *exchange, const struct user_request *request)
{
	int r;

	do
		r = netlink_port_send(exchange->fd, exchange->port, request, sizeof(*request));
	while ((r == -EAGAIN || r == -EINTR) && !is_over(exchange));
	return r == -EAGAIN ? -ETIMEDOUT : r;
}

/* What is no request is not answered. */
static bool is_gone(const struct exchange *exchange)
{
	return netlink_port_send(exchange->fd, exchange->port, "", 1) == -ECONNREFUSED;
}

/* Anybody can send us something. */
static int receive_answer(const struct exchange *exchange, struct user_answer *ret)
{
	struct netlink_sender from;

	while (!is_over(exchange)) {
		const ssize_t n = netlink_port_receive(exchange->fd, ret, sizeof(*ret), &from);

		/* Somebody else's port by now, or we are in a user namespace that does not know root. */
		if (n >= 0 && from.port == exchange->port && from.uid != 0)
			return -EPERM;
		if (n == sizeof(*ret) && from.port == exchange->port && ret->version == USER_VERSION)
			return 0;
		if (n < 0 && n != -EAGAIN && n != -EINTR && n != -EBADMSG)
			return (int)n;
		if (n == -EAGAIN && is_gone(exchange))
			return -ECONNREFUSED;
	}
	return -ETIMEDOUT;
}

int user_request_send(struct user_request *request, struct user_answer *ret)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct exchange exchange = { .end_ns = clock_ns(CLOCK_MONOTONIC) + TIMEOUT_NS };
	_cleanup_close_ int fd = -1;
	uint32_t own;
	int r = read_port(&exchange.port);

	request->version = USER_VERSION;
	if (r == 0)
		r = read_start(request->pid, &request->start);
	if (r < 0)
		return r;
	fd = exchange.fd = netlink_port_open(WAIT_MS, &own);
	if (fd < 0)
		return fd;
	for (;;) {
		r = send_request(&exchange, request);
		if (r == 0)
			r = receive_answer(&exchange, ret);
		if (r < 0 || ret->result != USER_ASK_AGAIN || is_over(&exchange))
			break;
		nanosleep(&pause, NULL);
	}
	ret->text[sizeof(ret->text) - 1] = '\0';
	return r == 0 && ret->result == USER_ASK_AGAIN ? -ETIMEDOUT : r;
}
