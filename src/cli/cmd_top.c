/* SPDX-License-Identifier: GPL-2.0-only */
/* What tasks have used in a second, by class, and by rule or program. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "explain.h"
#include "tasks.h"
#include "text_table.h"
#include "verb.h"

struct top {
	int proc;
	struct cpu_hierarchies cgroups;
	struct tasks before, now; /* with what each has used so far */
	uint64_t now_ns, ns;	  /* of the second look, and since the first */
	struct task_row *apps, *classes; /* what was used in between; in one piece of memory */
	size_t n_apps, n_classes;
	struct task_row all;
};

/* 0, or -errno after logging. */
static int look(struct top *top)
{
	const uint64_t before_ns = top->now_ns;
	int r;

	tasks_clear(&top->before);
	top->before = top->now;
	top->now = (struct tasks){ 0 };
	r = tasks_read(&top->now);
	for (size_t i = 0; i < top->now.n_rows; i++) {
		struct task_row *row = &top->now.rows[i];

		task_row_read_use(top->proc, row);
		/*
		 * A program is named by its leader, whatever its threads call themselves, and only if it has no rule.
		 */
		if (!row->app)
			procfs_comm(top->proc, row->tgid, row->comm);
	}
	top->now_ns = clock_ns(CLOCK_MONOTONIC);
	top->ns = top->now_ns - before_ns;
	return r;
}

/* What is seen of the app. */
static const char *shown(const struct task_row *row)
{
	return row->flags & BUS_TASK_FOCUSED ? "focused" : row->flags & BUS_TASK_HIDDEN ? "hidden" : "-";
}

/* The programs of a rule are one app. */
static int compare_apps(const struct task_row *a, const struct task_row *b)
{
	int order = task_text_compare(a->app, b->app);

	if (!order && !a->app)
		order = strcmp(a->comm, b->comm);
	if (!order)
		order = COMPARE(a->rank, b->rank);
	return order ? order : strcmp(shown(a), shown(b));
}

/* Those of no class come last. */
static int compare_classes(const struct task_row *a, const struct task_row *b)
{
	return COMPARE(a->rank, b->rank);
}

static int compare_use(const void *a, const void *b)
{
	const struct task_row *first = a, *second = b;
	int order = COMPARE(second->run_ns, first->run_ns);

	return order ? order : compare_apps(first, second);
}

/* All of it, if the id was nobody's before, or another task's. */
static struct task_row used_since(const struct tasks *before, const struct task_row *now)
{
	const struct task_row *then = task_row_of(before, now->tid);
	struct task_row used = *now;

	if (!then || now->run_ns < then->run_ns || now->delay_ns < then->delay_ns || now->waits < then->waits)
		return used;
	used.run_ns -= then->run_ns;
	used.delay_ns -= then->delay_ns;
	used.waits -= then->waits;
	return used;
}

/* 0 or -ENOMEM. */
static int add_up(struct top *top)
{
	const size_t n = top->now.n_rows;

	free(top->apps);
	top->apps = calloc(2 * n + 1, sizeof(*top->apps));
	if (!top->apps)
		return -ENOMEM;
	top->classes = top->apps + n;
	top->all = (struct task_row){ 0 };
	for (size_t i = 0; i < n; i++) {
		top->apps[i] = top->classes[i] = used_since(&top->before, &top->now.rows[i]);
		task_row_add(&top->all, &top->apps[i]);
	}
	top->n_classes = task_rows_merge(top->classes, n, compare_classes);
	top->n_apps = task_rows_merge(top->apps, n, compare_apps);
	qsort(top->apps, top->n_apps, sizeof(*top->apps), compare_use);
	return 0;
}

static double percent(const struct top *top, uint64_t ns)
{
	return (double)ns * 100 / (double)top->ns;
}

static void put_figures(const struct top *top, struct text_buf *rows, const struct task_row *row)
{
	text_buf_printf(rows, "\t%zu\t%.1f\t%.1f\t%.0f\t%zu\t%zu", row->tasks, percent(top, row->run_ns),
			row->run_ns ? (double)row->delay_ns * 1e3 / (double)row->run_ns : 0,
			row->waits ? (double)row->delay_ns / 1e3 / (double)row->waits : 0, row->differ, row->refused);
}

#define FIGURES "TASKS\tCPU%%\tDELAY:ms/s\tus/wait\tDIFFER\tREFUSED"

static void put_class(const struct top *top, struct text_buf *rows, const struct task_row *row)
{
	text_buf_printf(rows, "%s", row->class ? row->class : "-");
	put_figures(top, rows, row);
	text_buf_put(rows, "\n", 1);
}

/* A rule's pattern as it is; a program's name in brackets. */
static void put_app(const struct top *top, struct text_buf *rows, const struct task_row *row)
{
	char program[64], border[PATH_MAX + 64];
	struct cpu_group group;
	bool has_border;

	text_escape_to(program, sizeof(program), row->comm, strlen(row->comm));
	text_buf_printf(rows, row->app ? "%s\t%s" : "%s\t(%s)", row->class ? row->class : "-",
			row->app ? row->app : program);
	text_buf_printf(rows, "\t%s", shown(row));
	put_figures(top, rows, row);
	/* In the root there is none: nice values rank. */
	has_border = cpu_group_of(&top->cgroups, top->proc, row->tid, &group) == 0 && group.path[0];
	text_buf_printf(rows, "\t%s\n", has_border ? border_text(border, sizeof(border), &group) : "");
}

static char *frame_text(const struct top *top, bool on_terminal)
{
	struct text_buf classes = { 0 }, apps = { 0 }, out = { 0 };

	text_buf_printf(&classes, "CLASS\t" FIGURES "\n");
	for (size_t i = 0; i < top->n_classes; i++)
		put_class(top, &classes, &top->classes[i]);
	text_buf_printf(&apps, "CLASS\tAPP\tSHOWN\t" FIGURES "\tRANKED BY\n");
	for (size_t i = 0; i < top->n_apps; i++)
		put_app(top, &apps, &top->apps[i]);
	text_buf_printf(&out, "%zu tasks in %.1f s: %.0f %% of %ld CPUs\n\n", top->all.tasks, (double)top->ns / 1e9,
			percent(top, top->all.run_ns), sysconf(_SC_NPROCESSORS_ONLN));
	text_table_print(&classes, "lrrrrrr", on_terminal, &out);
	text_buf_put(&out, "\n", 1);
	text_table_print(&apps, "lllrrrrrrl", on_terminal, &out);
	return text_buf_take(&out);
}

/* As many lines as there is room for. */
static void cut_to_screen(char *text)
{
	struct winsize size = { 0 };
	unsigned rows;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	/* A serial line does not say. */
	rows = size.ws_row ? size.ws_row : 24;
	for (unsigned line = 1; line < rows && *text; line++)
		text += strcspn(text, "\n") + 1;
	*text = '\0';
}

/* A frame after the other on a terminal, until Ctrl-C; elsewhere one. Returns an exit status. */
static int run(struct top *top)
{
	const bool on_terminal = isatty(STDOUT_FILENO);
	const struct timespec second = { .tv_sec = 1 };
	bool is_shown;

	if (look(top) < 0)
		return EXIT_FAILURE;
	do {
		_cleanup_free_ char *text = NULL;

		nanosleep(&second, NULL);
		if (look(top) < 0)
			return EXIT_FAILURE;
		if (add_up(top) == 0)
			text = frame_text(top, on_terminal);
		if (!text) {
			log_error("out of memory");
			return EXIT_FAILURE;
		}
		if (on_terminal)
			cut_to_screen(text);
		is_shown = text_table_show("\033[H\033[J", text);
	} while (on_terminal && is_shown);
	return is_shown ? 0 : EXIT_FAILURE;
}

int cmd_top(const struct command *command __attribute__((unused)))
{
	struct top top = { .proc = procfs_open(), .cgroups = cpu_hierarchies_find(AT_FDCWD) };
	int status = EXIT_FAILURE;

	if (top.proc < 0)
		log_error("/proc: %s", strerror(-top.proc));
	else
		status = run(&top);
	tasks_clear(&top.before);
	tasks_clear(&top.now);
	free(top.apps);
	if (top.proc >= 0)
		close(top.proc);
	return status;
}
