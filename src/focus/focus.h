/* SPDX-License-Identifier: GPL-2.0-only */
/* Follows which apps of this session are seen, heard and played, and tells org.schedqos1. */
#pragma once

#include <stdio.h>

#include <cjson/cJSON.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <schedqos/util/cleanup.h>

#include "shown.h"

enum subject { WINDOWS, SOUND, GAMES, N_SUBJECTS };

#define N_SOURCES 8

/* The bridge refuses a user's calls beyond 16 unanswered ones (accounts.h). Other programs of the user call it, too. */
#define REPORTS_SENT_MAX 8

struct focus {
	sd_event *event; /* after each event the program reports what is due */
	/* --print: prints for a user, perhaps while the service runs; otherwise this is the service */
	bool prints;
	sd_bus *user_bus, *system_bus; /* NULL if missing */
	struct shown shown;
	/* For sources.c: */
	struct focus_source *used[N_SUBJECTS]; /* NULL if none works */
	char why_not[N_SOURCES][160];	       /* why the others do not work; "" if not tried */
	sd_event_source *looking;
	unsigned tries;
	/* For bridge.c: */
	sd_event_source *repeating;
	/* the last answer was an error, which was logged */
	bool is_refusing;
	bool is_served; /* the last answer was not an error */
	struct report {
		struct focus *focus;
		pid_t pid; /* 0: none */
		enum shown_level level;
	} reports[SHOWN_MAX]; /* that wait to be sent, in order, at most one of each process */
	size_t n_reports;
	struct report sent[REPORTS_SENT_MAX]; /* without an answer yet */
	sd_event_source *resending;
	bool is_held_up; /* nothing is sent until `resending` fires */
};

/* ---- sources: compositors, PipeWire, GameMode; they come and go ---- */

struct source_type;

/* The first member of each source's own struct. */
struct focus_source {
	const struct source_type *type;
	struct focus *focus;
	int fd;	       /* -1 if none */
	char why[160]; /* space for a reason */
	/* unique name on the bus of the owner of the type's `bus_name` */
	char owner[256];
	sd_event_source *io;
};

struct source_type {
	const char *name; /* shown to users */
	enum subject subject;
	/* Name on the session's bus that the source owns; NULL if it is not on the bus. */
	const char *bus_name;
	size_t size; /* size of its own struct, which starts as all zeroes */
	/*
	 * open and take return NULL on success; or the reason, in words for users, why the source does not work, or no
	 * longer does. It is then closed.
	 */
	const char *(*open)(void *held);
	/* Called when `fd` is readable, once after `open`, and when a process that the source has named has ended. */
	const char *(*take)(void *held);
	/* Frees what the source holds, but does not remove its windows. NULL if closing `fd` is enough. */
	void (*close)(void *held);
	const void *kind; /* distinguishes sources with the same `open` */
};

extern const struct source_type kwin_type, mutter_type, sway_type, niri_type, hyprland_type, x11_type;
extern const struct source_type pipewire_type, gamemode_type;

/* ---- sources.c: uses the first source that works, for each subject ---- */

/* Tries all sources, and logs the one in use or why none works. */
void sources_open(struct focus *focus);
void sources_close(struct focus *focus);

/* Lets the sources know that a process with windows has ended. */
void sources_ended(struct focus *focus);

/* ---- parts of sources that need no compositor ---- */

#define SOCKET_QUESTIONS 3

/* Puts the windows that sway, niri or Hyprland lists in its answers. Returns 0; or -EBADMSG, and puts none. */
int socket_read(const struct source_type *type, struct shown *shown, const cJSON *const answers[SOCKET_QUESTIONS]);

/* Puts the windows that our script in KWin lists. Returns 0; or -EBADMSG, and puts none. */
int kwin_read_windows(struct shown *shown, const char *text);

/*
 * Returns whether sound may come from this process: from it, from a descendant, or from its app's unit; or from a
 * player that cannot be identified. held is PipeWire's source, or NULL if PipeWire does not run.
 */
bool sound_is_heard(const void *held, pid_t pid);

DEFINE_CLEANUP(cJSON, cJSON_Delete)

static inline const cJSON *json_get(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/*
 * Returns the number as a process id; 0 or 1, which name no app, for anything else. cJSON makes it an int whatever was
 * sent.
 */
static inline pid_t json_pid(const cJSON *value)
{
	return value ? value->valueint : 0;
}

/* ---- bridge.c: reports to org.schedqos1 on the system bus ---- */

/*
 * Connects to the system bus, and repeats all reports whenever the bridge comes back. With --print it only tests
 * whether the bridge would accept reports, by reporting this process as visible. Returns 0 or -errno.
 */
int bridge_open(struct focus *focus);

/* Reports the level of a process. Sends it at once, or when earlier reports have been answered. */
void bridge_tell(struct focus *focus, pid_t pid, enum shown_level level);

/* Drops a report about a process that has ended. */
void bridge_forget(struct focus *focus, pid_t pid);

/* ---- focus.c: shared functions ---- */

/* Sets a timer that runs once. Makes *timer if it is NULL. Returns 0 or -errno. */
int focus_call_in(struct focus *focus, sd_event_source **timer, uint64_t us, sd_event_time_handler_t call,
		  void *context);

/* Opens a bus and attaches it to the loop, which ends when the connection does. Returns 0 or -errno. */
int focus_open_bus(struct focus *focus, int (*open)(sd_bus **ret), sd_bus **ret);

/* Calls `call` when the name gets or loses an owner, with the "sss" of NameOwnerChanged. Returns 0 or -errno. */
int focus_watch_name(sd_bus *bus, const char *name, sd_bus_message_handler_t call, void *context);

/* Prints a line about the process; does nothing in the service. */
void focus_say(const struct focus *focus, pid_t pid, const char *name, const char *text);

/* The functions below tell about a process that a compositor or sound server has named. */

/* Returns a pidfd of the process, or -errno. */
int process_open(pid_t pid);

/* Returns whether the process belongs to this user, and not to the session itself, as a shell or compositor does. */
bool process_is_app(pid_t pid);

/* Returns the parent's id, or 0. */
pid_t process_parent(pid_t pid);

/* Returns whether both processes are in the same unit of an app. */
bool process_shares_unit(pid_t pid, pid_t other);

/* Writes its name, escaped; "?" if it is gone. Returns buf. */
char *process_name(pid_t pid, char *buf, size_t size);
