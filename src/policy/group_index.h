/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups' patterns in an order in which few of many have to be compared with the path of a cgroup. */
#pragma once

#include <stddef.h>

struct group_index;

/* Numbers them from 0 on; NULL stands for none. The texts must outlive it. NULL without memory. */
struct group_index *group_index_new(const char *const *patterns, size_t n_patterns);
void group_index_free(struct group_index *index);

/*
 * Calls found for the number of each pattern that holds for the tasks of a cgroup: see group_holds. For some more than
 * once.
 */
void group_index_find(const struct group_index *index, const char *cgroup, void (*found)(void *context, size_t number),
		      void *context);
