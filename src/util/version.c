/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The version has a size and an alignment of its own. As one string among others it would move them with each commit,
 * and so change how many instructions the string functions of libc execute, which virtual time counts.
 */
#include <schedqos/util/version.h>

_Alignas(VERSION_SIZE) const char version_text[VERSION_SIZE] = VERSION;
