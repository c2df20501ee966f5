/* SPDX-License-Identifier: GPL-2.0-only */
/* What the first look at all tasks has found, for people: a line for each class instead of one for each task. */
#include "tagger_private.h"

#include <stdlib.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "name_counts.h"

/* The tasks of a tag. */
struct tagged {
	struct name_counts names;
	struct task_attr attr; /* of the first one */
};

static void add(const struct tagger *tagger, struct tagged *tagged, pid_t tid)
{
	const struct task *task = tasks_find(plan_tasks(tagger->plan), tid);
	char comm[TASK_COMM_LEN] = "";

	if (!task || procfs_comm(tagger->proc, tid, comm) < 0)
		return;
	if (!tagged->names.tasks)
		tagged->attr = task->known;
	name_counts_add(&tagged->names, comm);
}

static void log_tagged(const char *class_name, struct tagged *tagged)
{
	char names[NAME_COUNTS_TEXT_MAX], attr[TASK_ATTR_TEXT_MAX];

	log_debug("%s (%s): %u task%s: %s", class_name, task_attr_text(&tagged->attr, attr), tagged->names.tasks,
		  tagged->names.tasks == 1 ? "" : "s", name_counts_text(&tagged->names, names));
}

/* One line; reasons that left none alone are not named. */
static void log_left_alone(const unsigned int counts[REASON_COUNT])
{
	char text[256] = "";
	int n = 0;

	for (int i = 0; i < REASON_COUNT; i++) {
		if (counts[i])
			n += snprintf(text + n, sizeof(text) - n, "%s%s %u", n ? ", " : "", reason_name(i),
				      counts[i]);
	}
	if (n)
		log_debug("left alone: %s", text);
}

void tagger_log_summary(const struct tagger *tagger)
{
	size_t n_tags;
	const struct tag *tags = rules_tags(tagger->config->rules, &n_tags);
	_cleanup_free_ struct tagged *tagged = calloc(n_tags, sizeof(*tagged));
	unsigned int left_alone[REASON_COUNT] = { 0 };
	struct tagger_task task;
	uint32_t cursor = 0;

	if (!tagged)
		return;
	while (tagger_next_task(tagger, &cursor, &task)) {
		if (task.tag < n_tags)
			add(tagger, &tagged[task.tag], task.tid);
		else
			left_alone[task.reason]++;
	}
	for (size_t i = 0; i < n_tags; i++) {
		if (tagged[i].names.tasks)
			log_tagged(tagger->config->classes[tags[i].qos_class].name, &tagged[i]);
	}
	log_left_alone(left_alone);
}
