/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies what happens to ids that are used again after events were lost: the record under them is another task's. */
#include "fake_daemon.h"

#define CHROME "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }"

MACHINE_TEST(an_exec_under_the_id_of_an_ended_thread_leaves_the_thread_s_process_alone)
{
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	clones(m, 100, 102);
	start(m, CHROME);
	exits(m, 102);
	m->lossy = true;
	forks(m, INIT, 102);
	m->lossy = false;
	execs(m, 102, "/usr/bin/vi");
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	assert_task(m, 102, BY_DEFAULT, REASON_DEFAULT);
	stop(m);
	assert_carries(m, 101, PRISTINE);
	assert_carries(m, 102, PRISTINE);
}

MACHINE_TEST(a_child_of_a_thread_under_the_id_of_another_process_s_thread_is_a_copy_of_its_process)
{
	spawns(m, INIT, 100, "/usr/bin/vi");
	clones(m, 100, 101);
	renice(m, 101, 10);
	start(m, "");
	spawns(m, INIT, 200, "/usr/bin/chrome");
	exits(m, 101);
	m->lossy = true;
	clones(m, 200, 101);
	m->lossy = false;
	forks(m, 101, 300);
	assert_int_equal(record(m, 300)->had.nice, 0);
	scan(m);
	stop(m);
	assert_carries(m, 300, PRISTINE);
}
