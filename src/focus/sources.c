/* SPDX-License-Identifier: GPL-2.0-only */
#include "focus.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>

#include <schedqos/util/log.h>

/* A socket is there a little before it answers. After the last try only a new one has us look. */
#define RETRY_FIRST_US 50000
#define RETRIES	       10

/* Of compositors those of whole desktops come first: within one, another may run in a window. */
static const struct source_type *const types[] = { &kwin_type,	   &mutter_type, &sway_type,	 &niri_type,
						   &hyprland_type, &x11_type,	 &pipewire_type, &gamemode_type };
static const char *const subjects[N_SUBJECTS] = { [WINDOWS] = "windows", [SOUND] = "sound", [GAMES] = "games" };

struct sources {
	struct focus *focus;
	struct focus_source *used[N_SUBJECTS]; /* NULL: none can be */
	char why[array_size(types)][160]; /* not */
	sd_event_source *looking, *sockets[2];
	unsigned tries;
};

static int look(sd_event_source *timer, uint64_t usec, void *userdata);

static void look_soon(struct sources *sources)
{
	sources->tries = 0;
	focus_call_in(sources->focus, &sources->looking, RETRY_FIRST_US, look, sources);
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

/* What it knew is not known any more. */
static void stop_using(struct sources *sources, enum subject subject)
{
	if (!sources->used[subject])
		return;
	close_source(sources->used[subject]);
	sources->used[subject] = NULL;
	if (subject == WINDOWS)
		shown_no_windows(&sources->focus->shown);
	else if (subject == GAMES)
		shown_no_games(&sources->focus->shown);
	sources->focus->shown.has_changed = true;
}

static int on_ready(sd_event_source *io, int fd, uint32_t revents, void *userdata)
{
	struct focus_source *source = userdata;
	struct sources *sources = source->focus->sources;
	const char *why = source->type->take(source);

	(void)io;
	(void)fd;
	(void)revents;
	if (why) {
		log_notice("%s: %s", source->type->name, why);
		stop_using(sources, source->type->subject);
		look_soon(sources);
	}
	return 0;
}

/* The process that has the name on the session's bus. No service is started for it. NULL, or why there is none. */
static const char *find_owner(struct focus_source *source, pid_t *ret)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	const char *name = source->type->bus_name;

	if (!source->focus->user_bus)
		return "there is no session bus";
	snprintf(source->why, sizeof(source->why), "%s is not on the session's bus", name);
	if (sd_bus_get_name_creds(source->focus->user_bus, name, SD_BUS_CREDS_PID, &creds) < 0)
		return source->why;
	return sd_bus_creds_get_pid(creds, ret) < 0 ? source->why : NULL;
}

/* NULL, or why not. */
static const char *start(struct focus_source *source)
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
		why = "it cannot be waited for";
	return why || !type->take ? why : type->take(source);
}

/* For people: what is used, and why each of the others is not. */
static void report(const struct sources *sources, enum subject subject)
{
	const struct focus_source *used = sources->used[subject];
	const int level = used ? LOG_INFO : LOG_WARNING;
	bool was_found = false;

	log_at(level, "%s: %s", subjects[subject], used ? used->type->name : "nothing is known");
	for (size_t i = 0; i < array_size(types) && (sources->focus->prints || !used); i++) {
		if (used && types[i] == used->type)
			was_found = true;
		else if (types[i]->subject == subject)
			log_at(level, "  not by %s: %s", types[i]->name, was_found ? "it was not looked for" : sources->why[i]);
	}
}

static void try_source(struct sources *sources, size_t i)
{
	struct focus_source *source = calloc(1, types[i]->size);
	const char *why;

	if (!source)
		return;
	*source = (struct focus_source){ .type = types[i], .focus = sources->focus, .fd = -1 };
	why = start(source);
	if (why) {
		snprintf(sources->why[i], sizeof(sources->why[i]), "%s", why);
		close_source(source);
		return;
	}
	sources->used[types[i]->subject] = source;
	sources->focus->shown.has_changed = true;
	report(sources, types[i]->subject);
}

/* ---- all ---- */

static int look(sd_event_source *timer, uint64_t usec, void *userdata)
{
	struct sources *sources = userdata;
	struct focus_source *const *used = sources->used;

	(void)timer;
	(void)usec;
	for (size_t i = 0; i < array_size(types); i++) {
		if (!used[types[i]->subject])
			try_source(sources, i);
	}
	/* The compositor may have been started after us. */
	if (!used[WINDOWS] && sources->tries == RETRIES / 2)
		report(sources, WINDOWS);
	if ((!used[WINDOWS] || !used[SOUND]) && sources->tries < RETRIES)
		focus_call_in(sources->focus, &sources->looking, (uint64_t)RETRY_FIRST_US << sources->tries++, look, sources);
	return 0;
}

static int on_socket(sd_event_source *inotify, const struct inotify_event *event, void *userdata)
{
	struct sources *sources = userdata;

	(void)inotify;
	if (!sources->used[WINDOWS] || (!sources->used[SOUND] && event->len && strcmp(event->name, "pipewire-0") == 0))
		look_soon(sources);
	return 0;
}

/* Who had the name has gone, and another may have come. */
static int on_owner(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct sources *sources = userdata;
	const char *name;

	(void)error;
	if (sd_bus_message_read(message, "s", &name) < 0)
		return 0;
	for (size_t i = 0; i < array_size(types); i++) {
		if (types[i]->bus_name && strcmp(types[i]->bus_name, name) == 0)
			stop_using(sources, types[i]->subject);
	}
	look_soon(sources);
	return 0;
}

int sources_open(struct focus *focus)
{
	struct sources *sources = focus->sources = calloc(1, sizeof(*sources));
	/* One that is not there brings nothing. */
	const char *const folders[array_size(sources->sockets)] = { getenv("XDG_RUNTIME_DIR"), "/tmp/.X11-unix" };

	if (!sources)
		return -ENOMEM;
	sources->focus = focus;
	for (size_t i = 0; i < array_size(types); i++) {
		if (types[i]->bus_name && focus->user_bus)
			focus_watch_name(focus->user_bus, types[i]->bus_name, on_owner, sources);
	}
	for (size_t i = 0; i < array_size(folders); i++) {
		if (folders[i])
			sd_event_add_inotify(focus->event, &sources->sockets[i], folders[i],
					     IN_CREATE | IN_MOVED_TO | IN_ONLYDIR, on_socket, sources);
	}
	look(NULL, 0, sources);
	for (enum subject subject = 0; subject < N_SUBJECTS; subject++) {
		if (focus->prints && !sources->used[subject])
			report(sources, subject);
	}
	return 0;
}

void sources_close(struct sources *sources)
{
	if (!sources)
		return;
	for (enum subject subject = 0; subject < N_SUBJECTS; subject++)
		stop_using(sources, subject);
	for (size_t i = 0; i < array_size(sources->sockets); i++)
		sd_event_source_disable_unref(sources->sockets[i]);
	sd_event_source_disable_unref(sources->looking);
	free(sources);
}

void sources_ended(struct sources *sources)
{
	struct focus_source *used = sources->used[WINDOWS];

	if (used && used->type->take)
		on_ready(NULL, used->fd, 0, used);
}

bool sources_hear(const struct sources *sources, pid_t pid)
{
	return sound_is_heard(sources->used[SOUND], pid);
}
