/* SPDX-License-Identifier: GPL-2.0-only */
/* What `impact` has measured, compared and put in words. Nothing here measures. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of each class, in this order; then of the machine. */
enum impact_figure {
	IMPACT_P50, /* of the probe's lateness, us */
	IMPACT_P99,
	IMPACT_MAX,
	IMPACT_DELAY, /* run-queue delay for each wait, us */
	IMPACT_SHARE, /* CPU time, % of one CPU */
	IMPACT_FIGURES,
};
enum impact_machine {
	IMPACT_PRESSURE, /* % of the time in which some task waited for a CPU */
	IMPACT_SWITCHES, /* context switches a second */
	IMPACT_MACHINE,
};

enum { IMPACT_OFF, IMPACT_ON, IMPACT_STATES };

struct impact_report {
	const char *const *classes;
	size_t n_classes;
	size_t n_rounds;
	uint64_t round_ns, seed;
	/* [state], then by impact_at; NAN where there is none: nothing of the class ran, or the
	 * kernel does not tell. */
	double *values[IMPACT_STATES];
	double busy; /* mean CPU time used, of all CPUs: 0..1 */
};

/* How many figures there are in a round, and where one of them is. A class of n_classes: the
 * machine's. */
size_t impact_count(size_t n_classes);
size_t impact_at(const struct impact_report *report, size_t round, size_t class, unsigned figure);

/* A table and what it means, or JSON; lines of at most width characters (0: any). NULL without
 * memory. */
char *impact_text(const struct impact_report *report, size_t width);
char *impact_json(const struct impact_report *report);
