/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/taskstats.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

/*
 * Requests that share a system call. The kernel answers all of them before the call returns, each
 * answer taking some 1 KB of the receive buffer.
 */
#define BATCH	     64
#define ANSWERS_SIZE (1 << 20)

/* Exits come in bursts, and nobody reads them between two frames: room for some 20,000. */
#define EXITS_SIZE (32 << 20)

/* The answers are there at once. This is for the case that one got lost. */
#define ANSWER_TIMEOUT_S 2

#define MESSAGE_MAX 2048
#define REQUEST_MAX 64

/* Where the CPUs are listed whose exits we may hear of, as "0-7". */
#define POSSIBLE_CPUS "/sys/devices/system/cpu/possible"

struct taskstats_source {
	struct nl_sock *requests, *exits;
	int family;
	uint32_t sequence;
	uint8_t batch[BATCH * REQUEST_MAX] __attribute__((aligned(8)));
	uint8_t answer[MESSAGE_MAX] __attribute__((aligned(8)));
};

/* libnl has numbers of its own for errors. */
static int errno_of(int nl_error)
{
	switch (-nl_error) {
	case 0:
		return 0;
	case NLE_PERM:
		return -EPERM;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	default:
		return -EIO;
	}
}

static int open_socket(int buffer_size, struct nl_sock **ret)
{
	struct nl_sock *socket = nl_socket_alloc();
	const struct timeval timeout = { .tv_sec = ANSWER_TIMEOUT_S };
	int r;

	if (!socket)
		return -ENOMEM;
	r = errno_of(genl_connect(socket));
	if (r == 0 && setsockopt(nl_socket_get_fd(socket), SOL_SOCKET, SO_RCVTIMEO, &timeout,
				 sizeof(timeout)) < 0)
		r = -errno;
	/* Without the privilege the buffer stays as it is, and so does what we may ask for. */
	if (r == 0 && setsockopt(nl_socket_get_fd(socket), SOL_SOCKET, SO_RCVBUFFORCE, &buffer_size,
				 sizeof(buffer_size)) < 0)
		r = -errno;
	if (r < 0) {
		nl_socket_free(socket);
		return r;
	}
	*ret = socket;
	return 0;
}

int taskstats_open(struct taskstats_source **ret)
{
	struct taskstats_source *stats = calloc(1, sizeof(*stats));
	struct task_usage self = { .tid = getpid() };
	int r;

	if (!stats)
		return -ENOMEM;
	r = open_socket(ANSWERS_SIZE, &stats->requests);
	if (r == 0) {
		stats->family = genl_ctrl_resolve(stats->requests, TASKSTATS_GENL_NAME);
		r = stats->family < 0 ? errno_of(stats->family) : 0;
	}
	/* In a namespace of its own it is refused only now. */
	if (r == 0)
		r = taskstats_read(stats, &self, 1);
	if (r == 0 && !self.tid)
		r = -EPERM;
	if (r < 0) {
		taskstats_free(stats);
		return r;
	}
	*ret = stats;
	return 0;
}

void taskstats_free(struct taskstats_source *stats)
{
	if (!stats)
		return;
	/* The kernel forgets a listener when it finds its socket closed (send_cpu_listeners). */
	nl_socket_free(stats->exits);
	nl_socket_free(stats->requests);
	free(stats);
}

/* ---- decoding ---- */

/*
 * A kernel may send less than we know, or more. In 6.14 and 6.15 there were new fields in the
 * middle (version 15, put right in 16), which shows by ac_pid being somewhere else.
 */
static int copy_stats(const struct nlattr *stats, uint32_t id, struct task_usage *ret)
{
	struct taskstats from = { 0 };
	const size_t size = (size_t)nla_len(stats);

	if (size < offsetof(struct taskstats, ac_btime))
		return -EBADMSG;
	memcpy(&from, nla_data(stats), size < sizeof(from) ? size : sizeof(from));
	if (from.ac_pid != id)
		return -EPROTO;
	*ret = (struct task_usage){
		.tid = (pid_t)id,
		.run_ns = from.cpu_run_virtual_total,
		.delay_ns = from.cpu_delay_total,
		.waits = from.cpu_count,
		.tgid = (pid_t)from.ac_tgid,
		.ppid = (pid_t)from.ac_ppid,
		.uid = from.ac_uid,
	};
	memcpy(ret->comm, from.ac_comm, sizeof(ret->comm) - 1);
	return 1;
}

static int decode_error(struct nlmsghdr *header)
{
	struct nlmsgerr error;

	if (nlmsg_datalen(header) < (int)sizeof(error))
		return -EBADMSG;
	memcpy(&error, nlmsg_data(header), sizeof(error));
	return error.error;
}

int taskstats_decode(const void *message, size_t size, struct task_usage *ret)
{
	struct nlmsghdr *header = (struct nlmsghdr *)message;
	struct nlattr *aggregate, *id, *stats;

	if (size > INT32_MAX || !nlmsg_ok(header, (int)size))
		return -EBADMSG;
	if (header->nlmsg_type == NLMSG_ERROR)
		return decode_error(header);
	if (!nlmsg_valid_hdr(header, GENL_HDRLEN))
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

/* ---- asking ---- */

static int make_request(const struct taskstats_source *stats, uint32_t sequence, int attribute,
			const void *value, int length, struct nl_msg **ret)
{
	struct nl_msg *message = nlmsg_alloc();

	if (!message)
		return -ENOMEM;
	if (!genlmsg_put(message, NL_AUTO_PORT, sequence, stats->family, 0, NLM_F_REQUEST,
			 TASKSTATS_CMD_GET, TASKSTATS_GENL_VERSION) ||
	    nla_put(message, attribute, length, value) < 0) {
		nlmsg_free(message);
		return -EMSGSIZE;
	}
	*ret = message;
	return 0;
}

/* One made request serves as the pattern of all: only the number and the id, which stands last, are
 * different. */
static int send_requests(struct taskstats_source *stats, const struct task_usage *all, size_t n)
{
	const uint32_t none = 0;
	struct nl_msg *message;
	struct nlmsghdr *header;
	size_t length, used = 0;
	int r = make_request(stats, 0, TASKSTATS_CMD_ATTR_PID, &none, sizeof(none), &message);

	if (r < 0)
		return r;
	header = nlmsg_hdr(message);
	length = header->nlmsg_len;
	for (size_t i = 0; i < n && length <= REQUEST_MAX; i++, used += length) {
		const uint32_t id = (uint32_t)all[i].tid;

		header->nlmsg_seq = stats->sequence + (uint32_t)i;
		memcpy(stats->batch + used, header, length);
		memcpy(stats->batch + used + length - sizeof(id), &id, sizeof(id));
	}
	nlmsg_free(message);
	r = nl_sendto(stats->requests, stats->batch, used);
	return r < 0 ? errno_of(r) : 0;
}

/* Errors of one task only are the task's. */
static bool is_of_task(int error)
{
	return error == -ESRCH || error == -EINVAL;
}

/* One answer, for whichever of the n requests it is. Returns 1; 0 if it is an old one; or -errno.
 */
static int take_answer(struct taskstats_source *stats, struct task_usage *all, size_t n)
{
	const struct nlmsghdr *header = (const struct nlmsghdr *)stats->answer;
	ssize_t size =
		recv(nl_socket_get_fd(stats->requests), stats->answer, sizeof(stats->answer), 0);
	uint32_t at;
	int r;

	if (size < 0)
		return errno == EINTR ? 0 : -errno;
	if (size < NLMSG_HDRLEN)
		return -EBADMSG;
	at = header->nlmsg_seq - stats->sequence;
	if (at >= n)
		return 0;
	r = taskstats_decode(stats->answer, (size_t)size, &all[at]);
	if (is_of_task(r))
		all[at].tid = 0;
	else if (r < 0)
		return r;
	return 1;
}

int taskstats_read(struct taskstats_source *stats, struct task_usage *all, size_t n)
{
	for (size_t done = 0; done < n;) {
		const size_t count = n - done < BATCH ? n - done : BATCH;
		int r = send_requests(stats, all + done, count);

		for (size_t answered = 0; r >= 0 && answered < count; answered += (size_t)r)
			r = take_answer(stats, all + done, count);
		stats->sequence += BATCH;
		if (r < 0)
			return r;
		done += count;
	}
	return 0;
}

/* ---- exits ---- */

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

int taskstats_listen(struct taskstats_source *stats)
{
	struct nl_msg *message;
	char cpus[256];
	int r = read_cpus(cpus, sizeof(cpus));

	if (r == 0)
		r = open_socket(EXITS_SIZE, &stats->exits);
	if (r < 0)
		return r;
	r = make_request(stats, 0, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus, (int)strlen(cpus) + 1,
			 &message);
	if (r == 0) {
		nl_socket_disable_auto_ack(stats->exits);
		r = nl_send_auto(stats->exits, message);
		r = r < 0 ? errno_of(r) : 0;
		nlmsg_free(message);
	}
	if (r < 0) {
		nl_socket_free(stats->exits);
		stats->exits = NULL;
	}
	return r;
}

int taskstats_next_exit(struct taskstats_source *stats, struct task_usage *ret)
{
	for (;;) {
		struct sockaddr_nl sender = { 0 };
		socklen_t length = sizeof(sender);
		ssize_t size = recvfrom(nl_socket_get_fd(stats->exits), stats->answer,
					sizeof(stats->answer), MSG_DONTWAIT,
					(struct sockaddr *)&sender, &length);
		int r;

		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return errno == EAGAIN ? 0 : -errno;
		/* Any process can send to our port; only the kernel's is 0. */
		if (sender.nl_pid != 0)
			continue;
		r = taskstats_decode(stats->answer, (size_t)size, ret);
		if (r != 0)
			return r;
	}
}
