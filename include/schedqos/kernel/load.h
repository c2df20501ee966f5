/* SPDX-License-Identifier: GPL-2.0-only */
/* How busy the machine as a whole is. */
#pragma once

#include <stdint.h>

/*
 * Time in us since boot in which some task had to wait for a CPU (/proc/pressure/cpu). 0 or -errno:
 * -ENOENT without CONFIG_PSI, -EOPNOTSUPP where it is turned off.
 */
int load_cpu_pressure(int proc, uint64_t *ret_us);

/* Context switches since boot (/proc/stat). 0 or -errno. */
int load_switches(int proc, uint64_t *ret);

/* The parsers behind them: NUL-terminated text. 0 or -EBADMSG. */
int load_parse_pressure(const char *text, uint64_t *ret_us);
int load_parse_switches(const char *text, uint64_t *ret);
