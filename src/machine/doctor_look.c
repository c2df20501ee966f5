/* SPDX-License-Identifier: GPL-2.0-only */
/* Collects the facts about this machine: here its processes and services. */
#include "doctor_look_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <systemd/sd-bus.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/state_folder.h>
#include <schedqos/util/text.h>

#define SYSTEMD_RUNS	"/run/systemd/system"
#define SYSTEMD		"org.freedesktop.systemd1"
#define FOLDER		STATE_FOLDER "/"

/* Ample: nothing waits for us, but we may have to wait for a CPU. */
#define PATIENCE_MS 200

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
	while ((pid = procfs_next(list)) && look->facts.n_rivals < DOCTOR_RIVALS_MAX) {
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
	while ((pid = procfs_next(list)) && look->facts.n_unread < DOCTOR_UNREAD_SHOWN) {
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

	look->unit_capabilities = UINT64_MAX;
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
		sd_bus_get_property_trivial(bus, SYSTEMD, path, SYSTEMD ".Service", "CapabilityBoundingSet", NULL, 't',
					    &look->unit_capabilities);
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
	look->facts.other_namespace = host_other_namespace();
	look_at_daemon(look, daemon);
	doctor_look_at_kernel(look);
	look_at_rivals(look);
	look_at_unread(look);
	reader_close(&look->reader);
	look_at_unit(look);
	doctor_look_at_traces(look);
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
