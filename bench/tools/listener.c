/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reference: a listener with the daemon's subscription that only receives ("bare", the one argument that it takes).
 * Prints "ready"; at SIGUSR1, and at the end by SIGTERM, its counts, as JSON.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>

#include "bench.h"

#define BATCH	       64
#define DATAGRAM_MAX   128
#define RECEIVE_BUFFER (16 * 1024 * 1024)

#define EVENT_FORK 0x1u
#define EVENT_EXEC 0x2u
#define EVENT_COMM 0x200u

struct listener {
	int socket;
	uint64_t forks, execs, renames, lost, batches;
	struct mmsghdr messages[BATCH];
	struct iovec iovecs[BATCH];
	struct sockaddr_nl senders[BATCH];
	uint8_t datagrams[BATCH][DATAGRAM_MAX] __attribute__((aligned(8)));
};

/* Kernels before 6.6 take a plain LISTEN only, and filter nothing. */
static bool kernel_has_filter(void)
{
	struct utsname name;
	int major, minor;

	return uname(&name) == 0 && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 6));
}

static void subscribe(int fd)
{
	const uint32_t body[] = { PROC_CN_MCAST_LISTEN, EVENT_FORK | EVENT_EXEC | EVENT_COMM };
	struct cn_msg message = { .id = { CN_IDX_PROC, CN_VAL_PROC } };
	struct nlmsghdr header = { .nlmsg_type = NLMSG_DONE };
	struct iovec request[] = {
		{ &header, sizeof(header) },
		{ &message, sizeof(message) },
		{ (void *)body, kernel_has_filter() ? 8 : 4 },
	};

	message.len = request[2].iov_len;
	header.nlmsg_len = sizeof(header) + sizeof(message) + message.len;
	if (writev(fd, request, 3) < 0)
		die("subscribing");
}

static void open_socket(struct listener *listener)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	int size = RECEIVE_BUFFER;

	listener->socket =
		socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
	if (listener->socket < 0 ||
	    setsockopt(listener->socket, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0 ||
	    bind(listener->socket, (struct sockaddr *)&address, sizeof(address)) < 0)
		die("opening the proc connector");
	for (int i = 0; i < BATCH; i++) {
		listener->iovecs[i] = (struct iovec){ listener->datagrams[i], DATAGRAM_MAX };
		listener->messages[i].msg_hdr = (struct msghdr){
			.msg_name = &listener->senders[i],
			.msg_iov = &listener->iovecs[i],
			.msg_iovlen = 1,
		};
	}
	subscribe(listener->socket);
}

static void hear(struct listener *listener, const uint8_t *datagram)
{
	const struct proc_event *event =
		(const void *)(datagram + NLMSG_HDRLEN + sizeof(struct cn_msg));

	switch ((uint32_t)event->what) {
	case EVENT_FORK:
		listener->forks++;
		break;
	case EVENT_EXEC:
		listener->execs++;
		break;
	case EVENT_COMM:
		listener->renames++;
		break;
	}
}

/* Receives one batch; returns whether there may be more. */
static bool receive(struct listener *listener)
{
	int n;

	for (int i = 0; i < BATCH; i++)
		listener->messages[i].msg_hdr.msg_namelen = sizeof(struct sockaddr_nl);
	n = recvmmsg(listener->socket, listener->messages, BATCH, MSG_DONTWAIT, NULL);
	listener->batches++;
	if (n < 0 && errno == ENOBUFS) {
		listener->lost++;
		return true;
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		die("receiving");
	for (int i = 0; i < n; i++) {
		if (listener->senders[i].nl_pid == 0 &&
		    listener->messages[i].msg_len >= NLMSG_HDRLEN + sizeof(struct cn_msg) + 16)
			hear(listener, listener->datagrams[i]);
	}
	return n == BATCH;
}

static void print_counts(const struct listener *listener)
{
	printf("{\"forks\": %" PRIu64 ", \"execs\": %" PRIu64 ", \"renames\": %" PRIu64
	       ", \"lost\": %" PRIu64 ", \"batches\": %" PRIu64 "}\n",
	       listener->forks, listener->execs, listener->renames, listener->lost, listener->batches);
	fflush(stdout);
}

static int open_signals(void)
{
	sigset_t signals;
	int fd;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	fd = signalfd(-1, &signals, SFD_CLOEXEC);
	if (fd < 0)
		die("signalfd");
	return fd;
}

/* Returns false at SIGTERM. */
static bool on_signal(const struct listener *listener, int fd)
{
	struct signalfd_siginfo signal;

	if (read(fd, &signal, sizeof(signal)) != sizeof(signal))
		die("reading a signal");
	print_counts(listener);
	return signal.ssi_signo != SIGTERM;
}

static int open_epoll(int socket, int signals)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = socket };
	int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd < 0 || epoll_ctl(fd, EPOLL_CTL_ADD, socket, &event) < 0)
		die("epoll");
	event.data.fd = signals;
	if (epoll_ctl(fd, EPOLL_CTL_ADD, signals, &event) < 0)
		die("epoll");
	return fd;
}

static void run(struct listener *listener, int signals)
{
	int epoll = open_epoll(listener->socket, signals);
	struct epoll_event event;

	for (;;) {
		if (epoll_wait(epoll, &event, 1, -1) != 1)
			continue;
		if (event.data.fd == signals && !on_signal(listener, signals))
			return;
		while (event.data.fd == listener->socket && receive(listener))
			;
	}
}

int main(int argc, char **argv)
{
	static struct listener listener;
	int signals;

	if (argc != 2 || strcmp(argv[1], "bare") != 0) {
		fprintf(stderr, "usage: %s bare\n", argv[0]);
		return 2;
	}
	signals = open_signals();
	if (setpriority(PRIO_PROCESS, 0, -20) < 0)
		die("setpriority");
	open_socket(&listener);
	puts("ready");
	fflush(stdout);
	run(&listener, signals);
	return 0;
}
