/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that a kernel was built with, from a file in the format of its .config. */
#pragma once

/*
 * Whether that kernel has the option, "CONFIG_SCHED_CACHE", built in or as a module: 1, or 0 where it is not set or
 * that kernel knows of none. The file may be compressed by gzip, as /proc/config.gz is (CONFIG_IKCONFIG_PROC). -errno:
 * why it cannot be read; -EBADMSG it is no such file, or damaged; -EOPNOTSUPP it is compressed, and there is no zlib.
 */
int kconfig_has(const char *path, const char *option);

/* The parser behind it. 1, 0 or -EBADMSG. */
int kconfig_parse(const char *text, const char *option);
