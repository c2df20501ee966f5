/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources: each compositor, or kind of them, has one, of which that which runs is used; and so has PipeWire. They come and
 * go.
 */
#pragma once

#include <stdio.h>

#include "focus.h"

struct focus_source {
	const char *name; /* for people */
	/* The name on the session's bus that comes and goes with it; NULL: there is none. */
	const char *bus_name;
	/*
	 * Begins to put windows into focus->shown. 0; or -errno, with the reason for people in `why`: it does not run, or does
	 * not do what it should. When it goes later, or sends rubbish, focus->lost is called.
	 */
	int (*open)(const struct focus_source *source, struct focus *focus, void **ret, char *why, size_t size);
	/* Does not remove the windows. */
	void (*close)(void *held);
	/* A process that it has named has ended; NULL: its windows say so. */
	void (*ended)(void *held);
	const void *kind; /* of those that have an `open` in common */
};

extern const struct focus_source source_hyprland, source_kwin, source_mutter, source_niri, source_sway, source_x11;
extern const struct focus_source source_pipewire;

/* ---- what they say: parts that need no compositor ---- */

#define SOCKET_QUESTIONS 3

/* Puts the windows in the answers to its questions, of sway, niri or Hyprland. 0, or -EBADMSG and none is put. */
int socket_read(const struct focus_source *source, struct shown *shown, const char *const answers[SOCKET_QUESTIONS]);

/* Puts the windows that our script in KWin lists. 0, or -EBADMSG and none is put. */
int kwin_read_windows(struct shown *shown, const char *text);

/*
 * Whether the app that the process's windows belong to may be heard: the process or a descendant plays, or somebody in the
 * same unit of an app. Where that is not known, anybody may be. held: PipeWire's; NULL: it does not run.
 */
bool sound_is_heard(const void *held, pid_t pid);

/* ---- which of them are used: the first that can be, again whenever it goes or another may have come ---- */

struct sources;

/* Says in the log what it uses, or why it can use none. 0 or -errno. */
int sources_open(struct focus *focus, struct sources **ret);
void sources_close(struct sources *sources);

/* A process of shown's has ended. */
void sources_ended(struct sources *sources);

/* What sound_is_heard takes. */
const void *sources_sound(const struct sources *sources);

/* For people: which are used, and why each of the others is not. */
void sources_print(const struct sources *sources, FILE *stream);
