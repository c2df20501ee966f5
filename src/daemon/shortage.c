/* SPDX-License-Identifier: GPL-2.0-only */
#include "shortage.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bus.h"
#include "daemon_private.h"

/* A scan of 1,000 tasks takes 10 ms. */
#define AGAIN_US 1000000

void shortage_release(struct daemon *daemon)
{
	struct shortage *shortage = &daemon->shortage;

	while (shortage->n)
		close(shortage->reserve[--shortage->n]);
}

static int any_descriptor(const struct daemon *daemon)
{
	return fcntl(daemon->proc, F_DUPFD_CLOEXEC, 0);
}

/* All of it or nothing, and only if that does not take the last one. */
static void take_reserve(struct daemon *daemon)
{
	struct shortage *shortage = &daemon->shortage;
	int fd = any_descriptor(daemon);

	while (fd >= 0 && shortage->n < SHORTAGE_RESERVE) {
		shortage->reserve[shortage->n++] = fd;
		fd = any_descriptor(daemon);
	}
	if (fd >= 0)
		close(fd);
	else
		shortage_release(daemon);
}

static void again_after(struct daemon *daemon, uint64_t us)
{
	sd_event_source_set_time_relative(daemon->shortage.timer, us);
	sd_event_source_set_enabled(daemon->shortage.timer, SD_EVENT_ONESHOT);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct daemon *daemon = userdata;
	int enabled;

	(void)usec;
	bus_server_resume(daemon->bus);
	scan_all(daemon);
	/* Else there was a shortage again. */
	if (sd_event_source_get_enabled(source, &enabled) >= 0 && enabled == SD_EVENT_OFF)
		take_reserve(daemon);
	return 0;
}

int shortage_init(struct daemon *daemon)
{
	int r = sd_event_add_time(daemon->event, &daemon->shortage.timer, CLOCK_MONOTONIC, 0, 0,
				  on_timer, daemon);

	if (r >= 0)
		r = sd_event_source_set_enabled(daemon->shortage.timer, SD_EVENT_OFF);
	take_reserve(daemon);
	return r;
}

void shortage_free(struct daemon *daemon)
{
	shortage_release(daemon);
	sd_event_source_disable_unref(daemon->shortage.timer);
}

void shortage_note(struct daemon *daemon, int error)
{
	bool had_reserve = daemon->shortage.n > 0;

	if (error != -EMFILE && error != -ENFILE && error != -ENOMEM)
		return;
	problem_report(&daemon->problems[PROBLEM_SHORTAGE],
		       "%s: tasks or clients had to wait, or still do", strerror(-error));
	if (error != -ENOMEM)
		shortage_release(daemon);
	else
		had_reserve = false;
	/* Who restores has no loop. */
	if (daemon->shortage.timer)
		again_after(daemon, had_reserve ? 0 : AGAIN_US);
}

void shortage_check(struct daemon *daemon)
{
	uint64_t failed = plan_failed(daemon->plan);

	shortage_note(daemon, live_facts_take_error(daemon->facts));
	if (failed != daemon->shortage.records_failed)
		shortage_note(daemon, -ENOMEM);
	daemon->shortage.records_failed = failed;
}
