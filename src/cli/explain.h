/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that tell what is known of a task. */
#pragma once

#include <schedqos/kernel/host.h>

/* Prints the JSON of tagger_explain, whose texts are safe, in words. 0 or -errno. */
int explain_print(const char *json);

/* ---- explain_against.c ---- */

/* How the border of a cpu cgroup is named to people, by path and weight. buf has room for a path and 64 bytes more. */
char *border_text(char *buf, size_t size, const struct cpu_group *group);

/* Says what ranks the two tasks, and what each gets of a CPU. Returns an exit status. */
int explain_against(pid_t one, pid_t other);
