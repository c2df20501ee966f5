/* SPDX-License-Identifier: GPL-2.0-only */
/* doctor: finds out what on this machine keeps classes from taking effect. Changes nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <schedqos/policy/config.h>

enum finding_state {
	FINDING_OK,
	FINDING_NOTE, /* worth knowing; classes take effect, perhaps not fully */
	FINDING_BAD,  /* makes classes ineffective or harmful */
};

struct finding {
	const char *name; /* stable, such as "autogroup" */
	enum finding_state state;
	char *what;		 /* safe for a terminal */
	const char *consequence; /* effect on classes; NULL if all is well */
	const char *remedy;	 /* advice; NULL if all is well */
};

struct findings {
	struct finding *items;
	size_t count;
	bool no_memory;
};

/* Facts that the caller of doctor() has collected. */
struct doctor_input {
	/* The configuration that the files contain now; NULL if it has n_errors errors. */
	const struct config *config;
	size_t n_errors;
	bool is_unreadable;   /* there is no configuration because this user may not read it */
	bool is_daemons;      /* the files are those of the running daemon, not files named on the command line */
	size_t n_differences; /* rules, classes, profiles and settings that differ from the running daemon's */
	pid_t daemon;	      /* pid of the running daemon; 0: none; negative: unknown */
	/* Problems that the daemon reports, safe for a terminal. */
	char **problems;
	size_t n_problems;
	bool is_deaf; /* a rule needs moves between cgroups or changes by others, and the daemon cannot hear them */
};

/*
 * Checks what keeps classes from taking effect on this machine; changes nothing. Returns 0 and the findings, which the
 * caller clears, or -ENOMEM.
 */
int doctor(const struct doctor_input *input, struct findings *ret);
void findings_clear(struct findings *findings);

/* Returns "ok", "note" or "bad"; static storage. */
const char *finding_state_name(enum finding_state state);

/* Explains to users how a border between cpu cgroups affects classes. doctor and explain use the same words. */
#define DOCTOR_BORDER_WORDS                                                                                 \
	"nice ranks tasks within one cpu cgroup; between two, the weights of these cgroups count first, and " \
	"of a class only the slice"
