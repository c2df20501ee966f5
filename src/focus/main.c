/* SPDX-License-Identifier: GPL-2.0-only */
/* The program schedqos-focus, which `schedqos focus` becomes. */
#include "focus.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include <systemd/sd-daemon.h>

#include <schedqos/util/bus.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

/* ---- processes ---- */

static int on_ended(sd_event_source *source, int pidfd, uint32_t revents, void *userdata)
{
	struct focus *focus = userdata;

	(void)source;
	(void)revents;
	for (size_t i = 0; i < focus->shown.n_apps; i++) {
		if (focus->shown.apps[i].pidfd != pidfd)
			continue;
		bridge_forget(focus, focus->shown.apps[i].pid);
		shown_ended(&focus->shown, focus->shown.apps[i].pid);
		sources_ended(focus);
		break;
	}
	return 0;
}

static void meet_app(void *context, struct shown_app *app)
{
	const struct focus *focus = context;

	process_name(app->pid, app->name, sizeof(app->name));
	if (process_is_app(app->pid))
		app->pidfd = process_open(app->pid);
	if (app->pidfd >= 0)
		sd_event_add_io(focus->event, &app->ending, app->pidfd, EPOLLIN, on_ended, context);
}

static void part_app(void *context, struct shown_app *app)
{
	if (*app->said)
		focus_say(context, app->pid, app->name, "gone");
	sd_event_source_disable_unref(app->ending);
	if (app->pidfd >= 0)
		close(app->pidfd);
}

static bool is_heard(void *context, pid_t pid)
{
	const struct focus *focus = context;

	return sound_is_heard(focus->used[SOUND], pid);
}

static void tell_app(void *context, const struct shown_app *app)
{
	struct focus *focus = context;

	if (!focus->prints)
		bridge_tell(focus, app->pid, app->told);
}

static const struct shown_ops ops = { .meet = meet_app, .part = part_app, .is_heard = is_heard, .tell = tell_app };

/* ---- printing ---- */

/* Describes what was reported about the app, and its present level if that differs. */
static void describe(const struct shown_app *app, char *buf, size_t size)
{
	const char *told = shown_level_name(app->told);

	if (app->pidfd < 0)
		snprintf(buf, size, "not reported: another user's, or part of the session");
	else if (app->is_heard)
		snprintf(buf, size, "%s (hidden, but may be heard)", told);
	else if (app->now != app->told)
		snprintf(buf, size, "%s (%s, if that lasts)", told, shown_level_name(app->now));
	else
		snprintf(buf, size, "%s", told);
}

static void print_changes(struct focus *focus)
{
	for (size_t i = 0; i < focus->shown.n_apps; i++) {
		struct shown_app *app = &focus->shown.apps[i];
		char text[sizeof(app->said)];

		describe(app, text, sizeof(text));
		if (strcmp(text, app->said) != 0)
			focus_say(focus, app->pid, app->name, strcpy(app->said, text));
	}
}

static void print_line(int level, bool plain, const char *line)
{
	(void)level;
	(void)plain;
	puts(line);
	fflush(stdout);
}

/* ---- the program ---- */

static uint64_t event_us(const struct focus *focus)
{
	uint64_t now = 0;

	sd_event_now(focus->event, CLOCK_MONOTONIC, &now);
	return now;
}

/* Runs until a signal arrives. Handles changes that arrive together in one step. */
static int run_focus(struct focus *focus)
{
	uint64_t due = 0;
	int r, code = 0;

	do {
		if (focus->shown.has_changed || event_us(focus) >= due) {
			due = shown_settle(&focus->shown, event_us(focus));
			if (focus->prints)
				print_changes(focus);
			/* Nobody reads any more. KWin would keep our script if we died by SIGPIPE. */
			if (focus->prints && ferror(stdout))
				sd_event_exit(focus->event, 0);
		}
		r = sd_event_run(focus->event, due == SHOWN_NEVER_US ? due : due - event_us(focus));
	} while (r >= 0 && sd_event_get_state(focus->event) != SD_EVENT_FINISHED);
	if (r >= 0 && sd_event_get_exit_code(focus->event, &code) >= 0 && code)
		log_notice("the bus has ended, and so does schedqos focus");
	if (r < 0)
		log_error("the event loop failed: %s", strerror(-r));
	return r < 0 ? r : code;
}

/* Starts everything; logs what fails. Returns 0 or -errno. */
static int start_focus(struct focus *focus)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction hangup = { 0 };
	int r = sd_event_new(&focus->event);

	/* nohup(1) has it ignored, which a blocked signal would not be. */
	sigaction(SIGHUP, NULL, &hangup);
	for (size_t i = 0; i < array_size(ending) - (hangup.sa_handler == SIG_IGN) && r >= 0; i++)
		r = sd_event_add_signal(focus->event, NULL, ending[i] | SD_EVENT_SIGNAL_PROCMASK, NULL, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (r < 0) {
		log_error("the event loop failed: %s", strerror(-r));
		return r;
	}
	if (focus_open_bus(focus, bus_open_user, &focus->user_bus) < 0)
		log_notice("there is no session bus: KDE, GNOME and games cannot be followed");
	r = bridge_open(focus);
	if (r >= 0)
		sources_open(focus);
	return r;
}

static void stop_focus(struct focus *focus)
{
	sources_close(focus);
	shown_clear(&focus->shown);
	sd_event_source_disable_unref(focus->repeating);
	sd_event_source_disable_unref(focus->resending);
	sd_bus_flush_close_unref(focus->system_bus);
	sd_bus_flush_close_unref(focus->user_bus);
	sd_event_unref(focus->event);
}

int main(int argc, char **argv)
{
	static struct focus focus = { .shown = { .ops = &ops, .context = &focus } };
	int r;

	focus.prints = argc == 2 && strcmp(argv[1], "--print") == 0;
	if (argc > 1 && !focus.prints) {
		log_error("see schedqos focus --help");
		return 2;
	}
	if (focus.prints)
		log_set_sink(print_line);
	r = start_focus(&focus);
	if (r >= 0) {
		sd_notify(0, "READY=1");
		r = run_focus(&focus);
	}
	stop_focus(&focus);
	return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
