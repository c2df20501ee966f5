/* SPDX-License-Identifier: GPL-2.0-only */
/* Tells people about a task: its class, the rule behind it, what it carries, and which rules came close. */
#pragma once

#include <schedqos/policy/plan.h>
#include <schedqos/tagging/tagger.h>
#include <schedqos/util/json_writer.h>

#include "live_facts.h"

/* Whose word it is: all are the owner's. */
struct explain_source {
	const struct plan *plan;
	struct live_facts *live;
	const struct attr_caps *caps;
	int proc;
	bool is_rehearsal; /* no daemon runs: the plan says what it would do */
	struct facts *made_up; /* of the only task that there is, by name; NULL: tasks are those of /proc */
};

/* About a task of the plan. */
static inline struct facts *explain_facts(const struct explain_source *source, const struct task *task)
{
	return source->made_up ? source->made_up : live_facts_for(source->live, task->tid, task->tgid);
}

/*
 * About a thread, or about all of a process's threads if tid is its leader's. Changes nothing. Returns 0 and JSON,
 * which the caller frees; or -errno: -ESRCH if there is no such task.
 */
int explain_task(const struct explain_source *source, pid_t tid, char **ret);

/* The same about a program that need not run: its name, or its executable's path. */
int explain_name(const struct config *config, const struct attr_caps *caps, const char *name, char **ret);

/* What follows is for the files of explain, which make JSON. Texts in it are safe to print. */

/* ---- explain_rules.c ---- */

/* The rule, and where it stands: nothing for NULL. thread: its thread rule that decided, or NULL. */
void explain_put_rule(struct json_writer *json, const char *key, const struct config *config, const struct rule *rule,
		      const struct thread_rule *thread);

/* The names that the process is matched by, which of them its rule took, and the rules that came close. */
void explain_put_matching(struct json_writer *json, const struct config *config, struct facts *facts,
			  const struct rule *rule);

/* The groups that hold for the cgroup. */
void explain_put_groups(struct json_writer *json, const struct config *config, const char *cgroup);

/* Whatever comes from a task or a file, escaped. NULL is left out. */
void explain_put_text(struct json_writer *json, const char *key, const char *text);

/* ---- explain_threads.c ---- */

/* The process's threads, those that agree in one item; or only this one of them. 0 or -errno. */
int explain_put_threads(struct json_writer *json, const struct explain_source *source, const struct task *leader,
			const struct task *only);
