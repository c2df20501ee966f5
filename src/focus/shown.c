/* SPDX-License-Identifier: GPL-2.0-only */
#include "shown.h"

#include <stdlib.h>

const char *shown_level_name(enum shown_level level)
{
	static const char *const names[] = { [SHOWN_HIDDEN] = "hidden",
					     [SHOWN_VISIBLE] = "visible",
					     [SHOWN_FOCUSED] = "focused",
					     [SHOWN_PLAYED] = "played" };

	return names[level];
}

/* ---- windows ---- */

static struct window *find_window(struct shown *shown, uint64_t id)
{
	for (size_t i = 0; i < shown->n_windows; i++) {
		if (shown->windows[i].id == id)
			return &shown->windows[i];
	}
	return NULL;
}

/* Without memory there is one window less. */
static struct window *add_window(struct shown *shown)
{
	struct window *windows;

	if (shown->n_windows == SHOWN_WINDOWS_MAX)
		return NULL;
	windows = reallocarray(shown->windows, shown->n_windows + 1, sizeof(*windows));
	if (!windows)
		return NULL;
	shown->windows = windows;
	return &windows[shown->n_windows++];
}

static void remove_window(struct shown *shown, struct window *window)
{
	*window = shown->windows[--shown->n_windows];
}

void shown_remove(struct shown *shown, uint64_t id)
{
	struct window *window = find_window(shown, id);

	if (window)
		remove_window(shown, window);
}

/* Of a window without a process nothing can be said. */
void shown_put(struct shown *shown, uint64_t id, pid_t pid, bool is_focused, bool is_visible)
{
	struct window *window = find_window(shown, id);

	if (pid <= 1) {
		shown_remove(shown, id);
		return;
	}
	if (!window)
		window = add_window(shown);
	if (window)
		*window = (struct window){
			.id = id, .pid = pid, .is_focused = is_focused, .is_visible = is_visible || is_focused
		};
}

void shown_begin(struct shown *shown)
{
	for (size_t i = 0; i < shown->n_windows; i++)
		shown->windows[i].is_old = true;
}

void shown_end(struct shown *shown)
{
	for (size_t i = shown->n_windows; i > 0; i--) {
		if (shown->windows[i - 1].is_old)
			remove_window(shown, &shown->windows[i - 1]);
	}
}

/* ---- games ---- */

static bool is_played(const struct shown *shown, pid_t pid)
{
	for (size_t i = 0; i < shown->n_games; i++) {
		if (shown->games[i] == pid)
			return true;
	}
	return false;
}

void shown_play(struct shown *shown, pid_t pid)
{
	pid_t *games;

	if (pid <= 1 || shown->n_games == SHOWN_WINDOWS_MAX || is_played(shown, pid))
		return;
	games = reallocarray(shown->games, shown->n_games + 1, sizeof(*games));
	if (!games)
		return;
	games[shown->n_games++] = pid;
	shown->games = games;
}

void shown_stop(struct shown *shown, pid_t pid)
{
	for (size_t i = shown->n_games; i > 0; i--) {
		if (shown->games[i - 1] == pid)
			shown->games[i - 1] = shown->games[--shown->n_games];
	}
}

/* ---- processes ---- */

static struct shown_app *find_app(struct shown *shown, pid_t pid)
{
	for (size_t i = 0; i < shown->n_apps; i++) {
		if (shown->apps[i].pid == pid)
			return &shown->apps[i];
	}
	return NULL;
}

static void meet(struct shown *shown, pid_t pid)
{
	struct shown_app *apps;

	if (find_app(shown, pid))
		return;
	apps = reallocarray(shown->apps, shown->n_apps + 1, sizeof(*apps));
	if (!apps)
		return;
	shown->apps = apps;
	apps += shown->n_apps++;
	*apps = (struct shown_app){ .pid = pid, .now = SHOWN_VISIBLE, .told = SHOWN_VISIBLE };
	apps->is_ours = shown->ops->meet(shown->context, pid, &apps->held);
}

static void part(struct shown *shown, struct shown_app *app)
{
	shown->ops->part(shown->context, app);
	*app = shown->apps[--shown->n_apps];
}

void shown_ended(struct shown *shown, pid_t pid)
{
	struct shown_app *app = find_app(shown, pid);

	for (size_t i = shown->n_windows; i > 0; i--) {
		if (shown->windows[i - 1].pid == pid)
			remove_window(shown, &shown->windows[i - 1]);
	}
	shown_stop(shown, pid);
	if (app)
		part(shown, app);
}

/* Its most visible window counts; *ret_is_seen: it has one, or is played. */
static enum shown_level level_of(const struct shown *shown, struct shown_app *app, bool *ret_is_seen)
{
	enum shown_level level = SHOWN_HIDDEN;

	app->is_heard = false;
	*ret_is_seen = true;
	if (is_played(shown, app->pid))
		return SHOWN_PLAYED;
	*ret_is_seen = false;
	for (size_t i = 0; i < shown->n_windows && level < SHOWN_FOCUSED; i++) {
		const struct window *window = &shown->windows[i];

		if (window->pid != app->pid)
			continue;
		*ret_is_seen = true;
		if (window->is_focused)
			level = SHOWN_FOCUSED;
		else if (window->is_visible)
			level = SHOWN_VISIBLE;
	}
	if (!*ret_is_seen || level != SHOWN_HIDDEN)
		return *ret_is_seen ? level : SHOWN_VISIBLE;
	app->is_heard = app->is_ours && shown->ops->is_heard(shown->context, app->pid);
	return app->is_heard ? SHOWN_VISIBLE : SHOWN_HIDDEN;
}

static void tell(struct shown *shown, struct shown_app *app, enum shown_level level)
{
	app->told = level;
	app->is_falling = false;
	if (app->is_ours)
		shown->ops->tell(shown->context, app);
}

/* Returns when the next is due. */
static uint64_t settle_app(struct shown *shown, struct shown_app *app, enum shown_level level, uint64_t now_us)
{
	uint64_t due;

	if (level == SHOWN_HIDDEN && app->now != SHOWN_HIDDEN)
		app->hid = now_us;
	app->now = level;
	if (level > app->told) {
		tell(shown, app, level);
	} else if (level == app->told) {
		app->is_falling = false;
	} else if (!app->is_falling) {
		app->is_falling = true;
		app->left = now_us;
	}
	if (app->told > SHOWN_VISIBLE && app->is_falling) {
		due = app->left + SHOWN_LOWER_US;
		if (now_us < due)
			return due;
		tell(shown, app, level < SHOWN_VISIBLE ? SHOWN_VISIBLE : level);
	}
	if (level != SHOWN_HIDDEN || app->told == SHOWN_HIDDEN)
		return SHOWN_NEVER_US;
	due = app->hid + SHOWN_HIDE_US;
	if (now_us < due)
		return due;
	tell(shown, app, SHOWN_HIDDEN);
	return SHOWN_NEVER_US;
}

uint64_t shown_settle(struct shown *shown, uint64_t now_us)
{
	uint64_t next = SHOWN_NEVER_US;

	for (size_t i = 0; i < shown->n_windows; i++)
		meet(shown, shown->windows[i].pid);
	for (size_t i = 0; i < shown->n_games; i++)
		meet(shown, shown->games[i]);
	for (size_t i = shown->n_apps; i > 0; i--) {
		struct shown_app *app = &shown->apps[i - 1];
		bool is_seen;
		const enum shown_level level = level_of(shown, app, &is_seen);
		const uint64_t due = settle_app(shown, app, level, now_us);

		if (due < next)
			next = due;
		if (!is_seen && app->told == SHOWN_VISIBLE)
			part(shown, app);
	}
	return next;
}

void shown_repeat(struct shown *shown)
{
	for (size_t i = 0; i < shown->n_apps; i++) {
		if (shown->apps[i].is_ours && shown->apps[i].told != SHOWN_VISIBLE)
			shown->ops->tell(shown->context, &shown->apps[i]);
	}
}

void shown_clear(struct shown *shown)
{
	while (shown->n_apps)
		part(shown, &shown->apps[shown->n_apps - 1]);
	free(shown->windows);
	free(shown->apps);
	free(shown->games);
	shown->windows = NULL;
	shown->apps = NULL;
	shown->games = NULL;
	shown->n_windows = shown->n_games = 0;
}
