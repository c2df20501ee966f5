/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>

#include "top.h"

static struct termios before;
static volatile sig_atomic_t told_to_end;
static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static void on_end(int number)
{
	(void)number;
	told_to_end = 1;
}

/* Only has poll return. */
static void on_resize(int number)
{
	(void)number;
}

bool screen_is_possible(void)
{
	const char *kind = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && kind && *kind &&
	       strcmp(kind, "dumb") != 0;
}

int screen_open(void)
{
	const struct sigaction end = { .sa_handler = on_end }, resize = { .sa_handler = on_resize };
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &before) < 0)
		return -errno;
	for (size_t i = 0; i < array_size(ending); i++)
		sigaction(ending[i], &end, NULL);
	sigaction(SIGWINCH, &resize, NULL);
	raw = before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VSUSP] = _POSIX_VDISABLE;
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) < 0)
		return -errno;
	/* The other screen, no cursor, no wrapping of lines. */
	fputs("\033[?1049h\033[?25l\033[?7l", stdout);
	return 0;
}

void screen_close(void)
{
	fputs("\033[?7h\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
}

void screen_size(size_t *width, size_t *height)
{
	struct winsize size;

	*width = 80;
	*height = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		*width = size.ws_col;
		*height = size.ws_row;
	}
}

void screen_draw(const char *text)
{
	size_t width, height, length;

	screen_size(&width, &height);
	fputs("\033[H", stdout);
	for (size_t line = 0; line < height && *text; line++, text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		fprintf(stdout, "%.*s\033[K%s", (int)length, text, line + 1 < height ? "\n" : "");
	}
	fputs("\033[J", stdout);
	fflush(stdout);
}

int screen_read(unsigned ms)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	char key;
	ssize_t n;
	int r;

	if (told_to_end)
		return -EINTR;
	r = poll(&input, 1, (int)ms);
	if (told_to_end || (r > 0 && !(input.revents & POLLIN)))
		return -EINTR;
	if (r <= 0)
		return 0;
	n = read(STDIN_FILENO, &key, 1);
	/* The terminal is gone. */
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		return -EINTR;
	return n > 0 ? (unsigned char)key : 0;
}
