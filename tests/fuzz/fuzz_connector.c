/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as datagrams of the proc connector, and as events of a machine that answers anything: tasks that come and
 * go in any order, tids that have been reused, attributes of all kinds. The table stays whole, no action is beyond what
 * the kernel takes, and the records would be accepted after a crash.
 */
#include <errno.h>
#include <string.h>

#include <schedqos/kernel/events.h>

#include "fuzz.h"

#include <schedqos/policy/plan.h>

/* Few enough that events often concern the same task. */
#define TIDS 16

#define SELF 15

static const char rules[] =
	"{ \"QOS_RT\": { \"sched_policy\": \"SCHED_FIFO\", \"sched_priority\": 7 },"
	"  \"QOS_DL\": { \"sched_policy\": \"SCHED_DEADLINE\", \"sched_runtime\": 1000000,"
	"                \"sched_deadline\": 2000000, \"sched_period\": 4000000 },"
	"  \"a\": { \"qos\": \"QOS_USER_INTERACTIVE\", \"inherit\": true,"
	"           \"thread_qos\": { \"t*\": \"QOS_BACKGROUND\", \"rt\": \"QOS_RT\" } },"
	"  \"b*\": { \"qos\": \"QOS_BACKGROUND\", \"enforce\": true, \"period\": 8000000 },"
	"  \"c\": [ { \"match\": { \"argv\": [\"x*\"], \"parent\": \"a\" }, \"qos\": \"QOS_DL\" },"
	"           { \"match\": { \"cgroup\": \"/b*\", \"user\": 1 }, \"qos\": \"QOS_RT\" },"
	"           { \"qos\": \"QOS_UTILITY\", \"yield\": true } ] }";
static const char other_rules[] = "{ \"schedqos\": { \"default\": \"none\" },"
				  "  \"b*\": { \"qos\": \"QOS_UTILITY\", \"inherit\": true },"
				  "  \"a\": { \"thread_qos\": { \"m\": \"QOS_BACKGROUND\" } } }";

struct run {
	struct input input;
	struct plan *plan;
	struct attr_caps caps;
	uint32_t ms;
};

struct fuzz_facts {
	struct facts facts; /* first: fetch finds the rest by it */
	struct run *run;
	struct fuzz_facts *parent;
};

static struct config *parse(const char *text)
{
	const struct config_file file = { .path = "rules.json",
					  .text = text,
					  .size = strlen(text) };
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	check(config_parse(&file, 1, NULL, NULL, &config, &errors) == 0);
	config_errors_clear(&errors);
	return config;
}

/* Attributes as a kernel shows them. */
static struct task_attr take_attr(struct run *run)
{
	static const uint8_t policies[] = {
		POLICY_NORMAL, POLICY_NORMAL, POLICY_BATCH,    POLICY_IDLE,
		POLICY_FIFO,   POLICY_RR,     POLICY_DEADLINE, POLICY_EXT,
	};
	static const uint32_t slices[] = { 0, 8 * 1000000, 16 * 1000000, 20 * 1000000 };
	uint8_t kind = take_byte(&run->input), more = take_byte(&run->input);
	struct task_attr attr = { .policy = policies[kind & 7], .util_max = UTIL_FULL };

	attr.reset_on_fork = kind >> 7;
	if (run->caps.util_clamp && (kind & 0x40)) {
		attr.util_max = 256;
		attr.util_min = more & 1 ? 128 : 0;
	}
	attr.nice = (int8_t)(more % 40 - 20);
	if (task_policy_is_fair(attr.policy)) {
		if (run->caps.slice) {
			attr.slice_ns = slices[kind >> 4 & 3];
			if (!attr.slice_ns)
				attr.slice_ns = run->caps.base_slice_ns;
		}
	} else if (attr.policy == POLICY_FIFO || attr.policy == POLICY_RR) {
		attr.rt_priority = 1 + more % 99;
	}
	if (run->caps.io_priority)
		attr.io_priority = more < 0x40 ? 0 : more;
	return attr;
}

static int fetch(struct facts *facts, enum fact fact)
{
	static const char *const paths[] = { "/bin/a", "/bin/b1", "/c", "", "/usr/bin/nice", "d" };
	static const char *const comms[] = { "a", "t1", "rt", "m", "", "\xff\xfe\n" };
	struct fuzz_facts *asked = (struct fuzz_facts *)facts;
	struct run *run = asked->run;
	uint8_t choice = take_byte(&run->input);

	facts->fetched_ms = run->ms;
	if (choice >= 0xfe)
		return choice == 0xff ? -ESRCH : -EMFILE;
	switch (fact) {
	case FACT_ATTR:
		facts->attr = take_attr(run);
		break;
	case FACT_COMM:
		strcpy(facts->comm, comms[choice % 6]);
		break;
	case FACT_EXE:
		facts->exe = paths[choice % 6];
		break;
	case FACT_ARGV:
		facts->argv = choice & 1 ? "c\0x1" : "";
		facts->argv_size = choice & 1 ? 5 : choice & 2 ? 1 : 0;
		break;
	case FACT_CGROUP:
		facts->cgroup = choice & 1 ? "/b/c" : "";
		break;
	case FACT_UID:
		facts->uid = choice & 1;
		break;
	case FACT_OWNER:
		facts->owner = choice & 1;
		break;
	case FACT_USERNS:
		facts->initial_userns = choice & 1;
		break;
	case FACT_SEAT:
		facts->at_seat = choice & 1;
		break;
	case FACT_PARENT:
		if (asked->parent && choice & 1) {
			asked->parent->facts =
				(struct facts){ .fetch = fetch, .tid = 1, .tgid = 1 };
			facts->parent = &asked->parent->facts;
		}
		break;
	case FACT_STAT:
		facts->start = choice * 10;
		facts->ppid = choice % TIDS;
		break;
	case FACT_BASE:
		run->caps.base_slice_ns = choice & 1 ? 3000000 : 8000000;
		break;
	}
	facts->have |= fact;
	return 0;
}

/* Does, or does not do, what the plan wants. */
static void act(struct run *run, bool wanted, const struct plan_action *action)
{
	uint8_t how;
	struct task_attr now;

	if (!wanted)
		return;
	check_action(run->plan, action);
	how = take_byte(&run->input);
	now = action->want;
	if (run->caps.slice && !now.slice_ns && task_policy_is_fair(now.policy))
		now.slice_ns = run->caps.base_slice_ns;
	if (how == 0xff)
		now = take_attr(run);
	plan_applied(run->plan, action,
		     how == 0xfe   ? -ESRCH
		     : how == 0xfd ? -EPERM
		     : how == 0xfc ? -EAGAIN
				   : 0,
		     &now);
}

static struct fuzz_facts *facts_of(struct run *run, pid_t tid, pid_t tgid)
{
	static struct fuzz_facts parent, facts;

	parent.run = facts.run = run;
	facts.parent = &parent;
	facts.facts = (struct facts){ .fetch = fetch, .tid = tid, .tgid = tgid };
	return &facts;
}

static pid_t fold(pid_t id)
{
	return id <= 0 ? id : 1 + id % TIDS;
}

static void happens(struct run *run, struct task_event event)
{
	event.tid = fold(event.tid);
	event.tgid = fold(event.tgid);
	event.parent_tid = fold(event.parent_tid);
	event.parent_tgid = fold(event.parent_tgid);
	event.start = (uint32_t)(event.ns / 10000000);
	plan_book(run->plan, &event);
}

static void check_all(const struct run *run)
{
	for (pid_t tid = 1; tid <= TIDS; tid++)
		check_known(run->plan, tid);
}

static void hear(struct run *run, size_t max)
{
	size_t size;
	uint8_t *datagram = take_bytes(&run->input, max, &size);
	struct task_event event;
	int r = proc_connector_decode(datagram, size, &event);

	free(datagram);
	check(r == 1 || r == 0 || r == -EBADMSG);
	if (r != 1)
		return;
	check(event.tid > 0 && event.tgid > 0 && event.comm[sizeof(event.comm) - 1] == '\0');
	run->ms = event.ms;
	happens(run, event);
	check_all(run);
}

static void scan_task(struct run *run)
{
	uint8_t tid = take_byte(&run->input), tgid = take_byte(&run->input);
	const struct plan_found met = {
		.tid = 1 + tid % TIDS,
		.tgid = 1 + tgid % TIDS,
		.parent_tgid = take_byte(&run->input) % TIDS,
		.start = take_number(&run->input, 2),
	};

	plan_book_found(run->plan, &met, &facts_of(run, met.tid, met.tgid)->facts);
}

static void decide(struct run *run)
{
	struct plan_action action;
	struct plan_due due;
	/* One that is changed by others again and again is due again and again. */
	int left = 4 * TIDS;

	while (left-- && plan_next(run->plan, &due))
		act(run, plan_decide(run->plan, &due, &facts_of(run, due.tid, due.tgid)->facts, &action), &action);
}

static void step(struct run *run, struct config *const configs[2])
{
	uint8_t what = take_byte(&run->input);

	switch (what) {
	case 0xf0:
		scan_task(run);
		check_all(run);
		break;
	case 0xf1:
		plan_scan_begin(run->plan, take_byte(&run->input) & 1);
		break;
	case 0xf2:
	case 0xf3:
		check(plan_set_config(run->plan, configs[what & 1]) == 0);
		check_all(run);
		break;
	case 0xf4:
	case 0xf6:
		decide(run);
		check_all(run);
		break;
	case 0xf5:
		plan_undo_begin(run->plan);
		break;
	default:
		hear(run, what);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static struct config *configs[2];
	struct run run = { .input = { input, size } };
	uint8_t caps = take_byte(&run.input);

	if (!configs[0]) {
		configs[0] = parse(rules);
		configs[1] = parse(other_rules);
	}
	run.caps = (struct attr_caps){ caps & 1, caps & 2, 3000000, caps & 4 };
	run.plan = plan_new(&run.caps, SELF, caps >> 2, &one_chunk);
	check(run.plan && plan_set_config(run.plan, configs[0]) == 0);
	while (run.input.left)
		step(&run, configs);
	check_plan(run.plan);
	plan_free(run.plan);
	return 0;
}
