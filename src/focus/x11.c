/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows windows on an X server by the properties that window managers maintain: which windows there are, which has
 * the focus, which are minimised. A window that is not viewable, such as on another workspace of i3, is hidden as well.
 * The process is the one that the server knows from the connection (X-Resource), because a window's own statement may
 * refer to another machine or namespace.
 */
#include "focus.h"

#include <string.h>

#include <xcb/res.h>
#include <xcb/xcb.h>

enum atom {
	ACTIVE_WINDOW,
	CLIENT_LIST,
	CURRENT_DESKTOP,
	SUPPORTING_WM_CHECK,
	WM_STATE,
	WM_STATE_HIDDEN,
	N_ATOMS,
};

static const char *const atom_names[N_ATOMS] = {
	[ACTIVE_WINDOW] = "_NET_ACTIVE_WINDOW",
	[CLIENT_LIST] = "_NET_CLIENT_LIST",
	[CURRENT_DESKTOP] = "_NET_CURRENT_DESKTOP",
	[SUPPORTING_WM_CHECK] = "_NET_SUPPORTING_WM_CHECK",
	[WM_STATE] = "_NET_WM_STATE",
	[WM_STATE_HIDDEN] = "_NET_WM_STATE_HIDDEN",
};

struct x11 {
	struct focus_source source;
	xcb_connection_t *connection;
	xcb_window_t root;
	xcb_atom_t atoms[N_ATOMS];
	bool is_known; /* false after an event of interest: look again */
	bool is_pausing; /* after a look */
	sd_event_source *pause;
};

/* Time between two looks, each of which asks about every window. Any program may cause events as fast as it likes. */
#define PAUSE_US 20000

#define answer_of(x11, call, ...) call##_reply((x11)->connection, call((x11)->connection, __VA_ARGS__), NULL)

/* ---- questions ---- */

static xcb_get_property_reply_t *get_property(struct x11 *x11, xcb_window_t window, enum atom name)
{
	return answer_of(x11, xcb_get_property, 0, window, x11->atoms[name], XCB_GET_PROPERTY_TYPE_ANY, 0, SHOWN_MAX);
}

/* Stores a property's 32-bit values. Returns their number. */
static size_t values_of(const xcb_get_property_reply_t *property, const uint32_t **ret)
{
	if (!property || property->format != 32)
		return 0;
	*ret = xcb_get_property_value(property);
	return (size_t)xcb_get_property_value_length(property) / sizeof(**ret);
}

static xcb_window_t get_window(struct x11 *x11, xcb_window_t of, enum atom name)
{
	_cleanup_free_ xcb_get_property_reply_t *property = get_property(x11, of, name);
	const uint32_t *values;

	return values_of(property, &values) ? values[0] : XCB_WINDOW_NONE;
}

static pid_t window_pid(struct x11 *x11, xcb_window_t window)
{
	const xcb_res_client_id_spec_t spec = { .client = window, .mask = XCB_RES_CLIENT_ID_MASK_LOCAL_CLIENT_PID };
	_cleanup_free_ xcb_res_query_client_ids_reply_t *reply = answer_of(x11, xcb_res_query_client_ids, 1, &spec);
	xcb_res_client_id_value_iterator_t ids;

	if (!reply)
		return 0;
	ids = xcb_res_query_client_ids_ids_iterator(reply);
	return ids.rem && xcb_res_client_id_value_value_length(ids.data)
		       ? (pid_t)*xcb_res_client_id_value_value(ids.data)
		       : 0;
}

static bool is_window_visible(struct x11 *x11, xcb_window_t window)
{
	_cleanup_free_ xcb_get_property_reply_t *property = get_property(x11, window, WM_STATE);
	_cleanup_free_ xcb_get_window_attributes_reply_t *attributes =
		answer_of(x11, xcb_get_window_attributes, window);
	const uint32_t *values;

	for (size_t i = values_of(property, &values); i > 0; i--) {
		if (values[i - 1] == x11->atoms[WM_STATE_HIDDEN])
			return false;
	}
	return attributes && attributes->map_state == XCB_MAP_STATE_VIEWABLE;
}

static void select_events(struct x11 *x11, xcb_window_t window, uint32_t mask)
{
	xcb_change_window_attributes(x11->connection, window, XCB_CW_EVENT_MASK, &mask);
}

/* Watches a window and its frame: window managers hide the windows of a workspace by their frames. */
static void watch_window(struct x11 *x11, xcb_window_t window)
{
	_cleanup_free_ xcb_query_tree_reply_t *tree = answer_of(x11, xcb_query_tree, window);

	select_events(x11, window, XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY);
	if (tree && tree->parent != XCB_WINDOW_NONE && tree->parent != x11->root)
		select_events(x11, tree->parent, XCB_EVENT_MASK_STRUCTURE_NOTIFY);
}

/* Puts all windows, and watches them. Watching a window again changes nothing. */
static void look_at_windows(struct x11 *x11)
{
	_cleanup_free_ xcb_get_property_reply_t *list = get_property(x11, x11->root, CLIENT_LIST);
	const xcb_window_t active = get_window(x11, x11->root, ACTIVE_WINDOW);
	struct shown *shown = &x11->source.focus->shown;
	const uint32_t *windows = NULL;
	const size_t n = values_of(list, &windows);

	shown_no_windows(shown);
	for (size_t i = 0; i < n; i++) {
		watch_window(x11, windows[i]);
		shown_put_window(shown, window_pid(x11, windows[i]), windows[i] == active,
				 is_window_visible(x11, windows[i]));
	}
}

/* ---- events ---- */

static bool is_of_interest(struct x11 *x11, const xcb_generic_event_t *event)
{
	const xcb_property_notify_event_t *property = (const void *)event;
	const xcb_map_notify_event_t *map = (const void *)event;

	switch (event->response_type & ~0x80) {
	case XCB_PROPERTY_NOTIFY:
		for (size_t i = 0; i < N_ATOMS; i++) {
			if (property->atom == x11->atoms[i])
				return true;
		}
		return false;
	case XCB_REPARENT_NOTIFY:
		return true;
	case XCB_MAP_NOTIFY:
	case XCB_UNMAP_NOTIFY:
		return map->event == map->window;
	default:
		return false;
	}
}

static void take_events(struct x11 *x11)
{
	xcb_generic_event_t *event;

	while ((event = xcb_poll_for_event(x11->connection))) {
		x11->is_known &= !is_of_interest(x11, event);
		free(event);
	}
}

static int on_pause_end(sd_event_source *source, uint64_t usec, void *userdata);

/*
 * Handles all events before the loop sleeps: our own questions may queue more events inside libxcb, and these do not
 * make the descriptor readable.
 */
static const char *x11_take(void *held)
{
	struct x11 *x11 = held;

	take_events(x11);
	if (!x11->is_known && !x11->is_pausing) {
		x11->is_known = true;
		look_at_windows(x11);
		x11->is_pausing = focus_call_in(x11->source.focus, &x11->pause, PAUSE_US, on_pause_end, x11) >= 0;
		take_events(x11);
	}
	xcb_flush(x11->connection);
	return xcb_connection_has_error(x11->connection) ? "it has ended" : NULL;
}

/* If the server has ended, the descriptor is readable, and sources.c learns it from x11_take. */
static int on_pause_end(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct x11 *x11 = userdata;

	(void)source;
	(void)usec;
	x11->is_pausing = false;
	x11_take(x11);
	return 0;
}

/* ---- life ---- */

static bool get_atoms(struct x11 *x11)
{
	for (size_t i = 0; i < N_ATOMS; i++) {
		_cleanup_free_ xcb_intern_atom_reply_t *reply =
			answer_of(x11, xcb_intern_atom, 0, (uint16_t)strlen(atom_names[i]), atom_names[i]);

		if (!reply)
			return false;
		x11->atoms[i] = reply->atom;
	}
	return true;
}

static const char *x11_open(void *held)
{
	_cleanup_free_ xcb_res_query_version_reply_t *version = NULL;
	struct x11 *x11 = held;

	if (getenv("WAYLAND_DISPLAY"))
		return "$WAYLAND_DISPLAY is set: an X server would know only some of the windows";
	if (!getenv("DISPLAY"))
		return "$DISPLAY is not set";
	x11->connection = xcb_connect(NULL, NULL);
	if (xcb_connection_has_error(x11->connection))
		return "no X server answers at $DISPLAY";
	version = answer_of(x11, xcb_res_query_version, 1, 2);
	if (!version || (version->server_major == 1 && version->server_minor < 2))
		return "the server does not report the processes of windows (X-Resource 1.2)";
	x11->root = xcb_setup_roots_iterator(xcb_get_setup(x11->connection)).data->root;
	if (!get_atoms(x11))
		return "the server does not answer";
	select_events(x11, x11->root, XCB_EVENT_MASK_PROPERTY_CHANGE);
	if (!get_window(x11, x11->root, SUPPORTING_WM_CHECK))
		return "no window manager reports its windows (_NET_SUPPORTING_WM_CHECK)";
	x11->source.fd = xcb_get_file_descriptor(x11->connection);
	return NULL;
}

static void x11_close(void *held)
{
	struct x11 *x11 = held;

	sd_event_source_disable_unref(x11->pause);
	/* It accepts NULL. */
	xcb_disconnect(x11->connection);
}

const struct source_type x11_type = { .name = "X11",
				      .subject = WINDOWS,
				      .size = sizeof(struct x11),
				      .open = x11_open,
				      .take = x11_take,
				      .close = x11_close };
