/* SPDX-License-Identifier: GPL-2.0-only */
/* Speaks the taskstats protocol: subscribes to ends of tasks, asks about living ones, decodes the records. */
#include <schedqos/kernel/taskstats.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include <schedqos/util/cleanup.h>

/* Copied from linux/taskstats.h, because older versions of that header lack fields that newer kernels send. */
#define FAMILY "TASKSTATS"
#define FAMILY_VERSION 1
enum { COMMAND_GET = 1, COMMAND_NEW = 2 };
enum { ASK_PID = 1, ASK_REGISTER = 3, ASK_DEREGISTER = 4 };
enum { TYPE_PID = 1, TYPE_STATS = 3, TYPE_AGGR_PID = 4, TYPE_AGGR_TGID = 5, TYPE_MAX = 6 };

/* struct taskstats of version 16. Later versions append to it, and earlier ones are shorter. */
struct stats {
	uint16_t version;
	uint32_t exit_code;
	uint8_t flag, nice;
	uint64_t cpu_count __attribute__((aligned(8)));
	uint64_t cpu_delay_total;
	uint64_t blkio_count, blkio_delay_total;
	uint64_t swapin_count, swapin_delay_total;
	uint64_t cpu_run_real_total, cpu_run_virtual_total;
	char comm[32];
	uint8_t policy __attribute__((aligned(8)));
	uint8_t pad[3];
	uint32_t uid __attribute__((aligned(8)));
	uint32_t gid, pid, ppid, begin_time;
	uint64_t elapsed_us __attribute__((aligned(8)));
	uint64_t user_us, system_us;
	uint64_t minor_faults, major_faults;
	uint64_t core_memory, virtual_memory;
	uint64_t most_rss_kb, most_virtual_kb;
	uint64_t read_char, write_char, read_syscalls, write_syscalls;
	uint64_t read_bytes, write_bytes, cancelled_write_bytes;
	uint64_t voluntary_switches, involuntary_switches;
	uint64_t user_scaled, system_scaled, cpu_scaled;
	uint64_t freepages_count, freepages_delay_total;
	uint64_t thrashing_count, thrashing_delay_total;
	uint64_t begin_time_64;
	uint64_t compact_count, compact_delay_total;
	uint32_t tgid;
	uint64_t process_elapsed __attribute__((aligned(8)));
	uint64_t exe_device, exe_inode;
	uint64_t wpcopy_count, wpcopy_delay_total;
	uint64_t irq_count, irq_delay_total;
	uint64_t cpu_delay_max, cpu_delay_min;
};
_Static_assert(offsetof(struct stats, cpu_run_real_total) == 64, "as in linux/taskstats.h");
_Static_assert(offsetof(struct stats, uid) == 120, "as in linux/taskstats.h");
_Static_assert(offsetof(struct stats, elapsed_us) == 144, "as in linux/taskstats.h");
_Static_assert(offsetof(struct stats, most_rss_kb) == 200, "as in linux/taskstats.h");
_Static_assert(offsetof(struct stats, begin_time_64) == 344, "as in linux/taskstats.h");
_Static_assert(offsetof(struct stats, tgid) == 368, "as in linux/taskstats.h");
_Static_assert(offsetof(struct stats, cpu_delay_max) == 432, "as in linux/taskstats.h");
_Static_assert(sizeof(struct stats) == 448, "as in linux/taskstats.h");

#define VERSION_WITH_TGID 12 /* Linux 5.19 */
#define VERSION_SHIFTED	  15 /* Linux 6.14 until 6.14.8 put fields in between, and is not supported */
#define VERSION_WITH_MAX  16
#define FIRST_BYTES	  offsetof(struct stats, process_elapsed)

/*
 * Maximum number of records that one receive takes, and maximum size of one: two struct taskstats with their headers.
 */
#define BATCH 64
#define DATAGRAM_MAX 2048

struct taskstats {
	int family;
	struct nl_sock *questions, *ends;
	char cpus[256]; /* list of all possible CPUs */
	struct mmsghdr messages[BATCH];
	struct iovec iovecs[BATCH];
	struct sockaddr_nl senders[BATCH];
	uint8_t datagrams[BATCH][DATAGRAM_MAX] __attribute__((aligned(8)));
};

/* ---- the decoder ---- */

/* Reads a struct. Returns false if it is too short or of a version that we cannot read. */
static bool read_stats(const uint8_t *from, size_t size, struct stats *ret, bool *ret_has_longest)
{
	uint16_t version;

	if (size < sizeof(version))
		return false;
	memcpy(&version, from, sizeof(version));
	*ret_has_longest = version >= VERSION_WITH_MAX && size >= sizeof(*ret);
	if (version < VERSION_WITH_TGID || version == VERSION_SHIFTED || size < FIRST_BYTES)
		return false;
	memcpy(ret, from, size < sizeof(*ret) ? size : sizeof(*ret));
	return true;
}

static int decode_stats(const struct nlattr *of_task, struct task_use *ret)
{
	struct stats stats = { 0 };
	uint32_t tid;
	struct nlattr *parts[TYPE_MAX + 1];
	bool has_longest;

	if (nla_parse_nested(parts, TYPE_MAX, (struct nlattr *)of_task, NULL) < 0 || !parts[TYPE_PID] ||
	    !parts[TYPE_STATS] || nla_len(parts[TYPE_PID]) < (int)sizeof(tid))
		return -EBADMSG;
	memcpy(&tid, nla_data(parts[TYPE_PID]), sizeof(tid));
	if (!read_stats(nla_data(parts[TYPE_STATS]), (size_t)nla_len(parts[TYPE_STATS]), &stats, &has_longest))
		return -EBADMSG;
	*ret = (struct task_use){
		.tid = (pid_t)tid,
		.tgid = (pid_t)stats.tgid,
		.ppid = (pid_t)stats.ppid,
		.uid = stats.uid,
		/* Unlike cpu_run_real_total, this does not depend on CONFIG_TASK_DELAY_ACCT. */
		.cpu_ns = (stats.user_us + stats.system_us) * 1000,
		.run_ns = stats.cpu_run_virtual_total,
		.delay_ns = stats.cpu_delay_total,
		.waits = stats.cpu_count,
		.longest_ns = stats.cpu_delay_max,
		.age_us = stats.elapsed_us,
		.rss_kb = stats.most_rss_kb,
		/*
		 * Without CONFIG_TASK_DELAY_ACCT these fields are all 0. With it, every task that has ended ran at
		 * least once.
		 */
		.has_delays = stats.cpu_count || stats.cpu_run_virtual_total,
		.has_longest = has_longest,
	};
	memcpy(ret->comm, stats.comm, sizeof(ret->comm) - 1);
	/* The kernel fills this in after it has found the task, which another CPU may have reaped in between. */
	if (!stats.tgid)
		return -ESRCH;
	return ret->tid > 0 && ret->tgid > 0 && ret->ppid >= 0 ? 1 : -EBADMSG;
}

int taskstats_decode(const void *datagram, size_t size, int family, struct task_use *ret)
{
	struct nlmsghdr *message = (struct nlmsghdr *)datagram;
	struct nlattr *parts[TYPE_MAX + 1];
	int r;

	if (size > INT32_MAX || !nlmsg_ok(message, (int)size))
		return -EBADMSG;
	if (message->nlmsg_type == NLMSG_ERROR) {
		const struct nlmsgerr *error = nlmsg_data(message);

		if (nlmsg_datalen(message) < (int)sizeof(*error) || error->error > 0)
			return -EBADMSG;
		return error->error;
	}
	if (message->nlmsg_type != family)
		return 0;
	if (!genlmsg_valid_hdr(message, 0))
		return -EBADMSG;
	if (genlmsg_hdr(message)->cmd != COMMAND_NEW)
		return 0;
	if (nla_parse(parts, TYPE_MAX, genlmsg_attrdata(genlmsg_hdr(message), 0),
		      genlmsg_attrlen(genlmsg_hdr(message), 0), NULL) < 0)
		return -EBADMSG;
	if (!parts[TYPE_AGGR_PID])
		return 0;
	r = decode_stats(parts[TYPE_AGGR_PID], ret);
	/*
	 * The record of the last of several threads also brings the sums of its process, which we have already counted
	 * thread by thread. The record of a process with one thread brings none.
	 */
	if (r == 1)
		ret->ends_process = parts[TYPE_AGGR_TGID] || ret->tid == ret->tgid;
	return r;
}

/* ---- the sockets ---- */

static int open_taskstats(struct nl_sock **ret)
{
	int r;

	errno = 0;
	*ret = nl_socket_alloc();
	if (!*ret)
		return -ENOMEM;
	r = genl_connect(*ret);
	/* libnl maps errors to its own numbers; we want the errno of the failed call. */
	return r < 0 ? -(errno ? errno : EIO) : 0;
}

/* Sends the list of CPUs whose ends we want to hear of, or no longer. Returns 0 or -errno. */
static int request_ends(struct taskstats *stats, int attribute)
{
	struct nl_msg *message = nlmsg_alloc();
	int r = message ? 0 : -ENOMEM;

	if (r == 0 && (!genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, stats->family, 0, 0, COMMAND_GET,
				    FAMILY_VERSION) ||
		       nla_put_string(message, attribute, stats->cpus) < 0))
		r = -ENOMEM;
	if (r == 0 && nl_send_auto(stats->ends, message) < 0)
		r = -(errno ? errno : EIO);
	nlmsg_free(message);
	return r;
}

/* Reads the acknowledgement. Records of ended tasks may arrive before it. Returns 0 or -errno. */
static int await_ack(struct taskstats *stats)
{
	uint8_t *datagram = stats->datagrams[0];
	struct task_use record;

	for (;;) {
		const ssize_t size = recv(nl_socket_get_fd(stats->ends), datagram, DATAGRAM_MAX, 0);

		if (size < 0 && errno != EINTR && errno != ENOBUFS)
			return -errno;
		if (size >= (ssize_t)sizeof(struct nlmsghdr) &&
		    ((const struct nlmsghdr *)datagram)->nlmsg_type == NLMSG_ERROR)
			return taskstats_decode(datagram, (size_t)size, stats->family, &record);
	}
}

/* Reads the list of possible CPUs. Listening to all of them includes CPUs that come online later. */
static int read_cpus(struct taskstats *stats)
{
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	int r = 0;

	if (!file)
		return -errno;
	if (!fgets(stats->cpus, sizeof(stats->cpus), file))
		r = -EIO;
	fclose(file);
	stats->cpus[strcspn(stats->cpus, "\n")] = '\0';
	return r;
}

/* Registers us with the kernel. It may then report ends before it acknowledges that. */
static int listen_to_ends(struct taskstats *stats, int buffer_size)
{
	int r = open_taskstats(&stats->ends), fd;

	if (r < 0)
		return r;
	fd = nl_socket_get_fd(stats->ends);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_size, sizeof(buffer_size)) < 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer_size, sizeof(buffer_size)) < 0)
		return -errno;
	r = request_ends(stats, ASK_REGISTER);
	return r < 0 ? r : await_ack(stats);
}

int taskstats_open(struct taskstats **ret, int buffer_size)
{
	struct taskstats *stats = calloc(1, sizeof(*stats));
	int r;

	if (!stats)
		return -ENOMEM;
	for (int i = 0; i < BATCH; i++) {
		stats->iovecs[i] = (struct iovec){ stats->datagrams[i], DATAGRAM_MAX };
		stats->messages[i].msg_hdr = (struct msghdr){
			.msg_name = &stats->senders[i],
			.msg_iov = &stats->iovecs[i],
			.msg_iovlen = 1,
		};
	}
	r = read_cpus(stats);
	if (r == 0)
		r = open_taskstats(&stats->questions);
	if (r == 0) {
		stats->family = genl_ctrl_resolve(stats->questions, FAMILY);
		if (stats->family < 0)
			r = -ENOENT;
	}
	if (r == 0)
		r = listen_to_ends(stats, buffer_size);
	if (r < 0) {
		taskstats_close(stats);
		return r;
	}
	*ret = stats;
	return 0;
}

/*
 * Deregisters explicitly: otherwise the kernel would notice the closed socket only when the next task ends on each CPU,
 * and that task would spend time on it.
 */
void taskstats_close(struct taskstats *stats)
{
	if (!stats)
		return;
	if (stats->ends)
		request_ends(stats, ASK_DEREGISTER);
	nl_socket_free(stats->ends);
	nl_socket_free(stats->questions);
	free(stats);
}

/* Receives up to max datagrams of the kernel. Returns their number, or -errno. */
static int receive_datagrams(struct taskstats *stats, struct nl_sock *socket, unsigned max)
{
	int n;

	for (unsigned i = 0; i < max; i++)
		stats->messages[i].msg_hdr.msg_namelen = sizeof(struct sockaddr_nl);
	n = recvmmsg(nl_socket_get_fd(socket), stats->messages, max, MSG_DONTWAIT, NULL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	return n;
}

/* Decodes datagram number i. Ignores datagrams from senders other than the kernel. */
static int decode_at(const struct taskstats *stats, int i, struct task_use *ret)
{
	if (stats->senders[i].nl_pid != 0)
		return 0;
	return taskstats_decode(stats->datagrams[i], stats->messages[i].msg_len, stats->family, ret);
}

int taskstats_receive(struct taskstats *stats, struct task_use *records, size_t max, bool *ret_drained)
{
	const unsigned want = max < BATCH ? (unsigned)max : BATCH;
	int count = 0, n = receive_datagrams(stats, stats->ends, want);

	*ret_drained = n < (int)want;
	for (int i = 0; i < n; i++)
		count += decode_at(stats, i, &records[count]) == 1;
	return n < 0 ? n : count;
}

int taskstats_ask(struct taskstats *stats, const pid_t *tids, size_t n, struct task_use *records)
{
	struct question {
		struct nlmsghdr netlink;
		struct genlmsghdr generic;
		struct nlattr attribute;
		uint32_t tid;
	} questions[TASKSTATS_ASK_MAX];
	int count = 0, left = (int)(n < TASKSTATS_ASK_MAX ? n : TASKSTATS_ASK_MAX), fault = 0, received;

	_Static_assert(sizeof(struct question) == NLMSG_HDRLEN + GENL_HDRLEN + NLA_HDRLEN + sizeof(uint32_t),
		       "nothing in between");
	for (int i = 0; i < left; i++)
		questions[i] = (struct question){
			.netlink = { sizeof(struct question), (uint16_t)stats->family, NLM_F_REQUEST, 0, 0 },
			.generic = { COMMAND_GET, FAMILY_VERSION, 0 },
			.attribute = { NLA_HDRLEN + sizeof(uint32_t), ASK_PID },
			.tid = (uint32_t)tids[i],
		};
	/* The kernel refuses an empty datagram. */
	if (!left)
		return 0;
	if (send(nl_socket_get_fd(stats->questions), questions, (size_t)left * sizeof(*questions), 0) < 0)
		return -errno;
	/* send() returns after the kernel has queued all answers, one datagram each. */
	for (; left > 0; left -= received) {
		received = receive_datagrams(stats, stats->questions, (unsigned)left);
		if (received <= 0)
			return received < 0 ? received : -EPROTO;
		for (int i = 0; i < received; i++) {
			const int r = decode_at(stats, i, &records[count]);

			count += r == 1;
			/* A task that has ended is no error. */
			if (r < 0 && r != -ESRCH)
				fault = r == -EBADMSG ? -EPROTO : r;
		}
	}
	return fault ? fault : count;
}
