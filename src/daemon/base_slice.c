/* SPDX-License-Identifier: GPL-2.0-only */
/* What follows when a sched profile has changed the kernel's base slice. */
#include "daemon_private.h"

/*
 * Tasks that have not run since still show the old one, which would then look like a slice that somebody chose for
 * them.
 */
void base_slice_changed(void *context)
{
	struct daemon *daemon = context;
	struct applier *applier = &daemon->applier;
	uint32_t old = applier->caps.base_slice_ns, cursor = 0;
	struct task *task;

	if (!applier->caps.slice || applier_renew_base(applier) < 0 ||
	    applier->caps.base_slice_ns == old)
		return;
	while ((task = tasks_next(plan_tasks(daemon->plan), &cursor))) {
		if (task->known.slice_ns != old)
			applier_renew_task(applier, task->tid, old);
	}
}
