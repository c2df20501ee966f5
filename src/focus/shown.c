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

/* ---- windows and games ---- */

static void remove_sight(struct shown *shown, size_t n)
{
	shown->sights[n] = shown->sights[--shown->n_sights];
}

static void remove_all(struct shown *shown, bool games)
{
	for (size_t i = shown->n_sights; i > 0; i--) {
		if ((shown->sights[i - 1].level == SHOWN_PLAYED) == games)
			remove_sight(shown, i - 1);
	}
}

/* Of a window without a process nothing can be said. Without memory there is one less. */
static void put(struct shown *shown, pid_t pid, enum shown_level level)
{
	struct sight *sights;

	if (pid <= 1 || pid == shown->compositor || shown->n_sights == SHOWN_MAX)
		return;
	sights = reallocarray(shown->sights, shown->n_sights + 1, sizeof(*sights));
	if (!sights)
		return;
	sights[shown->n_sights++] = (struct sight){ pid, level };
	shown->sights = sights;
}

void shown_no_windows(struct shown *shown)
{
	remove_all(shown, false);
}

void shown_put_window(struct shown *shown, pid_t pid, bool is_focused, bool is_visible)
{
	put(shown, pid, is_focused ? SHOWN_FOCUSED : is_visible ? SHOWN_VISIBLE : SHOWN_HIDDEN);
}

void shown_no_games(struct shown *shown)
{
	remove_all(shown, true);
}

void shown_put_game(struct shown *shown, pid_t pid)
{
	put(shown, pid, SHOWN_PLAYED);
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

	for (size_t i = shown->n_sights; i > 0; i--) {
		if (shown->sights[i - 1].pid == pid)
			remove_sight(shown, i - 1);
	}
	if (app)
		part(shown, app);
}

/* Its most visible window counts; *ret_is_seen: it has one, or is played. */
static enum shown_level level_of(const struct shown *shown, struct shown_app *app, bool *ret_is_seen)
{
	enum shown_level level = SHOWN_HIDDEN;

	app->is_heard = false;
	*ret_is_seen = false;
	for (size_t i = 0; i < shown->n_sights; i++) {
		const struct sight *sight = &shown->sights[i];

		if (sight->pid != app->pid)
			continue;
		*ret_is_seen = true;
		if (sight->level > level)
			level = sight->level;
	}
	if (!*ret_is_seen || level != SHOWN_HIDDEN)
		return *ret_is_seen ? level : SHOWN_VISIBLE;
	app->is_heard = app->is_ours && shown->ops->is_heard(shown->context, app->pid);
	return app->is_heard ? SHOWN_VISIBLE : SHOWN_HIDDEN;
}

static void tell(struct shown *shown, struct shown_app *app, enum shown_level level)
{
	app->told = level;
	app->was_told = true;
	if (app->is_ours)
		shown->ops->tell(shown->context, app);
}

/* Returns when the next is due. Who is hidden after he had the focus is visible before. */
static uint64_t settle_app(struct shown *shown, struct shown_app *app, enum shown_level level, uint64_t now_us)
{
	if (level != app->now)
		app->since = now_us;
	app->now = level;
	if (level > app->told)
		tell(shown, app, level);
	while (level < app->told) {
		const bool is_seen = app->told > SHOWN_VISIBLE;
		const uint64_t due = app->since + (is_seen ? SHOWN_LOWER_US : SHOWN_HIDE_US);

		if (now_us < due)
			return due;
		tell(shown, app, is_seen && level < SHOWN_VISIBLE ? SHOWN_VISIBLE : level);
	}
	return SHOWN_NEVER_US;
}

uint64_t shown_settle(struct shown *shown, uint64_t now_us)
{
	uint64_t next = SHOWN_NEVER_US;

	for (size_t i = 0; i < shown->n_sights; i++)
		meet(shown, shown->sights[i].pid);
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
		if (shown->apps[i].is_ours && shown->apps[i].was_told)
			shown->ops->tell(shown->context, &shown->apps[i]);
	}
}

void shown_clear(struct shown *shown)
{
	while (shown->n_apps)
		part(shown, &shown->apps[shown->n_apps - 1]);
	free(shown->sights);
	free(shown->apps);
	shown->sights = NULL;
	shown->apps = NULL;
	shown->n_sights = 0;
}
