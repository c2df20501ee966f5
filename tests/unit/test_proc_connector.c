/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how messages of the proc connector are decoded, and that malformed ones do no harm. */
#include "test.h"

#include <errno.h>

#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>

#include <schedqos/kernel/events.h>

#define HEAD (NLMSG_HDRLEN + sizeof(struct cn_msg))
#define SIZE (HEAD + sizeof(struct proc_event))

/* struct cn_msg ends with an array without a length, after which C allows no member. */
struct datagram {
	struct nlmsghdr netlink;
	uint32_t idx, val, seq, ack;
	uint16_t length, flags;
	struct proc_event event;
} __attribute__((packed));
_Static_assert(offsetof(struct datagram, length) == NLMSG_HDRLEN + offsetof(struct cn_msg, len) &&
		       offsetof(struct datagram, event) == HEAD,
	       "as the kernel packs it");

static struct datagram datagram(uint32_t what)
{
	struct datagram d = {
		.netlink = { .nlmsg_len = SIZE, .nlmsg_type = NLMSG_DONE },
		.idx = CN_IDX_PROC,
		.val = CN_VAL_PROC,
		.length = sizeof(struct proc_event),
	};

	memcpy(&d.event.what, &what, sizeof(what));
	d.event.timestamp_ns = 123456789012345;
	return d;
}

static struct datagram fork_of(pid_t parent, pid_t parent_tgid, pid_t tid, pid_t tgid)
{
	struct datagram d = datagram(EVENT_FORK);

	d.event.event_data.fork.parent_pid = parent;
	d.event.event_data.fork.parent_tgid = parent_tgid;
	d.event.event_data.fork.child_pid = tid;
	d.event.event_data.fork.child_tgid = tgid;
	return d;
}

/* Decodes from memory that ends with the datagram, so that a read beyond it is found. */
static int decode(const void *bytes, size_t size, struct task_event *event)
{
	char *copy = malloc(size ? size : 1);
	int r;

	memcpy(copy, bytes, size);
	r = proc_connector_decode(copy, size, event);
	free(copy);
	return r;
}

TEST(a_fork_names_parent_and_child)
{
	const struct datagram d = fork_of(10, 11, 12, 13);
	struct task_event event;

	assert_int_equal(decode(&d, SIZE, &event), 1);
	assert_int_equal(event.what, EVENT_FORK);
	assert_int_equal(event.parent_tid, 10);
	assert_int_equal(event.parent_tgid, 11);
	assert_int_equal(event.tid, 12);
	assert_int_equal(event.tgid, 13);
	assert_true(event.ns == 123456789012345);
	assert_int_equal(event.ms, (uint32_t)123456789);
}

TEST(an_exec_names_its_task)
{
	struct datagram exec = datagram(EVENT_EXEC);
	struct task_event event;

	exec.event.event_data.exec.process_pid = 20;
	exec.event.event_data.exec.process_tgid = 21;
	assert_int_equal(decode(&exec, SIZE, &event), 1);
	assert_int_equal(event.what, EVENT_EXEC);
	assert_int_equal(event.tid, 20);
	assert_int_equal(event.tgid, 21);
	assert_int_equal(event.parent_tid, 0);
}

TEST(a_rename_has_a_name_that_ends_with_nul)
{
	struct datagram d = datagram(EVENT_RENAME);
	struct task_event event;

	d.event.event_data.comm.process_pid = 30;
	d.event.event_data.comm.process_tgid = 31;
	memcpy(d.event.event_data.comm.comm, "worker", 7);
	assert_int_equal(decode(&d, SIZE, &event), 1);
	assert_int_equal(event.tid, 30);
	assert_int_equal(event.tgid, 31);
	assert_string_equal(event.comm, "worker");
	/* The kernel ends the name with a NUL, but the decoder must not rely on that. */
	memset(d.event.event_data.comm.comm, 'x', 16);
	assert_int_equal(decode(&d, SIZE, &event), 1);
	assert_string_equal(event.comm, "xxxxxxxxxxxxxxx");
}

TEST(other_events_are_ignored)
{
	static const uint32_t kinds[] = { 0, 4, 0x40, 0x80000000, 3 };
	struct datagram other = fork_of(1, 1, 2, 2);
	struct task_event event;

	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct datagram d = datagram(kinds[i]);

		d.event.event_data.exec.process_pid = d.event.event_data.exec.process_tgid = 5;
		assert_int_equal(decode(&d, SIZE, &event), 0);
	}
	/* This message is of another connector. */
	other.idx++;
	assert_int_equal(decode(&other, SIZE, &event), 0);
	other.idx--;
	other.val++;
	assert_int_equal(decode(&other, SIZE, &event), 0);
}

TEST(a_datagram_that_is_cut_anywhere_is_malformed)
{
	const struct datagram d = fork_of(10, 11, 12, 13);
	struct task_event event;

	for (size_t size = 0; size < SIZE; size++)
		assert_int_equal(decode(&d, size, &event), -EBADMSG);
}

TEST(a_datagram_with_a_length_that_is_too_short_is_malformed)
{
	const size_t needed = HEAD + offsetof(struct proc_event, event_data) + 4 * sizeof(pid_t);
	struct task_event event;

	for (size_t size = 0; size < needed; size++) {
		struct datagram d = fork_of(0x01010101, 0x01010101, 0x01010101, 0x01010101);
		int r;

		d.netlink.nlmsg_len = (uint32_t)size;
		d.length = (uint16_t)(size > HEAD ? size - HEAD : 0);
		r = decode(&d, size, &event);
		/* If the last number is cut, it is read as another number. */
		assert_int_equal(r, size > needed - sizeof(pid_t) ? 1 : -EBADMSG);
	}
}

TEST(a_length_beyond_the_datagram_is_malformed)
{
	static const uint32_t lengths[] = { SIZE + 1, 0xffffffff, HEAD - 1, 0 };
	struct task_event event;

	for (size_t i = 0; i < COUNT(lengths); i++) {
		struct datagram d = fork_of(1, 1, 2, 2);

		d.netlink.nlmsg_len = lengths[i];
		assert_int_equal(decode(&d, SIZE, &event), -EBADMSG);
		d = fork_of(1, 1, 2, 2);
		d.length = (uint16_t)(sizeof(struct proc_event) + 1 + i * 13000);
		assert_int_equal(decode(&d, SIZE, &event), -EBADMSG);
	}
}

TEST(a_longer_event_of_a_later_kernel_is_decoded)
{
	struct {
		struct datagram datagram;
		char more[32];
	} __attribute__((packed)) d = { .datagram = fork_of(10, 11, 12, 13) };
	struct task_event event;

	d.datagram.netlink.nlmsg_len += sizeof(d.more);
	d.datagram.length += sizeof(d.more);
	assert_int_equal(decode(&d, sizeof(d), &event), 1);
	assert_int_equal(event.tgid, 13);
}

TEST(an_event_without_the_id_of_a_task_is_malformed)
{
	static const pid_t ids[][2] = { { 0, 1 }, { 1, 0 }, { -1, 1 }, { 1, -1 } };
	struct task_event event;

	for (size_t i = 0; i < COUNT(ids); i++) {
		const struct datagram d = fork_of(1, 1, ids[i][0], ids[i][1]);

		assert_int_equal(decode(&d, SIZE, &event), -EBADMSG);
	}
}
