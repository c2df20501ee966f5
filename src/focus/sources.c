/* SPDX-License-Identifier: GPL-2.0-only */
#include "sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "source.h"

/* A compositor's socket is there a little before it answers. After the last try only a new one has us look. */
#define RETRY_FIRST_US 50000
#define RETRIES	       10

/* Those of whole desktops come first: within one, another compositor may run in a window. */
static const struct source *const all[] = { &source_kwin, &source_mutter,	  &source_sway,
					    &source_niri, &source_hyprland, &source_x11 };

struct sources {
	struct focus *focus;
	const struct source *used; /* NULL: none can be */
	void *held;
	char why[array_size(all)][160]; /* not */
	sd_event_source *looking;
	unsigned tries;
	sd_event_source *sockets[2];
};

static int look(sd_event_source *source, uint64_t usec, void *userdata);

static void close_used(struct sources *sources)
{
	struct shown *shown = &sources->focus->shown;

	if (!sources->used)
		return;
	sources->used->close(sources->held);
	sources->used = NULL;
	shown_begin(shown);
	shown_end(shown);
	focus_changed(sources->focus);
}

static void choose(struct sources *sources)
{
	for (size_t i = 0; i < array_size(all); i++) {
		*sources->why[i] = '\0';
		if (sources->used)
			snprintf(sources->why[i], sizeof(sources->why[i]), "not looked for, since %s is there",
				 sources->used->name);
		else if (all[i]->open(sources->focus, &sources->held, sources->why[i], sizeof(sources->why[i])) >= 0)
			sources->used = all[i];
	}
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
	(void)event;
	if (!sources->used)
		look_soon(sources);
	return 0;
}

static void say_so(const struct sources *sources)
{
	if (sources->used) {
		log_info("windows are known from %s", sources->used->name);
		return;
	}
	log_warning("nothing is known of windows, so nothing follows the focus:");
	for (size_t i = 0; i < array_size(all); i++)
		log_warning("  not from %s: %s", all[i]->name, sources->why[i]);
}

/* Called when there is none, or the one that there is has gone or may not be the best. */
static int look(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct sources *sources = userdata;
	bool has_had_time;

	(void)source;
	(void)usec;
	close_used(sources);
	choose(sources);
	has_had_time = sources->tries == RETRIES / 2;
	if (sources->used || has_had_time)
		say_so(sources);
	if (!sources->used && sources->tries < RETRIES)
		focus_call_in(sources->focus, &sources->looking, (uint64_t)RETRY_FIRST_US << sources->tries++, look, sources);
	sources->focus->settled(sources->focus);
	return 0;
}

static void on_lost(struct focus *focus, const char *why)
{
	struct sources *sources = focus->lost_context;

	if (sources->used)
		log_notice("%s: %s", sources->used->name, why);
	look_soon(sources);
}

static int on_owner(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)message;
	(void)error;
	look_soon(userdata);
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
	sources->focus = focus;
	focus->lost = on_lost;
	focus->lost_context = sources;
	for (size_t i = 0; i < array_size(all); i++) {
		if (all[i]->bus_name && focus->user_bus)
			focus_watch_name(focus, all[i]->bus_name, on_owner, sources);
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
	if (sources->used)
		sources->used->close(sources->held);
	for (size_t i = 0; i < array_size(sources->sockets); i++)
		sd_event_source_disable_unref(sources->sockets[i]);
	sd_event_source_disable_unref(sources->looking);
	free(sources);
}

void sources_ended(struct sources *sources, pid_t pid)
{
	if (sources->used && sources->used->ended)
		sources->used->ended(sources->held, pid);
}

void sources_print(const struct sources *sources, FILE *stream)
{
	fprintf(stream, "windows: %s\n", sources->used ? sources->used->name : "nothing is known of any");
	for (size_t i = 0; i < array_size(all); i++) {
		if (all[i] != sources->used)
			fprintf(stream, "  not by %s: %s\n", all[i]->name, sources->why[i]);
	}
}
