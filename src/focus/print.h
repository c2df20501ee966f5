/* SPDX-License-Identifier: GPL-2.0-only */
/* For people: a line for each change of what is shown. */
#pragma once

#include "focus.h"
#include "sound.h"

struct print;

int print_open(struct print **ret);
void print_close(struct print *print);

/* Prints what has changed since the last time. */
void print_changes(struct print *print, const struct shown *shown, const struct sound *sound);
