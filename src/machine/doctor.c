/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/machine/doctor.h>

#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include <schedqos/kernel/events.h>
#include <schedqos/kernel/taskstats.h>

#include "check.h"

#define BUFFER_BYTES 65536

void checkup_run(struct checkup *checkup)
{
	check_service(checkup);
	check_kernel(checkup);
	check_borders(checkup);
}

static int try_events(void)
{
	struct proc_connector *connector;
	int r = proc_connector_open(EVENT_FORK, BUFFER_BYTES, &connector);

	if (r < 0)
		return r;
	r = proc_connector_probe(connector);
	proc_connector_close(connector);
	return r;
}

static int try_ends(void)
{
	struct taskstats *stats;
	int r = taskstats_open(&stats, BUFFER_BYTES);

	if (r == 0)
		taskstats_close(stats);
	return r;
}

/* Returns the step of the coarse clocks, in ns. */
static uint64_t tick_ns(void)
{
	struct timespec tick;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) < 0 || tick.tv_sec ? 0 : (uint64_t)tick.tv_nsec;
}

int doctor(const struct doctor_input *input, struct findings *ret)
{
	struct checkup checkup = { .root = AT_FDCWD, .input = *input };

	checkup.tried.events = try_events();
	checkup.tried.ends = try_ends();
	ksched_probe(&checkup.tried.features);
	checkup.tried.tick_ns = tick_ns();
	checkup_run(&checkup);
	if (checkup.findings.no_memory) {
		findings_clear(&checkup.findings);
		return -ENOMEM;
	}
	*ret = checkup.findings;
	return 0;
}
