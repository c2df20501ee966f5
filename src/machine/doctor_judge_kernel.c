/* SPDX-License-Identifier: GPL-2.0-only */
/* What the facts about the kernel mean for classes. Pure. */
#include "doctor_judge_kernel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/text_buf.h>

#include "doctor_judge_debugfs.h"

#define NS_PER_MS 1000000.0

static void judge_events(const struct doctor_facts *facts, struct findings *findings)
{
	switch (facts->events) {
	case DOCTOR_YES:
		if (facts->event_filter)
			add_ok(findings, "events", "the proc connector is heard, and filters");
		else
			findings_add(findings, "events", FINDING_NOTE,
				     "the daemon is woken by events that it then drops",
				     "Linux 6.6 or later", "the proc connector is heard, without a filter");
		break;
	case DOCTOR_NO:
	case DOCTOR_NONE:
		findings_add(findings, "events", FINDING_BAD, "the daemon cannot start",
			     "CONFIG_PROC_EVENTS, outside of containers", "no proc connector: %s",
			     facts->events_fault ? facts->events_fault : "not heard");
		break;
	case DOCTOR_UNKNOWN:
		findings_add(findings, "events", FINDING_NOTE, "cannot be told", "run this as root",
			     "the proc connector is root's");
		break;
	}
}

static void judge_attributes(const struct doctor_facts *facts, struct findings *findings)
{
	if (facts->slice == DOCTOR_YES)
		add_ok(findings, "slice", "the kernel keeps custom slices");
	else
		findings_add(findings, "slice", FINDING_NOTE,
			     "sched_runtime of fair classes has no effect; nice and policy have",
			     "Linux 6.12 or later", "no custom slices");
	if (facts->util_clamp == DOCTOR_YES)
		add_ok(findings, "util-clamp", "the kernel has it");
	else
		findings_add(findings, "util-clamp", FINDING_NOTE,
			     "sched_util_min and sched_util_max have no effect",
			     "a kernel with CONFIG_UCLAMP_TASK", "not in this kernel");
}

static void judge_sched_ext(const struct doctor_facts *facts, struct findings *findings)
{
	if (facts->sched_ext == DOCTOR_YES)
		findings_add(findings, "sched-ext", FINDING_BAD,
			     "it schedules in place of the kernel: slices, and often nice, mean little",
			     "end that scheduler", "%s is loaded",
			     facts->sched_ext_name ? facts->sched_ext_name : "a scheduler");
	else
		add_ok(findings, "sched-ext", "%s",
		       facts->sched_ext == DOCTOR_NO ? "no scheduler is loaded"
						     : "not in this kernel");
}

/* Where no daemon runs yet, autogroup may be on: the daemon turns it off when it starts, unless told otherwise. */
static void judge_autogroup(const struct doctor_facts *facts, const struct config *config,
			    struct findings *findings)
{
	static const char consequence[] =
		"nice ranks tasks only within one session (terminal, login), not between them";

	if (facts->autogroup == DOCTOR_NO || facts->autogroup == DOCTOR_NONE)
		add_ok(findings, "autogroup", "%s",
		       facts->autogroup == DOCTOR_NO ? "off" : "not in this kernel");
	else if (facts->autogroup == DOCTOR_UNKNOWN)
		findings_add(findings, "autogroup", FINDING_NOTE, consequence,
			     "look at kernel.sched_autogroup_enabled", "cannot be read");
	else if (config && !config->settings.autogroup_off)
		findings_add(findings, "autogroup", FINDING_BAD, consequence, "set \"autogroup\": \"off\"",
			     "on, and to be kept");
	else if (!facts->daemon)
		findings_add(findings, "autogroup", FINDING_NOTE, consequence,
			     "none needed: the daemon turns it off while it runs", "on");
	else
		findings_add(findings, "autogroup", FINDING_BAD, consequence,
			     "sysctl kernel.sched_autogroup_enabled=0; 'schedqos status' shows a refusal",
			     "on, though the daemon runs");
}

static bool needs_moves(const struct config *config)
{
	return config && (config->n_groups || rules_need_cgroup(config->rules));
}

#define HEAR_REMEDY                                                                                \
	"mount tracefs at /sys/kernel/tracing, and give the daemon CAP_PERFMON; with kernel.perf_event_paranoid above 2 see " \
	"SECURITY CONSIDERATIONS in schedqos(8)"

static void judge_moves(const struct doctor_facts *facts, const struct config *config, struct findings *findings)
{
	if (facts->moves == DOCTOR_YES)
		add_ok(findings, "moves", "heard, when a process is put into another cgroup");
	else if (!needs_moves(config))
		add_ok(findings, "moves", "no rule and no group asks for cgroups");
	else if (facts->moves == DOCTOR_UNKNOWN)
		findings_add(findings, "moves", FINDING_NOTE, "it is not known whether moves between cgroups are heard",
			     "run doctor as root", "unknown");
	else
		findings_add(findings, "moves", FINDING_BAD,
			     "a process's cgroup is only looked at 0, 0.2, 1 and 3 s after its exec; later moves are missed",
			     HEAR_REMEDY, "moves between cgroups cannot be heard: %s", facts->moves_fault);
}

static void judge_changes(const struct doctor_facts *facts, const struct config *config, struct findings *findings)
{
	if (!config || !rules_enforce(config->rules))
		add_ok(findings, "changes", "no rule enforces");
	else if (facts->changes == DOCTOR_UNKNOWN)
		findings_add(findings, "changes", FINDING_NOTE,
			     "it is not known whether what others change on tasks is heard", "run doctor as root", "unknown");
	else if (facts->changes == DOCTOR_YES)
		findings_add(findings, "changes", FINDING_NOTE,
			     "while a rule enforces, every system call of the machine takes some 50 to 90 ns longer",
			     "none needed; without \"enforce\" in the rules it is gone",
			     "heard, when somebody sets a task's attributes");
	else
		findings_add(findings, "changes", FINDING_BAD,
			     "what somebody changes is put back only when the task is executed or renamed, and at a reload",
			     HEAR_REMEDY, "what others change on tasks cannot be heard: %s", facts->changes_fault);
}

static void judge_cgroups(const struct doctor_facts *facts, struct findings *findings)
{
	if (!facts->cpu_groups) {
		add_ok(findings, "cgroups", "no cpu controller divides tasks");
		return;
	}
	findings_add(findings, "cgroups", FINDING_BAD,
		     "tasks are ranked within their group; between groups their weights count first",
		     facts->cpu_cgroup_version == 2
			     ? "DisableControllers=cpu in a drop-in for -.slice, then boot again"
			     : "boot with cgroup v2, or move the tasks to the hierarchy's root",
		     "the cpu controller (v%u) divides %zu: %s", facts->cpu_cgroup_version,
		     facts->cpu_groups, facts->cpu_group_names ? facts->cpu_group_names : "?");
}

static void judge_governor(const struct doctor_facts *facts, struct findings *findings)
{
	if (!facts->governors)
		findings_add(findings, "governor", FINDING_NOTE, "clamps choose a CPU, but no frequency",
			     "none: a virtual machine, or the firmware's choice", "no cpufreq here");
	else if (facts->schedutil == DOCTOR_YES)
		add_ok(findings, "governor", "%s", facts->governors);
	else
		findings_add(findings, "governor",
			     facts->util_clamp == DOCTOR_YES ? FINDING_BAD : FINDING_NOTE,
			     "util clamps move no frequency",
			     "a sched profile with scaling_governor schedutil (intel_pstate=passive)", "%s",
			     facts->governors);
	add_ok(findings, "energy", "%s",
	       facts->energy == DOCTOR_YES  ? "energy aware scheduling is on"
	       : facts->energy == DOCTOR_NO ? "energy aware scheduling is off"
					    : "no energy model: CPUs are chosen by load");
}

/* Appends the names of the fair classes whose slice is shorter than a tick. Returns how many there are. */
static size_t short_classes(const struct config *config, uint64_t tick_ns, struct text_buf *names)
{
	const struct qos_class *classes = config ? config->classes : qos_builtin;
	size_t n = config ? config->n_classes : QOS_BUILTIN_COUNT, count = 0;

	for (size_t i = 0; i < n; i++) {
		const struct qos_attr *attr = &classes[i].attr;

		if (!task_policy_is_fair(attr->policy) || !(attr->has & QOS_HAS_RUNTIME) ||
		    attr->runtime == 0 || attr->runtime >= tick_ns)
			continue;
		text_buf_printf(names, "%s%s", count++ ? ", " : "", classes[i].name);
	}
	return count;
}

static void judge_slices(const struct doctor_facts *facts, const struct config *config,
			 struct findings *findings)
{
	double tick_ms = (double)facts->tick_ns / NS_PER_MS;
	struct text_buf buf = { 0 };
	size_t count = short_classes(config, facts->tick_ns, &buf);
	char *names = text_buf_take(&buf);

	if (!names)
		findings->no_memory = true;
	if (facts->hrtick == DOCTOR_YES)
		add_ok(findings, "tick", "HRTICK ends slices on time; a tick is %g ms", tick_ms);
	else if (!count)
		add_ok(findings, "tick", "%g ms: no class has a shorter slice", tick_ms);
	else
		findings_add(findings, "tick", facts->hrtick == DOCTOR_NO ? FINDING_BAD : FINDING_NOTE,
			     "such a slice ends at the tick, later than asked for",
			     "a sched profile with HRTICK, or a kernel with a higher CONFIG_HZ",
			     "%g ms, HRTICK %s: longer than the slice of %s", tick_ms,
			     facts->hrtick == DOCTOR_UNKNOWN ? "unknown" : "off", names ? names : "some");
	free(names);
}

static bool gives_io_priority(const struct config *config)
{
	for (size_t i = 0; config && i < config->n_classes; i++) {
		if (config->classes[i].attr.has & QOS_HAS_IO_CLASS)
			return true;
	}
	return false;
}

/* bfq has a share for each level; mq-deadline (since 5.14) serves one class after the other, whatever the level. */
static void judge_disks(const struct doctor_facts *facts, const struct config *config, struct findings *findings)
{
	for (size_t i = 0; i < facts->n_disks; i++) {
		const char *name = facts->disks[i].name, *scheduler = facts->disks[i].scheduler;

		if (strcmp(scheduler, "bfq") == 0)
			add_ok(findings, "io-priority", "%s: %s honours it", name, scheduler);
		else if (strcmp(scheduler, "mq-deadline") == 0)
			add_ok(findings, "io-priority", "%s: %s honours its class, not the level", name, scheduler);
		else if (!gives_io_priority(config))
			add_ok(findings, "io-priority", "%s: %s ignores it; no class gives one", name, scheduler);
		else
			findings_add(findings, "io-priority", FINDING_NOTE, "io_class and io_priority have no effect there",
				     "a sched profile that sets its scheduler to bfq or mq-deadline", "%s: %s ignores it",
				     name, scheduler);
	}
}

static void judge_lockdown(const struct doctor_facts *facts, struct findings *findings)
{
	static const char consequence[] =
		"debugfs is closed: profiles cannot set base_slice_ns and "
		"features; all else works";

	if (facts->lockdown && strcmp(facts->lockdown, "none") != 0)
		findings_add(findings, "lockdown", FINDING_NOTE, consequence,
			     "boot with lockdown=none, without secure boot", "%s", facts->lockdown);
	else if (facts->debugfs_closed && facts->root)
		findings_add(findings, "lockdown", FINDING_NOTE, consequence,
			     "boot with lockdown=none, without secure boot",
			     "debugfs does not let root in: locked down");
	else
		add_ok(findings, "lockdown", "%s", facts->lockdown ? facts->lockdown : "not seen");
}

void doctor_judge_kernel(const struct doctor_facts *facts, const struct config *config, struct findings *findings)
{
	judge_events(facts, findings);
	judge_moves(facts, config, findings);
	judge_changes(facts, config, findings);
	judge_attributes(facts, findings);
	if (facts->slice == DOCTOR_YES && facts->tick_ns)
		judge_slices(facts, config, findings);
	judge_sched_ext(facts, findings);
	judge_autogroup(facts, config, findings);
	judge_cgroups(facts, findings);
	judge_governor(facts, findings);
	judge_disks(facts, config, findings);
	judge_lockdown(facts, findings);
	doctor_judge_debugfs(facts, config, findings);
}
