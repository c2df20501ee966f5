/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes: threads that sleep and note how late they are woken, as cyclictest does, each with
 * scheduling attributes of its own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Between two wake-ups. */
#define PROBE_PERIOD_NS 4000000

/* What a probe carries. */
struct probe_attr {
	uint32_t policy, priority; /* the kernel's numbers */
	int32_t nice;
	uint32_t slice_ns; /* 0: none */
};

/* Lateness in us. */
struct probe_result {
	size_t count;
	double p50, p99, max;
};

struct probes;

/* Starts n probes, which wait, with room for as many wake-ups as there are in this time. 0 or
 * -errno. */
int probes_start(size_t n, uint64_t longest_ns, struct probes **ret);

/* Has each begin to measure, carrying attrs[i]. 0; or -errno of an attribute that the kernel
 * refuses. */
int probes_begin(struct probes *probes, const struct probe_attr *attrs);

/* Has them stop measuring, and fills in a result for each. */
void probes_end(struct probes *probes, struct probe_result *results);

/* Ends them; NULL: does nothing. */
void probes_free(struct probes *probes);
