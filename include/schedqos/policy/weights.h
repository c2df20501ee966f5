/* SPDX-License-Identifier: GPL-2.0-only */
/* Cpu weights of units of the service manager. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <schedqos/policy/qos_class.h>

struct config;

/* What the kernel takes for a cgroup of version 2; 100 unless somebody says else. */
#define CPU_WEIGHT_MIN 1
#define CPU_WEIGHT_MAX 10000

/* Whom the service manager is to give which weight. */
struct weight {
	const char *pattern; /* a unit's name, or a glob of such */
	struct source source;
	bool at_seat;	   /* only while somebody is logged in at a seat */
	const char *qos;   /* name of the class whose weight it is, or NULL */
	uint16_t number;
};

/* The first that holds for a unit counts: see pattern_compare. */

struct weight_list {
	struct weight *items;
	size_t count;
};

/*
 * What a group of tasks of nice 0 has as 100, one of tasks with the class's nice value is to have, by the kernel's
 * table.
 */
unsigned weight_of_class(const struct qos_class *class);

/* Puts a list as it was read in order, with the numbers of the configuration's classes. */
void weights_finish(const struct config *config, const struct weight_list *list);

/* The weight of the first that holds for a unit; 0 if none does. */
unsigned weights_find(const struct weight_list *list, const char *unit, bool seat_is_used);
