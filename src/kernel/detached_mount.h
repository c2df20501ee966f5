/* SPDX-License-Identifier: GPL-2.0-only */
/* A file system of the kernel's own, such as debugfs, mounted for ourselves alone. */
#pragma once

/*
 * Mounts it in no namespace at all: no other process sees it, and it goes away with the last descriptor of it. Returns
 * one of its root, or -errno: -ENODEV if this kernel has none, -EPERM without CAP_SYS_ADMIN, -ENOSYS before Linux 5.2.
 */
int detached_mount(const char *type);
