/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <schedqos/config/config_text.h>

/* Warns of what a start does not warn of, since it takes time, or is the same at each. Returns 0 or -ENOMEM. */
int check_warnings(const struct config *config, struct config_errors *errors);
