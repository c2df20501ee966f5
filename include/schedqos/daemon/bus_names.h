/* SPDX-License-Identifier: GPL-2.0-only */
/* The control interface, on the private socket. */
#pragma once

#include <schedqos/util/state_folder.h>

#define BUS_SOCKET STATE_FOLDER "/bus"
#define BUS_PATH "/org/schedqos1"
#define BUS_INTERFACE "org.schedqos1.Manager"	      /* methods */
#define BUS_STATUS_INTERFACE "org.schedqos1.Status" /* properties */

/* What Reload answers when the configuration has errors; the message holds all of them, a line each. */
#define BUS_ERROR_CONFIG "org.schedqos1.Error.Config"
#define BUS_ERROR_FAILED "org.schedqos1.Error.Failed"

/* What SetSchedProfile answers to a name that no profile has. */
#define BUS_ERROR_UNKNOWN_PROFILE "org.schedqos1.Error.UnknownProfile"
