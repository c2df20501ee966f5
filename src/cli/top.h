/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of `top` share: frames, and the terminal. */
#pragma once

#include "tasks.h"

/* ---- frames: what tasks have used since the one before, added up ---- */

enum top_key {
	TOP_BY_CPU,
	TOP_BY_DELAY, /* per second of running */
	TOP_BY_WAIT,  /* per wait */
	TOP_BY_TASKS,
	TOP_BY_NAME,
};
#define TOP_KEYS (TOP_BY_NAME + 1)

/* The key of that name, or -EINVAL; its name; the keys by their letters, "cdwtn". */
int top_key_find(const char *name);
const char *top_key_name(enum top_key key);
extern const char top_key_letters[TOP_KEYS + 1];

/*
 * Rows with what was used in the interval; usage.comm is the process's name. The strings live until the next frame. A
 * task that has ended has tasks 0, ended 1.
 */
struct top_frame {
	uint64_t ns;   /* the interval; 0: the first frame, in which nothing has been used yet */
	uint64_t lost; /* times that the kernel dropped exits */
	struct task_row *tasks, *apps, *classes; /* apps: by rule, or program, and class; classes: the highest first */
	size_t n_tasks, n_apps, n_classes;
	struct task_row all;
};

/* What is kept from one frame to the next. Starts as all zeroes but for source. */
struct top_sampler {
	struct usage_source *source;
	struct tasks tasks;
	struct task_usage *last, *ended; /* as of the last look, by tid; since then */
	size_t n_last, n_ended;
	uint64_t looked_at_ns;
};

/* Takes the place of the frame before. 0, or -errno after logging. */
int top_frame_next(struct top_sampler *sampler, sd_bus *bus, const struct task_filter *filter, struct top_frame *frame);
void top_frame_clear(struct top_frame *frame);
void top_sampler_clear(struct top_sampler *sampler);

void top_sort(struct task_row *rows, size_t n, enum top_key key);

/* Waiting for a CPU in ms for each second of running, and in us each time; 0 where it has not run, or not waited. */
double top_delay_per_second(const struct task_row *row);
double top_delay_per_wait(const struct task_row *row);

/* ---- the terminal taken over for a while: another screen, single keys, and all put back at the end ---- */

/* Whether standard input and output are a terminal that understands this. */
bool screen_is_possible(void);

/* 0 or -errno. From then on SIGINT, SIGTERM, SIGHUP and SIGQUIT only have screen_read return. */
int screen_open(void);
void screen_close(void);

void screen_size(size_t *width, size_t *height);

/* Shows the lines, as many as there is room for. */
void screen_draw(const char *text);

/* Waits for a key for so long: its character, 0 if the time is over, -EINTR after a signal to end. */
int screen_read(unsigned ms);
