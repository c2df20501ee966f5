/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/netlink_port.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/netlink.h>

#include <schedqos/util/cleanup.h>

static int set_timeout(int fd, unsigned timeout_ms)
{
	const struct timeval timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000L };

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0)
		return -errno;
	return 0;
}

int netlink_port_open(unsigned timeout_ms, uint32_t *ret_port)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	socklen_t size = sizeof(address);
	const int on = 1, flags = SOCK_RAW | SOCK_CLOEXEC | (timeout_ms ? 0 : SOCK_NONBLOCK);
	_cleanup_close_ int fd = socket(AF_NETLINK, flags, NETLINK_USERSOCK);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0 ||
	    bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &size) < 0)
		return -errno;
	if (timeout_ms) {
		int r = set_timeout(fd, timeout_ms);

		if (r < 0)
			return r;
	}
	*ret_port = address.nl_pid;
	return take_fd(fd);
}

ssize_t netlink_port_receive(int fd, void *buf, size_t size, struct netlink_sender *ret_from)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct sockaddr_nl from = { 0 };
	struct iovec data = { buf, size };
	struct msghdr message = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	const ssize_t n = recvmsg(fd, &message, MSG_TRUNC | MSG_CMSG_CLOEXEC);
	const struct cmsghdr *header;
	struct ucred who;

	if (n < 0)
		return -errno;
	header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_CREDENTIALS)
		return -EBADMSG;
	memcpy(&who, CMSG_DATA(header), sizeof(who));
	*ret_from = (struct netlink_sender){ from.nl_pid, who.pid, who.uid };
	return n;
}

int netlink_port_send(int fd, uint32_t port, const void *buf, size_t size)
{
	const struct sockaddr_nl to = { .nl_family = AF_NETLINK, .nl_pid = port };

	return sendto(fd, buf, size, 0, (const struct sockaddr *)&to, sizeof(to)) < 0 ? -errno : 0;
}
