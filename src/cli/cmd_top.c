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

#include <schedqos/daemon/daemon.h>
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

/* What all have used so far. */
struct look {
	struct tasks tasks;
	uint64_t at_ns, busy_ns; /* of all CPUs, the kernel's own work included */
};

struct top {
	int proc;
	struct cpu_hierarchies cgroups;
	struct look before, now;
	struct task_row *classes, *apps; /* what was used in between */
	size_t n_classes, n_apps;
	struct task_row all;
	uint64_t ns, busy_ns; /* between the two looks */
};

/* From /proc/stat, whose times are user, nice, system, idle, iowait, irq and softirq, in ticks. */
static uint64_t read_busy_ns(void)
{
	unsigned long long t[7] = { 0 };
	FILE *stat = fopen("/proc/stat", "re");
	int n = stat ? fscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6]) : 0;

	if (stat)
		fclose(stat);
	return n == array_size(t) ? (t[0] + t[1] + t[2] + t[5] + t[6]) * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK)) : 0;
}

/* 0, or -errno after logging. */
static int look(struct top *top)
{
	struct tasks *tasks = &top->now.tasks;
	int r;

	tasks_clear(&top->before.tasks);
	top->before = top->now;
	top->now = (struct look){ 0 };
	r = tasks_read(tasks);
	for (size_t i = 0; i < tasks->n_rows; i++) {
		struct task_row *row = &tasks->rows[i];

		task_row_read_use(top->proc, row);
		/* A program is named by its leader, whatever its threads call themselves, and only if it has no rule. */
		if (!row->app)
			procfs_comm(top->proc, row->tgid, row->comm);
	}
	top->now.at_ns = clock_ns(CLOCK_MONOTONIC);
	top->now.busy_ns = read_busy_ns();
	return r;
}

/* What is seen of the app. */
static const char *shown(const struct task_row *row)
{
	return row->flags & BUS_TASK_FOCUSED ? "focused" : row->flags & BUS_TASK_HIDDEN ? "hidden" : "-";
}

static int compare_apps(const void *a, const void *b)
{
	const struct task_row *first = a, *second = b;
	int order = task_text_compare(first->app, second->app);

	/* The programs of a rule are one app. */
	if (!order && !first->app)
		order = strcmp(first->comm, second->comm);
	if (!order)
		order = task_text_compare(first->class, second->class);
	return order ? order : strcmp(shown(first), shown(second));
}

static int compare_use(const void *a, const void *b)
{
	const struct task_row *first = a, *second = b;

	if (first->run_ns != second->run_ns)
		return first->run_ns < second->run_ns ? 1 : -1;
	return compare_apps(a, b);
}

/* All of it, if the id was nobody's before, or another task's. */
static struct task_row used_since(const struct tasks *before, const struct task_row *now)
{
	const struct task_row *then = before->n_rows ? bsearch(now, before->rows, before->n_rows, sizeof(*now),
								task_row_compare_tids) : NULL;
	struct task_row used = *now;

	if (!then || now->run_ns < then->run_ns || now->delay_ns < then->delay_ns || now->waits < then->waits)
		return used;
	used.run_ns -= then->run_ns;
	used.delay_ns -= then->delay_ns;
	used.waits -= then->waits;
	return used;
}

/* Those of no class come last. */
static int add_up(struct top *top)
{
	const struct tasks *tasks = &top->now.tasks;
	size_t n = 0;

	free(top->classes);
	free(top->apps);
	top->n_classes = tasks->n_classes + 1;
	top->classes = calloc(top->n_classes, sizeof(*top->classes));
	top->apps = calloc(tasks->n_rows + 1, sizeof(*top->apps));
	top->n_apps = 0;
	top->all = (struct task_row){ 0 };
	if (!top->classes || !top->apps)
		return -ENOMEM;
	for (size_t i = 0; i < tasks->n_classes; i++)
		top->classes[i].class = tasks->classes[i];
	for (size_t i = 0; i < tasks->n_rows; i++) {
		const struct task_row used = used_since(&top->before.tasks, &tasks->rows[i]);

		task_row_add(&top->all, &used);
		task_row_add(&top->classes[used.class ? used.rank : tasks->n_classes], &used);
		top->apps[n++] = used;
	}
	qsort(top->apps, n, sizeof(*top->apps), compare_apps);
	for (size_t i = 0; i < n; i++) {
		if (top->n_apps && compare_apps(&top->apps[top->n_apps - 1], &top->apps[i]) == 0)
			task_row_add(&top->apps[top->n_apps - 1], &top->apps[i]);
		else
			top->apps[top->n_apps++] = top->apps[i];
	}
	qsort(top->apps, top->n_apps, sizeof(*top->apps), compare_use);
	top->ns = top->now.at_ns - top->before.at_ns;
	top->busy_ns = top->now.busy_ns - top->before.busy_ns;
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
	if (!row->class && !row->tasks)
		return;
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
	text_buf_printf(rows, row->app ? "%s\t%s" : "%s\t(%s)", row->class ? row->class : "-", row->app ? row->app : program);
	text_buf_printf(rows, "\t%s", shown(row));
	put_figures(top, rows, row);
	/* In the root there is none: nice values rank. */
	has_border = cpu_group_of(&top->cgroups, top->proc, row->tid, &group) == 0 && group.path[0] == '/';
	text_buf_printf(rows, "\t%s\n", has_border ? border_text(border, sizeof(border), &group) : "");
}

static char *frame_text(const struct top *top, size_t width)
{
	struct text_buf classes = { 0 }, apps = { 0 }, out = { 0 };

	text_buf_printf(&classes, "CLASS\t" FIGURES "\n");
	for (size_t i = 0; i < top->n_classes; i++)
		put_class(top, &classes, &top->classes[i]);
	text_buf_printf(&apps, "CLASS\tAPP\tSHOWN\t" FIGURES "\tRANKED BY\n");
	for (size_t i = 0; i < top->n_apps; i++)
		put_app(top, &apps, &top->apps[i]);
	text_buf_printf(&out, "%zu tasks in %.1f s: %.0f %% of %ld CPUs, with the kernel's own work and what has ended %.0f %%\n\n",
			top->all.tasks, (double)top->ns / 1e9, percent(top, top->all.run_ns), sysconf(_SC_NPROCESSORS_ONLN),
			percent(top, top->busy_ns));
	text_table_print(&classes, "lrrrrrr", width, &out);
	text_buf_put(&out, "\n", 1);
	text_table_print(&apps, "lllrrrrrrl", width, &out);
	return text_buf_take(&out);
}

/* Whole lines, from the first line of the terminal on, as many as there is room for. */
static void draw(char *text)
{
	struct winsize size = { .ws_row = 24 };
	char *end = text;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	for (unsigned line = 1; line < size.ws_row && *end; line++)
		end += strcspn(end, "\n") + 1;
	*end = '\0';
	printf("\033[H\033[J%s", text);
	fflush(stdout);
}

/* A frame after the other on a terminal, until Ctrl-C; elsewhere one. Returns an exit status. */
static int run(struct top *top)
{
	const bool is_screen = isatty(STDOUT_FILENO);
	const struct timespec second = { .tv_sec = 1 };

	if (look(top) < 0)
		return EXIT_FAILURE;
	do {
		_cleanup_free_ char *text = NULL;

		nanosleep(&second, NULL);
		if (look(top) < 0)
			return EXIT_FAILURE;
		if (add_up(top) == 0)
			text = frame_text(top, terminal_width());
		if (!text) {
			log_error("out of memory");
			return EXIT_FAILURE;
		}
		if (is_screen)
			draw(text);
		else
			fputs(text, stdout);
	} while (is_screen);
	return 0;
}

int cmd_top(const struct command *command __attribute__((unused)))
{
	struct top top = { .proc = procfs_open(), .cgroups = cpu_hierarchies_find(AT_FDCWD) };
	int status = EXIT_FAILURE;

	if (top.proc < 0)
		log_error("/proc: %s", strerror(-top.proc));
	else
		status = run(&top);
	tasks_clear(&top.before.tasks);
	tasks_clear(&top.now.tasks);
	free(top.classes);
	free(top.apps);
	if (top.proc >= 0)
		close(top.proc);
	return status;
}
