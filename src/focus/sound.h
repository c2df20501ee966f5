/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be heard: PipeWire's streams, and whose they are. */
#pragma once

#include "focus.h"

struct sound;

/* PipeWire comes and goes. 0 or -errno. */
int sound_open(struct focus *focus, struct sound **ret);
void sound_close(struct sound *sound);

/*
 * Whether the app that the process's windows belong to may be heard: the process or a descendant plays, or somebody in the
 * same unit of an app. Where that is not known, anybody may be.
 */
bool sound_is_heard(const struct sound *sound, pid_t pid);

/* Those who play now; 0 is somebody unknown. Returns how many there are, of which the first `max` are in pids. */
size_t sound_list(const struct sound *sound, pid_t *pids, size_t max);

/* For people: whether it is known. */
const char *sound_describe(const struct sound *sound);
