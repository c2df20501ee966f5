/* SPDX-License-Identifier: GPL-2.0-only */
#include "tagger_private.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A scan of 1,000 tasks takes 10 ms. */
#define RETRY_US 1000000

void shortage_note(struct tagger *tagger, int error)
{
	if (error != -EMFILE && error != -ENFILE && error != -ENOMEM)
		return;
	problem_report(&tagger->problems[PROBLEM_SHORTAGE], "%s: tasks had to wait, or still do", strerror(-error));
	/* A restore has no loop. */
	if (!tagger->shortage.timer)
		return;
	sd_event_source_set_time_relative(tagger->shortage.timer, RETRY_US);
	sd_event_source_set_enabled(tagger->shortage.timer, SD_EVENT_ONESHOT);
}

static bool lacks_capability(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &header, data) == 0 && !(data[0].effective & CAP_TO_MASK(CAP_SYS_PTRACE));
}

/*
 * Of such a process nothing is known: it is not even on record. With the capability it is one that a security module
 * hides, such as the first process of a sandbox.
 */
static void note_denial(struct tagger *tagger, int error)
{
	if ((error != -EACCES && error != -EPERM) || tagger->is_rehearsal || !lacks_capability())
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
