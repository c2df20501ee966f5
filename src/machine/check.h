/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks of doctor, and what one gets and says. */
#pragma once

#include <schedqos/kernel/knobs.h>
#include <schedqos/kernel/sched_attr.h>
#include <schedqos/machine/machine.h>

/* What no file tells: it was tried on the kernel. */
struct doctor_tried {
	int events; /* 0, or the -errno for which the proc connector is not heard */
	struct ksched_features features;
	uint64_t tick_ns; /* of a kernel tick, 1 s / CONFIG_HZ; 0: unknown */
};

struct checkup {
	int root; /* of the files that are read, see host.h */
	struct doctor_input input;
	struct doctor_tried tried;
	struct findings findings;
};

/*
 * Adds a finding, with what was found as a text that is safe for a terminal. name, consequence and remedy are kept as
 * they are.
 */
void found(struct checkup *checkup, enum finding_state state, const char *name, const char *consequence,
	   const char *remedy, const char *what, ...) __attribute__((format(printf, 6, 7)));

#define found_ok(checkup, name, ...)   found(checkup, FINDING_OK, name, NULL, NULL, __VA_ARGS__)
#define found_note(checkup, name, ...) found(checkup, FINDING_NOTE, name, __VA_ARGS__)
#define found_bad(checkup, name, ...)  found(checkup, FINDING_BAD, name, __VA_ARGS__)

/* As host_read_at: 0 or -errno, and "" then. */
int checkup_read(const struct checkup *checkup, const char *path, char *buf, size_t size);

/* Opens a folder. A descriptor or -errno. */
int checkup_open(const struct checkup *checkup, const char *path);

/* Runs all checks. */
void checkup_run(struct checkup *checkup);

/* The checks of doctor_service.c, doctor_kernel.c and doctor_borders.c, in the order in which they are printed. */
void check_service(struct checkup *checkup);
void check_kernel(struct checkup *checkup);
void check_borders(struct checkup *checkup);
