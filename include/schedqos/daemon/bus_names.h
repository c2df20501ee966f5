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

/*
 * The interface for the daemon as a whole: Status, Reload, SetSchedProfile, SetMapping, GetUserWeights and ListTasks,
 * as in org.schedqos1(5), and the properties Version, SchedProfile, Mapping and Focus. For root only: ExplainName takes
 * a program's name or path; GetConfig returns the configuration in force as two files, the rules (as `check --print`
 * prints them) and the profiles; GetWeights returns the setting "weights". The signal Changed says that another
 * configuration or profile is in force.
 */
#define BUS_INTERFACE "org.schedqos1.Manager"

/*
 * The interface for a user's requests: methods and a signal. Their first two arguments are the uid, and the name on the
 * system bus of the program that asks, or "" for the connection itself; overrides end when that program or connection
 * goes away. Root passes 0 and "". The other arguments are those of the bridge's method of the same name; 0 as a pid is
 * the caller's own process. Drop ends the overrides, unit classes and readers of the given name. If an override of
 * root's client ends by itself, the client gets the signal Ended, with the cgroup's path and the pid.
 */
#define BUS_OVERRIDES_INTERFACE "org.schedqos1.Overrides"

/* The same as SetClass, after polkit has allowed a class above those of the rules. */
#define BUS_RAISE_CLASS "RaiseClass"

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

/*
 * ListTasks returns the names of classes, the names of reasons, the patterns of rules, and for each task: tid, process
 * id, index of its class or BUS_NO_CLASS, index of its reason, index of its rule's pattern (0: none), the kernel's
 * number of its policy, nice value, slice in ns (0: the base slice), flags.
 */
#define BUS_TASK "(uuiuuuitu)"
#define BUS_TASKS "asasasa" BUS_TASK
#define BUS_NO_CLASS (-1)
enum bus_task_flag {
	BUS_TASK_LIMITED = 1 << 0, /* a limit allows no higher class */
	BUS_TASK_DIFFERS = 1 << 1, /* its attributes differ from those of its class */
	BUS_TASK_RAISED = 1 << 2,  /* its app has the focus, which raises its class */
	BUS_TASK_FOCUSED = 1 << 3, /* its app has the focus, or is a game that is played */
	BUS_TASK_HIDDEN = 1 << 4,  /* its app's windows are hidden */
};
