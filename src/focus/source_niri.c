/* SPDX-License-Identifier: GPL-2.0-only */
/* niri, by its event stream: all there is first, then what changes. What is scrolled out of sight counts as visible. */
#include "source_niri.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "source.h"
#include "stream.h"

struct niri {
	struct focus *focus;
	struct stream *stream;
	struct niri_state state;
};

/* ---- what the events say ---- */

static struct niri_window *find_window(struct niri_state *state, uint64_t id)
{
	for (size_t i = 0; i < state->n_windows; i++) {
		if (state->windows[i].id == id)
			return &state->windows[i];
	}
	return NULL;
}

static struct niri_workspace *find_workspace(const struct niri_state *state, uint64_t id)
{
	for (size_t i = 0; i < state->n_workspaces; i++) {
		if (state->workspaces[i].id == id)
			return &state->workspaces[i];
	}
	return NULL;
}

/* Of id 0: none. */
static void set_focused(struct niri_state *state, uint64_t id)
{
	for (size_t i = 0; i < state->n_windows; i++)
		state->windows[i].is_focused = state->windows[i].id == id;
}

static int read_window(struct niri_state *state, const cJSON *json)
{
	const uint64_t id = json_id(json, "id");
	struct niri_window *window = find_window(state, id);

	if (!window && state->n_windows < SHOWN_WINDOWS_MAX) {
		struct niri_window *windows = reallocarray(state->windows, state->n_windows + 1, sizeof(*windows));

		if (!windows)
			return -ENOMEM;
		state->windows = windows;
		window = &windows[state->n_windows++];
	}
	if (!window)
		return 0;
	*window = (struct niri_window){ .id = id, .workspace = json_id(json, "workspace_id"), .pid = json_pid(json, "pid") };
	if (json_is(json, "is_focused"))
		set_focused(state, id);
	return 1;
}

static int read_windows(struct niri_state *state, const cJSON *list)
{
	const cJSON *window;
	int r = 1;

	state->n_windows = 0;
	cJSON_ArrayForEach(window, list) {
		if (r >= 0)
			r = read_window(state, window);
	}
	return r < 0 ? r : 1;
}

static int read_workspaces(struct niri_state *state, const cJSON *list)
{
	const cJSON *json;
	struct niri_workspace *all = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	free(state->workspaces);
	state->workspaces = all;
	state->n_workspaces = 0;
	cJSON_ArrayForEach(json, list) {
		struct niri_workspace *one = &all[state->n_workspaces++];

		one->id = json_id(json, "id");
		one->is_active = json_is(json, "is_active");
		snprintf(one->output, sizeof(one->output), "%s", json_text(json, "output"));
	}
	return 1;
}

static int activate_workspace(struct niri_state *state, uint64_t id)
{
	const struct niri_workspace *active = find_workspace(state, id);

	for (size_t i = 0; active && i < state->n_workspaces; i++) {
		struct niri_workspace *one = &state->workspaces[i];

		if (strcmp(one->output, active->output) == 0)
			one->is_active = one == active;
	}
	return 1;
}

static int close_window(struct niri_state *state, uint64_t id)
{
	struct niri_window *window = find_window(state, id);

	if (window)
		*window = state->windows[--state->n_windows];
	return 1;
}

int niri_read_event(struct niri_state *state, const char *text, size_t len)
{
	_cleanup_json_ cJSON *json = cJSON_ParseWithLength(text, len);
	const cJSON *event = json ? json->child : NULL;
	const char *name = event && event->string ? event->string : "";

	if (!cJSON_IsObject(json))
		return -EBADMSG;
	if (strcmp(name, "WindowsChanged") == 0)
		return read_windows(state, cJSON_GetObjectItemCaseSensitive(event, "windows"));
	if (strcmp(name, "WindowOpenedOrChanged") == 0)
		return read_window(state, cJSON_GetObjectItemCaseSensitive(event, "window"));
	if (strcmp(name, "WindowClosed") == 0)
		return close_window(state, json_id(event, "id"));
	if (strcmp(name, "WorkspacesChanged") == 0)
		return read_workspaces(state, cJSON_GetObjectItemCaseSensitive(event, "workspaces"));
	if (strcmp(name, "WorkspaceActivated") == 0)
		return activate_workspace(state, json_id(event, "id"));
	if (strcmp(name, "WindowFocusChanged") != 0)
		return 0;
	set_focused(state, json_id(event, "id"));
	return 1;
}

void niri_put(const struct niri_state *state, struct shown *shown)
{
	shown_begin(shown);
	for (size_t i = 0; i < state->n_windows; i++) {
		const struct niri_window *window = &state->windows[i];
		const struct niri_workspace *workspace = find_workspace(state, window->workspace);

		/* One whose workspace is not known yet may be anywhere. */
		shown_put(shown, window->id, window->pid, window->is_focused, !workspace || workspace->is_active);
	}
	shown_end(shown);
}

void niri_clear(struct niri_state *state)
{
	free(state->workspaces);
	free(state->windows);
}

/* ---- life ---- */

static ssize_t take_line(void *context, const char *data, size_t len)
{
	struct niri *niri = context;
	const char *end = memchr(data, '\n', len);
	int r;

	if (!end)
		return 0;
	r = niri_read_event(&niri->state, data, (size_t)(end - data));
	if (r < 0)
		return r;
	if (r > 0) {
		niri_put(&niri->state, &niri->focus->shown);
		focus_changed(niri->focus);
	}
	return end - data + 1;
}

static void niri_close(void *source)
{
	struct niri *niri = source;

	stream_close(niri->stream);
	niri_clear(&niri->state);
	free(niri);
}

static int niri_open(struct focus *focus, void **ret, char *why, size_t size)
{
	static const char question[] = "\"EventStream\"\n";
	struct niri *niri;
	char path[128];
	int r = stream_find("NIRI_SOCKET", "niri.*.sock", path, sizeof(path));

	if (r < 0) {
		snprintf(why, size, "nobody listens at $NIRI_SOCKET or $XDG_RUNTIME_DIR/niri.*.sock");
		return r;
	}
	niri = calloc(1, sizeof(*niri));
	if (!niri)
		return -ENOMEM;
	niri->focus = focus;
	r = stream_open(focus, path, take_line, niri, &niri->stream);
	if (r >= 0)
		r = stream_send(niri->stream, question, strlen(question));
	if (r < 0) {
		snprintf(why, size, "its socket: %s", strerror(-r));
		niri_close(niri);
		return r;
	}
	*ret = niri;
	return 0;
}

const struct source source_niri = { .name = "niri", .open = niri_open, .close = niri_close };
