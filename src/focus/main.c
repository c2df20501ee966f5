/* SPDX-License-Identifier: GPL-2.0-only */
/* schedqos-focus: finds out what is seen, heard and played in this session, and tells org.schedqos1. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <systemd/sd-daemon.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "bridge.h"
#include "focus.h"
#include "process.h"
#include "source.h"

struct program {
	struct focus focus;
	struct sources *sources; /* NULL: they are not open yet */
	struct bridge *bridge;	 /* NULL if it prints */
};

/* A process for as long as it is seen. */
struct held {
	struct program *program;
	pid_t pid;
	int fd; /* -1: it is left alone */
	sd_event_source *ending;
	char name[64], said[64];
};

/* ---- processes ---- */

static int on_ended(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	const struct held *held = userdata;
	struct program *program = held->program;

	(void)source;
	(void)fd;
	(void)revents;
	shown_ended(&program->focus.shown, held->pid);
	sources_ended(program->sources);
	focus_changed(&program->focus);
	return 0;
}

static void release(struct held *held)
{
	if (!held)
		return;
	sd_event_source_disable_unref(held->ending);
	if (held->fd >= 0)
		close(held->fd);
	free(held);
}

static bool meet(void *context, pid_t pid, void **ret)
{
	struct program *program = context;
	struct held *held = calloc(1, sizeof(*held));

	*ret = held;
	if (!held)
		return false;
	*held = (struct held){ .program = program, .pid = pid, .fd = process_is_app(pid) ? process_open(pid) : -1 };
	process_name(pid, held->name, sizeof(held->name));
	return held->fd >= 0 && sd_event_add_io(program->focus.event, &held->ending, held->fd, EPOLLIN, on_ended, held) >= 0;
}

static void part(void *context, struct shown_app *app)
{
	const struct program *program = context;
	const struct held *held = app->held;

	if (held && *held->said)
		focus_say(&program->focus, held->pid, held->name, "gone");
	release(app->held);
}

static bool is_heard(void *context, pid_t pid)
{
	const struct program *program = context;

	return sound_is_heard(program->sources ? sources_sound(program->sources) : NULL, pid);
}

static void tell(void *context, const struct shown_app *app)
{
	const struct program *program = context;
	const struct held *held = app->held;

	if (program->bridge)
		bridge_tell(program->bridge, held->fd, app);
}

static const struct shown_ops ops = { .meet = meet, .part = part, .is_heard = is_heard, .tell = tell };

/* ---- the program ---- */

static void nothing_to_print(struct focus *focus)
{
	(void)focus;
}

/* What is said of it, and what is seen where that is not the same yet. */
static void describe(const struct shown_app *app, char *buf, size_t size)
{
	const char *told = shown_level_name(app->told);

	if (!app->is_ours)
		snprintf(buf, size, "left alone: another user's, or part of the session");
	else if (app->is_heard)
		snprintf(buf, size, "%s (hidden, but may be heard)", told);
	else if (app->now != app->told)
		snprintf(buf, size, "%s (%s, if that lasts)", told, shown_level_name(app->now));
	else
		snprintf(buf, size, "%s", told);
}

static void print_settled(struct focus *focus)
{
	for (size_t i = 0; i < focus->shown.n_apps; i++) {
		struct held *held = focus->shown.apps[i].held;
		char text[sizeof(held->said)];

		if (!held)
			continue;
		describe(&focus->shown.apps[i], text, sizeof(text));
		if (strcmp(text, held->said) == 0)
			continue;
		strcpy(held->said, text);
		focus_say(focus, held->pid, held->name, text);
	}
}

static void print_sources(struct program *program)
{
	char bridge[512], games[128];

	bridge_describe(bridge, sizeof(bridge));
	games_describe(&program->focus, games, sizeof(games));
	sources_print(program->sources, stdout);
	printf("games: %s\n", games);
	printf("bridge: %s\n", bridge);
	fflush(stdout);
}

static int listen_to_signals(struct focus *focus)
{
	int r = sd_event_add_signal(focus->event, NULL, SIGTERM | SD_EVENT_SIGNAL_PROCMASK, NULL, NULL);

	return r < 0 ? r : sd_event_add_signal(focus->event, NULL, SIGINT | SD_EVENT_SIGNAL_PROCMASK, NULL, NULL);
}

static int start(struct program *program, bool prints)
{
	struct focus *focus = &program->focus;
	int r;

	focus->shown.ops = &ops;
	focus->shown.context = program;
	focus->settled = nothing_to_print;
	focus->is_service = !prints;
	r = focus_open(focus);
	if (r >= 0)
		r = listen_to_signals(focus);
	if (r >= 0)
		r = prints ? 0 : bridge_open(focus, &program->bridge);
	if (r >= 0)
		r = games_open(focus);
	if (r >= 0)
		r = sources_open(focus, &program->sources);
	return r;
}

static void stop(struct program *program)
{
	sources_close(program->sources);
	shown_clear(&program->focus.shown);
	bridge_close(program->bridge);
	focus_close(&program->focus);
}

static int run(bool prints)
{
	_cleanup_(stop) struct program program = { 0 };
	int r = start(&program, prints);

	if (r >= 0 && prints) {
		print_sources(&program);
		program.focus.settled = print_settled;
		print_settled(&program.focus);
	}
	if (r >= 0) {
		sd_notify(0, "READY=1");
		r = sd_event_loop(program.focus.event);
	}
	if (r < 0)
		log_error("%s", strerror(-r));
	else if (r > 0)
		log_notice("the bus has ended, and so does this");
	return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static const char usage[] = "Usage: schedqos focus [--print]\n"
			    "Tells schedqos what is seen, heard and played in this session (for the user's service).\n\n"
			    "  --print    print that, as it changes, and tell nobody\n"
			    "  -h, --help show this\n";

int main(int argc, char **argv)
{
	const char *word = argc == 2 ? argv[1] : "";

	if (argc == 1 || strcmp(word, "--print") == 0)
		return run(argc == 2);
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		fputs(usage, stdout);
		return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
	}
	fputs(usage, stderr);
	return 2;
}
