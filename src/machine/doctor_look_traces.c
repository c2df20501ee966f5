/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the daemon can hear what comes from tracepoints: tried with its capabilities, since we may have more. */
#include "doctor_look_private.h"

#include <unistd.h>

#include <schedqos/kernel/capabilities.h>
#include <schedqos/kernel/cgroup_moves.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/kernel/sched_calls.h>
#include <schedqos/util/cleanup.h>

/* Those of the daemon that runs, or else of the one that the unit would start. */
static uint64_t capabilities_of_daemon(const struct doctor_look *look)
{
	_cleanup_close_ int proc = procfs_open();
	uint64_t capabilities;

	if (look->facts.daemon && proc >= 0 && procfs_capabilities(proc, look->facts.daemon, &capabilities) == 0)
		return capabilities;
	return look->unit_capabilities;
}

static void try_both(struct doctor_facts *facts)
{
	struct trace *trace = NULL;
	int r = cgroup_moves_open(&trace);

	trace_close(trace);
	facts->moves = doctor_yes_or_no(r == 0);
	facts->moves_fault = r < 0 ? cgroup_moves_fault(-r) : NULL;
	trace = NULL;
	r = sched_calls_open(gettid(), &trace);
	trace_close(trace);
	facts->changes = doctor_yes_or_no(r == 0);
	facts->changes_fault = r < 0 ? sched_calls_fault(-r) : NULL;
}

void doctor_look_at_traces(struct doctor_look *look)
{
	uint64_t before;

	if (!look->facts.root || capabilities_narrow(capabilities_of_daemon(look), &before) < 0)
		return;
	try_both(&look->facts);
	capabilities_restore(before);
}
