/* SPDX-License-Identifier: GPL-2.0-only */
#include "tagger_private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/kernel/procfs.h>

/* A scan of 1,000 tasks takes 10 ms. */
#define RETRY_US 1000000

void shortage_release(struct tagger *tagger)
{
	struct shortage *shortage = &tagger->shortage;

	while (shortage->n)
		close(shortage->reserve[--shortage->n]);
}

static int any_descriptor(const struct tagger *tagger)
{
	return fcntl(tagger->proc, F_DUPFD_CLOEXEC, 0);
}

void shortage_fill_reserve(struct tagger *tagger)
{
	struct shortage *shortage = &tagger->shortage;
	int fd;

	if (shortage->n == SHORTAGE_RESERVE)
		return;
	fd = any_descriptor(tagger);
	while (fd >= 0 && shortage->n < SHORTAGE_RESERVE) {
		shortage->reserve[shortage->n++] = fd;
		fd = any_descriptor(tagger);
	}
	if (fd >= 0)
		close(fd);
	else
		shortage_release(tagger);
}

static void scan_after(struct tagger *tagger, uint64_t us)
{
	sd_event_source_set_time_relative(tagger->shortage.timer, us);
	sd_event_source_set_enabled(tagger->shortage.timer, SD_EVENT_ONESHOT);
}

void shortage_note(struct tagger *tagger, int error)
{
	bool had_reserve = tagger->shortage.n > 0;

	if (error != -EMFILE && error != -ENFILE && error != -ENOMEM)
		return;
	problem_report(&tagger->problems[PROBLEM_SHORTAGE],
		       "%s: tasks or clients had to wait, or still do", strerror(-error));
	if (error != -ENOMEM)
		shortage_release(tagger);
	else
		had_reserve = false;
	/* A restore has no loop. */
	if (tagger->shortage.timer)
		scan_after(tagger, had_reserve ? 0 : RETRY_US);
}

static bool lacks_capability(const struct tagger *tagger)
{
	uint64_t capabilities;

	return procfs_capabilities(tagger->proc, getpid(), &capabilities) == 0 &&
	       !(capabilities & UINT64_C(1) << CAP_SYS_PTRACE);
}

/*
 * Of such a process nothing is known: it is not even on record. With the capability it is one that a security module
 * hides, such as the first process of a sandbox.
 */
static void note_denial(struct tagger *tagger, int error)
{
	if ((error != -EACCES && error != -EPERM) || tagger->is_rehearsal || !lacks_capability(tagger))
		return;
	problem_report(&tagger->problems[PROBLEM_SCAN],
		       "what programs run cannot be read, and they are left alone: %s (it takes CAP_SYS_PTRACE)",
		       strerror(-error));
}

void shortage_check(struct tagger *tagger)
{
	const int error = live_facts_take_error(tagger->facts);
	uint64_t failed = plan_failed(tagger->plan);

	shortage_note(tagger, error);
	note_denial(tagger, error);
	if (failed != tagger->shortage.records_failed)
		shortage_note(tagger, -ENOMEM);
	tagger->shortage.records_failed = failed;
}

void shortage_scanned(struct tagger *tagger)
{
	int enabled;

	if (sd_event_source_get_enabled(tagger->shortage.timer, &enabled) >= 0 && enabled == SD_EVENT_OFF)
		shortage_fill_reserve(tagger);
}
