/* SPDX-License-Identifier: GPL-2.0-only */
/* Explains a task to users: its class, the rule behind it, its attributes, and rules that came close. */
#pragma once

#include <schedqos/policy/plan.h>
#include <schedqos/tagging/tagger.h>
#include <schedqos/util/json_writer.h>

#include "live_facts.h"

/* The sources of an explanation. Everything belongs to the caller. */
struct explain_source {
	const struct plan *plan;
	struct live_facts *live;
	const struct attr_caps *caps;
	int proc;
	bool is_for_user;  /* hides patterns and places from files that not everybody may read */
	bool is_rehearsal; /* no daemon runs: the plan holds the decision that one would make */
	/* facts of a task that does not exist, of which only the name is known; NULL for tasks in /proc */
	struct facts *made_up;
};

/* Returns the facts of a task of the plan. */
static inline struct facts *explain_facts(const struct explain_source *source, const struct task *task)
{
	return source->made_up ? source->made_up : live_facts_for(source->live, task->tid, task->tgid);
}

/*
 * Explains a thread; or all threads of a process if tid is its leader's. Changes nothing. Returns 0 with JSON for the
 * caller to free; or -errno: -ESRCH if there is no such task.
 */
int explain_task(const struct explain_source *source, pid_t tid, char **ret);

/* Explains a program that need not run, by its name or its executable's path. */
int explain_name(const struct config *config, const struct attr_caps *caps, const char *name, char **ret);

/* The functions below make JSON, for the files of explain. They escape all texts. */

/* ---- explain_rules.c ---- */

/*
 * Returns whether an explanation of the process may name another one. If a user asks, it may name only processes of the
 * same user, because others may be hidden from that user (hidepid).
 */
bool explain_may_see(const struct explain_source *source, pid_t pid, pid_t other);

/* Puts the rule and its place; nothing if it is NULL. thread is its thread rule that decided, or NULL. */
void explain_put_rule(struct json_writer *json, const char *key, const struct explain_source *source,
		      const struct rule *rule, const struct thread_rule *thread);

/* Puts the names that rules are compared with, the one that its rule matched, and rules that came close. */
void explain_put_matching(struct json_writer *json, const struct explain_source *source, struct facts *facts,
			  const struct rule *rule);

/* Puts the groups that contain the cgroup. */
void explain_put_groups(struct json_writer *json, const struct explain_source *source, const char *cgroup);

/* ---- explain_threads.c ---- */

/* Puts the process's threads, with equal ones in one item; or only one of them. Returns 0 or -errno. */
int explain_put_threads(struct json_writer *json, const struct explain_source *source, const struct task *leader,
			const struct task *only);
