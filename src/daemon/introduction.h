/* SPDX-License-Identifier: GPL-2.0-only */
/* What somebody who starts the daemon by hand wants to know at the start. */
#pragma once

#include <schedqos/policy/config.h>

/*
 * The rule to try out: its pattern is a plain name that a shell takes as a word, it has no conditions, and ps(1) shows
 * what its class does, since the nice value is above 0. Of several the last one. NULL: there is none.
 */
const struct rule *introduction_rule(const struct config *config);

/* Logs at debug level what to try in another terminal, and how to end the daemon. */
void introduction_log(const struct config *config);
