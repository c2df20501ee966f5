/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses the source of windows, sound and games, and tries again when one ends or another appears. */
#include "focus.h"

#include <string.h>
#include <sys/inotify.h>

#include <schedqos/util/log.h>

/*
 * A socket exists shortly before its server answers, so try again. After the last try only a new socket makes us look.
 */
#define RETRY_FIRST_US 50000
#define RETRIES	       10

/* Compositors of whole desktops come first, because another compositor may run inside a window. */
static const struct source_type *const types[N_SOURCES] = {
	&kwin_type, &mutter_type, &sway_type, &niri_type, &hyprland_type, &x11_type, &pipewire_type, &gamemode_type,
};
static const char *const subjects[N_SUBJECTS] = { [WINDOWS] = "windows", [SOUND] = "sound", [GAMES] = "games" };

static int try_sources(sd_event_source *timer, uint64_t usec, void *userdata);

/* A look that is due soon is not put off, or files that others make without end in /tmp would put it off for ever. */
static void look_soon(struct focus *focus)
{
	int is_due = SD_EVENT_OFF;

	if (focus->looking && focus->tries == 0 && sd_event_source_get_enabled(focus->looking, &is_due) >= 0 &&
	    is_due != SD_EVENT_OFF)
		return;
	focus->tries = 0;
	focus_call_in(focus, &focus->looking, RETRY_FIRST_US, try_sources, focus);
}

/* ---- one ---- */

static void close_source(struct focus_source *source)
{
	sd_event_source_disable_unref(source->io);
	if (source->type->close)
		source->type->close(source);
	else if (source->fd >= 0)
		close(source->fd);
	free(source);
}

/* Closes a source; its windows or games are no longer known. */
static void stop_using(struct focus *focus, enum subject subject)
{
	if (!focus->used[subject])
		return;
	close_source(focus->used[subject]);
	focus->used[subject] = NULL;
	if (subject == WINDOWS)
		shown_no_windows(&focus->shown);
	else if (subject == GAMES)
		shown_no_games(&focus->shown);
	focus->shown.has_changed = true;
}

static int on_ready(sd_event_source *io, int fd, uint32_t revents, void *userdata)
{
	struct focus_source *source = userdata;
	struct focus *focus = source->focus;
	const char *why = source->type->take(source);

	(void)io;
	(void)fd;
	(void)revents;
	if (why) {
		log_notice("%s: %s", source->type->name, why);
		stop_using(focus, source->type->subject);
		look_soon(focus);
	}
	return 0;
}

/*
 * Finds the owner of the source's name on the session's bus, and its process, without starting a service. Returns NULL,
 * or the reason why there is none.
 */
static const char *find_owner(struct focus_source *source, pid_t *ret)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	const uint64_t what = SD_BUS_CREDS_PID | SD_BUS_CREDS_UNIQUE_NAME;
	const char *name = source->type->bus_name, *owner;

	if (!source->focus->user_bus)
		return "there is no session bus";
	snprintf(source->why, sizeof(source->why), "%s is not on the session's bus", name);
	if (sd_bus_get_name_creds(source->focus->user_bus, name, what, &creds) < 0 ||
	    sd_bus_creds_get_pid(creds, ret) < 0 || sd_bus_creds_get_unique_name(creds, &owner) < 0)
		return source->why;
	snprintf(source->owner, sizeof(source->owner), "%s", owner);
	return NULL;
}

/* Opens a source. Returns NULL, or the reason why it does not work. */
static const char *open_source(struct focus_source *source)
{
	const struct source_type *type = source->type;
	const char *why;
	pid_t owner = 0;

	why = type->bus_name ? find_owner(source, &owner) : NULL;
	if (!why && type->subject == WINDOWS)
		source->focus->shown.compositor = owner;
	if (!why)
		why = type->open(source);
	if (!why && source->fd >= 0 &&
	    sd_event_add_io(source->focus->event, &source->io, source->fd, EPOLLIN, on_ready, source) < 0)
		why = "it cannot be polled";
	return why || !type->take ? why : type->take(source);
}

/* Logs the source in use, or why each of those that were tried does not work. */
static void report(const struct focus *focus, enum subject subject)
{
	const struct focus_source *used = focus->used[subject];
	const int level = used ? LOG_INFO : LOG_WARNING;

	log_write(level, "%s: %s", subjects[subject], used ? used->type->name : "nothing is known");
	for (size_t i = 0; i < array_size(types) && (focus->prints || !used); i++) {
		if (types[i]->subject == subject && *focus->why_not[i])
			log_write(level, "  not by %s: %s", types[i]->name, focus->why_not[i]);
	}
}

static void try_source(struct focus *focus, size_t i)
{
	struct focus_source *source = calloc(1, types[i]->size);
	const char *why;

	if (!source)
		return;
	*source = (struct focus_source){ .type = types[i], .focus = focus, .fd = -1 };
	why = open_source(source);
	if (why) {
		snprintf(focus->why_not[i], sizeof(focus->why_not[i]), "%s", why);
		close_source(source);
		return;
	}
	*focus->why_not[i] = '\0';
	focus->used[types[i]->subject] = source;
	focus->shown.has_changed = true;
	report(focus, types[i]->subject);
}

/* ---- all ---- */

static int try_sources(sd_event_source *timer, uint64_t usec, void *userdata)
{
	struct focus *focus = userdata;
	struct focus_source *const *used = focus->used;

	(void)timer;
	(void)usec;
	for (size_t i = 0; i < array_size(types); i++) {
		if (!used[types[i]->subject])
			try_source(focus, i);
	}
	/* Report late, because the compositor may be started after us. */
	if (!used[WINDOWS] && focus->tries == RETRIES / 2)
		report(focus, WINDOWS);
	if ((!used[WINDOWS] || !used[SOUND]) && focus->tries < RETRIES)
		focus_call_in(focus, &focus->looking, (uint64_t)RETRY_FIRST_US << focus->tries++, try_sources, focus);
	return 0;
}

static int on_socket(sd_event_source *inotify, const struct inotify_event *event, void *userdata)
{
	struct focus *focus = userdata;

	(void)inotify;
	if (!focus->used[WINDOWS] || (!focus->used[SOUND] && event->len && strcmp(event->name, "pipewire-0") == 0))
		look_soon(focus);
	return 0;
}

/* Returns the name of the X server's socket; "" if the environment names none. */
static const char *display_socket(void)
{
	static char name[16];
	const char *display = getenv("DISPLAY"), *number = display ? strrchr(display, ':') : NULL;

	if (!number)
		return "";
	snprintf(name, sizeof(name), "X%lu", strtoul(number + 1, NULL, 10));
	return name;
}

/* Anybody may make files beside the X server's socket. */
static int on_display(sd_event_source *inotify, const struct inotify_event *event, void *userdata)
{
	/* Without a name, events were lost. */
	return !event->len || strcmp(event->name, display_socket()) == 0 ? on_socket(inotify, event, userdata) : 0;
}

/* Called when a source's name gets another owner. */
static int on_source_owner(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct focus *focus = userdata;
	const char *name;

	(void)error;
	if (sd_bus_message_read(message, "s", &name) < 0)
		return 0;
	for (size_t i = 0; i < array_size(types); i++) {
		if (types[i]->bus_name && strcmp(types[i]->bus_name, name) == 0)
			stop_using(focus, types[i]->subject);
	}
	look_soon(focus);
	return 0;
}

void sources_open(struct focus *focus)
{
	const uint32_t appears = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR;
	const char *folder = getenv("XDG_RUNTIME_DIR");

	for (size_t i = 0; i < array_size(types); i++) {
		if (types[i]->bus_name && focus->user_bus)
			focus_watch_name(focus->user_bus, types[i]->bus_name, on_source_owner, focus);
	}
	/* A folder that does not exist reports nothing. */
	if (folder)
		sd_event_add_inotify(focus->event, NULL, folder, appears, on_socket, focus);
	sd_event_add_inotify(focus->event, NULL, "/tmp/.X11-unix", appears, on_display, focus);
	try_sources(NULL, 0, focus);
	for (enum subject subject = 0; subject < N_SUBJECTS; subject++) {
		if (focus->prints && !focus->used[subject])
			report(focus, subject);
	}
}

void sources_close(struct focus *focus)
{
	for (enum subject subject = 0; subject < N_SUBJECTS; subject++)
		stop_using(focus, subject);
	sd_event_source_disable_unref(focus->looking);
}

void sources_ended(struct focus *focus)
{
	struct focus_source *used = focus->used[WINDOWS];

	if (used && used->type->take)
		on_ready(NULL, used->fd, 0, used);
}
