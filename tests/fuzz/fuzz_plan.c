/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whatever can happen on the made-up machine of the unit tests, in any order: forks, execs,
 * renames, changes by others, late and lost events, reloads, crashes. The table stays whole,
 * actions are what the kernel takes, and after the stop every task carries what it would have carried had there been no
 * daemon. Where events were lost, sets refused, or attributes chosen while events were still queued, the plan can only
 * do its best: then at least no task has got more than that.
 */
#include "fuzz.h"

#include "../unit/fake_daemon.h"

#define TASKS_MAX  40
#define EVENTS_MAX 16
#define OVERRIDES_MAX 6

/* No fork takes longer: half of what the plan allows for, since whatever happens next takes its
 * time as well. */
#define FORK_MS 1000

#define GROUPS                                                                                        \
	"'groups': { 'low': { 'max': 'QOS_BACKGROUND' }, '/*/mid': { 'max': 'QOS_UTILITY' }, 'mid': { 'max': " \
	"'QOS_UTILITY' }, 'one': { 'QOS_USER_INTERACTIVE': false } }"

static const char *const cgroups[] = { "/", "/low", "/x/mid", "/mid/low/y", "/one" };

static const char *const configs[] = {
	"'schedqos': { " GROUPS " },"
	"'a*': { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true },"
	"'b': { 'qos': 'QOS_BACKGROUND', 'thread_qos': { 't*': 'QOS_USER_INITIATED' } },"
	"'c': [ { 'match': { 'parent': 'a' }, 'qos': 'QOS_UTILITY' }, { 'qos': 'QOS_BACKGROUND' } "
	"]",

	"'schedqos': { 'default': 'none' },"
	"'b': { 'qos': 'QOS_USER_INITIATED', 'inherit': true },"
	"'a*': { 'thread_qos': { 't*': 'QOS_BACKGROUND' } }",

	"'schedqos': { 'default': 'all', " GROUPS " },"
	"'QOS_RT': { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 5 },"
	"'QOS_IDLE': { 'sched_policy': 'SCHED_IDLE', 'io_class': 'realtime', 'io_priority': 4 },"
	"'QOS_BACKGROUND': { 'io_class': 'best-effort', 'io_priority': 6 },"
	"'a': { 'qos': 'QOS_RT' }, 'b': { 'qos': 'QOS_IDLE', 'yield': true },"
	"'c': { 'qos': 'QOS_BACKGROUND', 'period': 8000000, 'inherit': true },"
	"'b1': { 'qos': 'QOS_UTILITY', 'match': { 'cgroup': '/mid*' } }",

	"'a*': { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true, 'enforce': true },"
	"'b': { 'qos': 'QOS_BACKGROUND', 'enforce': true, 'thread_qos': { 't*': 'QOS_USER_INITIATED' } },"
	"'c': { 'qos': 'QOS_UTILITY' }",
};

/* Here a task's class depends on nothing but what it is now, whatever it and its ancestors have been. */
static const char own[] =
	"'schedqos': { " GROUPS " },"
	"'QOS_USER_INTERACTIVE': { 'io_class': 'best-effort', 'io_priority': 1 }, 'QOS_BACKGROUND': { 'io_class': 'idle' },"
	"'a*': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 't1': 'QOS_UTILITY', 'm': 'QOS_USER_INITIATED' } },"
	"'b': { 'qos': 'QOS_BACKGROUND', 'thread_qos': { 't*': 'QOS_USER_INITIATED' } },"
	"'d': { 'thread_qos': { 'a': 'QOS_USER_INTERACTIVE' } }";

static const char *const commands[] = {
	"/bin/a", "/bin/a1", "/bin/b", "/usr/bin/c -x", "/bin/d", "/usr/bin/nice -n 5 a",
};

static const char *const names[] = { "a", "t1", "t2", "m", "", "\x1b[2J\xff" };

enum {
	FORK,
	CLONE,
	BEGIN,
	EXEC,
	RENAME,
	EXIT,
	PASS,
	HEAR,
	DEAF,
	RELOAD,
	SCAN, /* what the kernel tells */
	LOSE,
	RENICE,
	CHRT,
	REFUSE,
	IGNORE,
	MISS,
	CRASH,	   /* what it does not */
	HEAR_SOME, /* and then decide, though more is queued already */
	SLICE,
	CLAMP,
	RESET,
	IONICE,	   /* more that others choose */
	MOVE,	   /* what the kernel tells, too */
	CHANGE,
	OVERRIDE,  /* asked for at run time ... */
	LIFT,	   /* ... and no longer */
	KINDS
};

struct run {
	struct input input;
	struct machine *m;
	pid_t next;
	pid_t unborn[TASKS_MAX];  /* their forks have begun, and are not announced yet */
	pid_t parents[TASKS_MAX]; /* in the middle of a fork */
	size_t n_unborn;
	uint32_t unborn_ms; /* since when there have been any */
	uint16_t overrides[OVERRIDES_MAX];
	size_t n_overrides;
	size_t n_tasks;
	bool own;	/* the configuration is that, all the time */
	bool alone;	/* only the plan has set attributes */
	bool everybody; /* all choices were possible without privilege */
	bool exact;	/* the plan received every event, in time */
};

/* A task to act on: not the daemon, not a kernel thread. 0 if there is none. */
static pid_t some_task(struct run *run)
{
	uint8_t nth = take_byte(&run->input);

	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		const struct machine_task *task = &run->m->tasks[(i + nth) % MACHINE_TASKS];

		if (task->tid && task->tid != KTHREADD)
			return task->tid;
	}
	return 0;
}

/* Until their fork is over, neither the child runs nor the parent. */
static bool is_forking(const struct run *run, pid_t tid)
{
	for (size_t i = 0; i < run->n_unborn; i++) {
		if (run->unborn[i] == tid || run->parents[i] == tid)
			return true;
	}
	return false;
}

static void end_forks(struct run *run)
{
	for (size_t i = 0; i < run->n_unborn; i++)
		ends_fork(run->m, run->unborn[i]);
	run->n_unborn = 0;
}

/* Never 0: at the worst, all forks end. */
static pid_t some_running(struct run *run)
{
	pid_t tid = some_task(run);

	if (is_forking(run, tid))
		end_forks(run);
	return tid;
}

static bool is_unseen(struct run *run, const struct machine_task *task)
{
	const struct task *known = record(run->m, task->tid);
	struct task_attr attr = task->attr;

	if (!run->m->caps.io_priority)
		attr.io_priority = 0;
	return known && attr_difference(&attr, &known->known);
}

/* Whether it carries the same as its process's leader, but had something else. */
static bool looks_like_leader(struct run *run, pid_t tid)
{
	const struct task *thread = record(run->m, tid), *leader = record(run->m, tgid_of(run->m, tid));

	return thread && leader && attr_difference(&thread->known, &leader->known) == 0 &&
	       attr_difference(&thread->had, &leader->had);
}

static void bear(struct run *run, uint8_t kind)
{
	pid_t parent = some_running(run);

	if (run->n_tasks == TASKS_MAX || (kind == CLONE && parent == INIT))
		return;
	/* Whose thread it copied is not told: where it carries what no record shows, a class's nice value counts as its own. */
	if (kind == CLONE && (is_unseen(run, machine_task(run->m, parent)) || looks_like_leader(run, parent)))
		run->exact = false;
	run->n_tasks++;
	if (kind == BEGIN) {
		if (!run->n_unborn)
			run->unborn_ms = run->m->ms;
		begins_fork(run->m, parent, run->next);
		run->parents[run->n_unborn] = parent;
		run->unborn[run->n_unborn++] = run->next++;
	} else if (kind == CLONE) {
		clones(run->m, parent, run->next++);
	} else {
		forks(run->m, parent, run->next++);
	}
}

static void end(struct run *run)
{
	pid_t tid = some_running(run);
	const struct machine_task *task;

	if (tid == INIT)
		return;
	/* A leader that ends before its threads stays, as a zombie. */
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		task = &run->m->tasks[i];
		if (task->tid && task->tgid == tid && task->tid != tid)
			return;
	}
	exits(run->m, tid);
	run->n_tasks--;
}

static void end_forks_of_process(struct run *run, pid_t tid)
{
	for (size_t i = 0; i < run->n_unborn; i++) {
		if (tgid_of(run->m, run->parents[i]) == tgid_of(run->m, tid))
			end_forks(run);
	}
}

/* A fork takes over the cgroup as the last thing, and a move waits for that (cgroup_threadgroup_rwsem in cgroup.c). */
static void move(struct run *run)
{
	const pid_t tid = some_running(run);

	end_forks_of_process(run, tid);
	moves(run->m, tgid_of(run->m, tid), cgroups[take_byte(&run->input) % 5]);
}

/* Exec waits for the other threads to end, and these for their forks (de_thread in exec.c). */
static void exec(struct run *run)
{
	pid_t tid = some_running(run);

	end_forks_of_process(run, tid);
	/* Nor which thread called exec. */
	if (looks_like_leader(run, tid))
		run->exact = false;
	execs(run->m, tid, commands[take_byte(&run->input) % 6]);
	run->n_tasks = 0;
	for (size_t i = 0; i < MACHINE_TASKS; i++)
		run->n_tasks += run->m->tasks[i].tid > KTHREADD;
}

static void hear_all(struct run *run)
{
	run->m->deaf = false;
	hear(run->m);
}

static const char *some_config(struct run *run)
{
	uint8_t nth = take_byte(&run->input) % 4;

	return run->own ? own : configs[nth];
}

/* By a task or nobody that is known, of a task or any; whether or not there was one. */
static void is_told_of_a_change(struct run *run)
{
	const uint8_t how = take_byte(&run->input);
	uint32_t next_ms;

	calls(run->m, how & 1 ? some_task(run) : 0, how & 2 ? some_task(run) : 0);
	if (how & 4)
		plan_end_truces(run->m->plan, run->m->ms, &next_ms);
}

static void happens(struct run *run, uint8_t kind)
{
	struct machine *m = run->m;

	switch (kind) {
	case FORK:
	case CLONE:
	case BEGIN:
		bear(run, kind);
		break;
	case EXEC:
		exec(run);
		break;
	case RENAME:
		renames(m, some_running(run), names[take_byte(&run->input) % 6]);
		break;
	case EXIT:
		end(run);
		break;
	case PASS:
		end_forks(run);
		passes(m, take_number(&run->input, 2));
		break;
	case HEAR:
		hear_all(run);
		break;
	case HEAR_SOME:
		hear_first(m, take_byte(&run->input) % (m->n_queued + 1));
		break;
	case DEAF:
		m->deaf = true;
		break;
	case RELOAD:
		end_forks(run);
		hear_all(run);
		reload(m, some_config(run));
		break;
	case SCAN:
		end_forks(run);
		hear_all(run);
		scan(m);
		break;
	case MOVE:
		move(run);
		break;
	case CHANGE:
		is_told_of_a_change(run);
		break;
	}
}

/* ---- what is asked for at run time ---- */

static void hear_unless_deaf(struct machine *m)
{
	if (!m->deaf)
		hear(m);
}

static void lifts(struct run *run)
{
	if (!run->n_overrides)
		return;
	plan_override_remove(run->m->plan, run->overrides[0], run->m->ms);
	memmove(run->overrides, run->overrides + 1, --run->n_overrides * sizeof(run->overrides[0]));
	hear_unless_deaf(run->m);
}

/* A new one, or another class for the last one; then one more process for it. */
static void overrides(struct run *run)
{
	const uint8_t how = take_byte(&run->input);
	struct machine *m = run->m;
	const struct override override = {
		.kind = how & 1 ? OVERRIDE_CLASS : OVERRIDE_LIMIT,
		.is_tree = how & 2,
		.cgroup = (how & 12) == 12 ? cgroups[how % 5] : NULL,
		.qos = qos_builtin[(how >> 4) % QOS_BUILTIN_COUNT].name,
		.uid = (how & 1) && (how & 12) != 12 && (how >> 4) / QOS_BUILTIN_COUNT == 1 ? 1000 : 0,
	};

	if ((how & 12) == 8 && run->n_overrides) {
		check(plan_override_change(m->plan, run->overrides[run->n_overrides - 1], override.qos, m->ms) == 0);
	} else {
		if (run->n_overrides == OVERRIDES_MAX)
			lifts(run);
		check(plan_override_add(m->plan, &override, m->ms, &run->overrides[run->n_overrides++]) == 0);
	}
	if (!override.cgroup)
		plan_override_join(m->plan, run->overrides[run->n_overrides - 1], tgid_of(m, some_running(run)), m->ms);
	hear_unless_deaf(m);
}

static void crash_and_start(struct run *run)
{
	struct machine *m = run->m;

	end_forks(run);
	hear_all(run);
	crash(m);
	run->n_overrides = 0;
	start(m, some_config(run));
	free(m->legacy_tags);
	m->legacy_tags = NULL;
	m->n_legacy = m->n_legacy_tags = 0;
}

/* ---- what others choose ---- */

/* No class's, so that the choice can be seen; and for somebody with privilege none between those and what there was. */
static const int8_t nice_values[] = { -20, -17, -11, -7, 1, 3, 5, 7, 9, 11, 15, 19 };
#define LOWEST_CLASS  (-4)
#define HIGHEST_CLASS 4

/*
 * What somebody sets to just what a class gave it cannot be told from that: not even if it was something else between, and
 * a child that is born then seems to have been born before.
 */
static bool can_be_seen(struct run *run, pid_t tid, const struct task_attr *chosen, uint8_t bit)
{
	const struct task *task = record(run->m, tid);

	return !task || !(attr_difference(chosen, &task->had) & bit) ||
	       ((attr_difference(chosen, &task->known) & bit) && (attr_difference(chosen, &task->before) & bit));
}

static void chooses_nice(struct run *run, struct machine_task *task, uint8_t how)
{
	int8_t nice = run->everybody ? (int8_t)(how % 40 - 20) : nice_values[how % sizeof(nice_values)];
	struct task_attr chosen = task->attr;
	const struct task *known;

	if (!task_policy_is_fair(task->attr.policy))
		return;
	chosen.nice = nice;
	if (!can_be_seen(run, task->tid, &chosen, TASK_ATTR_NICE))
		return;
	if (run->everybody) {
		/* With the class he may even raise himself to what lies below it, which he could not do without. */
		if (nice <= task->attr.nice)
			return;
		/* Where there are no slices, a policy beside a class's nice value counts as the class's. */
		if (!run->m->kernel.slice && nice >= LOWEST_CLASS && nice <= HIGHEST_CLASS)
			run->exact = false;
		task->attr.nice = nice;
		if (nice > task->without.nice)
			task->without.nice = nice;
		return;
	}
	known = record(run->m, task->tid);
	if ((nice >= task->without.nice && (!known || nice >= known->had.nice)) || nice < LOWEST_CLASS)
		renice(run->m, task->tid, nice);
}

static void chooses_policy(struct run *run, struct machine_task *task, uint8_t how)
{
	static const enum task_policy policies[] = { POLICY_NORMAL, POLICY_BATCH, POLICY_IDLE, POLICY_RR };
	const enum task_policy policy = policies[how % 4];
	const int priority = policy == POLICY_RR ? 6 + how % 90 : 0;
	struct task_attr chosen = task->attr;

	chosen.policy = policy;
	chosen.rt_priority = (uint8_t)priority;
	/* Nor what the task could not return to. */
	if (task->attr.policy == policy || !can_be_seen(run, task->tid, &chosen, TASK_ATTR_POLICY) ||
	    (task->without.policy == POLICY_IDLE && task->attr.policy != POLICY_IDLE))
		return;
	if (run->everybody && (policy == POLICY_RR || task->attr.policy == POLICY_IDLE))
		return;
	/*
	 * What is born before anybody looks stays SCHED_IDLE, for safety. And the nice value of a class that real time hid
	 * marks a class's policy where there are no slices.
	 */
	if (task->without.policy == POLICY_IDLE || (!run->m->kernel.slice && !task_policy_is_fair(task->attr.policy)))
		run->exact = false;
	chrt(run->m, task->tid, policy, priority);
}

/* What takes privilege is above those of classes; what anybody may take can be a class's as well. */
static void chooses_io(struct run *run, struct machine_task *task, uint8_t how)
{
	static const uint8_t values[] = {
		IO_PRIORITY(IO_CLASS_NONE, 0),	      IO_PRIORITY(IO_CLASS_BEST_EFFORT, 0),
		IO_PRIORITY(IO_CLASS_BEST_EFFORT, 3), IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7),
		IO_PRIORITY(IO_CLASS_IDLE, 7),	      IO_PRIORITY(IO_CLASS_REALTIME, 2),
		IO_PRIORITY(IO_CLASS_IDLE, 0),	      IO_PRIORITY(IO_CLASS_BEST_EFFORT, 6),
	};
	struct task_attr chosen = task->attr;

	chosen.io_priority = values[how % sizeof(values)];
	if (!can_be_seen(run, task->tid, &chosen, TASK_ATTR_IO_PRIORITY) ||
	    (run->everybody && IO_CLASS(chosen.io_priority) == IO_CLASS_REALTIME))
		return;
	if (how % sizeof(values) > 5)
		run->exact = false;
	ionice(run->m, task->tid, IO_CLASS(chosen.io_priority), IO_LEVEL(chosen.io_priority));
}

static void chooses(struct run *run, uint8_t kind)
{
	struct machine_task *task = machine_task(run->m, some_task(run));
	uint8_t how = take_byte(&run->input);
	struct task_attr chosen = task->attr;

	/*
	 * With reset-on-fork a child shows too little of what its parent was to tell what of that was chosen unseen. And below
	 * real time nice 0 looks like a climb from what its parent had.
	 */
	if (run->m->n_queued || run->n_unborn || task->attr.reset_on_fork ||
	    (kind == RESET && (is_unseen(run, task) || (!task_policy_is_fair(task->attr.policy) && task->without.nice > 0))))
		run->exact = false;
	run->alone = false;
	switch (kind) {
	case RENICE:
		chooses_nice(run, task, how);
		break;
	case CHRT:
		chooses_policy(run, task, how);
		break;
	case SLICE:
		chosen.slice_ns = (5 + how % 2 * 2) * MS;
		if (run->m->kernel.slice && task_policy_is_fair(task->attr.policy) &&
		    can_be_seen(run, task->tid, &chosen, TASK_ATTR_SLICE))
			task->attr.slice_ns = task->without.slice_ns = chosen.slice_ns;
		break;
	case CLAMP:
		chosen.util_max = (100 + how) | 1; /* no class's */
		if (run->m->kernel.util_clamp && task->attr.util_min == 0 &&
		    can_be_seen(run, task->tid, &chosen, TASK_ATTR_UTIL_MAX))
			task->attr.util_max = task->without.util_max = chosen.util_max;
		break;
	case RESET:
		/* Without slices nothing tells a child's. */
		if (run->m->kernel.slice && task->attr.policy != POLICY_DEADLINE)
			task->attr.reset_on_fork = task->without.reset_on_fork = 1;
		break;
	case IONICE:
		chooses_io(run, task, how);
		break;
	}
}

/* After these the plan is no longer exact. */
static void disturb(struct run *run, uint8_t kind)
{
	struct machine *m = run->m;
	uint8_t how = take_byte(&run->input);

	switch (kind) {
	case LOSE:
		m->lossy = how & 1;
		break;
	case REFUSE:
		m->refuse = how & 1 ? 1 : 0;
		break;
	case IGNORE:
		m->ignore = how & 1;
		break;
	case MISS:
		m->missing = how;
		break;
	case CRASH:
		crash_and_start(run);
		return;
	}
	run->alone = run->exact = false;
}

/* All events have been received: a scan must find nothing left to do. */
static void check_scan_finds_nothing(struct run *run)
{
	count_from_here(run->m);
	scan(run->m);
	check(run->m->actions == 0);
}

/* What is visible. */
static struct task_attr shown(struct task_attr attr)
{
	if (!task_policy_is_fair(attr.policy))
		attr.nice = attr.slice_ns = 0;
	return attr;
}

static void check_same(const struct machine_task *task)
{
	struct task_attr attr = shown(task->attr), without = shown(task->without);
	char a[TASK_ATTR_TEXT_MAX], b[TASK_ATTR_TEXT_MAX];

	if (!task_attr_equal(&attr, &without))
		print_error("task %d carries %s, not %s\n", (int)task->tid, task_attr_text(&attr, a),
			    task_attr_text(&without, b));
	check(task_attr_equal(&attr, &without));
}

/* No unprivileged task has got more than it would have had. */
static void check_no_climb(const struct machine_task *task)
{
	if (task->attr.nice < task->without.nice || !task_policy_is_fair(task->attr.policy))
		print_error("task %d has climbed to nice %d from %d\n", (int)task->tid, task->attr.nice,
			    task->without.nice);
	check(task_policy_is_fair(task->attr.policy));
	check(task->attr.nice >= task->without.nice);
	check(task->without.policy != POLICY_IDLE || task->attr.policy == POLICY_IDLE);
	check(!io_priority_is_privileged(task->without.io_priority, task->attr.io_priority));
}

/* What an ordinary user asks for never puts more on a task than its owner could choose. */
static void check_user_lowers(const struct task *task)
{
	if (task && task->assigned_by == ASSIGNED_BY_USER && task->state == TASK_TAGGED && !(task->flags & TASK_UNCERTAIN))
		check(!(attr_raised(&task->had, &task->known) & ~task->theirs));
}

static void check_stopped(const struct run *run)
{
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		const struct machine_task *task = &run->m->tasks[i];

		if (!task->tid)
			continue;
		if (run->exact)
			check_same(task);
		else if (run->everybody)
			check_no_climb(task);
	}
}

/* A lasting disturbance would keep the stop from putting tasks back. */
static void end_disturbances(struct machine *m)
{
	m->refuse = 0;
	m->ignore = m->lossy = false;
	m->missing = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct run run = { .input = { input, size }, .next = 100, .alone = true, .exact = true };
	void *state;
	uint8_t first = take_byte(&run.input);

	check(machine_on(&state) == 0);
	run.m = state;
	/* Longer than a tick, by which the plan tells tasks older than itself. */
	run.m->pace = 20 + (first >> 3) * 20;
	if (first & 1)
		run.m->kernel = (struct attr_caps){ 0 };
	run.own = first & 2;
	run.everybody = first & 4;
	start(run.m, run.own ? own : configs[0]);
	while (run.input.left) {
		uint8_t kind = take_byte(&run.input) % KINDS;

		if (run.m->n_queued >= EVENTS_MAX)
			hear_all(&run);
		if (run.n_unborn && run.m->ms - run.unborn_ms > FORK_MS)
			end_forks(&run);
		if (kind == OVERRIDE)
			overrides(&run);
		else if (kind == LIFT)
			lifts(&run);
		else if (kind < LOSE || kind == HEAR_SOME || kind == MOVE || kind == CHANGE)
			happens(&run, kind);
		else if (kind == RENICE || kind == CHRT || kind > HEAR_SOME)
			chooses(&run, kind);
		else
			disturb(&run, kind);
		for (size_t i = 0; i < MACHINE_TASKS; i++) {
			check_known(run.m->plan, run.m->tasks[i].tid);
			check_user_lowers(record(run.m, run.m->tasks[i].tid));
		}
	}
	end_forks(&run);
	hear_all(&run);
	if (run.alone && run.exact && run.own)
		check_scan_finds_nothing(&run);
	end_disturbances(run.m);
	stop(run.m);
	check_plan(run.m->plan);
	check_stopped(&run);
	machine_off(&state);
	return 0;
}
