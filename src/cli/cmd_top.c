/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "text_table.h"
#include "top.h"

#define INTERVAL_DEFAULT_S 2
#define INTERVAL_MIN_S	   0.1
#define INTERVAL_MAX_S	   3600

/* What else is in the head, of the interval. */
struct top_head {
	double own, daemon; /* CPU time of top and of the daemon, of one CPU */
	unsigned cpus;
	uint64_t set, refused, lost; /* attributes set and refused, events lost by the daemon */
	bool hears_exits;
};

struct totals {
	uint64_t at_ns, own_ns, daemon_us, set, refused, lost;
};

struct top {
	const struct command *command;
	struct task_filter filter;
	uint64_t interval_ns;
	sd_bus *bus;
	struct top_sampler sampler;
	struct top_frame frame;
	enum top_key key;
	struct top_head head;
	struct totals last;
};

/* ---- a frame ---- */

static void update_head(struct top *top)
{
	_cleanup_(cJSON_Deletep) cJSON *status = status_read(top->bus);
	const struct totals last = top->last;
	struct totals now = { .at_ns = clock_ns(CLOCK_MONOTONIC), .own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) };
	const double ns = (double)(now.at_ns - last.at_ns);

	now.daemon_us = member_count(status, "cpu_usec");
	now.set = member_count(status, "set");
	now.lost = member_count(status, "lost");
	now.refused = member_sum(status, "refused");
	top->head = (struct top_head){
		.own = (double)(now.own_ns - last.own_ns) / ns,
		.daemon = (double)(now.daemon_us - last.daemon_us) * 1e3 / ns,
		.cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
		.set = now.set - last.set,
		.refused = now.refused - last.refused,
		.lost = now.lost - last.lost,
		.hears_exits = usage_hears_exits(top->sampler.source),
	};
	top->last = now;
}

/* A new frame in place of the old one. 0, or -errno after logging. */
static int refresh(struct top *top)
{
	const int r = top_frame_next(&top->sampler, top->bus, &top->filter, &top->frame);

	if (r == 0)
		update_head(top);
	return r;
}

/* ---- for people ---- */

static void print_head(const struct top *top, struct text_buf *out)
{
	const struct top_frame *frame = &top->frame;
	const struct top_head *head = &top->head;
	const double ns = frame->ns ? (double)frame->ns : 1;

	text_buf_printf(out, "%zu tasks, %zu ended%s in %.1f s; %.0f %% of %u CPUs; by %s\n", frame->all.tasks,
			frame->all.ended, head->hears_exits ? "" : " (not heard of)", ns / 1e9,
			(double)frame->all.usage.run_ns * 100 / ns, head->cpus, top_key_name(top->key));
	text_buf_printf(out,
			"tags %llu set, %llu refused; events lost %llu, exits lost %llu; cost: top %.2f %%, daemon %.2f %%\n",
			(unsigned long long)head->set, (unsigned long long)head->refused, (unsigned long long)head->lost,
			(unsigned long long)frame->lost, head->own * 100, head->daemon * 100);
}

static struct text_table new_table(const char *first, const char *second)
{
	struct text_table table = { .columns = { { first, false, true } }, .n_columns = 1 };
	static const char *const heads[] = { "TASKS",	"ENDED",  "CPU%",   "DELAY:ms/s",
					     "us/wait", "DIFFER", "REFUSED" };

	if (second) {
		table.columns[table.n_columns].gives_way = true;
		table.columns[table.n_columns++].head = second;
	}
	for (size_t i = 0; i < array_size(heads); i++) {
		table.columns[table.n_columns].head = heads[i];
		table.columns[table.n_columns++].right = true;
	}
	return table;
}

static void add_figures(struct text_table *table, const struct task_row *row, const struct top_frame *frame)
{
	const double ns = frame->ns ? (double)frame->ns : 1;

	text_table_add(table, "%zu", row->tasks);
	text_table_add(table, "%zu", row->ended);
	text_table_add(table, "%.1f", (double)row->usage.run_ns * 100 / ns);
	text_table_add(table, "%.1f", top_delay_per_second(row));
	text_table_add(table, "%.0f", top_delay_per_wait(row));
	text_table_add(table, "%zu", row->differ);
	text_table_add(table, "%zu", row->refused);
}

static void print_classes(const struct top_frame *frame, size_t width, struct text_buf *out)
{
	struct text_table table = new_table("CLASS", NULL);

	for (size_t i = 0; i < frame->n_classes; i++) {
		const struct task_row *class = &frame->classes[i];

		if (!class->class && !class->tasks && !class->ended)
			continue;
		text_table_add(&table, "%s", class->class ? class->class : "-");
		add_figures(&table, class, frame);
	}
	text_table_print(&table, width, out);
	text_table_clear(&table);
}

/* A rule's pattern as it is; a program's name in brackets. */
static void print_apps(const struct top_frame *frame, size_t width, struct text_buf *out)
{
	struct text_table table = new_table("APP", "CLASS");
	char program[64];

	for (size_t i = 0; i < frame->n_apps; i++) {
		const struct task_row *app = &frame->apps[i];

		text_escape_to(program, sizeof(program), app->usage.comm, strlen(app->usage.comm));
		if (app->app)
			text_table_add(&table, "%s", app->app);
		else
			text_table_add(&table, "(%s)", program);
		text_table_add(&table, "%s", app->class ? app->class : "-");
		add_figures(&table, app, frame);
	}
	text_table_print(&table, width, out);
	text_table_clear(&table);
}

/* keys: the line that names them, for a screen. */
static char *frame_text(struct top *top, size_t width, const char *keys)
{
	struct text_buf out = { 0 };

	top_sort(top->frame.apps, top->frame.n_apps, top->key);
	print_head(top, &out);
	text_buf_printf(&out, "%s\n", keys);
	print_classes(&top->frame, width, &out);
	text_buf_put(&out, "\n", 1);
	print_apps(&top->frame, width, &out);
	return text_buf_take(&out);
}

/* ---- for programs ---- */

static void put_sum(struct json_writer *json, const struct task_row *row, bool is_app)
{
	char program[64];

	json_begin(json, NULL, '{');
	json_put_text(json, "class", row->class);
	if (is_app) {
		json_put_text(json, "rule", row->app);
		json_put_text(json, "program",
			      text_escape_to(program, sizeof(program), row->usage.comm, strlen(row->usage.comm)));
	}
	json_put_count(json, "tasks", row->tasks);
	json_put_count(json, "ended", row->ended);
	json_put_count(json, "run_ns", row->usage.run_ns);
	json_put_count(json, "delay_ns", row->usage.delay_ns);
	json_put_count(json, "waits", row->usage.waits);
	json_put_count(json, "differ", row->differ);
	json_put_count(json, "refused", row->refused);
	json_end(json, '}');
}

static void put_head(struct json_writer *json, const struct top *top)
{
	json_put_count(json, "interval_ns", top->frame.ns);
	json_put_count(json, "cpus", top->head.cpus);
	json_put_bool(json, "ended_are_counted", top->head.hears_exits);
	json_put_count(json, "exits_lost", top->frame.lost);
	json_put_count(json, "set", top->head.set);
	json_put_count(json, "refused", top->head.refused);
	json_put_count(json, "lost", top->head.lost);
	json_put_count(json, "own_ns", (uint64_t)(top->head.own * (double)top->frame.ns));
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

/* ---- one frame, or one after the other on a terminal ---- */

static int print_once(struct top *top)
{
	const struct timespec interval = { (time_t)(top->interval_ns / NS_PER_S), (long)(top->interval_ns % NS_PER_S) };
	_cleanup_free_ char *text = NULL;

	nanosleep(&interval, NULL);
	if (refresh(top) < 0)
		return EXIT_FAILURE;
	text = option_given(top->command, OPTION_JSON) ? frame_json(top) : frame_text(top, terminal_width(), "");
	return text && fputs(text, stdout) >= 0 ? 0 : EXIT_FAILURE;
}

static void draw(struct top *top)
{
	_cleanup_free_ char *text = NULL;
	size_t width, height;

	screen_size(&width, &height);
	text = frame_text(top, width, "c d w t n sort  space refresh  q quit");
	if (text)
		screen_draw(text);
}

/* Until it is told to end: -EINTR; or another -errno. */
static int follow(struct top *top)
{
	uint64_t next_ns = clock_ns(CLOCK_MONOTONIC) + top->interval_ns, now_ns;
	const char *letter;
	int key, r = 0;

	while (r == 0) {
		draw(top);
		now_ns = clock_ns(CLOCK_MONOTONIC);
		key = next_ns > now_ns ? screen_read((unsigned)((next_ns - now_ns) / 1000000) + 1) : 0;
		if (key < 0 || key == 'q')
			return -EINTR;
		letter = key && key < 128 ? strchr(top_key_letters, key) : NULL;
		if (letter)
			top->key = (enum top_key)(letter - top_key_letters);
		if (key == ' ' || clock_ns(CLOCK_MONOTONIC) >= next_ns) {
			next_ns = clock_ns(CLOCK_MONOTONIC) + top->interval_ns;
			r = refresh(top);
		}
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
	int status;

	if (usage_open(true, &top->sampler.source) < 0 || refresh(top) < 0)
		return EXIT_FAILURE;
	status = task_filter_check(&top->filter, &top->sampler.tasks, top->command->verb);
	if (status)
		return status;
	if (option_given(top->command, OPTION_ONCE) || option_given(top->command, OPTION_JSON) || !screen_is_possible())
		return print_once(top);
	return show_on_screen(top);
}

/* strtod would take signs, hexadecimal digits and infinity as well. */
static bool parse_interval(const char *text, uint64_t *ret_ns)
{
	char *end;
	double seconds;

	if (!*text || text[strspn(text, "0123456789.")])
		return false;
	seconds = strtod(text, &end);
	*ret_ns = (uint64_t)(seconds * 1e9);
	return !*end && seconds >= INTERVAL_MIN_S && seconds <= INTERVAL_MAX_S;
}

static int parse_options(struct top *top)
{
	const struct command *command = top->command;
	const char *interval = option_value(command, OPTION_INTERVAL),
		   *sort = option_value(command, OPTION_SORT);
	const int key = sort ? top_key_find(sort) : TOP_BY_CPU;

	top->interval_ns = INTERVAL_DEFAULT_S * NS_PER_S;
	if (interval && !parse_interval(interval, &top->interval_ns))
		return usage_error(command->verb, "--interval takes 0.1 to 3600 seconds");
	if (key < 0)
		return usage_error(command->verb, "--sort takes cpu, delay, wait, tasks or name");
	top->key = (enum top_key)key;
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
	top_sampler_clear(&top.sampler);
	sd_bus_flush_close_unref(top.bus);
	return status;
}
