/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the control interface on the private socket, and how clients connect to it. */
#pragma once

#include <systemd/sd-bus.h>

#include <schedqos/util/file.h>

#define BUS_SOCKET STATE_FOLDER "/bus"
#define BUS_PATH "/org/schedqos1"

/* Connects to the daemon as a client, without waiting for it to answer. Returns 0 or -errno. */
int bus_connect(sd_bus **ret);

/* The user as which the bridge runs. Only root and this user may connect. */
#define BUS_BRIDGE_USER "schedqos"

#define BUS_INTERFACE "org.schedqos1.Manager"	      /* methods */
/* Methods for root, and for the bridge in a user's name; a signal. */
#define BUS_OVERRIDES_INTERFACE "org.schedqos1.Overrides"

/* Returned by Reload if the configuration has errors. The message holds all of them, one per line. */
#define BUS_ERROR_CONFIG "org.schedqos1.Error.Config"
#define BUS_ERROR_FAILED "org.schedqos1.Error.Failed"

/* Returned for an unknown class. The message lists the known ones. */
#define BUS_ERROR_UNKNOWN_CLASS "org.schedqos1.Error.UnknownClass"

/*
 * Returned for a target that does not belong to the user; and for a class higher than the rules assign, unless the
 * caller says that this is intended.
 */
#define BUS_ERROR_NOT_YOURS "org.schedqos1.Error.NotYours"
#define BUS_ERROR_NEEDS_RAISE "org.schedqos1.Error.NeedsRaise"

/* Returned by SetSchedProfile for an unknown profile. */
#define BUS_ERROR_UNKNOWN_PROFILE "org.schedqos1.Error.UnknownProfile"

/* Returned by Explain for a task that does not exist. */
#define BUS_ERROR_NO_TASK "org.schedqos1.Error.NoTask"

/* ListTasks returns this many numbers for each task. BUS_NO_CLASS stands for no class. */
#define BUS_TASK_NUMBERS 9
#define BUS_NO_CLASS 0xffff
enum bus_task_flag {
	BUS_TASK_LIMITED = 1 << 0, /* a limit allows no higher class */
	BUS_TASK_DIFFERS = 1 << 1, /* its attributes differ from those of its class */
	BUS_TASK_RAISED = 1 << 2,  /* its app has the focus, which raises its class */
	BUS_TASK_FOCUSED = 1 << 3, /* its app has the focus, or is played */
	BUS_TASK_HIDDEN = 1 << 4,  /* its app's windows are hidden */
};
