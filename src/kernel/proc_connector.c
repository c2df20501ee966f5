/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/events.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

/* Bytes of a datagram: nlmsghdr 16, cn_msg 20, proc_event 40: 76 on every kernel so far. */
#define DATAGRAM_MAX 128
#define BATCH 64

struct proc_connector {
	struct nl_sock *socket;
	bool listens; /* is counted as a listener by the kernel */
	struct mmsghdr messages[BATCH];
	struct iovec iovecs[BATCH];
	struct sockaddr_nl senders[BATCH];
	/* Buffers, aligned as netlink messages are. */
	uint8_t datagrams[BATCH][DATAGRAM_MAX] __attribute__((aligned(8)));
};

/* Decodes the event in the datagram. Returns the same values as proc_connector_decode. */
static int unpack(const void *datagram, size_t size, struct proc_event *ret)
{
	const size_t head = NLMSG_HDRLEN + sizeof(struct cn_msg);
	struct nlmsghdr netlink;
	struct cn_msg message;

	if (size < head)
		return -EBADMSG;
	memcpy(&netlink, datagram, sizeof(netlink));
	memcpy(&message, (const char *)datagram + NLMSG_HDRLEN, sizeof(message));
	if (netlink.nlmsg_len < head || netlink.nlmsg_len > size)
		return -EBADMSG;
	if (message.id.idx != CN_IDX_PROC || message.id.val != CN_VAL_PROC)
		return 0;
	if (message.len > netlink.nlmsg_len - head ||
	    message.len < offsetof(struct proc_event, event_data))
		return -EBADMSG;
	memcpy(ret, (const char *)datagram + head, message.len < sizeof(*ret) ? message.len : sizeof(*ret));
	return 1;
}

int proc_connector_decode(const void *datagram, size_t size, struct task_event *ret)
{
	struct proc_event event = { 0 };
	int r = unpack(datagram, size, &event);

	if (r != 1)
		return r;
	*ret = (struct task_event){
		.what = (enum event_kind)event.what,
		.ns = event.timestamp_ns,
		.ms = (uint32_t)(event.timestamp_ns / 1000000),
	};
	switch ((uint32_t)event.what) {
	case EVENT_FORK:
		ret->tid = event.event_data.fork.child_pid;
		ret->tgid = event.event_data.fork.child_tgid;
		ret->parent_tid = event.event_data.fork.parent_pid;
		ret->parent_tgid = event.event_data.fork.parent_tgid;
		break;
	case EVENT_EXEC:
		ret->tid = event.event_data.exec.process_pid;
		ret->tgid = event.event_data.exec.process_tgid;
		break;
	case EVENT_RENAME:
		ret->tid = event.event_data.comm.process_pid;
		ret->tgid = event.event_data.comm.process_tgid;
		memcpy(ret->comm, event.event_data.comm.comm, sizeof(ret->comm) - 1);
		break;
	default:
		return 0;
	}
	return ret->tid > 0 && ret->tgid > 0 ? 1 : -EBADMSG;
}

static int listen_to(struct nl_sock *socket, enum proc_cn_mcast_op op)
{
	const struct cn_msg message = { .id = { CN_IDX_PROC, CN_VAL_PROC }, .len = sizeof(op) };
	char request[sizeof(message) + sizeof(op)];
	int r;

	memcpy(request, &message, sizeof(message));
	memcpy(request + sizeof(message), &op, sizeof(op));
	r = nl_send_simple(socket, NLMSG_DONE, 0, request, sizeof(request));
	/* libnl maps errors to its own numbers; we want the errno of the failed send. */
	return r < 0 ? -(errno ? errno : EIO) : 0;
}

/*
 * Attaches a socket filter that drops other kinds of events before they are queued, at the cost of the task that causes
 * them, not ours. The kernel's own filter (since 6.6) comes after the same work (do_one_broadcast in af_netlink.c) and
 * saves nothing. The field is in host order, but BPF_ABS loads swap it as if from network order: hence htonl.
 */
static int drop_others(int fd, uint32_t wanted)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 NLMSG_HDRLEN + sizeof(struct cn_msg) + offsetof(struct proc_event, what)),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, htonl(wanted), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, DATAGRAM_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno : 0;
}

static int open_socket(struct proc_connector *connector, uint32_t wanted, int buffer_size)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int fd, r, group = CN_IDX_PROC;

	errno = 0;
	connector->socket = nl_socket_alloc();
	if (!connector->socket)
		return -ENOMEM;
	if (nl_connect(connector->socket, NETLINK_CONNECTOR) < 0)
		return -(errno ? errno : EIO);
	fd = nl_socket_get_fd(connector->socket);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_size, sizeof(buffer_size)) < 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer_size, sizeof(buffer_size)) < 0)
		return -errno;
	r = drop_others(fd, wanted);
	if (r < 0)
		return r;
	/* With it, nobody else can send to our port (netlink_getsockbyportid in af_netlink.c). */
	if (connect(fd, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0 ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
		return -errno;
	if (nl_socket_set_nonblocking(connector->socket) < 0)
		return -(errno ? errno : EIO);
	return 0;
}

int proc_connector_open(uint32_t wanted, int buffer_size, struct proc_connector **ret)
{
	struct proc_connector *connector = calloc(1, sizeof(*connector));
	int r;

	if (!connector)
		return -ENOMEM;
	for (int i = 0; i < BATCH; i++) {
		connector->iovecs[i] = (struct iovec){ connector->datagrams[i], DATAGRAM_MAX };
		connector->messages[i].msg_hdr = (struct msghdr){
			.msg_name = &connector->senders[i],
			.msg_namelen = sizeof(connector->senders[i]),
			.msg_iov = &connector->iovecs[i],
			.msg_iovlen = 1,
		};
	}
	r = open_socket(connector, wanted, buffer_size);
	if (r == 0)
		r = listen_to(connector->socket, PROC_CN_MCAST_LISTEN);
	connector->listens = r == 0;
	if (r < 0) {
		proc_connector_close(connector);
		return r;
	}
	*ret = connector;
	return 0;
}

void proc_connector_close(struct proc_connector *connector)
{
	if (!connector)
		return;
	/*
	 * Kernels before 6.6 count listeners only by LISTEN and IGNORE, and keep making events for a listener that has
	 * closed its socket without IGNORE. Later kernels notice the close.
	 */
	if (connector->listens)
		listen_to(connector->socket, PROC_CN_MCAST_IGNORE);
	if (connector->socket)
		nl_socket_free(connector->socket);
	free(connector);
}

int proc_connector_fd(const struct proc_connector *connector)
{
	return nl_socket_get_fd(connector->socket);
}

int proc_connector_receive(struct proc_connector *connector, struct task_event *events, size_t max,
			   bool *ret_drained)
{
	unsigned want = max < BATCH ? max : BATCH;
	int n, count = 0;

	n = recvmmsg(proc_connector_fd(connector), connector->messages, want, MSG_DONTWAIT, NULL);
	*ret_drained = n < (int)want;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n; i++) {
		struct mmsghdr *message = &connector->messages[i];

		/* Others with CAP_NET_ADMIN may send to the group; only the kernel does so from port 0. */
		if (connector->senders[i].nl_pid == 0 &&
		    message->msg_hdr.msg_namelen == sizeof(struct sockaddr_nl) &&
		    proc_connector_decode(connector->datagrams[i], message->msg_len, &events[count]) == 1)
			count++;
		/* The kernel has written its own here. */
		message->msg_hdr.msg_namelen = sizeof(connector->senders[i]);
	}
	return count;
}

/* Looks for an event of the child in the queue. Returns 0, -ENODATA if there is none, or another -errno. */
static int find_events_of(struct proc_connector *connector, pid_t child)
{
	struct task_event events[BATCH] = { 0 };
	bool drained;
	int n;

	do {
		n = proc_connector_receive(connector, events, BATCH, &drained);
		if (n < 0 && n != -ENOBUFS)
			return n;
		for (int i = 0; i < n; i++) {
			if (events[i].tid == child)
				return 0;
		}
	} while (!drained || n == -ENOBUFS);
	return -ENODATA;
}

/*
 * The task that causes an event queues it, so once the child has ended its events are there, however slow the machine
 * is.
 */
int proc_connector_probe(struct proc_connector *connector)
{
	pid_t child = fork();

	if (child < 0)
		return -errno;
	if (child == 0) {
		prctl(PR_SET_NAME, "schedqos-proof");
		_exit(0);
	}
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return find_events_of(connector, child);
}
