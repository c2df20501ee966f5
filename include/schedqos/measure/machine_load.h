/* SPDX-License-Identifier: GPL-2.0-only */
/* How busy the machine as a whole is, for those who may not ask the kernel themselves. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct machine_load {
	bool has_pressure, has_switches;
	uint64_t pressure_us; /* since boot: some task had to wait for a CPU */
	uint64_t switches;    /* since boot */
};

void machine_load_read(struct machine_load *ret);
