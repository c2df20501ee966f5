/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <sys/types.h>

/* Reads until the end of the file, or until size bytes are there. Returns their number, or -errno. No NUL is added. */
ssize_t read_full(int fd, char *buf, size_t size);
