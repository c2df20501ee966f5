/* SPDX-License-Identifier: GPL-2.0-only */
/* The calling thread's effective capabilities, to try what somebody else may do. A bit for each (linux/capability.h). */
#pragma once

#include <stdint.h>

/*
 * Leaves those of `allowed` in force, and returns in *ret_before what was, for capabilities_restore. Those that it
 * permits itself stay, so that it can take them back. 0 or -errno.
 */
int capabilities_narrow(uint64_t allowed, uint64_t *ret_before);
int capabilities_restore(uint64_t before);
