/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "screen.h"
#include "seconds.h"
#include "text_table.h"
#include "top_view.h"
#include "verb.h"

#define INTERVAL_DEFAULT_S 2
#define INTERVAL_MIN_S	   0.1
#define INTERVAL_MAX_S	   3600

struct totals {
	uint64_t at_ns, own_ns, daemon_us, set, refused, lost;
};

struct top {
	const struct command *command;
	struct task_filter filter;
	uint64_t interval_ns;
	sd_bus *bus;
	struct sampler *sampler;
	struct task_list list;
	struct top_frame frame;
	struct top_view view;
	struct top_head head;
	struct totals last;
};

/* ---- a frame ---- */

static uint64_t read_count(sd_bus *bus, const char *property)
{
	uint64_t count = 0;

	sd_bus_get_property_trivial(bus, NULL, BUS_PATH, BUS_STATUS_INTERFACE, property, NULL, 't',
				    &count);
	return count;
}

static uint64_t read_refused(sd_bus *bus)
{
	sd_bus_message *reply = NULL;
	uint64_t sum = 0, count;
	const char *name;

	if (sd_bus_get_property(bus, NULL, BUS_PATH, BUS_STATUS_INTERFACE, "Refused", NULL, &reply,
				"a{st}") >= 0 &&
	    sd_bus_message_enter_container(reply, 'a', "{st}") >= 0) {
		while (sd_bus_message_read(reply, "{st}", &name, &count) > 0)
			sum += count;
	}
	sd_bus_message_unref(reply);
	return sum;
}

static void update_head(struct top *top)
{
	const struct totals *last = &top->last;
	struct totals now = {
		.at_ns = clock_ns(CLOCK_MONOTONIC),
		.own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID),
		.daemon_us = read_count(top->bus, "CpuUsec"),
		.set = read_count(top->bus, "Set"),
		.refused = read_refused(top->bus),
		.lost = read_count(top->bus, "Lost"),
	};
	const double ns = (double)(now.at_ns - last->at_ns);
	int suspended = 0;

	sd_bus_get_property_trivial(top->bus, NULL, BUS_PATH, BUS_STATUS_INTERFACE, "Suspended",
				    NULL, 'b', &suspended);
	top->head = (struct top_head){
		.interval = ns / 1e9,
		.own = (double)(now.own_ns - last->own_ns) / ns,
		.daemon = (double)(now.daemon_us - last->daemon_us) * 1e3 / ns,
		.cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
		.set = now.set - last->set,
		.refused = now.refused - last->refused,
		.lost = now.lost - last->lost,
		.hears_exits = sampler_hears_exits(top->sampler),
		.suspended = suspended,
	};
	top->last = now;
}

static int look(struct top *top, struct sample_frame *ret)
{
	_cleanup_free_ pid_t *living = calloc(top->list.n_tasks + 1, sizeof(*living));
	size_t count = 0;

	if (!living)
		return -ENOMEM;
	for (size_t i = 0; i < top->list.n_tasks; i++) {
		if (!(top->list.tasks[i].flags & BUS_TASK_ENDED))
			living[count++] = top->list.tasks[i].tid;
	}
	return sampler_look(top->sampler, living, count, clock_ns(CLOCK_MONOTONIC), ret);
}

/* A new frame in place of the old one. Logs what goes wrong. */
static int refresh(struct top *top)
{
	struct sample_frame samples;
	int r = sampler_drain(top->sampler);

	top_frame_clear(&top->frame);
	top_view_clear(&top->view);
	task_list_clear(&top->list);
	if (r == 0) {
		r = task_list_read(top->bus, true, &top->list);
		if (r < 0)
			return r;
		r = look(top, &samples);
	}
	if (r == 0)
		r = top_frame_make(&top->list, &samples, &top->filter, &top->frame);
	if (r == 0)
		r = top_view_update(&top->view, &top->frame);
	if (r < 0)
		log_error("reading what tasks have used: %s", strerror(-r));
	else
		update_head(top);
	return r;
}

/* ---- one frame, for a pipe ---- */

static void put_sum(struct json_writer *json, const struct top_sum *sum, bool is_app)
{
	_cleanup_free_ char *program =
		sum->program ? text_escape(sum->program, strlen(sum->program)) : NULL;

	json_begin(json, NULL, '{');
	json_put_text(json, "class", sum->class);
	if (is_app) {
		json_put_text(json, "rule", sum->rule);
		json_put_text(json, "program", program);
	}
	json_put_count(json, "tasks", sum->tasks);
	json_put_count(json, "ended", sum->ended);
	json_put_count(json, "run_ns", sum->run_ns);
	json_put_count(json, "delay_ns", sum->delay_ns);
	json_put_count(json, "waits", sum->waits);
	json_put_count(json, "differ", sum->differ);
	json_put_count(json, "refused", sum->refused);
	json_end(json, '}');
}

static void put_head(struct json_writer *json, const struct top *top)
{
	json_put_count(json, "interval_ns", top->frame.samples.ns);
	json_put_count(json, "cpus", top->head.cpus);
	json_put_bool(json, "ended_are_counted", top->head.hears_exits);
	json_put_count(json, "exits_lost", top->frame.samples.lost);
	json_put_count(json, "set", top->head.set);
	json_put_count(json, "refused", top->head.refused);
	json_put_count(json, "lost", top->head.lost);
	json_put_count(json, "own_ns", (uint64_t)(top->head.own * (double)top->frame.samples.ns));
	json_put_bool(json, "suspended", top->head.suspended);
}

static char *frame_json(const struct top *top)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '{');
	put_head(&json, top);
	json_begin(&json, "classes", '[');
	for (size_t i = 0; i < top->frame.n_classes; i++)
		put_sum(&json, &top->frame.classes[i], false);
	json_end(&json, ']');
	json_begin(&json, "apps", '[');
	for (size_t i = 0; i < top->frame.n_apps; i++)
		put_sum(&json, &top->frame.apps[i], true);
	json_end(&json, ']');
	json_end(&json, '}');
	return json_take(&json);
}

static char *frame_text(const struct top *top, size_t width, size_t height)
{
	struct text_buf out = { 0 };

	top_view_print(&top->view, &top->frame, &top->head, width, height, &out);
	return text_buf_take(&out);
}

static int print_once(struct top *top)
{
	const struct timespec interval = { (time_t)(top->interval_ns / NS_PER_S),
					   (long)(top->interval_ns % NS_PER_S) };
	const bool is_json = option_given(top->command, OPTION_JSON);
	_cleanup_free_ char *text = NULL;

	nanosleep(&interval, NULL);
	if (refresh(top) < 0)
		return EXIT_FAILURE;
	text = is_json ? frame_json(top) : frame_text(top, terminal_width(), 0);
	/* The mark is for a screen. */
	for (char *p = text; p && *p; p++) {
		if (*p != MARK_SELECTED || is_json)
			putchar(*p);
	}
	return text ? 0 : EXIT_FAILURE;
}

/* ---- on a terminal ---- */

static void draw(const struct top *top)
{
	_cleanup_free_ char *text = NULL;
	size_t width, height;

	screen_size(&width, &height);
	text = frame_text(top, width, height);
	if (text)
		screen_draw(text, MARK_SELECTED);
}

/*
 * Runs `schedqos explain` for the selected task, and waits for a key; on the terminal's own screen, where what is too
 * long for it can be scrolled back to.
 */
static int explain(struct top *top)
{
	char tid[16], self[] = "/proc/self/exe", verb[] = "explain";
	char *arguments[] = { self, verb, tid, NULL };
	pid_t child;
	int status, key, r;

	if (!top_view_task(&top->view))
		return 0;
	snprintf(tid, sizeof(tid), "%d", (int)top_view_task(&top->view));
	screen_leave();
	r = posix_spawn(&child, self, NULL, NULL, arguments, environ);
	if (r == 0)
		waitpid(child, &status, 0);
	else
		log_error("explaining: %s", strerror(r));
	printf("\nPress a key\n");
	do
		key = screen_read(60000);
	while (key == 0);
	screen_enter();
	return key < 0 ? key : 0;
}

/* 0, or -errno when it is over; -EINTR: as it was asked to. */
static int press(struct top *top, int key, uint64_t *next_ns)
{
	switch (top_view_press(&top->view, key)) {
	case TOP_QUIT:
		return -EINTR;
	case TOP_EXPLAIN:
		return explain(top);
	case TOP_REFRESH:
		*next_ns = 0;
		break;
	case TOP_REDRAW:
		return top_view_update(&top->view, &top->frame);
	case TOP_NOTHING:
		break;
	}
	return 0;
}

static int follow(struct top *top)
{
	uint64_t next_ns = clock_ns(CLOCK_MONOTONIC) + top->interval_ns;
	int r = 0;

	draw(top);
	while (r == 0) {
		const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
		int key = 0;

		if (next_ns > now_ns)
			key = screen_read((unsigned)((next_ns - now_ns) / 1000000) + 1);
		if (key < 0)
			return key;
		if (key)
			r = press(top, key, &next_ns);
		if (r == 0 && clock_ns(CLOCK_MONOTONIC) >= next_ns) {
			next_ns = clock_ns(CLOCK_MONOTONIC) + top->interval_ns;
			r = top->view.paused ? 0 : refresh(top);
		}
		if (r == 0)
			draw(top);
	}
	return r;
}

static int show_on_screen(struct top *top)
{
	int r = screen_open();

	if (r < 0) {
		log_error("the terminal: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	r = follow(top);
	screen_close();
	return r == -EINTR ? 0 : EXIT_FAILURE;
}

/* ---- */

static int run(struct top *top)
{
	int r = sampler_open(&top->sampler);

	if (r < 0) {
		log_error("reading what tasks use: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	if (refresh(top) < 0)
		return EXIT_FAILURE;
	r = task_filter_check(&top->filter, &top->list, top->command->verb);
	if (r)
		return r;
	if (option_given(top->command, OPTION_ONCE) || option_given(top->command, OPTION_JSON) ||
	    !screen_is_possible())
		return print_once(top);
	return show_on_screen(top);
}

static int parse_options(struct top *top)
{
	const struct command *command = top->command;
	const char *interval = option_value(command, OPTION_INTERVAL),
		   *sort = option_value(command, OPTION_SORT);
	const int key = sort ? top_key_find(sort) : TOP_BY_CPU;

	top->interval_ns = INTERVAL_DEFAULT_S * NS_PER_S;
	if (interval &&
	    parse_seconds(interval, INTERVAL_MIN_S, INTERVAL_MAX_S, &top->interval_ns) < 0)
		return usage_error(command->verb, "--interval takes 0.1 to 3600 seconds");
	if (key < 0)
		return usage_error(command->verb, "--sort takes cpu, delay, wait, tasks or name");
	top->view.key = (enum top_key)key;
	return task_filter_parse(command, &top->filter);
}

int cmd_top(const struct command *command)
{
	struct top top = { .command = command };
	int status = parse_options(&top);

	if (status)
		return status;
	if (client_open(&top.bus) < 0)
		return EXIT_FAILURE;
	status = run(&top);
	top_frame_clear(&top.frame);
	top_view_clear(&top.view);
	task_list_clear(&top.list);
	sampler_free(top.sampler);
	sd_bus_flush_close_unref(top.bus);
	return status;
}
