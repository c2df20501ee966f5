/* SPDX-License-Identifier: GPL-2.0-only */
/* Between cpu cgroups weights count first: whether there are such, and what the mapping in force does there. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#define NAMES_MAX 3

/* The groups in the root of the hierarchy with tasks in them or below. */
struct borders {
	size_t count; /* NAMES_MAX + 1: more */
	char names[NAMES_MAX + 1][64];
};

static void add_group(struct borders *borders, const char *path)
{
	size_t len = strcspn(path + 1, "/"), i = 0;
	char *name = borders->names[borders->count];

	if (!len || borders->count > NAMES_MAX)
		return;
	/* It was chosen by whoever may make cgroups. */
	text_escape_to(name, sizeof(borders->names[0]), path + 1, len);
	while (strcmp(borders->names[i], name) != 0)
		i++;
	borders->count += i == borders->count;
}

static struct borders find_borders(const struct checkup *checkup, unsigned version)
{
	_cleanup_close_ int proc = checkup_open(checkup, "/proc");
	_cleanup_closedir_ DIR *list = NULL;
	struct borders borders = { 0 };
	char text[8192], path[4096];
	pid_t pid;

	if (proc < 0 || procfs_list(proc, 0, &list) < 0)
		return borders;
	while ((pid = procfs_next(list))) {
		if (procfs_read(proc, pid, "cgroup", text, sizeof(text)) > 0 &&
		    host_cgroup_path(text, version, path, sizeof(path)))
			add_group(&borders, path);
	}
	return borders;
}

/* The version of the hierarchy with the cpu controller, 0 for none. In version 2 the root enables it for its groups. */
static unsigned cpu_hierarchy(const struct checkup *checkup)
{
	struct cgroup_mount mounts[8];
	size_t n = host_cgroups(checkup->root, mounts, array_size(mounts));
	char path[512], text[256];

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/cgroup.subtree_control", mounts[i].path);
		checkup_read(checkup, path, text, sizeof(text));
		if (mounts[i].version == 1 || host_has_word(text, "cpu"))
			return mounts[i].version;
	}
	return 0;
}

/* Whether what is interactive has the announcement's class: its slice of 8 ms is too long across a border. */
static bool has_announcement(const struct config *config)
{
	const struct qos_class *builtin = qos_class_find(qos_builtin, QOS_BUILTIN_COUNT, "QOS_USER_INTERACTIVE");
	const struct qos_class *class =
		config ? qos_class_find(config->classes, config->n_classes, builtin->name) : builtin;

	return class && qos_attr_equal(&class->attr, &builtin->attr);
}

void check_borders(struct checkup *checkup)
{
	const unsigned version = cpu_hierarchy(checkup);
	const struct borders borders = version ? find_borders(checkup, version) : (struct borders){ 0 };
	const bool harms = has_announcement(checkup->input.config);
	char names[256] = "";

	for (size_t i = 0; i < borders.count; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? ", " : "",
			 i < NAMES_MAX ? borders.names[i] : "...");
	if (!borders.count)
		found_ok(checkup, "borders", "none: all tasks are in one cpu cgroup");
	else
		found(checkup, harms ? FINDING_BAD : FINDING_NOTE, "borders",
		      harms ? DOCTOR_BORDER_WORDS "; there, with the announcement's mapping, interactive tasks can wait "
						  "longer than without a daemon" :
			      DOCTOR_BORDER_WORDS,
		      harms ? "leave out \"mapping\" and --mapping: then the recommended one is in force, see README" :
			      "none needed; cpu.weight or cpu.shares (systemd: CPUWeight=) ranks whole groups",
		      "around cpu cgroups (v%u): %s", version, names);
}
