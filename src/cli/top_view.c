/* SPDX-License-Identifier: GPL-2.0-only */
#include "top_view.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "text_table.h"

#define PAGE		 10
#define NAME_MAX_ESCAPED 128

static const char keys[] = "c d w t n sort  / filter  Enter threads  e explain  p pause  q quit";

/* ---- rows ---- */

/* A rule's pattern as it is; a program's name in brackets. */
static const char *name_of(const struct top_sum *sum, bool is_task, char buf[NAME_MAX_ESCAPED])
{
	char program[NAME_MAX_ESCAPED / 2] = "";

	if (sum->program)
		text_escape_to(program, sizeof(program), sum->program, strlen(sum->program));
	if (is_task)
		snprintf(buf, NAME_MAX_ESCAPED, "  %d %s", (int)sum->tid, program);
	else if (sum->rule)
		snprintf(buf, NAME_MAX_ESCAPED, "%s", sum->rule);
	else
		snprintf(buf, NAME_MAX_ESCAPED, "(%s)", program);
	return buf;
}

static const char *id_of(const struct top_sum *sum, char buf[TOP_ID_MAX])
{
	char name[NAME_MAX_ESCAPED];

	snprintf(buf, TOP_ID_MAX, "%s %.60s", name_of(sum, false, name),
		 sum->class ? sum->class : "-");
	return buf;
}

static bool is_wanted(const struct top_view *view, const struct top_sum *app)
{
	char name[NAME_MAX_ESCAPED];

	return !*view->wanted || strstr(name_of(app, false, name), view->wanted);
}

static void add_row(struct top_view *view, const struct top_sum *sum, bool is_task)
{
	view->rows[view->n_rows++] = (struct top_row){ sum, is_task };
}

int top_view_update(struct top_view *view, struct top_frame *frame)
{
	struct top_row *rows =
		reallocarray(view->rows, frame->n_apps + frame->n_tasks + 1, sizeof(*rows));
	char id[TOP_ID_MAX];

	if (!rows)
		return -ENOMEM;
	view->rows = rows;
	view->n_rows = 0;
	top_sort(frame->apps, frame->n_apps, view->key);
	top_sort(frame->tasks, frame->n_tasks, view->key);
	for (size_t i = 0; i < frame->n_apps; i++) {
		const struct top_sum *app = &frame->apps[i];

		if (!is_wanted(view, app))
			continue;
		add_row(view, app, false);
		if (strcmp(id_of(app, id), view->expanded) != 0)
			continue;
		for (size_t j = 0; j < frame->n_tasks; j++) {
			if (frame->tasks[j].tasks && top_is_of(&frame->tasks[j], app))
				add_row(view, &frame->tasks[j], true);
		}
	}
	return 0;
}

void top_view_clear(struct top_view *view)
{
	free(view->rows);
	view->rows = NULL;
	view->n_rows = 0;
}

/* ---- the selection ---- */

static bool is_selected(const struct top_view *view, const struct top_row *row)
{
	char id[TOP_ID_MAX];

	if (row->is_task || view->selected_task)
		return row->is_task && row->sum->tid == view->selected_task;
	return strcmp(id_of(row->sum, id), view->selected) == 0;
}

static size_t selected_row(const struct top_view *view)
{
	for (size_t i = 0; i < view->n_rows; i++) {
		if (is_selected(view, &view->rows[i]))
			return i;
	}
	return 0;
}

bool top_view_is_selected(const struct top_view *view, size_t row)
{
	return row < view->n_rows && row == selected_row(view);
}

pid_t top_view_task(const struct top_view *view)
{
	const struct top_sum *sum = view->n_rows ? view->rows[selected_row(view)].sum : NULL;

	return sum && sum->tasks ? sum->tid : 0;
}

static void select_row(struct top_view *view, size_t row)
{
	if (!view->n_rows)
		return;
	view->selected_task = view->rows[row].is_task ? view->rows[row].sum->tid : 0;
	id_of(view->rows[row].sum, view->selected);
}

static void move_by(struct top_view *view, long rows)
{
	long to = (long)selected_row(view) + rows;

	if (to >= (long)view->n_rows)
		to = (long)view->n_rows - 1;
	select_row(view, to > 0 ? (size_t)to : 0);
}

static void toggle_expanded(struct top_view *view)
{
	char id[TOP_ID_MAX];

	if (!view->n_rows)
		return;
	select_row(view, selected_row(view));
	id_of(view->rows[selected_row(view)].sum, id);
	view->selected_task = 0;
	if (strcmp(id, view->expanded) == 0)
		*view->expanded = '\0';
	else
		strcpy(view->expanded, id);
}

/* ---- keys ---- */

static enum top_action type(struct top_view *view, int key)
{
	const size_t length = strlen(view->wanted);

	if (key == '\n' || key == '\r' || key == 27)
		view->is_typing = false;
	else if ((key == 127 || key == '\b') && length)
		view->wanted[length - 1] = '\0';
	else if (key < 127 && isprint(key) && length + 1 < sizeof(view->wanted)) {
		view->wanted[length] = (char)key;
		view->wanted[length + 1] = '\0';
	}
	if (key == 27)
		*view->wanted = '\0';
	return TOP_REDRAW;
}

static bool sort_by(struct top_view *view, int key)
{
	static const char letters[TOP_KEYS] = { [TOP_BY_CPU] = 'c',
						[TOP_BY_DELAY] = 'd',
						[TOP_BY_WAIT] = 'w',
						[TOP_BY_TASKS] = 't',
						[TOP_BY_NAME] = 'n' };

	for (int i = 0; i < TOP_KEYS; i++) {
		if (letters[i] == key) {
			view->key = (enum top_key)i;
			return true;
		}
	}
	return false;
}

static bool move(struct top_view *view, int key)
{
	const struct {
		int key;
		long by;
	} moves[] = {
		{ KEY_UP, -1 },
		{ 'k', -1 },
		{ KEY_DOWN, 1 },
		{ 'j', 1 },
		{ KEY_PAGE_UP, -PAGE },
		{ KEY_PAGE_DOWN, PAGE },
		{ KEY_HOME, -(long)view->n_rows },
		{ KEY_END, (long)view->n_rows },
	};

	for (size_t i = 0; i < array_size(moves); i++) {
		if (moves[i].key == key) {
			move_by(view, moves[i].by);
			return true;
		}
	}
	return false;
}

enum top_action top_view_press(struct top_view *view, int key)
{
	if (view->is_typing)
		return type(view, key);
	if (sort_by(view, key) || move(view, key))
		return TOP_REDRAW;
	switch (key) {
	case 'q':
		return TOP_QUIT;
	case 'e':
		return TOP_EXPLAIN;
	case ' ':
		return TOP_REFRESH;
	case 'p':
		view->paused = !view->paused;
		return TOP_REDRAW;
	case '/':
	case 'f':
		view->is_typing = true;
		return TOP_REDRAW;
	case '\n':
	case '\r':
		toggle_expanded(view);
		return TOP_REDRAW;
	default:
		return TOP_NOTHING;
	}
}

/* ---- printing ---- */

static void print_head(const struct top_view *view, const struct top_frame *frame,
		       const struct top_head *head, struct text_buf *out)
{
	const double ns = frame->samples.ns ? (double)frame->samples.ns : 1;

	text_buf_printf(out, "%zu tasks, %zu ended%s in %.1f s; %.0f %% of %u CPUs; by %s%s%s\n",
			frame->all.tasks, frame->all.ended,
			head->hears_exits ? "" : " (not heard of)", ns / 1e9,
			(double)frame->all.run_ns * 100 / ns, head->cpus, top_key_name(view->key),
			view->paused ? "; paused" : "",
			head->suspended ? "; TAGGING IS SUSPENDED" : "");
	text_buf_printf(out,
			"tags %llu set, %llu refused; events lost %llu, exits lost %llu; cost: top "
			"%.2f %%, daemon %.2f %%\n",
			(unsigned long long)head->set, (unsigned long long)head->refused,
			(unsigned long long)head->lost, (unsigned long long)frame->samples.lost,
			head->own * 100, head->daemon * 100);
	if (view->is_typing || *view->wanted)
		text_buf_printf(out, "name: %s%s\n", view->wanted, view->is_typing ? "_" : "");
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

static void add_figures(struct text_table *table, const struct top_sum *sum,
			const struct top_frame *frame)
{
	const double ns = frame->samples.ns ? (double)frame->samples.ns : 1;

	text_table_add(table, "%zu", sum->tasks);
	text_table_add(table, "%zu", sum->ended);
	text_table_add(table, "%.1f", (double)sum->run_ns * 100 / ns);
	text_table_add(table, "%.1f", top_delay_per_second(sum));
	text_table_add(table, "%.0f", top_delay_per_wait(sum));
	text_table_add(table, "%zu", sum->differ);
	text_table_add(table, "%zu", sum->refused);
}

static void print_classes(const struct top_frame *frame, size_t width, struct text_buf *out)
{
	struct text_table table = new_table("CLASS", NULL);

	for (size_t i = 0; i < frame->n_classes; i++) {
		const struct top_sum *class = &frame->classes[i];

		if (!class->class && !class->tasks && !class->ended)
			continue;
		text_table_add(&table, "%s", class->class ? class->class : "-");
		add_figures(&table, class, frame);
	}
	text_table_print(&table, width, out);
	text_table_clear(&table);
}

static size_t count_lines(const struct text_buf *text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->len; i++)
		lines += text->text[i] == '\n';
	return lines;
}

/* The rows from `first` on. The mark of the selected one takes no room. */
static void print_apps(const struct top_view *view, const struct top_frame *frame, size_t first,
		       size_t count, size_t width, struct text_buf *out)
{
	struct text_table table = new_table("APP", "CLASS");
	struct text_buf plain = { 0 };
	_cleanup_free_ char *text = NULL;
	const size_t selected = selected_row(view);
	char name[NAME_MAX_ESCAPED], *line, *rest;
	size_t at = 0;

	for (size_t i = first; i < first + count && i < view->n_rows; i++) {
		const struct top_sum *sum = view->rows[i].sum;

		text_table_add(&table, "%s", name_of(sum, view->rows[i].is_task, name));
		text_table_add(&table, "%s", sum->class ? sum->class : "-");
		add_figures(&table, sum, frame);
	}
	text_table_print(&table, width, &plain);
	text_table_clear(&table);
	text = text_buf_take(&plain);
	rest = text;
	while (rest && (line = strsep(&rest, "\n")) && (*line || rest)) {
		const bool is_marked = at++ == selected - first + 1 && view->n_rows;

		text_buf_printf(out, "%.*s%s\n", is_marked, (const char[]){ MARK_SELECTED, '\0' },
				line);
	}
}

void top_view_print(const struct top_view *view, const struct top_frame *frame,
		    const struct top_head *head, size_t width, size_t height, struct text_buf *out)
{
	const size_t selected = selected_row(view);
	size_t count = view->n_rows, first = 0, used;

	print_head(view, frame, head, out);
	text_buf_put(out, "\n", 1);
	print_classes(frame, width, out);
	text_buf_put(out, "\n", 1);
	if (!height) {
		print_apps(view, frame, 0, count, width, out);
		return;
	}
	/* The table's own head, and the line of keys. */
	used = count_lines(out) + 2;
	count = height > used ? height - used : 1;
	if (selected >= count)
		first = selected - count + 1;
	print_apps(view, frame, first, count, width, out);
	text_buf_printf(out, "%s\n", keys);
}
