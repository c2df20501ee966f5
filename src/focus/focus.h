/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out what is seen, heard and played in this session, and tells org.schedqos1. */
#pragma once

#include <stdio.h>

#include <cjson/cJSON.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <schedqos/util/cleanup.h>

#include "shown.h"

enum subject { WINDOWS, SOUND, GAMES, N_SUBJECTS };

#define N_SOURCES 8

struct focus {
	sd_event *event; /* after each of whose events what is due is said */
	bool prints;	 /* for people, and there may be others beside it; else it is the service */
	sd_bus *user_bus, *system_bus; /* NULL: there is none */
	struct shown shown;
	/* Of sources.c: */
	struct focus_source *used[N_SUBJECTS]; /* NULL: none can be */
	char why_not[N_SOURCES][160];	       /* the others; "": it was not looked for */
	sd_event_source *looking;
	unsigned tries;
	/* Of bridge.c: */
	sd_event_source *repeating;
	bool is_refusing; /* the last answer was an error, which has been said */
	bool is_served;	  /* the last answer was no error */
};

/* ---- sources: compositors, PipeWire, GameMode. They come and go ---- */

struct source_type;

/* What each of them holds begins with this. */
struct focus_source {
	const struct source_type *type;
	struct focus *focus;
	int fd;		  /* -1: none */
	char why[160];	  /* room for a reason */
	char owner[256];  /* the bus's own name of who has the type's `bus_name` */
	sd_event_source *io;
};

struct source_type {
	const char *name; /* for people */
	enum subject subject;
	/* Who has this name on the session's bus is the one; NULL: it takes no bus. */
	const char *bus_name;
	size_t size; /* of what it holds, all zeroes at first */
	/* Each returns NULL; or, for people, why it cannot be used, or not any longer. Then it is closed. */
	const char *(*open)(void *held);
	/*
	 * Something can be read from `fd`, or may: once after `open`, and when a process that it has named has ended.
	 */
	const char *(*take)(void *held);
	/* Does not remove its windows. NULL: nothing to do but to close `fd`. */
	void (*close)(void *held);
	const void *kind; /* of those that have an `open` in common */
};

extern const struct source_type kwin_type, mutter_type, sway_type, niri_type, hyprland_type, x11_type;
extern const struct source_type pipewire_type, gamemode_type;

/* ---- sources.c: which are used: of each subject the first that can be ---- */

/* Says what it uses, or why it can use none. */
void sources_open(struct focus *focus);
void sources_close(struct focus *focus);

/* A process that has windows has ended. */
void sources_ended(struct focus *focus);

/* ---- parts of them that need no compositor ---- */

#define SOCKET_QUESTIONS 3

/* Puts the windows in the answers to its questions, of sway, niri or Hyprland. 0, or -EBADMSG and none is put. */
int socket_read(const struct source_type *type, struct shown *shown, const cJSON *const answers[SOCKET_QUESTIONS]);

/* Puts the windows that our script in KWin lists. 0, or -EBADMSG and none is put. */
int kwin_read_windows(struct shown *shown, const char *text);

/*
 * Whether the process or a descendant plays, or somebody in the same unit of an app; where that is not known, anybody
 * may. held: PipeWire's; NULL: it does not run.
 */
bool sound_is_heard(const void *held, pid_t pid);

DEFINE_CLEANUP(cJSON, cJSON_Delete)

static inline const cJSON *json_get(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* 0, or 1 of what is no number, for none; it is an int whatever has been sent. */
static inline pid_t json_pid(const cJSON *value)
{
	return value ? value->valueint : 0;
}

/* ---- bridge.c: org.schedqos1 on the system bus ---- */

/*
 * Says who it is and whether it hears what is shown: all that is seen is told again whenever it comes. For people, who
 * want to know whether it would, it is told of ourselves only, that we are visible, as we are. 0 or -errno.
 */
int bridge_open(struct focus *focus);

void bridge_tell(struct focus *focus, const struct shown_app *app);

/* ---- focus.c: what they share ---- */

/* A timer that runs once; *timer is made if it is NULL. 0 or -errno. */
int focus_call_in(struct focus *focus, sd_event_source **timer, uint64_t us, sd_event_time_handler_t call,
		  void *context);

/* A bus in the loop, which ends with it. Of signals it brings what is sent to all. 0 or -errno. */
int focus_open_bus(struct focus *focus, int (*open)(sd_bus **ret), sd_bus **ret);

/* Has `call` called when somebody takes or leaves a name of the bus, with NameOwnerChanged's "sss". 0 or -errno. */
int focus_watch_name(sd_bus *bus, const char *name, sd_bus_message_handler_t call, void *context);

/* For people: prints a line about the process, unless we are the service. */
void focus_say(const struct focus *focus, pid_t pid, const char *name, const char *text);

/* What /proc says of a process that a compositor or a sound server has named. */

/* A descriptor of the process, or -errno. */
int process_open(pid_t pid);

/* Whether it is one of this user's, and no part of the session itself, such as a shell or compositor. */
bool process_is_app(pid_t pid);

/* The parent's id, or 0. */
pid_t process_parent(pid_t pid);

/* Whether both are in one unit of an app. */
bool process_shares_unit(pid_t pid, pid_t other);

/* Its name, escaped; "?" if it is gone. Returns buf. */
char *process_name(pid_t pid, char *buf, size_t size);
