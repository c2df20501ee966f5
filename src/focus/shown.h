/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides the visibility of each process that has windows, and when to report it. Pure: sources put windows in, time is
 * an argument, and the caller's functions make the reports.
 *
 * A higher level is reported at once. A lower level is reported a moment later, because no window has the focus while
 * it moves. An app is reported hidden only after it was neither seen nor heard for 10 s.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SHOWN_LOWER_US	(150 * 1000ULL)
#define SHOWN_HIDE_US	(10 * 1000000ULL)
#define SHOWN_NEVER_US	UINT64_MAX
/* More processes with windows than any session has. */
#define SHOWN_MAX	512

/* Higher values are more visible. */
enum shown_level { SHOWN_NOT, SHOWN_HIDDEN, SHOWN_VISIBLE, SHOWN_FOCUSED, SHOWN_PLAYED };

/* Returns the name that org.schedqos1 and users see. */
const char *shown_level_name(enum shown_level level);

/* A process that has windows, or is played. */
struct shown_app {
	pid_t pid;
	enum shown_level window; /* that of its most visible window */
	bool is_played;
	bool is_heard; /* set only for hidden apps */
	enum shown_level now, told;
	uint64_t since; /* when `now` last changed */
	bool was_told;	/* something was reported about it */
	/* For the caller's functions: */
	int pidfd; /* -1 if nothing must be reported about it */
	struct sd_event_source *ending;
	char name[64], said[64];
};

struct shown_ops {
	/* Called for a new process; sets app->pidfd, which is -1 before. */
	void (*meet)(void *context, struct shown_app *app);
	/* Called when the process is forgotten. */
	void (*part)(void *context, struct shown_app *app);
	/* Returns whether the process may play sound. */
	bool (*is_heard)(void *context, pid_t pid);
	/* Reports its new level, app->told. */
	void (*tell)(void *context, const struct shown_app *app);
};

struct shown {
	const struct shown_ops *ops;
	void *context;
	struct shown_app apps[SHOWN_MAX];
	size_t n_apps;
	pid_t compositor; /* its own windows are ignored; 0 if unknown */
	/* shown_settle has to be called; also set when somebody else starts or stops to play sound */
	bool has_changed;
};

/* After a change, the source puts all windows, or all games, anew. Nothing is reported before shown_settle. */
void shown_no_windows(struct shown *shown);
void shown_put_window(struct shown *shown, pid_t pid, bool is_focused, bool is_visible);
void shown_no_games(struct shown *shown);
void shown_put_game(struct shown *shown, pid_t pid);

/* Forgets a process that has ended, without a report. */
void shown_ended(struct shown *shown, pid_t pid);

/* Reports what is due. Returns the time of the next call if nothing changes before, or SHOWN_NEVER_US. */
uint64_t shown_settle(struct shown *shown, uint64_t now_us);

/* Repeats the last report about each process. */
void shown_repeat(struct shown *shown);

/* Forgets all processes. */
void shown_clear(struct shown *shown);
