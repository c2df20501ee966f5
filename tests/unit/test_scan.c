/* SPDX-License-Identifier: GPL-2.0-only */
/* A scan of a made-up /proc lists it again only as long as that finds new tasks. */
#include "made_up_tree.h"

#include <sys/inotify.h>

#include <schedqos/config/config_text.h>
#include <schedqos/kernel/procfs.h>

#include "../../src/tagging/parts.h"

static struct tagger tagger;
static struct config *config;

static int fake_get(pid_t tid, struct ksched_attr *ret)
{
	(void)tid;
	*ret = (struct ksched_attr){ .policy = POLICY_NORMAL };
	return 0;
}

static int set_up(void **state)
{
	static const struct sched_ops ops = { .get = fake_get };
	struct config_errors errors = { 0 };
	struct decider *decider = &tagger.decider;

	if (make_trees(state) < 0)
		return -1;
	tagger = (struct tagger){ .proc = open_folder("."), .decider = { .applier = { .ops = &ops } } };
	decider_init(decider, tagger.proc, &tagger.later, &tagger.tally);
	decider->facts = live_facts_new(decider->proc, &decider->applier, &decider->arguments, &decider->spending);
	decider->plan = plan_new(&decider->applier.caps, 1, 0, NULL);
	if (config_parse(NULL, 0, NULL, NULL, &config, &errors) < 0)
		return -1;
	return plan_set_config(decider->plan, config);
}

static int tear_down(void **state)
{
	decider_free(&tagger.decider);
	config_free(config);
	close(tagger.proc);
	return remove_trees(state);
}

/* A process with one thread. Without an executable it gets no record, as if it had ended. */
static void make_process(bool has_exe)
{
	put("500/stat", "500 (made-up) S 400 500 500 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 0\n");
	put("500/comm", "made-up\n");
	make_folder("500/task");
	make_folder("500/task/500");
	if (has_exe)
		make_link("/usr/bin/made-up", "500/exe");
}

/* Returns how often a scan lists the threads of the process. */
static unsigned passes(void)
{
	const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct inotify_event event;
	unsigned opened = 0;

	assert_true(watch >= 0);
	assert_true(inotify_add_watch(watch, whole("500/task"), IN_OPEN | IN_CLOSE) >= 0);
	scan_all(&tagger);
	/* The kernel would report equal events that follow each other as one. */
	while (read(watch, &event, sizeof(event)) == sizeof(event))
		opened += (event.mask & IN_OPEN) != 0;
	close(watch);
	return opened;
}

#define TEST_SCAN(name) TEST_IN(name, set_up, tear_down)

TEST_SCAN(a_second_pass_finds_nothing_new)
{
	make_process(true);
	assert_int_equal(passes(), 2);
	assert_int_equal(tasks_count(plan_tasks(tagger.decider.plan)), 1);
}

TEST_SCAN(a_process_without_a_record_is_no_reason_for_another_pass)
{
	make_process(false);
	assert_int_equal(passes(), 1);
	assert_int_equal(tasks_count(plan_tasks(tagger.decider.plan)), 0);
}
