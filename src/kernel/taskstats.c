/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/taskstats.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

/* Exits come in bursts, and nobody reads them between two frames: room for some 20,000. */
#define EXITS_SIZE (32 << 20)

#define MESSAGE_MAX 2048

/* Where the CPUs are listed whose exits we may hear of, as "0-7". */
#define POSSIBLE_CPUS "/sys/devices/system/cpu/possible"

/* ---- decoding ---- */

/*
 * A kernel may send less than we know, or more. In 6.14 and 6.15 there were new fields in the
 * middle (version 15, put right in 16), which shows by ac_pid being somewhere else.
 */
static int copy_stats(const struct nlattr *stats, uint32_t id, struct task_exit *ret)
{
	struct taskstats from = { 0 };
	const size_t size = (size_t)nla_len(stats);

	if (size < offsetof(struct taskstats, ac_btime))
		return -EBADMSG;
	memcpy(&from, nla_data(stats), size < sizeof(from) ? size : sizeof(from));
	if (from.ac_pid != id)
		return -EPROTO;
	*ret = (struct task_exit){
		.tid = (pid_t)id,
		.run_ns = from.cpu_run_virtual_total,
		.delay_ns = from.cpu_delay_total,
		.waits = from.cpu_count,
	};
	memcpy(ret->comm, from.ac_comm, sizeof(ret->comm) - 1);
	return 1;
}

int taskstats_decode(const void *message, size_t size, struct task_exit *ret)
{
	struct nlmsghdr *header = (struct nlmsghdr *)message;
	struct nlattr *aggregate, *id, *stats;

	if (size > INT32_MAX || !nlmsg_ok(header, (int)size) || !nlmsg_valid_hdr(header, GENL_HDRLEN))
		return -EBADMSG;
	aggregate = nlmsg_find_attr(header, GENL_HDRLEN, TASKSTATS_TYPE_AGGR_PID);
	if (!aggregate)
		return 0;
	id = nla_find(nla_data(aggregate), nla_len(aggregate), TASKSTATS_TYPE_PID);
	stats = nla_find(nla_data(aggregate), nla_len(aggregate), TASKSTATS_TYPE_STATS);
	if (!id || nla_len(id) < (int)sizeof(uint32_t) || !stats)
		return -EBADMSG;
	return copy_stats(stats, nla_get_u32(id), ret);
}

/* ---- hearing ---- */

static int read_cpus(char *buf, size_t size)
{
	_cleanup_close_ int fd = open(POSSIBLE_CPUS, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -errno : read_full(fd, buf, size - 1);

	if (n < 0)
		return (int)n;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

/* In a namespace of its own it is refused when it is asked. */
static int ask_for_exits(struct nl_sock *socket, const char *cpus)
{
	const int size = EXITS_SIZE, family = genl_connect(socket) < 0 ? -1 : genl_ctrl_resolve(socket, TASKSTATS_GENL_NAME);
	struct nl_msg *message;

	if (family < 0)
		return -ENOENT;
	if (setsockopt(nl_socket_get_fd(socket), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		return -errno;
	message = nlmsg_alloc();
	if (!message || !genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, 0, TASKSTATS_CMD_GET, TASKSTATS_GENL_VERSION) ||
	    nla_put_string(message, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus) < 0) {
		nlmsg_free(message);
		return -ENOMEM;
	}
	/* The first exits may come before the answer. */
	nl_socket_disable_seq_check(socket);
	return nl_send_sync(socket, message) < 0 ? -EPERM : 0;
}

int taskstats_listen(struct nl_sock **ret)
{
	struct nl_sock *socket;
	char cpus[256];
	int r = read_cpus(cpus, sizeof(cpus));

	if (r < 0)
		return r;
	socket = nl_socket_alloc();
	r = socket ? ask_for_exits(socket, cpus) : -ENOMEM;
	if (r < 0)
		nl_socket_free(socket);
	else
		*ret = socket;
	return r;
}

int taskstats_next_exit(struct nl_sock *socket, struct task_exit *ret)
{
	uint8_t message[MESSAGE_MAX] __attribute__((aligned(8)));
	struct sockaddr_nl sender = { 0 };
	socklen_t length;
	ssize_t size;
	int r = 0;

	while (r == 0) {
		length = sizeof(sender);
		size = recvfrom(nl_socket_get_fd(socket), message, sizeof(message), MSG_DONTWAIT, (struct sockaddr *)&sender,
				&length);
		if (size < 0 && errno != EINTR)
			return errno == EAGAIN ? 0 : -errno;
		/* Any process can send to our port; only the kernel's is 0. */
		if (size > 0 && sender.nl_pid == 0)
			r = taskstats_decode(message, (size_t)size, ret);
	}
	return r;
}
