/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how records of taskstats are decoded, as each kernel sends them, and that malformed ones do no harm. */
#include "test.h"

#include <errno.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <schedqos/kernel/taskstats.h>

#define FAMILY 31
enum { PID = 1, TGID, STATS, AGGR_PID, AGGR_TGID, NUL };

/* A datagram under construction. */
struct datagram {
	uint8_t bytes[4096] __attribute__((aligned(8)));
	size_t size;
};

static size_t begin(struct datagram *d, uint16_t type)
{
	const struct nlattr attribute = { .nla_type = type };
	const size_t at = d->size;

	memcpy(d->bytes + at, &attribute, sizeof(attribute));
	d->size += NLA_HDRLEN;
	return at;
}

static void end(struct datagram *d, size_t at)
{
	const uint16_t length = (uint16_t)(d->size - at);

	memcpy(d->bytes + at + offsetof(struct nlattr, nla_len), &length, sizeof(length));
	d->size = (d->size + 3) & ~3UL;
}

static void put(struct datagram *d, uint16_t type, const void *bytes, size_t size)
{
	const size_t at = begin(d, type);

	memcpy(d->bytes + d->size, bytes, size);
	d->size += size;
	end(d, at);
}

/*
 * Writes a struct taskstats of this version. Each 64-bit number is its own index in the struct of version 16, counted
 * from 1, so that a result shows where it was read.
 */
static size_t stats_of(uint16_t version, uint8_t *ret)
{
	const unsigned words = version < 14 ? 52 : version == 14 ? 54 : version < 17 ? 70 : 86;
	unsigned at = 0;

	for (unsigned word = 0; word < words; word++) {
		memcpy(ret + 8 * at++, &(uint64_t){ word + 1 }, 8);
		switch (word) {
		case 0:
			memcpy(ret, &version, sizeof(version));
			break;
		case 10: /* comm */
			memcpy(ret + 8 * (at - 1), "a comm\0", 8);
			break;
		case 15: /* uid, gid */
			memcpy(ret + 8 * (at - 1), &(uint32_t[]){ 1001, 1002 }, 8);
			break;
		case 16: /* pid, ppid */
			memcpy(ret + 8 * (at - 1), &(uint32_t[]){ 43, 7 }, 8);
			break;
		case 46: /* tgid */
			memcpy(ret + 8 * (at - 1), &(uint32_t[]){ 42, 0 }, 8);
			break;
		}
	}
	return 8UL * at;
}

static void put_task(struct datagram *d, uint16_t aggregate, uint16_t id, uint32_t number, uint16_t version, size_t cut)
{
	uint8_t stats[1024] = { 0 };
	const size_t size = stats_of(version, stats), at = begin(d, aggregate);

	put(d, id, &number, sizeof(number));
	put(d, STATS, stats, cut ? cut : size);
	end(d, at);
}

static void finish(struct datagram *d)
{
	const uint32_t length = (uint32_t)d->size;

	memcpy(d->bytes + offsetof(struct nlmsghdr, nlmsg_len), &length, sizeof(length));
}

static struct datagram head(uint16_t type, uint8_t command)
{
	struct datagram d = { .size = NLMSG_HDRLEN + GENL_HDRLEN };
	const struct nlmsghdr netlink = { .nlmsg_type = type };
	const struct genlmsghdr generic = { .cmd = command, .version = 1 };

	memcpy(d.bytes, &netlink, sizeof(netlink));
	memcpy(d.bytes + NLMSG_HDRLEN, &generic, sizeof(generic));
	return d;
}

static struct datagram record(uint16_t version, size_t cut)
{
	struct datagram d = head(FAMILY, 2);

	put_task(&d, AGGR_PID, PID, 43, version, cut);
	finish(&d);
	return d;
}

/* Decodes from memory that ends with the datagram, so that a read beyond it is found. */
static int decode(const struct datagram *d, size_t size, struct task_use *ret)
{
	void *copy = malloc(size ? size : 1);
	int r;

	memcpy(copy, d->bytes, size);
	r = taskstats_decode(copy, size, FAMILY, ret);
	free(copy);
	return r;
}

TEST(a_task_that_was_reaped_meanwhile_has_ended)
{
	static const uint64_t tgid = 42;
	struct datagram d = record(16, 0);
	struct task_use use;
	uint8_t *at = NULL, *next = d.bytes;

	/* The last number 42 is the tgid. */
	while ((next = memmem(next, (size_t)(d.bytes + d.size - next), &tgid, sizeof(tgid))))
		at = next++;
	assert_non_null(at);
	memset(at, 0, sizeof(tgid));
	assert_int_equal(decode(&d, d.size, &use), -ESRCH);
}

static struct task_use decoded(uint16_t version)
{
	const struct datagram d = record(version, 0);
	struct task_use use;

	assert_int_equal(decode(&d, d.size, &use), 1);
	assert_int_equal(use.tid, 43);
	assert_int_equal(use.tgid, 42);
	assert_int_equal(use.ppid, 7);
	assert_int_equal(use.uid, 1001);
	assert_string_equal(use.comm, "a comm");
	assert_int_equal(use.cpu_ns, (20 + 21) * 1000);
	assert_int_equal(use.run_ns, 10);
	assert_int_equal(use.delay_ns, 4);
	assert_int_equal(use.waits, 3);
	assert_int_equal(use.age_us, 19);
	assert_int_equal(use.rss_kb, 26);
	assert_true(use.has_delays);
	assert_false(use.ends_process);
	return use;
}

TEST(records_of_every_kernel_are_decoded)
{
	for (uint16_t version = 12; version <= 18; version++) {
		if (version != 15)
			decoded(version);
	}
}

TEST(the_longest_wait_is_read_where_the_kernel_reports_it)
{
	assert_false(decoded(13).has_longest);
	assert_false(decoded(14).has_longest);
	assert_true(decoded(16).has_longest);
	assert_int_equal(decoded(16).longest_ns, 55);
	assert_int_equal(decoded(17).longest_ns, 55);
}

TEST(an_older_kernel_and_the_odd_version_are_refused)
{
	const struct datagram older = record(11, 0), odd = record(15, 0);
	struct task_use use;

	assert_int_equal(decode(&older, older.size, &use), -EBADMSG);
	assert_int_equal(decode(&odd, odd.size, &use), -EBADMSG);
}

TEST(a_struct_that_is_cut_is_refused_or_lacks_the_longest_wait)
{
	struct task_use use;

	for (uint16_t version = 12; version <= 17; version++) {
		uint8_t stats[1024];
		const size_t size = stats_of(version, stats);

		for (size_t cut = 1; cut < size; cut++) {
			const struct datagram d = record(version, cut);
			const int r = decode(&d, d.size, &use);

			/* All fields up to tgid are needed. */
			assert_int_equal(r, version == 15 || cut < 376U ? -EBADMSG : 1);
			assert_true(r != 1 || !use.has_longest || cut >= 448);
		}
	}
}

TEST(a_datagram_that_is_cut_is_refused)
{
	struct datagram d = record(16, 0);
	struct task_use use;

	for (size_t size = 0; size < d.size; size++)
		assert_int_equal(decode(&d, size, &use), -EBADMSG);
}

/* The record of the last of several threads brings the sums of its process, which must not be counted again. */
TEST(the_sums_of_a_process_are_not_a_task)
{
	struct datagram d = head(FAMILY, 2);
	struct task_use use;

	put_task(&d, AGGR_PID, PID, 43, 16, 0);
	put_task(&d, AGGR_TGID, TGID, 42, 16, 0);
	finish(&d);
	assert_int_equal(decode(&d, d.size, &use), 1);
	assert_int_equal(use.tid, 43);
	assert_true(use.ends_process);

	d = head(FAMILY, 2);
	put_task(&d, AGGR_TGID, TGID, 42, 16, 0);
	finish(&d);
	assert_int_equal(decode(&d, d.size, &use), 0);
}

TEST(padding_before_the_record_does_not_matter)
{
	struct datagram d = head(FAMILY, 2);
	struct task_use use;

	put(&d, NUL, "", 0);
	put_task(&d, AGGR_PID, PID, 43, 16, 0);
	finish(&d);
	assert_int_equal(decode(&d, d.size, &use), 1);
}

TEST(other_messages_are_ignored)
{
	struct datagram other_family = head(FAMILY + 1, 2), other_command = head(FAMILY, 3), empty = head(FAMILY, 2);
	struct task_use use;

	finish(&other_family);
	finish(&other_command);
	finish(&empty);
	assert_int_equal(decode(&other_family, other_family.size, &use), 0);
	assert_int_equal(decode(&other_command, other_command.size, &use), 0);
	assert_int_equal(decode(&empty, empty.size, &use), 0);
}

static int decode_error(int32_t number, size_t cut)
{
	struct datagram d = { .size = NLMSG_HDRLEN };
	const struct nlmsghdr netlink = { .nlmsg_type = NLMSG_ERROR };
	const struct nlmsgerr error = { .error = number };
	struct task_use use;

	memcpy(d.bytes, &netlink, sizeof(netlink));
	memcpy(d.bytes + NLMSG_HDRLEN, &error, sizeof(error));
	d.size += sizeof(error) - cut;
	finish(&d);
	return decode(&d, d.size, &use);
}

TEST(an_error_of_the_kernel_is_returned)
{
	assert_int_equal(decode_error(-ESRCH, 0), -ESRCH);
	assert_int_equal(decode_error(0, 0), 0);
	assert_int_equal(decode_error(5, 0), -EBADMSG);
	assert_int_equal(decode_error(-ESRCH, 4), -EBADMSG);
}

/* Without CONFIG_TASK_DELAY_ACCT the kernel leaves all delay fields 0, but reports the CPU time. */
TEST(without_delay_accounting_cpu_time_is_reported)
{
	struct datagram d = head(FAMILY, 2);
	uint8_t stats[1024] = { 0 };
	const size_t size = stats_of(14, stats), task = begin(&d, AGGR_PID);
	struct task_use use;

	memset(stats + 16, 0, 64);
	put(&d, PID, &(uint32_t){ 43 }, 4);
	put(&d, STATS, stats, size);
	end(&d, task);
	finish(&d);
	assert_int_equal(decode(&d, d.size, &use), 1);
	assert_false(use.has_delays);
	assert_int_equal(use.cpu_ns, 41000);
}

TEST(a_name_without_a_nul_is_cut)
{
	struct datagram d = head(FAMILY, 2);
	uint8_t stats[1024] = { 0 };
	const size_t size = stats_of(16, stats), task = begin(&d, AGGR_PID);
	struct task_use use;

	memset(stats + 80, 'x', 32);
	put(&d, PID, &(uint32_t){ 43 }, 4);
	put(&d, STATS, stats, size);
	end(&d, task);
	finish(&d);
	assert_int_equal(decode(&d, d.size, &use), 1);
	assert_string_equal(use.comm, "xxxxxxxxxxxxxxx");
}

/* Asks the kernel, if this process may: about itself and a task that does not exist, then about no task. */
TEST(the_kernel_answers_questions)
{
	const pid_t tids[] = { getpid(), INT32_MAX };
	struct task_use uses[COUNT(tids)];
	struct taskstats *stats;
	const int r = taskstats_open(&stats, 65536);

	/* There are no taskstats, no privilege, or this is a container. */
	if (r == -ENOENT || r == -EPERM || r == -EINVAL)
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(taskstats_ask(stats, tids, COUNT(tids), uses), 1);
	assert_int_equal(uses[0].tid, getpid());
	assert_int_equal(uses[0].tgid, getpid());
	assert_int_equal(uses[0].ppid, getppid());
	assert_int_equal(taskstats_ask(stats, tids, 0, uses), 0);
	taskstats_close(stats);
}
