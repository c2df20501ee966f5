/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the sources is used: the first that can be, again whenever it goes or another may have come. */
#pragma once

#include <stdio.h>

#include "focus.h"

struct sources;

/* Says in the log what it uses, or why it can use none. 0 or -errno. */
int sources_open(struct focus *focus, struct sources **ret);
void sources_close(struct sources *sources);

/* A process of shown's has ended. */
void sources_ended(struct sources *sources, pid_t pid);

/* Which is used, and why each of the others is not. */
void sources_print(const struct sources *sources, FILE *stream);
