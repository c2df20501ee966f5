/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc says of a process that a compositor or a sound server has named. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A descriptor of the process, or -errno. */
int process_open(pid_t pid);

/* Whether it is one of this user's, and no part of the session itself, such as a shell or compositor. */
bool process_is_app(pid_t pid);

/* The parent's id, or 0. */
pid_t process_parent(pid_t pid);

/* The unit of an app of its own that it is in, which the caller frees; NULL for none. */
char *process_unit(pid_t pid);

/* Its name, escaped; "?" if it is gone. Returns buf. */
char *process_name(pid_t pid, char *buf, size_t size);
