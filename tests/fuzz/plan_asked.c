/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes overrides of root and users, and checks that they take effect. */
#include "plan_run.h"

static const struct qos_class *class_named(const struct machine *m, const char *name)
{
	return qos_class_find(m->config->classes, m->config->n_classes, name);
}

/* Returns whether the override applies to the process, and the plan has booked and seen everything about that. */
static bool counts(struct run *run, const struct asked *asked)
{
	const struct override *override = overrides_get(plan_overrides(run->m->plan), asked->number);
	const struct machine_task *task = asked->pid ? machine_task(run->m, asked->pid) : NULL;
	const struct task *known = task ? record(run->m, asked->pid) : NULL;

	if (!run->exact || run->m->n_queued || run->n_unborn || !known || known->due != DUE_NOTHING)
		return false;
	return !override->uid || (task->uid == override->uid && !task->is_privileged);
}

/* Checks that the process has no class above the limit. */
static void check_limit(struct run *run, const struct asked *asked)
{
	const struct override *override = overrides_get(plan_overrides(run->m->plan), asked->number);
	const struct task *task = record(run->m, asked->pid);
	const struct qos_class *is = class_of_tag(run->m->config, task->tag);

	if (is && class_compare(is, class_named(run->m, override_class(override))) < 0)
		print_error("process %d has %s, over the limit %s\n", (int)asked->pid, is->name,
			    override_class(override));
	check(!is || class_compare(is, class_named(run->m, override_class(override))) >= 0);
}

/* Checks that the class is in force, unless it would raise the process without permission. */
static void check_class(struct run *run, const struct asked *asked)
{
	const struct override *override = overrides_get(plan_overrides(run->m->plan), asked->number);
	const struct task *task = record(run->m, asked->pid);
	const uint16_t number = task->joined[override->uid ? SLOT_USERS_CLASS : SLOT_CLASS];
	bool raises;

	/* The name of a thread may give it a higher class than the process has. */
	if (number != asked->number || (override->uid && task->joined[SLOT_CLASS]) ||
	    plan_has_thread_rules(run->m->plan, task))
		return;
	if (plan_override_needs_raise(run->m->plan, override))
		check(task->own.by != REASON_OVERRIDE);
	else
		check(task->own.by == REASON_OVERRIDE &&
		      task->own.tag == overrides_class(plan_overrides(run->m->plan), task, &raises));
}

static void check_asked(struct run *run)
{
	for (size_t i = 0; i < run->n_asked; i++) {
		const struct override *override = overrides_get(plan_overrides(run->m->plan), run->asked[i].number);

		if (override_cgroup(override) || !counts(run, &run->asked[i]))
			continue;
		if (override->kind == OVERRIDE_LIMIT)
			check_limit(run, &run->asked[i]);
		else if (override->kind == OVERRIDE_CLASS)
			check_class(run, &run->asked[i]);
	}
}

static void hear_unless_deaf(struct machine *m)
{
	if (!m->deaf)
		hear(m);
}

static void lifts(struct run *run)
{
	if (!run->n_asked)
		return;
	ends(run->m, run->asked[0].number);
	memmove(run->asked, run->asked + 1, --run->n_asked * sizeof(run->asked[0]));
}

/*
 * Returns whether the user may request something for the process: it runs as the user, and has no override of another
 * user (see is_anothers in scan.c).
 */
static bool may_ask(struct run *run, uid_t uid, pid_t pid)
{
	const struct task *task = uid && pid ? record(run->m, pid) : NULL;

	for (int slot = SLOT_USERS_CLASS; task && slot < OVERRIDE_SLOTS; slot++) {
		if (task->joined[slot] && overrides_get(plan_overrides(run->m->plan), task->joined[slot])->uid != uid)
			return false;
	}
	return !uid || !pid || living(run->m, pid)->uid == uid;
}

/* Puts an override in force. pid: the process; 0 for a cgroup. */
static void asks_for(struct run *run, struct override override, pid_t pid)
{
	struct asked *asked;

	if (!may_ask(run, override.uid, pid))
		return;
	if (run->n_asked == ASKED_MAX)
		lifts(run);
	asked = &run->asked[run->n_asked++];
	override.pid = pid;
	if (override.kind == OVERRIDE_SHOWN)
		override.visibility.tty = living(run->m, pid)->tty;
	check(plan_override_add(run->m->plan, &override, &asked->number) == 0);
	asked->pid = pid && plan_override_join(run->m->plan, asked->number, pid) == 0 ? pid : 0;
	hear_unless_deaf(run->m);
}

/* Lets the override cover one more process, as for a child that a scan finds. */
static void holds_for_another(struct run *run, pid_t pid)
{
	const struct asked *asked = &run->asked[run->n_asked - 1];
	const struct override *override = overrides_get(plan_overrides(run->m->plan), asked->number);

	if (override_cgroup(override) || !may_ask(run, override->uid, pid))
		return;
	plan_override_join(run->m->plan, asked->number, pid);
	hear_unless_deaf(run->m);
}

static void overrides(struct run *run)
{
	static const uid_t uids[] = { 0, ALICE, BOB, 0 };
	const uint8_t how = take_byte(&run->input);
	const bool is_of_cgroup = (how & 13) == 12;
	const char *class = qos_builtin[(how >> 4) % QOS_BUILTIN_COUNT].name;
	struct override override = { .uid = uids[(how >> 4) / QOS_BUILTIN_COUNT] };

	if (how & 1) {
		override.kind = OVERRIDE_CLASS;
		override.request = (struct class_request){ class, how & 2, how & 4 };
	} else {
		override.kind = OVERRIDE_LIMIT;
		override.limit = (struct limit){ class, is_of_cgroup ? run_cgroups[how % N_CGROUPS] : NULL };
	}
	if ((how & 12) == 8 && run->n_asked)
		holds_for_another(run, tgid_of(run->m, run_some_running(run)));
	else
		asks_for(run, override, is_of_cgroup ? 0 : tgid_of(run->m, run_some_running(run)));
}

static void is_seen(struct run *run)
{
	const uint8_t how = take_byte(&run->input);
	const struct override override = {
		.kind = OVERRIDE_SHOWN,
		.visibility.shown = how % (SHOWN_FOCUSED + 1),
		.uid = how & 4 ? BOB : ALICE,
	};

	asks_for(run, override, tgid_of(run->m, run_some_running(run)));
}

void run_is_asked(struct run *run, uint8_t kind)
{
	switch (kind) {
	case OVERRIDE:
		overrides(run);
		break;
	case LIFT:
		lifts(run);
		break;
	case SEEN:
		is_seen(run);
		break;
	}
	check_asked(run);
}
