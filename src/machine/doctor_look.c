/* SPDX-License-Identifier: GPL-2.0-only */
/* Collects the facts about this machine. */
#include <schedqos/machine/doctor.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <systemd/sd-bus.h>

#include <schedqos/kernel/host.h>
#include <schedqos/kernel/knobs.h>
#include <schedqos/kernel/proc_connector.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/kernel/reader.h>
#include <schedqos/kernel/sched_attr.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/state_folder.h>
#include <schedqos/util/text.h>

#define SCHED_EXT_STATE "/sys/kernel/sched_ext/state"
#define SCHED_EXT_OPS	"/sys/kernel/sched_ext/root/ops"
#define LOCKDOWN	"/sys/kernel/security/lockdown"
#define SYSTEMD_RUNS	"/run/systemd/system"
#define SYSTEMD		"org.freedesktop.systemd1"
#define FOLDER		STATE_FOLDER "/"

#define RIVALS_MAX	  8
#define PATIENCE_MS	  200 /* ample: nothing waits for us, but we may have to wait for a CPU */
#define UNREAD_SHOWN	  4
#define CONNECTOR_BUFFER  65536

struct doctor_look {
	struct doctor_facts facts;
	struct utsname uname;
	struct cgroup_groups groups;
	struct doctor_rival rivals[RIVALS_MAX];
	struct doctor_unread unread[UNREAD_SHOWN];
	struct doctor_disk *disks;
	struct reader reader;
	struct knobs knobs;
	char sched_ext_name[64];
	char governors[128];
	char lockdown[64];
	bool owner_hidden; /* only root can ask which process holds the daemon's lock */
	char *unit_active, *unit_enabled;
};

static enum doctor_answer yes_or_no(bool yes)
{
	return yes ? DOCTOR_YES : DOCTOR_NO;
}

static void look_at_events(struct doctor_facts *facts)
{
	struct proc_connector *connector;
	int r = proc_connector_open(EVENT_FORK, CONNECTOR_BUFFER, &connector);

	if (r == 0) {
		r = proc_connector_probe(connector);
		proc_connector_close(connector);
	}
	facts->event_filter = proc_connector_has_filter();
	facts->events = yes_or_no(r == 0);
	facts->events_fault = r == -ENODATA ? "silence" : strerror(-r);
	if ((r == -EPERM || r == -EACCES) && !facts->root)
		facts->events = DOCTOR_UNKNOWN;
}

static void look_at_attributes(struct doctor_facts *facts)
{
	struct ksched_features features;

	if (ksched_probe(&features) < 0)
		return;
	facts->slice = yes_or_no(features.slice);
	facts->util_clamp = yes_or_no(features.util_clamp);
}

static void look_at_sched_ext(struct doctor_look *look)
{
	struct doctor_facts *facts = &look->facts;
	char state[64];
	int r = host_read(SCHED_EXT_STATE, state, sizeof(state));

	facts->sched_ext = r == -ENOENT ? DOCTOR_NONE : DOCTOR_UNKNOWN;
	if (r < 0)
		return;
	facts->sched_ext = yes_or_no(strcmp(state, "disabled") != 0);
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
	return r < 0 ? DOCTOR_UNKNOWN : yes_or_no(strcmp(value, "0") != 0);
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

static void look_at_debugfs(struct doctor_look *look)
{
	char value[KNOBS_VALUE_MAX];
	int r = knobs_read(&look->knobs, KNOB_DEBUGFS, "features", "HRTICK", value);

	look->facts.hrtick = r < 0 ? DOCTOR_UNKNOWN : yes_or_no(strcmp(value, "HRTICK") == 0);
	/* The tree itself can be opened, mounted if need be: it is the file that is closed. */
	look->facts.debugfs_closed = r == -EPERM && knobs_open(&look->knobs, KNOB_DEBUGFS) == 0;
}

static void look_at_lockdown(struct doctor_look *look)
{
	if (host_read(LOCKDOWN, look->lockdown, sizeof(look->lockdown)) == 0 &&
	    host_parse_lockdown(look->lockdown))
		look->facts.lockdown = look->lockdown;
}

/* Other verbs run under our name, too: only start and restart become a daemon. */
static bool was_run_as_start(struct doctor_look *look, pid_t pid)
{
	char argv[256];
	ssize_t n = reader_argv(&look->reader, pid, PATIENCE_MS, argv, sizeof(argv));
	size_t first = n > 0 ? strlen(argv) + 1 : 0;

	return n > 0 && first < (size_t)n &&
	       (strcmp(argv + first, "start") == 0 || strcmp(argv + first, "restart") == 0);
}

/* A daemon that had to be replaced runs as a child of the process that was started. */
static bool is_daemon_or_ancestor(const struct doctor_look *look, int proc, pid_t pid)
{
	struct procfs_stat stat;

	for (pid_t at = look->facts.daemon; at > 0; at = stat.ppid) {
		if (at == pid)
			return true;
		if (procfs_stat(proc, at, &stat) < 0)
			break;
	}
	return false;
}

static bool is_rival(struct doctor_look *look, int proc, pid_t pid, const char *comm)
{
	if (pid == getpid() || !doctor_knows_rival(comm))
		return false;
	return strcmp(comm, "schedqos") != 0 ||
	       (!is_daemon_or_ancestor(look, proc, pid) && was_run_as_start(look, pid));
}

static void look_at_rivals(struct doctor_look *look)
{
	_cleanup_close_ int proc = procfs_open();
	_cleanup_closedir_ DIR *list = NULL;
	pid_t pid;

	if (proc < 0 || procfs_list(proc, 0, &list) < 0)
		return;
	while ((pid = procfs_next(list)) && look->facts.n_rivals < RIVALS_MAX) {
		struct doctor_rival rival = { .pid = pid };

		if (procfs_comm(proc, pid, rival.comm) < 0 ||
		    !is_rival(look, proc, pid, rival.comm))
			continue;
		if (look->owner_hidden && !look->facts.daemon &&
		    strcmp(rival.comm, "schedqos") == 0)
			look->facts.daemon = pid;
		else
			look->rivals[look->facts.n_rivals++] = rival;
	}
	look->facts.rivals = look->rivals;
}

static void look_at_unread(struct doctor_look *look)
{
	_cleanup_close_ int proc = procfs_open();
	_cleanup_closedir_ DIR *list = NULL;
	char argv[2], comm[16];
	pid_t pid;

	if (proc < 0 || procfs_list(proc, 0, &list) < 0)
		return;
	while ((pid = procfs_next(list)) && look->facts.n_unread < UNREAD_SHOWN) {
		struct doctor_unread *unread = &look->unread[look->facts.n_unread];

		if (reader_argv(&look->reader, pid, PATIENCE_MS, argv, sizeof(argv)) != -EAGAIN ||
		    procfs_comm(proc, pid, comm) < 0)
			continue;
		unread->pid = pid;
		text_escape_to(unread->name, sizeof(unread->name), comm, strlen(comm));
		look->facts.n_unread++;
	}
	look->facts.unread = look->unread;
}

static void look_at_unit(struct doctor_look *look)
{
	sd_bus_message *reply = NULL;
	sd_bus *bus = NULL;
	const char *path = NULL;

	look->facts.systemd = access(SYSTEMD_RUNS, F_OK) == 0;
	if (!look->facts.systemd || sd_bus_open_system(&bus) < 0)
		return;
	if (sd_bus_call_method(bus, SYSTEMD, "/org/freedesktop/systemd1", SYSTEMD ".Manager",
			       "LoadUnit", NULL, &reply, "s", "schedqos.service") >= 0 &&
	    sd_bus_message_read(reply, "o", &path) >= 0) {
		sd_bus_get_property_string(bus, SYSTEMD, path, SYSTEMD ".Unit", "ActiveState", NULL,
					   &look->unit_active);
		sd_bus_get_property_string(bus, SYSTEMD, path, SYSTEMD ".Unit", "UnitFileState",
					   NULL, &look->unit_enabled);
	}
	sd_bus_message_unref(reply);
	sd_bus_flush_close_unref(bus);
	look->facts.unit_active = look->unit_active;
	look->facts.unit_enabled = look->unit_enabled;
}

static void look_at_daemon(struct doctor_look *look, pid_t owner)
{
	struct doctor_facts *facts = &look->facts;

	facts->daemon = owner > 0 ? owner : 0;
	look->owner_hidden = owner == -EACCES;
	facts->leftovers = access(FOLDER STATE_KNOBS, F_OK) == 0 || access(FOLDER STATE_TASKS, F_OK) == 0;
	facts->set_aside = access(FOLDER STATE_KNOBS STATE_DAMAGED, F_OK) == 0 ||
			   access(FOLDER STATE_TASKS STATE_DAMAGED, F_OK) == 0;
}

struct doctor_look *doctor_look(pid_t daemon)
{
	struct doctor_look *look = calloc(1, sizeof(*look));

	if (!look)
		return NULL;
	knobs_init(&look->knobs);
	look->facts.root = geteuid() == 0;
	if (uname(&look->uname) == 0)
		look->facts.release = look->uname.release;
	look->facts.tick_ns = host_tick_ns();
	look->facts.other_namespace = host_other_namespace();
	look->facts.autogroup = sysctl(look, "kernel/sched_autogroup_enabled");
	look->facts.energy = sysctl(look, "kernel/sched_energy_aware");
	look_at_daemon(look, daemon);
	look_at_events(&look->facts);
	look_at_attributes(&look->facts);
	look_at_sched_ext(look);
	look_at_cgroups(look);
	look_at_governors(look);
	look_at_disks(look);
	look_at_debugfs(look);
	look_at_lockdown(look);
	look_at_rivals(look);
	look_at_unread(look);
	reader_close(&look->reader);
	look_at_unit(look);
	return look;
}

const struct doctor_facts *doctor_look_facts(const struct doctor_look *look)
{
	return &look->facts;
}

void doctor_look_free(struct doctor_look *look)
{
	if (!look)
		return;
	knobs_close(&look->knobs);
	free(look->disks);
	free(look->unit_active);
	free(look->unit_enabled);
	free(look);
}
