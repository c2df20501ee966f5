/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration for verbs that work without a daemon, too. */
#pragma once

#include "verb.h"

/* Reads it from where the command line says, and prints what is wrong with it. Returns 0 or an exit status. */
int local_config(const struct command *command, struct config **ret);
