/* SPDX-License-Identifier: GPL-2.0-only */
/* Cpu weights that `schedqos weights` sets on units of the service manager. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <schedqos/policy/qos_class.h>

struct config;

/* Range of cpu.weight in a cgroup of version 2. The kernel's default is 100. */
#define CPU_WEIGHT_MIN 1
#define CPU_WEIGHT_MAX 10000

/* A weight for the units that match a pattern. */
struct weight {
	const char *pattern; /* a unit's name, or a glob on such names */
	struct source source;
	bool at_seat;	   /* applies only while a user is logged in at a seat */
	const char *qos;   /* name of the class that the weight is computed from, or NULL */
	uint16_t number;   /* the weight, CPU_WEIGHT_MIN..CPU_WEIGHT_MAX */
};

/* Sorted by weights_finish. The first weight that applies to a unit counts. */
struct weight_list {
	struct weight *items;
	size_t count;
};

/*
 * Returns the cpu weight for a cgroup with tasks of this class, by the kernel's table of nice values. A cgroup with
 * tasks of nice 0 has weight 100. A class that is not fair gets CPU_WEIGHT_MAX.
 */
unsigned weight_of_class(const struct qos_class *class);

/* Sorts a list by pattern_compare, and computes the weights that are given as class names. */
void weights_finish(const struct config *config, const struct weight_list *list);

/* Returns the weight for a unit, or 0 if none applies. seat_is_used: a user is logged in at a seat. */
unsigned weights_find(const struct weight_list *list, const char *unit, bool seat_is_used);
