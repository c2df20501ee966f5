/* SPDX-License-Identifier: GPL-2.0-only */
/* What doctor finds out about the kernel: its features, and how its knobs are set. */
#include "doctor_look_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/kernel/kconfig.h>
#include <schedqos/kernel/proc_connector.h>
#include <schedqos/kernel/sched_attr.h>
#include <schedqos/util/cleanup.h>

#include "knob_plan.h"

#define SCHED_EXT_STATE "/sys/kernel/sched_ext/state"
#define SCHED_EXT_OPS	"/sys/kernel/sched_ext/root/ops"
#define LOCKDOWN	"/sys/kernel/security/lockdown"

#define CONNECTOR_BUFFER 65536

static void look_at_events(struct doctor_facts *facts)
{
	struct proc_connector *connector;
	int r = proc_connector_open(EVENT_FORK, CONNECTOR_BUFFER, &connector);

	if (r == 0) {
		r = proc_connector_probe(connector);
		proc_connector_close(connector);
	}
	facts->event_filter = proc_connector_has_filter();
	facts->events = doctor_yes_or_no(r == 0);
	facts->events_fault = r == -ENODATA ? "silence" : strerror(-r);
	if ((r == -EPERM || r == -EACCES) && !facts->root)
		facts->events = DOCTOR_UNKNOWN;
}

static void look_at_attributes(struct doctor_facts *facts)
{
	struct ksched_features features;

	if (ksched_probe(&features) < 0)
		return;
	facts->slice = doctor_yes_or_no(features.slice);
	facts->util_clamp = doctor_yes_or_no(features.util_clamp);
}

static void look_at_sched_ext(struct doctor_look *look)
{
	struct doctor_facts *facts = &look->facts;
	char state[64];
	int r = host_read(SCHED_EXT_STATE, state, sizeof(state));

	facts->sched_ext = r == -ENOENT ? DOCTOR_NONE : DOCTOR_UNKNOWN;
	if (r < 0)
		return;
	facts->sched_ext = doctor_yes_or_no(strcmp(state, "disabled") != 0);
	if (host_read(SCHED_EXT_OPS, look->sched_ext_name, sizeof(look->sched_ext_name)) == 0 &&
	    look->sched_ext_name[0])
		facts->sched_ext_name = look->sched_ext_name;
}

/* A sysctl that is a switch. */
static enum doctor_answer sysctl(struct doctor_look *look, const char *path)
{
	char value[KNOBS_VALUE_MAX];
	int r = knobs_read(&look->knobs, KNOB_SYSCTL, path, NULL, value);

	if (r == -ENOENT || r == -EOPNOTSUPP)
		return DOCTOR_NONE;
	return r < 0 ? DOCTOR_UNKNOWN : doctor_yes_or_no(strcmp(value, "0") != 0);
}

static void look_at_cgroups(struct doctor_look *look)
{
	struct cgroup_mount mounts[8];
	size_t n = host_cgroups(mounts, array_size(mounts));

	for (size_t i = 0; i < n; i++) {
		_cleanup_close_ int root = open(mounts[i].path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (root < 0 || look->groups.count)
			continue;
		host_cpu_groups(root, mounts[i].version, &look->groups);
		look->facts.cpu_cgroup_version = mounts[i].version;
	}
	look->facts.cpu_groups = look->groups.count;
	look->facts.cpu_group_names = look->groups.names;
	if (look->groups.count > 3)
		strcat(look->groups.names, ", ...");
}

/* Each governor once. */
static void add_governor(struct doctor_look *look, const char *governor)
{
	size_t used = strlen(look->governors);

	if (strcmp(governor, "schedutil") != 0)
		look->facts.schedutil = DOCTOR_NO;
	if (strstr(look->governors, governor) ||
	    used + strlen(governor) + 3 > sizeof(look->governors))
		return;
	snprintf(look->governors + used, sizeof(look->governors) - used, "%s%s", used ? ", " : "",
		 governor);
}

static void look_at_governors(struct doctor_look *look)
{
	_cleanup_(knobs_names_clear) struct knobs_names policies = { 0 };

	if (knobs_units(&look->knobs, KNOB_CPUFREQ, "policy*", &policies) < 0)
		return;
	look->facts.schedutil = DOCTOR_YES;
	for (size_t i = 0; i < policies.count; i++) {
		char value[KNOBS_VALUE_MAX], path[KNOBS_PATH_MAX];

		snprintf(path, sizeof(path), "%s/scaling_governor", policies.items[i]);
		if (knobs_read(&look->knobs, KNOB_CPUFREQ, path, NULL, value) == 0)
			add_governor(look, value);
	}
	if (look->governors[0])
		look->facts.governors = look->governors;
}

/* Whether what is read and written goes to memory, or on to other devices, whose scheduler counts. */
static bool is_view(const char *device)
{
	static const char *const prefixes[] = { "loop", "ram", "zram", "dm-", "md" };

	for (size_t i = 0; i < array_size(prefixes); i++) {
		if (strncmp(device, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

static void look_at_disks(struct doctor_look *look)
{
	_cleanup_(knobs_names_clear) struct knobs_names devices = { 0 };
	struct doctor_facts *facts = &look->facts;

	if (knobs_units(&look->knobs, KNOB_BLOCK, "*", &devices) < 0)
		return;
	look->disks = calloc(devices.count + 1, sizeof(*look->disks));
	for (size_t i = 0; look->disks && i < devices.count; i++) {
		struct doctor_disk *disk = &look->disks[facts->n_disks];
		char value[KNOBS_VALUE_MAX], path[KNOBS_PATH_MAX];

		snprintf(path, sizeof(path), "%s/scheduler", devices.items[i]);
		if (is_view(devices.items[i]) || knobs_read(&look->knobs, KNOB_BLOCK, path, NULL, value) < 0)
			continue;
		snprintf(disk->name, sizeof(disk->name), "%s", devices.items[i]);
		snprintf(disk->scheduler, sizeof(disk->scheduler), "%.31s", value);
		facts->n_disks++;
	}
	facts->disks = look->disks;
}

/* The tree itself can be opened, mounted if need be: it is the file that is closed. */
static bool is_closed_file(struct doctor_look *look, int error)
{
	return error == -EPERM && knobs_open(&look->knobs, KNOB_DEBUGFS) == 0;
}

static void look_at_debugfs(struct doctor_look *look)
{
	char value[KNOBS_VALUE_MAX];
	int r = knobs_read(&look->knobs, KNOB_DEBUGFS, "features", "HRTICK", value);

	look->facts.hrtick = r < 0 ? DOCTOR_UNKNOWN : doctor_yes_or_no(strcmp(value, "HRTICK") == 0);
	look->facts.debugfs_closed = is_closed_file(look, r);
	r = knobs_read(&look->knobs, KNOB_DEBUGFS, "features", "RUN_TO_PARITY", value);
	if (r == -EINVAL || r == -ENOENT)
		look->facts.parity = DOCTOR_NONE;
	else if (r == 0)
		look->facts.parity = doctor_yes_or_no(strcmp(value, "RUN_TO_PARITY") == 0);
	r = knobs_read(&look->knobs, KNOB_DEBUGFS, "llc_balancing/enabled", NULL, value);
	look->facts.llc_balancing_closed = is_closed_file(look, r);
	if (r == -ENOENT)
		look->facts.llc_balancing = DOCTOR_NONE;
	else if (r == 0)
		look->facts.llc_balancing = doctor_yes_or_no(!knob_same(value, "0"));
}

/*
 * In the order in which they can be trusted: the knob, if it is there, is the running kernel's own, and so is
 * /proc/config.gz. The file in /boot is a package's, of what may be another build of the same name.
 */
static void look_at_sched_cache(struct doctor_look *look)
{
	struct doctor_facts *facts = &look->facts;
	const char *const files[] = { "/proc/config.gz", look->boot_config };

	if (facts->llc_balancing_closed || facts->llc_balancing == DOCTOR_YES ||
	    facts->llc_balancing == DOCTOR_NO) {
		facts->sched_cache = DOCTOR_YES;
		facts->sched_cache_source = "debugfs";
		return;
	}
	if (facts->release && !strchr(facts->release, '/'))
		snprintf(look->boot_config, sizeof(look->boot_config), "/boot/config-%s", facts->release);
	for (size_t i = 0; i < array_size(files) && !facts->sched_cache_source; i++) {
		int r = kconfig_has(files[i], "CONFIG_SCHED_CACHE");

		if (r < 0)
			continue;
		facts->sched_cache = doctor_yes_or_no(r);
		facts->sched_cache_source = files[i];
	}
}

static void look_at_lockdown(struct doctor_look *look)
{
	if (host_read(LOCKDOWN, look->lockdown, sizeof(look->lockdown)) == 0 &&
	    host_parse_lockdown(look->lockdown))
		look->facts.lockdown = look->lockdown;
}

void doctor_look_at_kernel(struct doctor_look *look)
{
	look->facts.tick_ns = host_tick_ns();
	look->facts.autogroup = sysctl(look, "kernel/sched_autogroup_enabled");
	look->facts.energy = sysctl(look, "kernel/sched_energy_aware");
	look_at_events(&look->facts);
	look_at_attributes(&look->facts);
	look_at_sched_ext(look);
	look_at_cgroups(look);
	look_at_governors(look);
	look_at_disks(look);
	look_at_debugfs(look);
	look_at_sched_cache(look);
	look_at_lockdown(look);
}
