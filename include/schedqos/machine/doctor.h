/* SPDX-License-Identifier: GPL-2.0-only */
/* What on this machine keeps classes from taking effect: first collects the facts, then judges them. */
#pragma once

#include <sys/types.h>

#include <schedqos/policy/config.h>

enum doctor_answer {
	DOCTOR_UNKNOWN, /* cannot be determined, most often for lack of permission */
	DOCTOR_NONE,	/* does not exist here */
	DOCTOR_NO,
	DOCTOR_YES,
};

/* Another process that sets priorities or knobs. */
struct doctor_rival {
	pid_t pid;
	char comm[16];
};

/* A process whose arguments cannot be read without blocking. */
struct doctor_unread {
	pid_t pid;
	char name[64]; /* comm, safe for a terminal */
};

/* A block device that is not merely a view of others. */
struct doctor_disk {
	char name[32], scheduler[32]; /* "sda", "mq-deadline" */
};

/* Texts are safe for a terminal; NULL stands for unknown or none. */
struct doctor_facts {
	bool root;
	const char *release;	   /* of the kernel: "6.12.9-amd64" */
	enum doctor_answer events; /* the proc connector delivers events */
	const char *events_fault;  /* why it does not, for DOCTOR_NO */
	bool event_filter;
	enum doctor_answer moves; /* moves between cgroups can be heard, with the daemon's capabilities */
	const char *moves_fault;  /* why they cannot, for DOCTOR_NO */
	enum doctor_answer changes; /* likewise what others change on tasks */
	const char *changes_fault;
	enum doctor_answer slice; /* the kernel supports custom slices */
	enum doctor_answer util_clamp;
	enum doctor_answer
		sched_ext; /* a sched_ext scheduler is loaded; NONE: not in this kernel */
	const char *sched_ext_name;
	enum doctor_answer autogroup;
	size_t cpu_groups;	      /* populated cgroups among which the cpu controller divides */
	const char *cpu_group_names;  /* the first few */
	unsigned cpu_cgroup_version;  /* 1 or 2: of their hierarchy */
	const char *governors;	      /* of the cpufreq policies, each once; NULL: no cpufreq */
	enum doctor_answer schedutil; /* all of them are schedutil */
	enum doctor_answer energy;    /* energy aware scheduling; NONE: no energy model */
	uint64_t tick_ns;	      /* 1 s / CONFIG_HZ; 0: unknown */
	enum doctor_answer hrtick;    /* slices end on time, not at the next tick */
	enum doctor_answer parity;    /* the feature RUN_TO_PARITY is on; NONE: not in this kernel */
	enum doctor_answer llc_balancing; /* debugfs' llc_balancing/enabled is on; NONE: no such knob */
	bool llc_balancing_closed;	  /* it exists, but opening it is not permitted */
	enum doctor_answer sched_cache;	  /* the kernel has CONFIG_SCHED_CACHE */
	const char *sched_cache_source;	  /* what says so, or that it has not: "debugfs", "/proc/config.gz" */
	const struct doctor_disk *disks;
	size_t n_disks;
	const char *lockdown;	      /* "none", "integrity", "confidentiality" */
	bool debugfs_closed;	      /* opening a file of debugfs' sched/ is not permitted */
	const struct doctor_rival *rivals;
	size_t n_rivals;
	const struct doctor_unread *unread; /* the first few */
	size_t n_unread;
	const char *other_namespace; /* one that is not the initial one: "PID" */
	bool systemd;		  /* manages this machine */
	const char *unit_active;  /* "active", "inactive", "failed" ... */
	const char *unit_enabled; /* "enabled", "disabled", "" when there is no such unit */
	pid_t daemon;		  /* the running one, 0 for none */
	bool leftovers;		  /* there is the state of a daemon that was killed */
	bool set_aside;		  /* ... and a later daemon could not use it */
};

struct doctor_look;

/*
 * Collects the facts and changes nothing. daemon: the pid of the running one, 0 for none, or the -errno for which that
 * is not known. The facts live as long as the look. NULL without memory.
 */
struct doctor_look *doctor_look(pid_t daemon);
const struct doctor_facts *doctor_look_facts(const struct doctor_look *look);
void doctor_look_free(struct doctor_look *look);

enum finding_state {
	FINDING_OK,
	FINDING_NOTE, /* worth knowing; classes take effect, if perhaps not fully */
	FINDING_BAD,  /* makes classes ineffective */
};

struct finding {
	const char *name; /* stable: "autogroup" */
	enum finding_state state;
	char *what;
	char *consequence; /* for classes; NULL when all is well */
	char *remedy;	   /* what to do about it; NULL as well */
};

struct findings {
	struct finding *items;
	size_t count;
	bool no_memory;
};

/* The configuration as its files have it now. */
struct doctor_config {
	struct config *config; /* NULL: it has errors, */
	size_t n_errors;       /* so many */
	bool is_daemons;       /* its files are those of the daemon that runs; else they are what was asked for */
	size_t n_differences;  /* from what that daemon has in force: rules, classes, profiles and settings */
};

/* 0 or -ENOMEM. */
int doctor_judge(const struct doctor_facts *facts, const struct doctor_config *config, struct findings *ret);
void findings_clear(struct findings *findings);

/* "ok", "note", "bad". Static storage. */
const char *finding_state_name(enum finding_state state);

/* Whether a process of this name counts as a rival. */
bool doctor_knows_rival(const char *comm);
