/* SPDX-License-Identifier: GPL-2.0-only */
/* Tells people about a task: its class, the rule behind it, what it carries, and which rules came close. */
#pragma once

#include <schedqos/policy/plan.h>
#include <schedqos/tagging/tagger.h>

#include "live_facts.h"

/* Whose word it is: all are the owner's. */
struct explain_source {
	const struct plan *plan;
	struct live_facts *live;
	const struct attr_caps *caps;
	int proc;
	bool is_rehearsal; /* no daemon runs: the plan says what it would do */
};

/*
 * About a thread, or about all of a process's threads if tid is its leader's. Changes nothing. Returns 0 and JSON, which
 * the caller frees; or -errno: -ESRCH if there is no such task.
 */
int explain_task(const struct explain_source *source, pid_t tid, char **ret);

/* The same about a program that need not run: its name, or its executable's path. */
int explain_name(const struct config *config, const struct attr_caps *caps, const char *name, char **ret);
