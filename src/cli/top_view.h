/* SPDX-License-Identifier: GPL-2.0-only */
/* What `top` shows of a frame, and what a key does to that. Nothing here touches the terminal. */
#pragma once

#include <schedqos/util/text_buf.h>

#include "top_frame.h"

/* Keys that are no characters. */
enum top_special { KEY_UP = 256, KEY_DOWN, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME, KEY_END };

enum top_action { TOP_NOTHING, TOP_REDRAW, TOP_REFRESH, TOP_EXPLAIN, TOP_QUIT };

/* The name of an app and its class. */
#define TOP_ID_MAX 192

/* Starts as all zeroes. Rows are known by their names, since they come and go with each frame. */
struct top_view {
	enum top_key key;
	bool paused, is_typing;
	char wanted[32];				 /* only apps with this in their name */
	char selected[TOP_ID_MAX], expanded[TOP_ID_MAX]; /* empty: none */
	pid_t selected_task; /* of the expanded app; 0: the app itself */
	struct top_row {
		const struct top_sum *sum;
		bool is_task;
	} * rows;
	size_t n_rows;
};

/* What else is in the head. */
struct top_head {
	double interval, own,
		daemon; /* seconds between frames; CPU time of top and of the daemon, of one CPU */
	unsigned cpus;
	uint64_t set, refused,
		lost; /* attributes set and refused, events lost by the daemon, in the interval */
	bool hears_exits, suspended;
};

/* Sorts the frame and makes the rows anew. 0 or -ENOMEM. */
int top_view_update(struct top_view *view, struct top_frame *frame);
void top_view_clear(struct top_view *view);

/* Whether the row is the selected one; if none is, the first. */
bool top_view_is_selected(const struct top_view *view, size_t row);

/* The task that the selection stands for, 0 for none. */
pid_t top_view_task(const struct top_view *view);

enum top_action top_view_press(struct top_view *view, int key);

/*
 * Lines of at most `width` characters (0: any), at most `height` of them (0: any, and without the
 * line of keys). The selected one begins with MARK_SELECTED, for whoever writes it to a terminal.
 */
#define MARK_SELECTED '\x01'
void top_view_print(const struct top_view *view, const struct top_frame *frame,
		    const struct top_head *head, size_t width, size_t height, struct text_buf *out);
