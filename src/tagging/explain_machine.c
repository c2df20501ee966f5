/* SPDX-License-Identifier: GPL-2.0-only */
/* What on this machine makes a task's class weaker than it is meant to be. Such things of the whole machine: doctor. */
#include "explain_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>

#define MOUNTS_MAX 4
#define WEIGHT_MAX 32

static bool reads(const char *path, const char *value)
{
	char text[32];

	return host_read(path, text, sizeof(text)) == 0 && strcmp(text, value) == 0;
}

static void put_what(struct json_writer *json, const char *what)
{
	json_begin(json, NULL, '{');
	json_put_text(json, "what", what);
	json_end(json, '}');
}

/* Takes components off the path until the group has the file, which says that the controller divides there. */
static bool find_weight(const struct cgroup_mount *mount, char *path, char weight[WEIGHT_MAX])
{
	const char *name = mount->version == 2 ? "cpu.weight" : "cpu.shares";
	char *last;

	for (; (last = strrchr(path, '/')) && path[1]; *last = '\0') {
		char file[8192];

		snprintf(file, sizeof(file), "%s%s/%s", mount->path, path, name);
		if (host_read(file, weight, WEIGHT_MAX) == 0)
			return true;
	}
	return false;
}

static void put_cgroups(struct json_writer *json, int proc, pid_t tgid)
{
	struct cgroup_mount mounts[MOUNTS_MAX];
	char text[8192], path[4096], weight[WEIGHT_MAX];
	size_t count;

	if (procfs_read(proc, tgid, "cgroup", text, sizeof(text)) < 0)
		return;
	count = host_cgroups(AT_FDCWD, mounts, MOUNTS_MAX);
	for (size_t i = 0; i < count; i++) {
		if (!host_cgroup_path(text, mounts[i].version, path, sizeof(path)) || !find_weight(&mounts[i], path, weight))
			continue;
		json_begin(json, NULL, '{');
		json_put_text(json, "what", "cpu-cgroup");
		explain_put_text(json, "path", path);
		explain_put_text(json, "weight", weight);
		json_end(json, '}');
	}
}

/* A daemon that is yet to be started turns autogroups off. */
static bool has_autogroups(const struct explain_source *source)
{
	return reads("/proc/sys/kernel/sched_autogroup_enabled", "1") &&
	       !(source->is_rehearsal && plan_config(source->plan)->settings.autogroup_off);
}

void explain_put_weaker(struct json_writer *json, const struct explain_source *source, const struct task *task,
			pid_t tgid)
{
	const struct config *config = plan_config(source->plan);
	const struct attr_caps *caps = source->caps;
	size_t count;
	const struct tag *tags = rules_tags(config->rules, &count);
	const struct qos_attr *class = task && task->tag < count ? &tags[task->tag].attr : NULL;

	json_begin(json, "weaker", '[');
	if (has_autogroups(source))
		put_what(json, "autogroup");
	if (reads("/sys/kernel/sched_ext/state", "enabled"))
		put_what(json, "sched-ext");
	if (class && !caps->slice && (class->has & QOS_HAS_RUNTIME))
		put_what(json, "no-slice");
	if (class && !caps->util_clamp &&
	    (((class->has & QOS_HAS_UTIL_MIN) && class->util_min) ||
	     ((class->has & QOS_HAS_UTIL_MAX) && class->util_max != UTIL_FULL)))
		put_what(json, "no-util-clamp");
	if (tgid)
		put_cgroups(json, source->proc, tgid);
	json_end(json, ']');
}
