/* SPDX-License-Identifier: GPL-2.0-only */
/* Hyprland, by its two sockets: one tells that something has changed, and the other is asked what there is then. */
#include "source_hyprland.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#include "json.h"
#include "source.h"
#include "stream.h"

#define EVENTS	 ".socket2.sock"
#define QUESTIONS ".socket.sock"

struct hyprland {
	struct focus *focus;
	struct stream *stream;
	sd_event_source *asking;
	char questions[128]; /* the path */
};

/* ---- what it answers ---- */

/* Of one that is special ("scratchpad") the id is below 0; 0 is none. */
static double workspace_id(const cJSON *object, const char *name)
{
	const cJSON *workspace = cJSON_GetObjectItemCaseSensitive(object, name);
	const cJSON *id = cJSON_GetObjectItemCaseSensitive(workspace, "id");

	return cJSON_IsNumber(id) ? id->valuedouble : 0;
}

static bool is_on_a_monitor(const cJSON *monitors, double workspace)
{
	const cJSON *monitor;

	cJSON_ArrayForEach(monitor, monitors) {
		if (workspace_id(monitor, "activeWorkspace") == workspace || workspace_id(monitor, "specialWorkspace") == workspace)
			return true;
	}
	return false;
}

int hyprland_read(struct shown *shown, const struct hyprland_answers *answers)
{
	_cleanup_json_ cJSON *clients = cJSON_Parse(answers->clients);
	_cleanup_json_ cJSON *monitors = cJSON_Parse(answers->monitors);
	_cleanup_json_ cJSON *active = cJSON_Parse(answers->active);
	const char *focused = json_text(active, "address");
	const cJSON *client;
	uint64_t id = 0;

	if (!cJSON_IsArray(clients) || !cJSON_IsArray(monitors))
		return -EBADMSG;
	shown_begin(shown);
	cJSON_ArrayForEach(client, clients) {
		const char *address = json_text(client, "address");
		const bool is_there = json_is(client, "mapped") && !json_is(client, "hidden") &&
				      (json_is(client, "pinned") || is_on_a_monitor(monitors, workspace_id(client, "workspace")));

		shown_put(shown, id++, json_pid(client, "pid"), *address && strcmp(address, focused) == 0, is_there);
	}
	shown_end(shown);
	return 0;
}

/* ---- questions ---- */

static int ask(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct hyprland *hyprland = userdata;
	_cleanup_free_ char *clients = stream_ask(hyprland->questions, "j/clients");
	_cleanup_free_ char *monitors = stream_ask(hyprland->questions, "j/monitors");
	_cleanup_free_ char *active = stream_ask(hyprland->questions, "j/activewindow");
	const struct hyprland_answers answers = { clients, monitors, active };

	(void)source;
	(void)usec;
	if (!clients || !monitors || !active)
		hyprland->focus->lost(hyprland->focus, "it does not answer");
	else if (hyprland_read(&hyprland->focus->shown, &answers) < 0)
		hyprland->focus->lost(hyprland->focus, "it sends what is not understood");
	else
		focus_changed(hyprland->focus);
	return 0;
}

/* The others say that titles change, or the same in another way. */
static bool is_of_interest(const char *line, size_t len)
{
	static const char *const events[] = {
		"activewindowv2", "openwindow",	   "closewindow",    "movewindow",   "workspace",     "focusedmon",    "activespecial",
		"moveworkspace",  "monitoradded",  "monitorremoved", "togglegroup",  "moveintogroup", "moveoutofgroup", "pin",
		"minimized",
	};

	for (size_t i = 0; i < array_size(events); i++) {
		const size_t length = strlen(events[i]);

		if (len > length + 1 && memcmp(line, events[i], length) == 0 && memcmp(line + length, ">>", 2) == 0)
			return true;
	}
	return false;
}

/* Events that come together are followed by one question. */
static ssize_t take_line(void *context, const char *data, size_t len)
{
	struct hyprland *hyprland = context;
	const char *end = memchr(data, '\n', len);

	if (!end)
		return 0;
	if (is_of_interest(data, (size_t)(end - data)))
		focus_call_in(hyprland->focus, &hyprland->asking, 0, ask, hyprland);
	return end - data + 1;
}

/* ---- life ---- */

static void hyprland_close(void *source)
{
	struct hyprland *hyprland = source;

	sd_event_source_disable_unref(hyprland->asking);
	stream_close(hyprland->stream);
	free(hyprland);
}

static int hyprland_open(struct focus *focus, void **ret, char *why, size_t size)
{
	struct hyprland *hyprland;
	char path[128];
	int r = stream_find(NULL, "hypr/*/" EVENTS, path, sizeof(path));

	if (r < 0) {
		snprintf(why, size, "nobody listens at $XDG_RUNTIME_DIR/hypr/*/" EVENTS);
		return r;
	}
	hyprland = calloc(1, sizeof(*hyprland));
	if (!hyprland)
		return -ENOMEM;
	hyprland->focus = focus;
	snprintf(hyprland->questions, sizeof(hyprland->questions), "%.*s" QUESTIONS, (int)(strlen(path) - strlen(EVENTS)), path);
	r = stream_open(focus, path, take_line, hyprland, &hyprland->stream);
	if (r >= 0)
		r = focus_call_in(focus, &hyprland->asking, 0, ask, hyprland);
	if (r < 0) {
		snprintf(why, size, "its socket: %s", strerror(-r));
		hyprland_close(hyprland);
		return r;
	}
	*ret = hyprland;
	return 0;
}

const struct source source_hyprland = { .name = "Hyprland", .open = hyprland_open, .close = hyprland_close };
