/* SPDX-License-Identifier: GPL-2.0-only */
/* What a profile may name, and not every kernel has: worth a note where the configured one names it. Pure: no I/O. */
#include "doctor_judge_debugfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/text_buf.h>

#include "findings.h"

/* Whether the values have the word, or NO_ and the word. */
static bool has_word(const struct knob *knob, const char *word)
{
	for (size_t i = 0; i < knob->n_values; i++) {
		const char *value = knob->values[i];

		if (strcmp(strncmp(value, "NO_", 3) == 0 ? value + 3 : value, word) == 0)
			return true;
	}
	return false;
}

/* Whether the configured profile names the file of debugfs; of `features`, the word (else NULL). */
static bool is_wanted(const struct config *config, const char *file, const char *word)
{
	const char *name = config ? config->settings.sched_profile : NULL;
	const struct sched_profile *profile =
		name ? sched_profile_find(config->profiles, config->n_profiles, name) : NULL;

	for (size_t i = 0; profile && i < profile->n_knobs; i++) {
		const struct knob *knob = &profile->knobs[i];

		if (knob->tree == KNOB_DEBUGFS && strcmp(knob->file, file) == 0 && (!word || has_word(knob, word)))
			return true;
	}
	return false;
}

/* state: what is known of the knob, in words. */
static void add_unusable(struct findings *findings, const char *name, bool wanted, const char *remedy,
			 const char *state)
{
	if (wanted)
		findings_add(findings, name, FINDING_NOTE,
			     "the configured sched profile asks for it in vain; its other knobs are set", remedy, "%s",
			     state);
	else
		add_ok(findings, name, "%s", state);
}

/* Of a file of debugfs that cannot be read, and so not be written either. */
static const char *why_unread(const struct doctor_facts *facts)
{
	if (facts->debugfs_closed)
		return "debugfs is closed";
	return facts->root ? "debugfs cannot be opened" : "debugfs is root's";
}

static const char *remedy_of_unread(const struct doctor_facts *facts)
{
	if (facts->debugfs_closed)
		return "see lockdown";
	return facts->root ? "a kernel with CONFIG_DEBUG_FS, outside of containers" : "run this as root";
}

static void judge_parity(const struct doctor_facts *facts, const struct config *config, struct findings *findings)
{
	static const char name[] = "run-to-parity";
	bool wanted = is_wanted(config, "features", "RUN_TO_PARITY");
	char what[64];

	switch (facts->parity) {
	case DOCTOR_YES:
		add_ok(findings, name, "on; the sched profile qos-preempt turns it off");
		break;
	case DOCTOR_NO:
		add_ok(findings, name, "off");
		break;
	case DOCTOR_NONE:
		add_unusable(findings, name, wanted, "Linux 6.6 or later", "not in this kernel");
		break;
	case DOCTOR_UNKNOWN:
		snprintf(what, sizeof(what), "cannot be told: %s", why_unread(facts));
		add_unusable(findings, name, wanted, remedy_of_unread(facts), what);
		break;
	}
}

/* The kernel's option, and who says so. */
static void describe_sched_cache(const struct doctor_facts *facts, struct text_buf *buf)
{
	switch (facts->sched_cache) {
	case DOCTOR_YES:
		text_buf_printf(buf, "CONFIG_SCHED_CACHE, says %s; ", facts->sched_cache_source);
		break;
	case DOCTOR_NO:
	case DOCTOR_NONE:
		text_buf_printf(buf, "no CONFIG_SCHED_CACHE, says %s; ", facts->sched_cache_source);
		break;
	case DOCTOR_UNKNOWN:
		text_buf_printf(buf, "CONFIG_SCHED_CACHE unknown, without the kernel's configuration; ");
		break;
	}
}

static void describe_llc_balancing(const struct doctor_facts *facts, struct text_buf *buf)
{
	text_buf_printf(buf, "llc_balancing/enabled ");
	switch (facts->llc_balancing) {
	case DOCTOR_YES:
		text_buf_printf(buf, "is on");
		break;
	case DOCTOR_NO:
		text_buf_printf(buf, "is off");
		break;
	case DOCTOR_NONE:
		text_buf_printf(buf, "does not exist");
		break;
	case DOCTOR_UNKNOWN:
		text_buf_printf(buf, "%s: %s", facts->llc_balancing_closed ? "exists" : "cannot be read",
				why_unread(facts));
		break;
	}
}

/* Scheduling by caches, and the knob for it. */
static void judge_sched_cache(const struct doctor_facts *facts, const struct config *config, struct findings *findings)
{
	bool unusable = facts->llc_balancing == DOCTOR_NONE || facts->llc_balancing == DOCTOR_UNKNOWN;
	bool wanted = is_wanted(config, "llc_balancing/enabled", NULL);
	struct text_buf buf = { 0 };
	char *what;

	describe_sched_cache(facts, &buf);
	describe_llc_balancing(facts, &buf);
	what = text_buf_take(&buf);
	if (!what)
		findings->no_memory = true;
	else
		add_unusable(findings, "sched-cache", wanted && unusable,
			     facts->llc_balancing == DOCTOR_NONE ? "a kernel with CONFIG_SCHED_CACHE (Linux 7.2)" :
								   remedy_of_unread(facts),
			     what);
	free(what);
}

void doctor_judge_debugfs(const struct doctor_facts *facts, const struct config *config, struct findings *findings)
{
	judge_parity(facts, config, findings);
	judge_sched_cache(facts, config, findings);
}
