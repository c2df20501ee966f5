/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks for borders between cpu cgroups, where weights count first, and for the effect of the mapping across them. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#define NAMES_MAX 3

/* The top cgroups of the cpu hierarchy that have tasks in them or below. */
struct borders {
	unsigned version; /* of the cgroup hierarchy */
	size_t count; /* NAMES_MAX + 1 means "more than NAMES_MAX" */
	char names[NAMES_MAX + 1][64];
};

static void add_group(struct borders *borders, const char *path)
{
	size_t len = strcspn(path + 1, "/"), i = 0;
	char *name = borders->names[borders->count];

	if (!len || borders->count > NAMES_MAX)
		return;
	/* Ordinary users create cgroups, too, so the name can contain anything. */
	text_escape_to(name, sizeof(borders->names[0]), path + 1, len);
	while (strcmp(borders->names[i], name) != 0)
		i++;
	borders->count += i == borders->count;
}

static struct borders find_borders(const struct checkup *checkup)
{
	const struct cpu_hierarchies where = cpu_hierarchies_find(checkup->root);
	_cleanup_close_ int proc = checkup_open(checkup, "/proc");
	_cleanup_closedir_ DIR *list = NULL;
	struct borders borders = { 0 };
	struct cpu_group group;
	pid_t pid;

	if (proc < 0 || procfs_list(proc, 0, &list) < 0)
		return borders;
	while ((pid = procfs_next(list))) {
		if (cpu_group_of(&where, proc, pid, &group) < 0 || !group.path[0])
			continue;
		add_group(&borders, group.path);
		borders.version = group.mount.version;
	}
	return borders;
}

/*
 * Returns whether QOS_USER_INTERACTIVE is the announcement's, whose slice of 8 ms makes tasks of another cgroup wait
 * too long.
 */
static bool has_announcement(const struct config *config)
{
	const struct qos_class *builtin = qos_class_find(qos_builtin, QOS_BUILTIN_COUNT, "QOS_USER_INTERACTIVE");
	const struct qos_class *class =
		config ? qos_class_find(config->classes, config->n_classes, builtin->name) : builtin;

	return class && qos_attr_equal(&class->attr, &builtin->attr);
}

void check_borders(struct checkup *checkup)
{
	const struct borders borders = find_borders(checkup);
	const bool harms = has_announcement(checkup->input.config);
	char names[256] = "";

	for (size_t i = 0; i < borders.count; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%.63s", i ? ", " : "",
			 i < NAMES_MAX ? borders.names[i] : "...");
	if (!borders.count)
		found_ok(checkup, "borders", "none: all tasks are in one cpu cgroup");
	else
		found(checkup, harms ? FINDING_BAD : FINDING_NOTE, "borders",
		      harms ? DOCTOR_BORDER_WORDS
			      "; there, with the announcement's mapping, interactive tasks can wait "
			      "longer than without a daemon"
			    : DOCTOR_BORDER_WORDS,
		      harms ? "leave out \"mapping\" and --mapping: then the recommended one is in force, see README"
			    : "the setting \"weights\", see schedqos.json(5), ranks whole units by a class",
		      "around cpu cgroups (v%u): %s", borders.version, names);
}
