/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#define VERSION_SIZE 64

/* The release and, in a repository, the commit: "0.2.0+9a26763-dirty". */
extern const char version_text[VERSION_SIZE];
