/* SPDX-License-Identifier: GPL-2.0-only */
/* What the executed half of the probe reports to the half that started it, through a pipe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct probe_sample {
	uint64_t start_ns;  /* just before execve */
	uint64_t main_ns;   /* the new program's first reading of the clock */
	uint64_t tagged_ns; /* its attributes are as wanted */
	bool timed_out;
};
