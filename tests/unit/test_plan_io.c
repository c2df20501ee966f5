/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how the plan treats I/O priorities, which are read only if a class gives one. */
#include "fake_daemon.h"

#define IDLE	   "'QOS_BACKGROUND': { 'io_class': 'idle' }, 'make': { 'qos': 'QOS_BACKGROUND' }"
#define FIRST	   "'QOS_UTILITY': { 'io_class': 'best-effort', 'io_priority': 0 }, "
#define SECOND	   "'QOS_UTILITY': { 'io_class': 'best-effort', 'io_priority': 2 }, "
#define REALTIME   "'QOS_UTILITY': { 'io_class': 'realtime', 'io_priority': 4 }, "
#define MAKE	   "'make': { 'qos': 'QOS_UTILITY' }"
#define BACK_IDLE  BACKGROUND " io idle"
#define LEFT_ALONE "'schedqos': { 'default': 'none' }, "

MACHINE_TEST(a_class_gives_an_io_priority_and_its_end_takes_it_back)
{
	start_and_run(m, IDLE, "/usr/bin/make");
	assert_task(m, 100, BACK_IDLE, REASON_RULE);
	/* The kernel copies the I/O priority at a fork, so nothing has to be set. */
	count_from_here(m);
	forks(m, 100, 101);
	clones(m, 100, 102);
	assert_no_action(m);
	assert_task(m, 101, BACK_IDLE, REASON_RULE);
	assert_task(m, 102, BACK_IDLE, REASON_RULE);
	execs(m, 101, "/bin/cmd");
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	stops_without_trace(m);
}

MACHINE_TEST(a_reload_that_brings_an_io_priority_keeps_an_earlier_choice)
{
	start_and_run(m, MAKE, "/usr/bin/make");
	ionice(m, 100, IO_CLASS_IDLE, 7);
	reload(m, SECOND MAKE);
	assert_task(m, 100, UTILITY " io idle", REASON_CHANGED);
	spawns(m, INIT, 101, "/usr/bin/make");
	assert_task(m, 101, UTILITY " io best-effort 2", REASON_RULE);
	/* No class gives an I/O priority any longer, but those that classes gave have to be taken back. */
	reload(m, MAKE);
	assert_task(m, 101, UTILITY, REASON_RULE);
	assert_true(m->caps.io_priority);
	stops_without_trace(m);
}

MACHINE_TEST(no_rule_raises_an_io_priority_that_somebody_lowered)
{
	static const struct {
		const char *options;
		enum io_class class;
		unsigned level;
		const char *want;
	} rows[] = {
		{ "", IO_CLASS_IDLE, 7, UTILITY " io idle" },
		{ "", IO_CLASS_BEST_EFFORT, 3, UTILITY " io best-effort 3" },
		{ "", IO_CLASS_BEST_EFFORT, 1, UTILITY " io best-effort 2" },
		{ "", IO_CLASS_REALTIME, 7, UTILITY " io best-effort 2" },
		{ ", 'yield': false", IO_CLASS_IDLE, 7, UTILITY " io best-effort 2" },
		{ ", 'enforce': true", IO_CLASS_IDLE, 7, UTILITY " io best-effort 2" },
		{ ", 'yield': true", IO_CLASS_IDLE, 7, PRISTINE " io idle" },
		{ ", 'yield': true", IO_CLASS_NONE, 0, UTILITY " io best-effort 2" },
	};
	char json[256];

	start(m, "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(json, sizeof(json), SECOND "'make': { 'qos': 'QOS_UTILITY'%s }", rows[i].options);
		reload(m, json);
		forks(m, INIT, 100);
		ionice(m, 100, rows[i].class, rows[i].level);
		execs(m, 100, "/usr/bin/make");
		assert_carries(m, 100, rows[i].want);
		exits(m, 100);
	}
	stops_without_trace(m);
}

/* If no I/O priority is set, the kernel derives one from the nice value and policy (include/linux/ioprio.h). */
MACHINE_TEST(nice_and_sched_idle_lower_io_as_well)
{
	start(m, FIRST MAKE);
	forks(m, INIT, 100);
	renice(m, 100, 19);
	execs(m, 100, "/usr/bin/make");
	assert_task(m, 100, "SCHED_BATCH nice 19 slice 16 ms util 0..512", REASON_RULE);
	forks(m, INIT, 101);
	chrt(m, 101, POLICY_IDLE, 0);
	execs(m, 101, "/usr/bin/make");
	assert_task(m, 101, "SCHED_IDLE nice 2 util 0..512", REASON_RULE);
	forks(m, INIT, 102);
	renice(m, 102, -5);
	execs(m, 102, "/usr/bin/make");
	assert_task(m, 102, UTILITY " io best-effort 0", REASON_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(a_restore_repairs_a_crash)
{
	start_and_run(m, IDLE, "/usr/bin/make");
	spawns(m, INIT, 101, "/usr/bin/make");
	ionice(m, 101, IO_CLASS_BEST_EFFORT, 6);
	crash(m);
	restores(m);
	assert_carries_what_it_would(m);
}

/* Real time takes privilege, so nobody may keep a real-time I/O priority of a class. */
MACHINE_TEST(nobody_keeps_a_real_time_io_priority_of_a_class)
{
	start_and_run(m, REALTIME MAKE, "/usr/bin/make");
	assert_task(m, 100, UTILITY " io realtime 4", REASON_RULE);
	/* With CLONE_IO, a task shares the I/O priority that another one is given. */
	spawns(m, INIT, 101, "/bin/cmd");
	machine_task(m, 101)->attr.io_priority = IO_PRIORITY(IO_CLASS_REALTIME, 4);
	scan(m);
	stops_without_trace(m);
}

/* The task copied its former parent, not init, which has adopted it. */
MACHINE_TEST(an_orphan_does_not_get_the_real_time_io_priority_of_its_new_parent)
{
	ionice(m, INIT, IO_CLASS_REALTIME, 6);
	start(m, REALTIME LEFT_ALONE MAKE);
	spawns(m, INIT, 100, "/bin/cmd");
	ionice(m, 100, IO_CLASS_NONE, 0);
	scan(m);
	forks(m, 100, 101);
	exits(m, 100);
	machine_task(m, 101)->attr.io_priority = IO_PRIORITY(IO_CLASS_REALTIME, 6);
	scan(m);
	assert_int_equal(record(m, 101)->had.io_priority, 0);
	stops_without_trace(m);
}

/* The former class gives less than the task had. It differs from the present class in nothing else. */
MACHINE_TEST(a_child_of_a_fork_under_way_gets_its_io_priority_back)
{
	ionice(m, INIT, IO_CLASS_REALTIME, 6);
	start(m, "'QOS_LESS': { 'io_class': 'best-effort', 'io_priority': 4 },"
		 "'QOS_MORE': { 'io_class': 'realtime', 'io_priority': 4 },"
		 "'make': { 'qos': 'QOS_LESS', 'yield': false }, 'cc': { 'qos': 'QOS_MORE', 'yield': false }");
	spawns(m, INIT, 100, "/usr/bin/make");
	begins_fork(m, 100, 101);
	execs(m, 100, "/usr/bin/cc");
	ends_fork(m, 101);
	stops_without_trace(m);
}
