/* SPDX-License-Identifier: GPL-2.0-only */
/* What on this machine keeps classes from taking effect. Changes nothing. */
#pragma once

#include <sys/types.h>

#include <schedqos/policy/config.h>

enum finding_state {
	FINDING_OK,
	FINDING_NOTE, /* worth knowing; classes take effect, if perhaps not fully */
	FINDING_BAD,  /* makes classes ineffective, or harmful */
};

struct finding {
	const char *name; /* stable: "autogroup" */
	enum finding_state state;
	char *what;		 /* safe for a terminal */
	const char *consequence; /* for classes; NULL when all is well */
	const char *remedy;	 /* what to do about it; NULL as well */
};

struct findings {
	struct finding *items;
	size_t count;
	bool no_memory;
};

/* What is known before. */
struct doctor_input {
	/* The configuration as its files have it now; NULL: it has so many errors. */
	const struct config *config;
	size_t n_errors;
	bool is_daemons;      /* its files are those of the daemon that runs; else they are what was asked for */
	size_t n_differences; /* from what that daemon has in force: rules, classes, profiles and settings */
	pid_t daemon;	      /* the one that runs; 0: none; negative: it cannot be told */
	/* What it says that it cannot do, safe for a terminal. */
	char **problems;
	size_t n_problems;
	bool is_deaf; /* it cannot hear moves between cgroups, or what others set on tasks, though a rule asks for it */
};

/* 0 and the findings, to be cleared; or -ENOMEM. */
int doctor(const struct doctor_input *input, struct findings *ret);
void findings_clear(struct findings *findings);

/* "ok", "note", "bad". Static storage. */
const char *finding_state_name(enum finding_state state);

/* What a border between cpu cgroups does to classes, for people: an answer to `explain` says the same. */
#define DOCTOR_BORDER_WORDS                                                                                 \
	"nice ranks tasks within one cpu cgroup; across its border the groups' weights count first, and of a " \
	"class only the slice"
