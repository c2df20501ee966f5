/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A netlink port (NETLINK_USERSOCK) by which processes send each other datagrams, within a network namespace. Anybody may
 * send to it, and the kernel says who did. Unlike a unix socket it takes no descriptors. That matters to whoever must
 * not wait: the last descriptor of a file is closed by whoever receives or drops the message, and that takes as long as
 * the sender likes, as with a TCP socket that has SO_LINGER (4.2 s with a linger of 4 s, 6.18). SO_PASSRIGHTS, which
 * refuses them, is there since 6.16 only.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Who has sent a datagram. */
struct netlink_sender {
	uint32_t port;
	pid_t pid; /* in the sender's own PID namespace (seen with 6.18), so to be compared with something else */
	uid_t uid; /* the real one, or another that the sender has and prefers */
};

/*
 * Opens a port; the kernel chooses its number. timeout_ms: how long to wait for a datagram, or for room to send one; 0:
 * not at all. A descriptor or -errno.
 */
int netlink_port_open(unsigned timeout_ms, uint32_t *ret_port);

/* The size of the datagram, of which up to size bytes are in buf; or -errno: -EAGAIN if there is none. */
ssize_t netlink_port_receive(int fd, void *buf, size_t size, struct netlink_sender *ret_from);

/* 0 or -errno: -ECONNREFUSED if nobody has that port, -EAGAIN if there is no room. */
int netlink_port_send(int fd, uint32_t port, const void *buf, size_t size);
