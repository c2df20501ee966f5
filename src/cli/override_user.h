/* SPDX-License-Identifier: GPL-2.0-only */
/* What an ordinary user asks for: see override_call.h, which these functions are for. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

int override_user_set(pid_t pid, const char *qos, bool inherit, bool *ret_given);
int override_user_reset(pid_t pid);
