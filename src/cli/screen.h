/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal taken over for a while: another screen, single keys, and all put back at the end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether standard input and output are a terminal that understands this. */
bool screen_is_possible(void);

/* 0 or -errno. From then on SIGINT, SIGTERM, SIGHUP and SIGQUIT only have screen_read return. */
int screen_open(void);
void screen_close(void);

/* In between: to the terminal's own screen, and back. Keys are read one by one on it, too. */
void screen_leave(void);
void screen_enter(void);

/* Width and height of the terminal. */
void screen_size(size_t *width, size_t *height);

/* Shows the lines; one that begins with `mark` is shown in reverse. What does not fit is cut off.
 */
void screen_draw(const char *text, char mark);

/* Waits for a key for so long: its character or enum top_special; 0 if the time is over; -EINTR
 * after a signal to end. */
int screen_read(unsigned ms);
