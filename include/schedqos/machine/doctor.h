/* SPDX-License-Identifier: GPL-2.0-only */
/* What about this machine keeps classes from having their effect: it is looked at, and then judged. */
#pragma once

#include <sys/types.h>

#include <schedqos/policy/config.h>

enum doctor_answer {
	DOCTOR_UNKNOWN, /* it cannot be told: not allowed to look, most often */
	DOCTOR_NONE,	/* there is no such thing here */
	DOCTOR_NO,
	DOCTOR_YES,
};

/* A process that sets priorities or knobs, too. */
struct doctor_rival {
	pid_t pid;
	char comm[16];
};

/* A process whose arguments cannot be read without waiting for it. */
struct doctor_unread {
	pid_t pid;
	char name[64]; /* comm, safe for a terminal */
};

/* Texts are safe for a terminal; NULL stands for unknown or none. */
struct doctor_facts {
	bool root;
	const char *release;	   /* of the kernel: "6.12.9-amd64" */
	enum doctor_answer events; /* the proc connector is heard; NO: events_fault */
	const char *events_fault;  /* why it is not */
	bool event_filter;
	enum doctor_answer slice; /* custom slices are kept */
	enum doctor_answer util_clamp;
	enum doctor_answer
		sched_ext; /* a sched_ext scheduler is loaded; NONE: not in this kernel */
	const char *sched_ext_name;
	enum doctor_answer autogroup;
	size_t cpu_groups;	      /* populated cgroups among which the cpu controller divides */
	const char *cpu_group_names;  /* the first few */
	unsigned cpu_cgroup_version;  /* 1 or 2: whose hierarchy they are in */
	const char *governors;	      /* of the cpufreq policies, each once; NULL: no cpufreq */
	enum doctor_answer schedutil; /* all of them are schedutil */
	enum doctor_answer energy;    /* energy aware scheduling; NONE: no energy model */
	uint64_t tick_ns;	      /* 1 s / CONFIG_HZ; 0: unknown */
	enum doctor_answer hrtick;    /* slices end on time, not at the next tick */
	const char *lockdown;	      /* "none", "integrity", "confidentiality" */
	bool debugfs_closed;	      /* opening a file of debugfs' sched/ is not permitted */
	const struct doctor_rival *rivals;
	size_t n_rivals;
	const struct doctor_unread *unread; /* the first few */
	size_t n_unread;
	const char *other_namespace; /* one that is not the initial one: "PID" */
	bool systemd;		  /* it manages this machine */
	const char *unit_active;  /* "active", "inactive", "failed" ... */
	const char *unit_enabled; /* "enabled", "disabled", "" when there is no such unit */
	pid_t daemon;		  /* the one that runs, 0 for none */
	bool leftovers;		  /* a daemon that was killed has left its state */
	bool set_aside;		  /* ... and a daemon after it could not make anything of that */
};

struct doctor_look;

/*
 * Looks, and changes nothing. daemon: the pid of the one that runs, 0 for none, or the -errno for which that is not
 * known. The facts live as long as the look. NULL without memory.
 */
struct doctor_look *doctor_look(pid_t daemon);
const struct doctor_facts *doctor_look_facts(const struct doctor_look *look);
void doctor_look_free(struct doctor_look *look);

enum finding_state {
	FINDING_OK,
	FINDING_NOTE, /* worth knowing; classes have their effect, if perhaps not all of it */
	FINDING_BAD,  /* it makes classes ineffective */
};

struct finding {
	const char *name; /* stable: "autogroup" */
	enum finding_state state;
	char *what;
	char *consequence; /* what it means for classes, and what to do about it: NULL when all is well */
	char *remedy;
};

struct findings {
	struct finding *items;
	size_t count;
	bool no_memory;
};

/* config: NULL when it has errors. n_errors of them. 0 or -ENOMEM. */
int doctor_judge(const struct doctor_facts *facts, const struct config *config, size_t n_errors,
		 struct findings *ret);
void findings_clear(struct findings *findings);

/* "ok", "note", "bad". Static storage. */
const char *finding_state_name(enum finding_state state);

/* Whether a process of this name is one to be told of as a rival. */
bool doctor_knows_rival(const char *comm);
