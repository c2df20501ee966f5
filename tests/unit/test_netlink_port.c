/* SPDX-License-Identifier: GPL-2.0-only */
/* Datagrams between two ports of our own: whose they are, and what cannot be sent. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/netlink.h>

#include <schedqos/kernel/netlink_port.h>

struct ends {
	int here, there;
	uint32_t here_port, there_port;
};

static int ends_on(void **state)
{
	static struct ends ends;

	ends.here = netlink_port_open(0, &ends.here_port);
	ends.there = netlink_port_open(1000, &ends.there_port);
	*state = &ends;
	return 0;
}

static int ends_off(void **state)
{
	const struct ends *ends = *state;

	close(ends->here);
	close(ends->there);
	return 0;
}

static void need(const struct ends *ends)
{
	if (ends->here == -EPROTONOSUPPORT || ends->here == -EAFNOSUPPORT || ends->here == -EPERM)
		skip();
	assert_true(ends->here >= 0 && ends->there >= 0);
	assert_int_not_equal(ends->here_port, ends->there_port);
}

static void the_kernel_says_who_has_sent_it(void **state)
{
	const struct ends *ends = *state;
	struct netlink_sender from;
	char buf[4] = "";

	need(ends);
	assert_int_equal(netlink_port_receive(ends->here, buf, sizeof(buf), &from), -EAGAIN);
	assert_int_equal(netlink_port_send(ends->there, ends->here_port, "abcdefg", 7), 0);
	assert_int_equal(netlink_port_receive(ends->here, buf, sizeof(buf), &from), 7);
	assert_memory_equal(buf, "abcd", 4);
	assert_int_equal(from.port, ends->there_port);
	assert_int_equal(from.pid, getpid());
	assert_int_equal(from.uid, getuid());
	assert_int_equal(netlink_port_send(ends->here, from.port, "z", 1), 0);
	assert_int_equal(netlink_port_receive(ends->there, buf, sizeof(buf), &from), 1);
	assert_int_equal(from.port, ends->here_port);
}

static void nobody_hears_what_is_sent_to_a_closed_port(void **state)
{
	const struct ends *ends = *state;
	uint32_t port = 0;
	int fd;

	need(ends);
	fd = netlink_port_open(0, &port);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(netlink_port_send(ends->here, port, "", 1), -ECONNREFUSED);
}

/* That is what it is chosen for. */
static void descriptors_cannot_be_sent(void **state)
{
	const struct ends *ends = *state;
	struct sockaddr_nl to = { .nl_family = AF_NETLINK, .nl_pid = ends->here_port };
	char byte = 'x';
	struct iovec data = { &byte, 1 };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct msghdr message = { .msg_name = &to,
				  .msg_namelen = sizeof(to),
				  .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	const int fd = ends->here;

	need(ends);
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	assert_int_equal(sendmsg(ends->there, &message, 0), -1);
	assert_int_equal(errno, EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, ends_on, ends_off)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_kernel_says_who_has_sent_it),
		TEST(nobody_hears_what_is_sent_to_a_closed_port),
		TEST(descriptors_cannot_be_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
