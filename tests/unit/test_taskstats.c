/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of the kernel's about what tasks have used. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <linux/taskstats.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/kernel/taskstats.h>

static uint8_t bytes[2048] __attribute__((aligned(8)));

/* As the kernel makes one; size: of the figures, as another version has them. */
static size_t make(int aggregate, int id_type, uint32_t id, const struct taskstats *stats,
		   size_t size)
{
	struct nl_msg *message = nlmsg_alloc();
	struct nlattr *nest;
	size_t length;

	genlmsg_put(message, 0, 0, 30, 0, 0, TASKSTATS_CMD_NEW, TASKSTATS_GENL_VERSION);
	nest = nla_nest_start(message, aggregate);
	assert_int_equal(nla_put_u32(message, id_type, id), 0);
	assert_int_equal(nla_put(message, TASKSTATS_TYPE_STATS, (int)size, stats), 0);
	nla_nest_end(message, nest);
	length = nlmsg_hdr(message)->nlmsg_len;
	memcpy(bytes, nlmsg_hdr(message), length);
	nlmsg_free(message);
	return length;
}

static struct taskstats some_stats(void)
{
	return (struct taskstats){
		.version = TASKSTATS_VERSION,
		.ac_pid = 77,
		.ac_comm = "cc1",
		.cpu_run_virtual_total = 5000,
		.cpu_delay_total = 700,
		.cpu_count = 9,
	};
}

static void a_task_s_figures_are_read(void **state)
{
	const struct taskstats stats = some_stats();
	const size_t size =
		make(TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, 77, &stats, sizeof(stats));
	struct task_exit usage;

	(void)state;
	assert_int_equal(taskstats_decode(bytes, size, &usage), 1);
	assert_int_equal(usage.tid, 77);
	assert_string_equal(usage.comm, "cc1");
	assert_int_equal(usage.run_ns, 5000);
	assert_int_equal(usage.delay_ns, 700);
	assert_int_equal(usage.waits, 9);
}

static void a_process_s_figures_are_none_of_a_task(void **state)
{
	const struct taskstats stats = { .cpu_run_virtual_total = 12, .cpu_count = 1 };
	const size_t size = make(TASKSTATS_TYPE_AGGR_TGID, TASKSTATS_TYPE_TGID, 5, &stats, sizeof(stats));
	struct task_exit usage;

	(void)state;
	assert_int_equal(taskstats_decode(bytes, size, &usage), 0);
}

/* A kernel of another version may send less, or more. */
static void other_versions_are_read_as_far_as_they_agree(void **state)
{
	struct {
		struct taskstats stats;
		uint8_t more[64];
	} longer = { some_stats(), { 0 } };
	struct taskstats elsewhere = some_stats();
	struct task_exit usage;
	size_t size;

	(void)state;
	size = make(TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, 77, &longer.stats, sizeof(longer));
	assert_int_equal(taskstats_decode(bytes, size, &usage), 1);
	size = make(TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, 77, &longer.stats,
		    offsetof(struct taskstats, ac_btime64));
	assert_int_equal(taskstats_decode(bytes, size, &usage), 1);
	size = make(TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, 77, &longer.stats, 100);
	assert_int_equal(taskstats_decode(bytes, size, &usage), -EBADMSG);
	elsewhere.ac_pid = 0;
	size = make(TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, 77, &elsewhere, sizeof(elsewhere));
	assert_int_equal(taskstats_decode(bytes, size, &usage), -EPROTO);
}

static void half_a_message_is_none(void **state)
{
	const struct taskstats stats = some_stats();
	const size_t size =
		make(TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, 77, &stats, sizeof(stats));
	struct task_exit usage;

	(void)state;
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(taskstats_decode(bytes, cut, &usage), -EBADMSG);
}

static void schedstat_is_read(void **state)
{
	struct procfs_schedstat times;

	(void)state;
	assert_int_equal(procfs_parse_schedstat("12 34 5\n", &times), 0);
	assert_int_equal(times.run_ns, 12);
	assert_int_equal(times.delay_ns, 34);
	assert_int_equal(times.waits, 5);
	assert_int_equal(procfs_parse_schedstat("12 34\n", &times), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_s_figures_are_read),
		cmocka_unit_test(a_process_s_figures_are_none_of_a_task),
		cmocka_unit_test(other_versions_are_read_as_far_as_they_agree),
		cmocka_unit_test(half_a_message_is_none),
		cmocka_unit_test(schedstat_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
