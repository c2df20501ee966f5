/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that collect facts for doctor. */
#pragma once

#include <sys/utsname.h>

#include <schedqos/kernel/host.h>
#include <schedqos/kernel/knobs.h>
#include <schedqos/kernel/reader.h>
#include <schedqos/machine/doctor.h>

#define DOCTOR_RIVALS_MAX   8
#define DOCTOR_UNREAD_SHOWN 4

struct doctor_look {
	struct doctor_facts facts;
	struct utsname uname;
	struct cgroup_groups groups;
	struct doctor_rival rivals[DOCTOR_RIVALS_MAX];
	struct doctor_unread unread[DOCTOR_UNREAD_SHOWN];
	struct doctor_disk *disks;
	struct reader reader;
	struct knobs knobs;
	char sched_ext_name[64];
	char governors[128];
	char lockdown[64];
	char boot_config[128];
	bool owner_hidden; /* only root can ask which process holds the daemon's lock */
	char *unit_active, *unit_enabled;
	uint64_t unit_capabilities; /* those that the unit leaves; all of them if there is none */
};

static inline enum doctor_answer doctor_yes_or_no(bool yes)
{
	return yes ? DOCTOR_YES : DOCTOR_NO;
}

/* doctor_look_kernel.c */
void doctor_look_at_kernel(struct doctor_look *look);

/* doctor_look_traces.c: what the daemon can hear by tracepoints. Needs to know the daemon and the unit. */
void doctor_look_at_traces(struct doctor_look *look);
