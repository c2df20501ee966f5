/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is seen of each process that has windows, and when to say so. Pure: sources put windows in, time is an argument,
 * what is to be said goes out by functions.
 *
 * What gets more is said at once; what gets less a moment later, since a focus that moves is nowhere for a while;
 * hidden is what nothing was seen or heard of for so long.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SHOWN_LOWER_US	(150 * 1000ULL)
#define SHOWN_HIDE_US	(10 * 1000000ULL)
#define SHOWN_NEVER_US	UINT64_MAX
/* More processes with windows than anybody has. */
#define SHOWN_MAX	512

/* Each is more than those before. */
enum shown_level { SHOWN_NOT, SHOWN_HIDDEN, SHOWN_VISIBLE, SHOWN_FOCUSED, SHOWN_PLAYED };

/* As org.schedqos1 and people call it. */
const char *shown_level_name(enum shown_level level);

/* A process that has windows, or is played. */
struct shown_app {
	pid_t pid;
	enum shown_level window; /* of its most visible one */
	bool is_played;
	bool is_heard; /* of a hidden one only */
	enum shown_level now, told;
	uint64_t since; /* when `now` became what it is */
	bool was_told;	/* anything was said of it */
	/* Of whoever meets it: */
	int pidfd; /* -1: nothing is to be said of it */
	struct sd_event_source *ending;
	char name[64], said[64];
};

struct shown_ops {
	/* A process is seen for the first time: sets app->pidfd, which is -1. */
	void (*meet)(void *context, struct shown_app *app);
	/* It is not seen any more. */
	void (*part)(void *context, struct shown_app *app);
	/* Whether it plays sound. */
	bool (*is_heard)(void *context, pid_t pid);
	/* Its level is now app->told. */
	void (*tell)(void *context, const struct shown_app *app);
};

struct shown {
	const struct shown_ops *ops;
	void *context;
	struct shown_app apps[SHOWN_MAX];
	size_t n_apps;
	pid_t compositor; /* whose own windows are none; 0: not known */
	bool has_changed; /* there is something to settle; set by whoever knows that another is heard */
};

/* Whenever something changes, all windows, or all games, are put anew. Nothing is said before shown_settle. */
void shown_no_windows(struct shown *shown);
void shown_put_window(struct shown *shown, pid_t pid, bool is_focused, bool is_visible);
void shown_no_games(struct shown *shown);
void shown_put_game(struct shown *shown, pid_t pid);

/* The process has ended: nothing is to be said of it. */
void shown_ended(struct shown *shown, pid_t pid);

/* Says what is due. Returns when it is to be called again if nothing changes before, or SHOWN_NEVER_US. */
uint64_t shown_settle(struct shown *shown, uint64_t now_us);

/* Says again all that was said last. */
void shown_repeat(struct shown *shown);

/* Parts with all. */
void shown_clear(struct shown *shown);
