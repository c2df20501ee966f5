/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers, buses, and facts about processes, for the other files of schedqos-focus. */
#include "focus.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <schedqos/util/bus.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

/* Accuracy of timers, us. */
#define ACCURACY_US 5000
/* A peer on the bus that takes longer hangs. */
#define TIMEOUT_US  (3 * 1000000ULL)

int focus_call_in(struct focus *focus, sd_event_source **timer, uint64_t us, sd_event_time_handler_t call,
		  void *context)
{
	int r;

	if (!*timer)
		return sd_event_add_time_relative(focus->event, timer, CLOCK_MONOTONIC, us, ACCURACY_US, call, context);
	r = sd_event_source_set_time_relative(*timer, us);
	return r < 0 ? r : sd_event_source_set_enabled(*timer, SD_EVENT_ONESHOT);
}

int focus_open_bus(struct focus *focus, int (*open)(sd_bus **ret), sd_bus **ret)
{
	int r = open(ret);

	if (r >= 0)
		r = sd_bus_set_method_call_timeout(*ret, TIMEOUT_US);
	if (r >= 0)
		r = sd_bus_set_exit_on_disconnect(*ret, true);
	if (r >= 0)
		r = sd_bus_attach_event(*ret, focus->event, SD_EVENT_PRIORITY_NORMAL);
	if (r < 0)
		*ret = sd_bus_close_unref(*ret);
	return r;
}

int focus_watch_name(sd_bus *bus, const char *name, sd_bus_message_handler_t call, void *context)
{
	char match[256];

	snprintf(match, sizeof(match), BUS_NAME_OWNER_CHANGED ",arg0='%s'", name);
	return sd_bus_add_match_async(bus, NULL, match, call, NULL, context);
}

void focus_say(const struct focus *focus, pid_t pid, const char *name, const char *text)
{
	if (focus->prints)
		log_info("%7d %-16s %s", (int)pid, name, text);
}

/* ---- processes ---- */

/* Reads facts about a process; returns NULL if it is gone. */
static sd_bus_creds *read_creds(pid_t pid, uint64_t what)
{
	sd_bus_creds *creds = NULL;

	return pid <= 1 || sd_bus_creds_new_from_pid(&creds, pid, what) < 0 ? NULL : creds;
}

int process_open(pid_t pid)
{
	const int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

bool process_is_app(pid_t pid)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds =
		read_creds(pid, SD_BUS_CREDS_EUID | SD_BUS_CREDS_USER_UNIT | SD_BUS_CREDS_USER_SLICE);
	const char *slice, *unit;
	uid_t uid;

	if (pid == getpid() || !creds || sd_bus_creds_get_euid(creds, &uid) < 0 || uid != getuid())
		return false;
	if (sd_bus_creds_get_user_slice(creds, &slice) >= 0 && strncmp(slice, "session", strlen("session")) == 0)
		return false;
	return sd_bus_creds_get_user_unit(creds, &unit) < 0 || strcmp(unit, "init.scope") != 0;
}

pid_t process_parent(pid_t pid)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = read_creds(pid, SD_BUS_CREDS_PPID);
	pid_t parent;

	return creds && sd_bus_creds_get_ppid(creds, &parent) >= 0 ? parent : 0;
}

bool process_shares_unit(pid_t pid, pid_t other)
{
	const uint64_t what = SD_BUS_CREDS_USER_UNIT | SD_BUS_CREDS_USER_SLICE;
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = read_creds(pid, what), *others = read_creds(other, what);
	const char *slice, *unit, *others_unit;

	return creds && others && sd_bus_creds_get_user_slice(creds, &slice) >= 0 &&
	       strncmp(slice, "app", strlen("app")) == 0 &&
	       sd_bus_creds_get_user_unit(creds, &unit) >= 0 && sd_bus_creds_get_user_unit(others, &others_unit) >= 0 &&
	       strcmp(unit, others_unit) == 0;
}

char *process_name(pid_t pid, char *buf, size_t size)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = read_creds(pid, SD_BUS_CREDS_COMM);
	const char *comm = "?";

	if (creds)
		sd_bus_creds_get_comm(creds, &comm);
	return text_escape_to(buf, size, comm, strlen(comm));
}
