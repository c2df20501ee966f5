/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "status_json.h"
#include "status_reply.h"
#include "status_view.h"
#include "verb.h"

#define WATCH_SECONDS 2

static int print_json(sd_bus_message *reply)
{
	_cleanup_free_ char *json = NULL;
	int r = status_json(reply, &json);

	if (r < 0)
		log_error("what the daemon says: %s", strerror(-r));
	return r < 0 || fputs(json, stdout) < 0 ? EXIT_FAILURE : 0;
}

/* Whoever collects the metrics should be told that there is no daemon. */
static int print_metrics(void)
{
	sd_bus_message *reply = NULL;
	sd_bus *bus = NULL;
	int r = client_open(&bus);

	if (r == 0)
		reply = status_read(bus);
	if (reply || r == -ENOENT || r == -ECONNREFUSED)
		status_metrics(stdout, reply);
	sd_bus_message_unref(reply);
	sd_bus_flush_close_unref(bus);
	return reply ? 0 : EXIT_FAILURE;
}

/* A frame of --watch. That no daemon runs, or answers, is one as well: it may come back. NULL
 * without memory. */
static char *make_frame(void)
{
	sd_bus_message *reply = NULL;
	sd_bus *bus = NULL;
	int r = client_try(&bus);
	const char *fault = client_fault(r);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		if (r == 0)
			reply = status_read(bus);
		if (reply)
			status_print(out, reply);
		else
			fprintf(out, "%s\n", r == 0 ? "no answer" : fault ? fault : strerror(-r));
		if (fclose(out) != 0)
			free(take_ptr(text));
	}
	sd_bus_message_unref(reply);
	sd_bus_flush_close_unref(bus);
	return text;
}

/* In place of the frame before, and cut to the screen, which would else scroll. */
static void show_in_place(char *frame)
{
	struct winsize screen = { 0 };
	char *end = frame;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &screen) == 0 && screen.ws_row > 1) {
		for (int rows = 1; rows < screen.ws_row && *end; rows++) {
			end = strchrnul(end, '\n');
			end += *end == '\n';
		}
		*end = '\0';
	}
	printf("\033[H\033[2J%s", frame);
}

/* Until Ctrl-C. */
static int watch(void)
{
	const struct timespec pause = { .tv_sec = WATCH_SECONDS };
	const bool on_terminal = isatty(STDOUT_FILENO);

	for (bool first = true;; first = false) {
		_cleanup_free_ char *frame = make_frame();

		if (!frame) {
			log_error("out of memory");
			return EXIT_FAILURE;
		}
		if (on_terminal)
			show_in_place(frame);
		else
			printf("%s%s", first ? "" : "\n", frame);
		if (fflush(stdout) != 0)
			return EXIT_FAILURE;
		nanosleep(&pause, NULL);
	}
}

static int print_once(bool as_json)
{
	sd_bus_message *reply;
	int status = EXIT_FAILURE;
	sd_bus *bus;

	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	reply = status_read(bus);
	if (reply && as_json)
		status = print_json(reply);
	else if (reply) {
		status_print(stdout, reply);
		status = 0;
	}
	sd_bus_message_unref(reply);
	sd_bus_flush_close_unref(bus);
	return status;
}

int cmd_status(const struct command *command)
{
	bool as_json = option_given(command, OPTION_JSON),
	     as_metrics = option_given(command, OPTION_METRICS);
	bool watches = option_given(command, OPTION_WATCH);

	if (as_json + as_metrics + watches > 1)
		return usage_error(command->verb, "--json, --metrics and --watch exclude each other");
	if (watches)
		return watch();
	return as_metrics ? print_metrics() : print_once(as_json);
}
