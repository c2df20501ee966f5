/* SPDX-License-Identifier: GPL-2.0-only */
/* The interface between doctor and its checks. */
#pragma once

#include <schedqos/kernel/knobs.h>
#include <schedqos/kernel/sched_attr.h>
#include <schedqos/machine/doctor.h>

/* Facts that no file shows, found out by trying the kernel's interfaces. */
struct doctor_tried {
	int events; /* 0, or the -errno with which listening to the proc connector fails */
	int ends;   /* the same for taskstats */
	struct ksched_features features;
	uint64_t tick_ns; /* length of a kernel tick, 1 s / CONFIG_HZ; 0: unknown */
};

struct checkup {
	int root; /* descriptor of the folder below which files are read, see host.h */
	struct doctor_input input;
	struct doctor_tried tried;
	struct findings findings;
};

/*
 * Adds a finding. The format and its arguments must give text that is safe for a terminal. name, consequence and remedy
 * are not copied.
 */
void found(struct checkup *checkup, enum finding_state state, const char *name, const char *consequence,
	   const char *remedy, const char *what, ...) __attribute__((format(printf, 6, 7)));

#define found_ok(checkup, name, ...)   found(checkup, FINDING_OK, name, NULL, NULL, __VA_ARGS__)
#define found_note(checkup, name, ...) found(checkup, FINDING_NOTE, name, __VA_ARGS__)
#define found_bad(checkup, name, ...)  found(checkup, FINDING_BAD, name, __VA_ARGS__)

/* Reads a file like host_read_at. Returns 0, or -errno and "" in buf. */
int checkup_read(const struct checkup *checkup, const char *path, char *buf, size_t size);

/* Opens a folder. Returns a descriptor or -errno. */
int checkup_open(const struct checkup *checkup, const char *path);

/* Runs all checks. */
void checkup_run(struct checkup *checkup);

/*
 * The checks of doctor_service.c, doctor_kernel.c and doctor_borders.c, in the order in which their results are
 * printed.
 */
void check_service(struct checkup *checkup);
void check_kernel(struct checkup *checkup);
void check_borders(struct checkup *checkup);
