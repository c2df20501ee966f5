/* SPDX-License-Identifier: GPL-2.0-only */
/* The control interface, on the private socket. */
#pragma once

#include <schedqos/util/file.h>

#define BUS_SOCKET STATE_FOLDER "/bus"
#define BUS_PATH "/org/schedqos1"
#define BUS_INTERFACE "org.schedqos1.Manager"	      /* methods */
#define BUS_OVERRIDES_INTERFACE "org.schedqos1.Overrides" /* methods and a signal */

/* Returned by Reload if the configuration has errors; the message holds all of them, one a line. */
#define BUS_ERROR_CONFIG "org.schedqos1.Error.Config"
#define BUS_ERROR_FAILED "org.schedqos1.Error.Failed"

/* Returned where a class is named that there is not; the message names those that there are. */
#define BUS_ERROR_UNKNOWN_CLASS "org.schedqos1.Error.UnknownClass"

/* Returned by SetSchedProfile for a name that no profile has. */
#define BUS_ERROR_UNKNOWN_PROFILE "org.schedqos1.Error.UnknownProfile"

/* Returned by Explain for a task that does not exist. */
#define BUS_ERROR_NO_TASK "org.schedqos1.Error.NoTask"

/* In the columns that ListTasks returns. */
#define BUS_NO_CLASS 0xffff
enum bus_task_flag {
	BUS_TASK_LIMITED = 1 << 0, /* its cgroup's group allows no higher class */
	BUS_TASK_DIFFERS = 1 << 1, /* it carries something else than its class means */
	BUS_TASK_ENDED = 1 << 2,   /* this is what was last known of it */
};
