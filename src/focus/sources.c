/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "source.h"

/* A socket is there a little before it answers. After the last try only a new one has us look. */
#define RETRY_FIRST_US 50000
#define RETRIES	       10

/* Those of whole desktops come first: within one, another compositor may run in a window. */
static const struct focus_source *const windows[] = { &source_kwin, &source_mutter,	&source_sway,
						&source_niri, &source_hyprland, &source_x11 };
static const struct focus_source *const sounds[] = { &source_pipewire };

/* One of its sources is used at a time. */
struct slot {
	const struct focus_source *const *all;
	size_t n;
	const struct focus_source *used; /* NULL: none can be */
	void *held;
	bool is_lost;			    /* that has gone, or may not be the best */
	char why[array_size(windows)][160]; /* not */
};

struct sources {
	struct focus *focus;
	struct slot windows, sound;
	sd_event_source *looking;
	unsigned tries;
	sd_event_source *sockets[2];
};

static void close_used(struct sources *sources, struct slot *slot)
{
	slot->is_lost = false;
	if (!slot->used)
		return;
	slot->used->close(slot->held);
	slot->used = NULL;
	slot->held = NULL;
	if (slot == &sources->windows)
		shown_no_windows(&sources->focus->shown);
	focus_changed(sources->focus);
}

/* Returns whether there is one now, and was none before. */
static bool choose(struct sources *sources, struct slot *slot)
{
	if (slot->is_lost)
		close_used(sources, slot);
	if (slot->used)
		return false;
	for (size_t i = 0; i < slot->n; i++) {
		*slot->why[i] = '\0';
		if (slot->used)
			snprintf(slot->why[i], sizeof(slot->why[i]), "not looked for, since %s is there", slot->used->name);
		else if (slot->all[i]->open(slot->all[i], sources->focus, &slot->held, slot->why[i], sizeof(slot->why[i])) >= 0)
			slot->used = slot->all[i];
	}
	return slot->used;
}

static void say_nothing_is_known(const struct slot *slot)
{
	log_warning("nothing is known of windows, so nothing follows the focus:");
	for (size_t i = 0; i < slot->n; i++)
		log_warning("  not from %s: %s", slot->all[i]->name, slot->why[i]);
}

static int look(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct sources *sources = userdata;
	struct focus *focus = sources->focus;
	const bool has_had_time = sources->tries == RETRIES / 2;

	(void)source;
	(void)usec;
	if (choose(sources, &sources->windows))
		log_info("windows are known from %s", sources->windows.used->name);
	else if (!sources->windows.used && has_had_time && focus->is_service)
		say_nothing_is_known(&sources->windows);
	if (choose(sources, &sources->sound))
		focus_changed(focus);
	if ((!sources->windows.used || !sources->sound.used) && sources->tries < RETRIES)
		focus_call_in(focus, &sources->looking, (uint64_t)RETRY_FIRST_US << sources->tries++, look, sources);
	focus->settled(focus);
	return 0;
}

static void look_soon(struct sources *sources)
{
	sources->tries = 0;
	focus_call_in(sources->focus, &sources->looking, RETRY_FIRST_US, look, sources);
}

static int on_socket(sd_event_source *source, const struct inotify_event *event, void *userdata)
{
	struct sources *sources = userdata;

	(void)source;
	if (!sources->windows.used || (!sources->sound.used && event->len && strcmp(event->name, "pipewire-0") == 0))
		look_soon(sources);
	return 0;
}

static void on_lost(struct focus *focus, const struct focus_source *source, const char *why)
{
	struct sources *sources = focus->lost_context;
	struct slot *slot = source == sources->sound.used ? &sources->sound : &sources->windows;

	if (slot->used != source || slot->is_lost)
		return;
	log_notice("%s: %s", source->name, why);
	slot->is_lost = true;
	look_soon(sources);
}

static int on_owner(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct sources *sources = userdata;

	(void)message;
	(void)error;
	sources->windows.is_lost = true;
	look_soon(sources);
	return 0;
}

/* A folder that is not there brings nothing. */
static void watch_sockets(struct sources *sources)
{
	const char *const folders[array_size(sources->sockets)] = { getenv("XDG_RUNTIME_DIR"), "/tmp/.X11-unix" };

	for (size_t i = 0; i < array_size(folders); i++) {
		if (folders[i])
			sd_event_add_inotify(sources->focus->event, &sources->sockets[i], folders[i],
					     IN_CREATE | IN_MOVED_TO | IN_ONLYDIR, on_socket, sources);
	}
}

int sources_open(struct focus *focus, struct sources **ret)
{
	struct sources *sources = calloc(1, sizeof(*sources));

	if (!sources)
		return -ENOMEM;
	*sources = (struct sources){
		.focus = focus,
		.windows = { .all = windows, .n = array_size(windows) },
		.sound = { .all = sounds, .n = array_size(sounds) },
	};
	focus->lost = on_lost;
	focus->lost_context = sources;
	for (size_t i = 0; i < array_size(windows); i++) {
		if (windows[i]->bus_name && focus->user_bus)
			focus_watch_name(focus->user_bus, windows[i]->bus_name, on_owner, sources);
	}
	watch_sockets(sources);
	*ret = sources;
	look(NULL, 0, sources);
	return 0;
}

void sources_close(struct sources *sources)
{
	if (!sources)
		return;
	close_used(sources, &sources->windows);
	close_used(sources, &sources->sound);
	for (size_t i = 0; i < array_size(sources->sockets); i++)
		sd_event_source_disable_unref(sources->sockets[i]);
	sd_event_source_disable_unref(sources->looking);
	free(sources);
}

void sources_ended(struct sources *sources)
{
	const struct focus_source *used = sources->windows.used;

	if (used && used->ended)
		used->ended(sources->windows.held);
}

const void *sources_sound(const struct sources *sources)
{
	return sources->sound.held;
}

static void print_slot(const struct slot *slot, const char *what, FILE *stream)
{
	fprintf(stream, "%s: %s\n", what, slot->used ? slot->used->name : "nothing is known");
	for (size_t i = 0; i < slot->n; i++) {
		if (slot->all[i] != slot->used)
			fprintf(stream, "  not by %s: %s\n", slot->all[i]->name, slot->why[i]);
	}
}

void sources_print(const struct sources *sources, FILE *stream)
{
	print_slot(&sources->windows, "windows", stream);
	print_slot(&sources->sound, "sound", stream);
}
