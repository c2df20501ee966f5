/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that tell people about a task, as JSON. Texts in it are safe to print. */
#pragma once

#include <schedqos/util/json_writer.h>

#include "explain.h"

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

/* A thread rule that nearly took a thread of this name, or NULL. */
const struct thread_rule *explain_close_thread(const struct rule *rule, const char *comm, enum rule_outcome *ret);
void explain_put_close_thread(struct json_writer *json, const struct config *config, const struct rule *rule,
			      const struct thread_rule *thread, enum rule_outcome why);

/* ---- explain_threads.c ---- */

/* The process's threads, those that agree in one item; or only this one of them. 0 or -errno. */
int explain_put_threads(struct json_writer *json, const struct explain_source *source, const struct task *leader,
			const struct task *only);

/* One task's record, as it is now. Fetches what it carries. 0 or -errno. */
int explain_put_record(struct json_writer *json, const struct explain_source *source, const struct task *task,
		       struct facts *facts, const char *comm);

/* ---- explain_machine.c ---- */

/* What makes the class of a task weaker than it is meant to be. tgid: 0 for one that does not run. */
void explain_put_weaker(struct json_writer *json, const struct explain_source *source, const struct task *task,
			pid_t tgid);
