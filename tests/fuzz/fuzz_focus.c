/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads any bytes as messages of compositors, and checks the reports: numbers of windows and processes stay within
 * bounds; nothing is reported twice or about a process that has ended; only hidden apps are reported hidden; and the
 * next report is due later than now.
 */
#include "fuzz.h"

#include "../../src/focus/focus.h"

#define TEXT_MAX 2000

struct run {
	struct shown shown;
	uint64_t now;
	size_t met, parted;
	bool is_repeating;
	pid_t heard;
};

static void meet(void *context, struct shown_app *app)
{
	struct run *run = context;

	check(app->pid > 1);
	run->met++;
	app->pidfd = app->pid % 5 - 1;
}

static void part(void *context, struct shown_app *app)
{
	struct run *run = context;

	check(app->pidfd == app->pid % 5 - 1);
	run->parted++;
}

static bool is_heard(void *context, pid_t pid)
{
	const struct run *run = context;

	return pid == run->heard;
}

static void tell(void *context, const struct shown_app *app)
{
	const struct run *run = context;

	check(app->pidfd >= 0);
	check(app->told >= SHOWN_HIDDEN && app->told <= SHOWN_PLAYED);
	check(run->is_repeating || app->told != SHOWN_HIDDEN ||
	      (app->now == SHOWN_HIDDEN && run->now - app->since >= SHOWN_HIDE_US));
}

static const struct shown_ops ops = { .meet = meet, .part = part, .is_heard = is_heard, .tell = tell };

static void settle(struct run *run)
{
	const uint64_t next = shown_settle(&run->shown, run->now);

	check(next > run->now);
	check(run->shown.n_apps <= SHOWN_MAX);
	check(run->met - run->parted == run->shown.n_apps);
	/* A higher level must be reported at once. */
	for (size_t i = 0; i < run->shown.n_apps; i++)
		check(run->shown.apps[i].told >= run->shown.apps[i].now);
	check(shown_settle(&run->shown, run->now) == next);
}

static void read_something(struct run *run, struct input *input, uint8_t kind)
{
	static const struct source_type *const types[] = { &sway_type, NULL, &niri_type, &hyprland_type };
	cJSON *answers[SOCKET_QUESTIONS] = { 0 };

	for (size_t i = 0; i < SOCKET_QUESTIONS && (i == 0 || kind == 3 || (kind == 2 && i == 1)); i++) {
		char *text = take_text(input, TEXT_MAX);

		if (types[kind])
			answers[i] = cJSON_Parse(text);
		else
			kwin_read_windows(&run->shown, text);
		free(text);
	}
	if (types[kind])
		socket_read(types[kind], &run->shown, (const cJSON *const *)answers);
	for (size_t i = 0; i < SOCKET_QUESTIONS; i++)
		cJSON_Delete(answers[i]);
}

static void step(struct run *run, struct input *input)
{
	const uint8_t what = take_byte(input) % 10;

	switch (what) {
	case 4:
		run->now += take_number(input, 4) % (20 * 1000000);
		break;
	case 5:
		shown_ended(&run->shown, (pid_t)take_number(input, 1));
		break;
	case 6:
		shown_put_game(&run->shown, (pid_t)take_number(input, 1));
		break;
	case 7:
		shown_no_games(&run->shown);
		break;
	case 8:
		run->heard = (pid_t)take_number(input, 1);
		break;
	case 9:
		run->is_repeating = true;
		shown_repeat(&run->shown);
		run->is_repeating = false;
		break;
	default:
		read_something(run, input, what);
	}
	settle(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct run run = { .shown = { .ops = &ops, .context = &run }, .now = 1 };
	struct input input = { .at = bytes, .left = size };

	while (input.left)
		step(&run, &input);
	shown_clear(&run.shown);
	check(run.met == run.parted);
	return 0;
}
