/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks which features the kernel has, and how it is set up. */
#include "check.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>
#include <schedqos/util/cleanup.h>

static void check_namespaces(struct checkup *checkup)
{
	const char *other = host_other_namespace(checkup->root);

	if (!other)
		found_ok(checkup, "namespaces", "the initial ones");
	else
		found_bad(checkup, "namespaces",
			  "the daemon does not start, because events have other ids than the tasks that it sees",
			  "run it on the host", "a container: not the initial %s namespace", other);
}

static void check_events(struct checkup *checkup)
{
	int r = checkup->tried.events;

	if (r == -EPERM || r == -EACCES)
		found_note(checkup, "events", "unknown whether the kernel reports events", "run this as root",
			   "only root can use the proc connector");
	else if (r < 0)
		found_bad(checkup, "events", "the daemon cannot start",
			  "CONFIG_PROC_EVENTS, outside of containers and network namespaces", "no proc connector: %s",
			  r == -ENODATA ? "silence" : strerror(-r));
	else
		found_ok(checkup, "events", "the proc connector delivers events");
}

static void check_ends(struct checkup *checkup)
{
	int r = checkup->tried.ends;

	if (r == -EPERM || r == -EACCES)
		found_note(checkup, "ends", "unknown whether the kernel reports what ended tasks used",
			   "run this as root", "only root can use taskstats");
	else if (r < 0)
		found_note(checkup, "ends", "'schedqos top' and metrics count no ended tasks",
			   "CONFIG_TASKSTATS, outside of containers", "no taskstats: %s",
			   r == -ENOENT ? "unknown here" : strerror(-r));
	else
		found_ok(checkup, "ends", "taskstats reports what ended tasks used");
}

/* Checks tracepoints. A running daemon reports this itself. */
static void check_hearing(struct checkup *checkup)
{
	static const char consequence[] =
		"a process's cgroup is read only at its exec, and in its first 5 s once a second; enforced classes are put back once a second";
	static const char remedy[] =
		"mount tracefs at /sys/kernel/tracing, and give the daemon CAP_PERFMON; with kernel.perf_event_paranoid "
		"above 2 see SECURITY CONSIDERATIONS in schedqos(8)";
	const struct config *config = checkup->input.config;
	char paranoid[16];

	checkup_read(checkup, "/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid));
	if (!config || !(config->n_groups || config->rules->need_cgroup || config->rules->enforce))
		found_ok(checkup, "hearing", "no rule or group depends on cgroups, and none enforces its class");
	else if (checkup->input.is_deaf)
		found_bad(checkup, "hearing", consequence, remedy,
			  "moves between cgroups, or attributes set by others, are not reported%s%s",
			  atoi(paranoid) > 2 ? ": kernel.perf_event_paranoid is " : "",
			  atoi(paranoid) > 2 ? paranoid : "");
	else if (!checkup->input.daemon && atoi(paranoid) > 2)
		found_note(checkup, "hearing", consequence, remedy, "kernel.perf_event_paranoid is %s", paranoid);
	else
		found_ok(checkup, "hearing", "moves between cgroups, and attributes set by others, are reported");
}

static void check_attributes(struct checkup *checkup)
{
	if (checkup->tried.features.slice)
		found_ok(checkup, "slice", "the kernel keeps custom slices");
	else
		found_note(checkup, "slice", "sched_runtime of fair classes has no effect; nice and policy have",
			   "Linux 6.12 or later", "no custom slices");
	if (checkup->tried.features.util_clamp)
		found_ok(checkup, "util-clamp", "the kernel has it");
	else
		found_note(checkup, "util-clamp", "sched_util_min and sched_util_max have no effect",
			   "a kernel with CONFIG_UCLAMP_TASK", "not in this kernel");
}

/* Returns the fair class with the shortest slice, or NULL. */
static const struct qos_class *shortest(const struct config *config)
{
	const struct qos_class *classes = config ? config->classes : qos_builtin, *best = NULL;
	size_t n = config ? config->n_classes : QOS_BUILTIN_COUNT;

	for (size_t i = 0; i < n; i++) {
		const struct qos_attr *attr = &classes[i].attr;

		if (task_policy_is_fair(attr->policy) && (attr->has & QOS_HAS_RUNTIME) && attr->runtime &&
		    (!best || attr->runtime < best->attr.runtime))
			best = &classes[i];
	}
	return best;
}

static void check_tick(struct checkup *checkup)
{
	const struct qos_class *class = shortest(checkup->input.config);
	double ms = (double)checkup->tried.tick_ns / 1e6;
	char hrtick[KNOBS_VALUE_MAX];
	int r = knobs_read(checkup->root, KNOB_DEBUGFS, "features HRTICK", hrtick);

	if (!checkup->tried.tick_ns || !checkup->tried.features.slice)
		return;
	if (r == 0 && strcmp(hrtick, "HRTICK") == 0)
		found_ok(checkup, "tick", "HRTICK ends slices on time; a tick is %g ms", ms);
	else if (!class || class->attr.runtime >= checkup->tried.tick_ns)
		found_ok(checkup, "tick", "%g ms: no class has a shorter slice", ms);
	else
		found_note(checkup, "tick", "such a slice ends at the next tick, later than requested",
			   "a sched profile with HRTICK, or a kernel with a higher CONFIG_HZ",
			   "%g ms, HRTICK %s: longer than the slice of %s", ms, r == 0 ? "off" : "unknown",
			   class->name);
}

static void check_sched_ext(struct checkup *checkup)
{
	char state[64], name[64];
	int r = checkup_read(checkup, "/sys/kernel/sched_ext/state", state, sizeof(state));

	if (host_sched_ext(checkup->root, name, sizeof(name)))
		found_bad(checkup, "sched-ext", "it replaces the kernel's scheduler: slices have no effect, and nice values little",
			  "end that scheduler", "%s is loaded", *name ? name : "a scheduler");
	else
		found_ok(checkup, "sched-ext", "%s",
			 r < 0				     ? "not in this kernel" :
			 strcmp(state, "disabled") == 0 ? "no scheduler is loaded" :
							       "the scheduler that is loaded leaves fair tasks to the kernel");
}

/* Without a daemon autogroup may be on: the daemon turns it off when it starts, unless told otherwise. */
static void check_autogroup(struct checkup *checkup)
{
	static const char consequence[] =
		"nice ranks tasks only within one session (terminal, login), not between them";
	const struct config *config = checkup->input.config;
	char value[8];
	int r = checkup_read(checkup, "/proc/sys/kernel/sched_autogroup_enabled", value, sizeof(value));

	if (r < 0 || strcmp(value, "0") == 0)
		found_ok(checkup, "autogroup", "%s", r < 0 ? "not in this kernel" : "off");
	else if (config && !config->settings.autogroup_off)
		found_bad(checkup, "autogroup", consequence, "set \"autogroup\": \"off\"", "on, and to be kept");
	else if (checkup->input.daemon <= 0)
		found_note(checkup, "autogroup", consequence, "none needed: the daemon turns it off while it runs",
			   "on");
	else
		found_bad(checkup, "autogroup", consequence,
			  "sysctl kernel.sched_autogroup_enabled=0; 'schedqos status' shows a refusal",
			  "on, though the daemon runs");
}

static void check_governor(struct checkup *checkup)
{
	_cleanup_(knobs_names_clear) struct knobs_names policies = { 0 };
	char path[512], governor[KNOBS_VALUE_MAX], other[64] = "";
	bool any = false;

	knobs_units(checkup->root, KNOB_CPUFREQ, "policy*", &policies);
	for (size_t i = 0; i < policies.count; i++) {
		snprintf(path, sizeof(path), "%s/scaling_governor", policies.items[i]);
		if (knobs_read(checkup->root, KNOB_CPUFREQ, path, governor) < 0)
			continue;
		any = true;
		if (strcmp(governor, "schedutil") != 0)
			snprintf(other, sizeof(other), "%.63s", governor);
	}
	if (!any)
		found_note(checkup, "governor", "util clamps influence the choice of a CPU, but not its frequency",
			   "none: a virtual machine, or the firmware's choice", "no cpufreq here");
	else if (!*other)
		found_ok(checkup, "governor", "schedutil");
	else
		found(checkup, checkup->tried.features.util_clamp ? FINDING_BAD : FINDING_NOTE, "governor",
		      "util clamps move no frequency",
		      "a sched profile with scaling_governor schedutil (intel_pstate=passive)", "%s", other);
}

static bool gives_io_priority(const struct config *config)
{
	for (size_t i = 0; config && i < config->n_classes; i++) {
		if (config->classes[i].attr.has & QOS_HAS_IO_CLASS)
			return true;
	}
	return false;
}

/* Returns whether the device passes its I/O to memory or to other devices, whose scheduler then counts. */
static bool is_view(const char *device)
{
	return fnmatch("loop*", device, 0) == 0 || fnmatch("*ram[0-9]*", device, 0) == 0 ||
	       fnmatch("dm-*", device, 0) == 0 || fnmatch("md*", device, 0) == 0;
}

/* bfq gives each level a share. mq-deadline (since 5.14) serves one class after the other and ignores the level. */
static void check_disks(struct checkup *checkup)
{
	_cleanup_(knobs_names_clear) struct knobs_names disks = { 0 };
	char path[512], scheduler[KNOBS_VALUE_MAX];

	if (gives_io_priority(checkup->input.config))
		knobs_units(checkup->root, KNOB_BLOCK, "*", &disks);
	for (size_t i = 0; i < disks.count; i++) {
		const char *disk = disks.items[i];

		snprintf(path, sizeof(path), "%s/queue/scheduler", disk);
		if (is_view(disk) || knobs_read(checkup->root, KNOB_BLOCK, path, scheduler) < 0)
			continue;
		if (strcmp(scheduler, "bfq") == 0)
			found_ok(checkup, "io-priority", "%s: bfq honours it", disk);
		else if (strcmp(scheduler, "mq-deadline") == 0)
			found_ok(checkup, "io-priority", "%s: mq-deadline honours its class, not the level", disk);
		else
			found_note(checkup, "io-priority", "io_class and io_priority have no effect there",
				   "a sched profile that sets its scheduler to bfq or mq-deadline", "%s: %s ignores it",
				   disk, scheduler);
	}
}

/*
 * Secure boot locks the kernel down and closes debugfs. A file of debugfs shows this even if the setting cannot be
 * read.
 */
static void check_lockdown(struct checkup *checkup)
{
	char mode[64], value[KNOBS_VALUE_MAX];
	int r = checkup_read(checkup, "/sys/kernel/security/lockdown", mode, sizeof(mode));
	/* Only root may mount it. */
	bool closed = geteuid() == 0 && knobs_read(checkup->root, KNOB_DEBUGFS, "features HRTICK", value) == -EPERM;

	if (closed || (r == 0 && !strstr(mode, "[none]")))
		found_note(checkup, "lockdown",
			   "debugfs is closed: profiles cannot set base_slice_ns and features; all else works",
			   "boot with lockdown=none, without secure boot", "%s",
			   r == 0 ? mode : "debugfs does not let root in: locked down");
	else if (r < 0 && geteuid() != 0)
		found_note(checkup, "lockdown", "unknown", "run this as root", "only root can look into debugfs");
	else
		found_ok(checkup, "lockdown", "%s", r == 0 ? "none" : "not seen");
}

void check_kernel(struct checkup *checkup)
{
	check_namespaces(checkup);
	check_events(checkup);
	check_ends(checkup);
	check_hearing(checkup);
	check_attributes(checkup);
	check_tick(checkup);
	check_sched_ext(checkup);
	check_autogroup(checkup);
	check_governor(checkup);
	check_disks(checkup);
	check_lockdown(checkup);
}
