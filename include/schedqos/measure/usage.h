/* SPDX-License-Identifier: GPL-2.0-only */
/* What tasks have used of the CPU and how long they waited for it, from the best source that there
 * is. */
#pragma once

#include <schedqos/kernel/taskstats.h>

struct usage;

/*
 * Opens taskstats, or else /proc, which says nothing of tasks that have ended. with_exits: hears of
 * those as well, if it can. Returns 0 or -errno; usage_free(NULL) does nothing.
 */
int usage_open(bool with_exits, struct usage **ret);
void usage_free(struct usage *usage);

/* Whether usage_next_exit hears of anything. */
bool usage_hears_exits(const struct usage *usage);

/* As taskstats_read. From /proc there are no context switches, and no ended threads of a process.
 */
int usage_read(struct usage *usage, bool process, struct task_usage *all, size_t n);

/* As taskstats_next_exit; 0 if it cannot hear of them. */
int usage_next_exit(struct usage *usage, struct task_usage *ret);
