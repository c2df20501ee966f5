/* SPDX-License-Identifier: GPL-2.0-only */
/* The control interface on the private socket: how to connect, and its names. */
#pragma once

#include <systemd/sd-bus.h>

#include <schedqos/util/file.h>

#define BUS_SOCKET STATE_FOLDER "/bus"
#define BUS_PATH "/org/schedqos1"

/* Connects to the daemon as a client, without waiting for it to answer. 0 or -errno. */
int bus_connect(sd_bus **ret);

/* Beside root only the bridge may connect, which runs as this user. */
#define BUS_BRIDGE_USER "schedqos"

#define BUS_INTERFACE "org.schedqos1.Manager"	      /* methods */
#define BUS_OVERRIDES_INTERFACE \
	"org.schedqos1.Overrides" /* by root, or by the bridge in a user's name: methods, a signal */

/* Returned by Reload if the configuration has errors; the message holds all of them, one a line. */
#define BUS_ERROR_CONFIG "org.schedqos1.Error.Config"
#define BUS_ERROR_FAILED "org.schedqos1.Error.Failed"

/* Returned where a class is named that there is not; the message names those that there are. */
#define BUS_ERROR_UNKNOWN_CLASS "org.schedqos1.Error.UnknownClass"

/*
 * Returned for what is not the user's; and for a class higher than what rules give, where it was not said that this is
 * meant.
 */
#define BUS_ERROR_NOT_YOURS "org.schedqos1.Error.NotYours"
#define BUS_ERROR_NEEDS_RAISE "org.schedqos1.Error.NeedsRaise"

/* Returned by SetSchedProfile for a name that no profile has. */
#define BUS_ERROR_UNKNOWN_PROFILE "org.schedqos1.Error.UnknownProfile"

/* Returned by Explain for a task that does not exist. */
#define BUS_ERROR_NO_TASK "org.schedqos1.Error.NoTask"

/* What ListTasks returns of each task: so many numbers, of which these are no class, and bits. */
#define BUS_TASK_NUMBERS 9
#define BUS_NO_CLASS 0xffff
enum bus_task_flag {
	BUS_TASK_LIMITED = 1 << 0, /* its cgroup's group allows no higher class */
	BUS_TASK_DIFFERS = 1 << 1, /* it carries something else than its class means */
	BUS_TASK_RAISED = 1 << 2,  /* its app has the focus, and so it has more than its rule gives */
	BUS_TASK_FOCUSED = 1 << 3, /* its app has the focus, or is played */
	BUS_TASK_HIDDEN = 1 << 4,  /* its app's windows are */
};
