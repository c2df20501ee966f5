/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that explain a task in words. */
#pragma once

#include <schedqos/kernel/host.h>

/* Prints the JSON of tagger_explain in words. Its texts must be escaped. Returns 0 or -errno. */
int explain_print(const char *json);

/* ---- explain_against.c ---- */

/* Describes a cpu cgroup by path and weight, and returns buf. buf needs room for a path and 64 bytes more. */
char *border_text(char *buf, size_t size, const struct cpu_group *group);

/* Prints what ranks the two tasks, and the share of a CPU that each gets. Returns an exit status. */
int explain_against(pid_t one, pid_t other);
