/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides the visibility of each app: see shown.h. */
#include "shown.h"

const char *shown_level_name(enum shown_level level)
{
	static const char *const names[] = { [SHOWN_NOT] = "not seen",
					     [SHOWN_HIDDEN] = "hidden",
					     [SHOWN_VISIBLE] = "visible",
					     [SHOWN_FOCUSED] = "focused",
					     [SHOWN_PLAYED] = "played" };

	return names[level];
}

/* ---- windows and games ---- */

static struct shown_app *find_app(struct shown *shown, pid_t pid)
{
	for (size_t i = 0; i < shown->n_apps; i++) {
		if (shown->apps[i].pid == pid)
			return &shown->apps[i];
	}
	return NULL;
}

/* Finds or adds an app. Returns NULL for a window without a process, about which nothing can be reported. */
static struct shown_app *get_app(struct shown *shown, pid_t pid)
{
	struct shown_app *app = find_app(shown, pid);

	if (app || pid <= 1 || pid == shown->compositor || shown->n_apps == SHOWN_MAX)
		return app;
	app = &shown->apps[shown->n_apps++];
	*app = (struct shown_app){ .pid = pid, .now = SHOWN_VISIBLE, .told = SHOWN_VISIBLE, .pidfd = -1 };
	shown->ops->meet(shown->context, app);
	return app;
}

static void forget_app(struct shown *shown, struct shown_app *app)
{
	shown->ops->part(shown->context, app);
	*app = shown->apps[--shown->n_apps];
}

void shown_no_windows(struct shown *shown)
{
	for (size_t i = 0; i < shown->n_apps; i++)
		shown->apps[i].window = SHOWN_NOT;
	shown->has_changed = true;
}

void shown_put_window(struct shown *shown, pid_t pid, bool is_focused, bool is_visible)
{
	const enum shown_level level = is_focused ? SHOWN_FOCUSED : is_visible ? SHOWN_VISIBLE : SHOWN_HIDDEN;
	struct shown_app *app = get_app(shown, pid);

	if (app && level > app->window)
		app->window = level;
	shown->has_changed = true;
}

void shown_no_games(struct shown *shown)
{
	for (size_t i = 0; i < shown->n_apps; i++)
		shown->apps[i].is_played = false;
	shown->has_changed = true;
}

void shown_put_game(struct shown *shown, pid_t pid)
{
	struct shown_app *app = get_app(shown, pid);

	if (app)
		app->is_played = true;
	shown->has_changed = true;
}

void shown_ended(struct shown *shown, pid_t pid)
{
	struct shown_app *app = find_app(shown, pid);

	if (app)
		forget_app(shown, app);
}

/* ---- reports ---- */

/* Returns the present level of an app. One without windows counts as visible, which takes back an earlier report. */
static enum shown_level level_of(const struct shown *shown, struct shown_app *app)
{
	app->is_heard = !app->is_played && app->window == SHOWN_HIDDEN && app->pidfd >= 0 &&
			shown->ops->is_heard(shown->context, app->pid);
	if (app->is_played)
		return SHOWN_PLAYED;
	return app->is_heard || app->window == SHOWN_NOT ? SHOWN_VISIBLE : app->window;
}

static void tell_level(struct shown *shown, struct shown_app *app, enum shown_level level)
{
	app->told = level;
	app->was_told = true;
	if (app->pidfd >= 0)
		shown->ops->tell(shown->context, app);
}

/*
 * Reports changes of an app that are due. Returns the time of the next. An app that goes from focused to hidden passes
 * through visible.
 */
static uint64_t settle_app(struct shown *shown, struct shown_app *app, uint64_t now_us)
{
	const enum shown_level level = level_of(shown, app);

	if (level != app->now)
		app->since = now_us;
	app->now = level;
	if (level > app->told)
		tell_level(shown, app, level);
	while (level < app->told) {
		const bool is_seen = app->told > SHOWN_VISIBLE;
		const uint64_t due = app->since + (is_seen ? SHOWN_LOWER_US : SHOWN_HIDE_US);

		if (now_us < due)
			return due;
		tell_level(shown, app, is_seen && level < SHOWN_VISIBLE ? SHOWN_VISIBLE : level);
	}
	return SHOWN_NEVER_US;
}

uint64_t shown_settle(struct shown *shown, uint64_t now_us)
{
	uint64_t next = SHOWN_NEVER_US;

	for (size_t i = shown->n_apps; i > 0; i--) {
		struct shown_app *app = &shown->apps[i - 1];
		const uint64_t due = settle_app(shown, app, now_us);

		if (due < next)
			next = due;
		if (app->window == SHOWN_NOT && !app->is_played && app->told == SHOWN_VISIBLE)
			forget_app(shown, app);
	}
	shown->has_changed = false;
	return next;
}

void shown_repeat(struct shown *shown)
{
	for (size_t i = 0; i < shown->n_apps; i++) {
		if (shown->apps[i].pidfd >= 0 && shown->apps[i].was_told)
			shown->ops->tell(shown->context, &shown->apps[i]);
	}
}

void shown_clear(struct shown *shown)
{
	while (shown->n_apps)
		forget_app(shown, &shown->apps[shown->n_apps - 1]);
}
