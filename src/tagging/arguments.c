/* SPDX-License-Identifier: GPL-2.0-only */
#include "arguments.h"

#include <errno.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>

/* What has hung the loop once, on purpose or not, may do so again; and a reader costs each exec only 6 us more. */
#define CAREFUL_MS 3600000

/* The user whose budget pays for waiting on the process. */
static uid_t user_of(int proc, pid_t tgid)
{
	bool is_own = false;
	uid_t user;

	if (procfs_own_userns(proc, tgid, &is_own) < 0 || !is_own || procfs_ruid(proc, tgid, &user) < 0)
		return UNREAD_OTHER_NAMESPACE;
	return user;
}

void arguments_init(struct arguments *arguments, pid_t hung)
{
	unread_init(&arguments->unread, clock_ms());
	arguments->hung = hung;
	arguments->is_careful = hung;
	arguments->careful_ms = clock_ms() + CAREFUL_MS;
}

/*
 * The user may have more such processes, so half of the budget is spent at once. Not by arguments_init, since there is no
 * watch yet.
 */
static void charge_for_hung(struct arguments *arguments, int proc)
{
	const pid_t hung = arguments->hung;

	arguments->hung = 0;
	if (hung)
		unread_spend(&arguments->unread, user_of(proc, hung), UNREAD_BUDGET_US / 2, clock_ms());
}

void arguments_free(struct arguments *arguments)
{
	reader_close(&arguments->reader);
}

/* Sets the timer for the earliest retry. */
static void set_timer(struct arguments *arguments)
{
	const struct unread_process *first = unread_first(&arguments->unread);
	int32_t in_ms;

	/* A restore has no loop. */
	if (!arguments->timer)
		return;
	if (!first) {
		sd_event_source_set_enabled(arguments->timer, SD_EVENT_OFF);
		return;
	}
	in_ms = (int32_t)(first->next_ms - clock_ms());
	sd_event_source_set_time_relative(arguments->timer, in_ms > 0 ? (uint64_t)in_ms * 1000 : 0);
	sd_event_source_set_enabled(arguments->timer, SD_EVENT_ONESHOT);
}

void arguments_begin_old(struct arguments *arguments)
{
	arguments->old_processes++;
}

void arguments_end_old(struct arguments *arguments)
{
	if (--arguments->old_processes)
		return;
	if (!arguments->is_careful)
		reader_close(&arguments->reader);
	set_timer(arguments);
}

bool arguments_is_careful(const struct arguments *arguments)
{
	return arguments->is_careful && (int32_t)(clock_ms() - arguments->careful_ms) < 0;
}

static bool needs_reader(struct arguments *arguments)
{
	if (arguments->is_careful && !arguments_is_careful(arguments)) {
		arguments->is_careful = false;
		if (!arguments->old_processes)
			reader_close(&arguments->reader);
	}
	return arguments->is_careful || arguments->old_processes;
}

static ssize_t read_by_reader(struct arguments *arguments, int proc, pid_t tid, pid_t tgid, char *buf, size_t size)
{
	struct unread *unread = &arguments->unread;
	const uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
	uint32_t patience_ms = unread_patience_ms(unread, clock_ms());
	ssize_t n;

	if (!patience_ms && unread_is_suspect(unread, user_of(proc, tgid), clock_ms()))
		return -EAGAIN;
	if (!patience_ms)
		patience_ms = 1;
	n = reader_argv(&arguments->reader, tid, patience_ms, buf, size);
	if (n == -EAGAIN)
		unread_spend(unread, user_of(proc, tgid), (clock_ns(CLOCK_MONOTONIC) - began_ns) / 1000, clock_ms());
	return n;
}

ssize_t arguments_read(struct arguments *arguments, int proc, pid_t tid, pid_t tgid, char *buf, size_t size)
{
	const uint32_t ms = clock_ms();
	ssize_t n = -EAGAIN;

	charge_for_hung(arguments, proc);
	if (!unread_is_waiting(&arguments->unread, tgid, ms))
		n = needs_reader(arguments) ? read_by_reader(arguments, proc, tid, tgid, buf, size)
						: procfs_argv(proc, tid, buf, size);
	if (n == -EAGAIN)
		arguments->were_unread = true;
	else
		arguments->were_read = true;
	return n;
}

void arguments_exec(struct arguments *arguments, pid_t tgid)
{
	unread_forget(&arguments->unread, tgid);
}

bool arguments_decided(struct arguments *arguments, pid_t tgid)
{
	const bool were_unread = arguments->were_unread, were_read = arguments->were_read;

	arguments->were_unread = arguments->were_read = false;
	if (were_unread) {
		if (!unread_note(&arguments->unread, tgid, clock_ms()))
			return false;
		if (!arguments->old_processes)
			set_timer(arguments);
	} else if (were_read) {
		unread_forget(&arguments->unread, tgid);
	}
	return true;
}

bool arguments_next(const struct arguments *arguments, struct unread_process *ret)
{
	const struct unread_process *first = unread_first(&arguments->unread);

	if (!first || (int32_t)(first->next_ms - clock_ms()) > 0)
		return false;
	*ret = *first;
	return true;
}

/* If no further retry was scheduled, the process is gone or no rule asks for its arguments any more. */
void arguments_retried(struct arguments *arguments, const struct unread_process *process)
{
	if (!unread_is_waiting(&arguments->unread, process->pid, process->next_ms))
		unread_forget(&arguments->unread, process->pid);
}
