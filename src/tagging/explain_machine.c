/* SPDX-License-Identifier: GPL-2.0-only */
/* What on this machine makes a task's class weaker than it is meant to be. Such things of the whole machine: doctor. */
#include "explain_private.h"

#include <fcntl.h>
#include <string.h>

#include <schedqos/kernel/cpu_group.h>

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

static void put_cgroup(struct json_writer *json, int proc, pid_t tgid)
{
	const struct cpu_hierarchies where = cpu_hierarchies_find(AT_FDCWD);
	struct cpu_group group;

	if (cpu_group_of(&where, proc, tgid, &group) < 0 || group.path[0] != '/')
		return;
	json_begin(json, NULL, '{');
	json_put_text(json, "what", "cpu-cgroup");
	explain_put_text(json, "path", group.path);
	explain_put_text(json, "weight", group.weight);
	json_end(json, '}');
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
		put_cgroup(json, source->proc, tgid);
	json_end(json, ']');
}
