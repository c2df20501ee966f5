/* SPDX-License-Identifier: GPL-2.0-only */
/* Shows what tasks use and how long they wait, by class and by rule or program, including tasks that have ended. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "explain.h"
#include "tasks.h"
#include "text_table.h"
#include "use.h"
#include "verb.h"

/* The difference between two answers. */
struct frame {
	const cJSON *answer; /* the later one */
	uint64_t us, busy_us, lost;
	long cpus;
	struct use_lines apps, classes;
	struct use_line all;
};

static int compare_use(const void *a, const void *b)
{
	const struct use_line *first = a, *second = b;
	int order = COMPARE(second->cpu_us, first->cpu_us);

	if (!order)
		order = COMPARE(second->living + second->ended, first->living + first->ended);
	return order ? order : task_text_compare(first->name, second->name);
}

/* Returns false if out of memory. */
static bool make_frame(const struct use_answer *before, const struct use_answer *now, struct frame *ret)
{
	*ret = (struct frame){
		.answer = now->json,
		.us = member_count(now->json, "at_usec") - member_count(before->json, "at_usec"),
		.busy_us = member_count(now->json, "busy_usec") - member_count(before->json, "busy_usec"),
		.lost = member_count(now->json, "lost") - member_count(before->json, "lost"),
		.cpus = sysconf(_SC_NPROCESSORS_ONLN),
		.apps = use_between(before, now),
	};
	if (!ret->us)
		ret->us = 1;
	for (size_t i = 0; i < ret->apps.count; i++) {
		ret->all.cpu_us += ret->apps.lines[i].cpu_us;
		ret->all.living += ret->apps.lines[i].living;
		ret->all.ended += ret->apps.lines[i].ended;
	}
	ret->classes = use_by_class(&ret->apps);
	if (ret->apps.count)
		qsort(ret->apps.lines, ret->apps.count, sizeof(*ret->apps.lines), compare_use);
	return ret->apps.lines && ret->classes.lines;
}

static double percent(const struct frame *frame, uint64_t us)
{
	return (double)us * 100 / (double)frame->us;
}

/*
 * Returns the wait per second of running. Uses the larger of two measures of CPU time: the scheduler's misses most of
 * the time of short programs, the ticks' that of programs that rarely run.
 */
static double wait_ms(const struct use_line *line)
{
	const uint64_t run_us = line->run_us > line->cpu_us ? line->run_us : line->cpu_us;

	return run_us ? (double)line->delay_us * 1e3 / (double)run_us : 0;
}

/* ---- the table ---- */

#define BAR 20

static const char *label(const struct use_line *line, char *buf, size_t size)
{
	if (line->name && strcmp(line->kind, "rule") == 0)
		snprintf(buf, size, "%s", line->name);
	else
		snprintf(buf, size, "(%s)",
			 line->name			     ? line->name :
			 strcmp(line->kind, "kernel") == 0 ? "kernel threads" :
			 strcmp(line->kind, "lost") == 0   ? "ended, unknown" :
							     "other programs");
	return buf;
}

/* Appends the figures of a line. A full bar stands for all CPUs; a step is drawn from half a step on. */
static void put_figures(const struct frame *frame, struct text_buf *rows, const struct use_line *line)
{
	const double share = percent(frame, line->cpu_us) / (100.0 * (double)frame->cpus);
	const int length = share < 1 ? (int)(share * BAR + 0.5) : BAR;

	text_buf_printf(rows, "\t%" PRIu64 "\t%.1f\t%.*s", line->living + line->ended, percent(frame, line->cpu_us),
			length, "||||||||||||||||||||");
	if (member_flag(frame->answer, "delays"))
		text_buf_printf(rows, "\t%.1f ms/s", wait_ms(line));
	if (member_flag(frame->answer, "longest") && line->longest_us)
		text_buf_printf(rows, "\t%.1f ms", (double)line->longest_us / 1e3);
	else if (member_flag(frame->answer, "longest"))
		text_buf_printf(rows, "\t-");
	text_buf_put(rows, "\n", 1);
}

static void put_heads(const struct frame *frame, struct text_buf *rows, const char *first)
{
	text_buf_printf(rows, "%s\tTASKS\tCPU%%\t", first);
	if (member_flag(frame->answer, "delays"))
		text_buf_printf(rows, "\tWAIT");
	if (member_flag(frame->answer, "longest"))
		text_buf_printf(rows, "\tLONGEST");
	text_buf_put(rows, "\n", 1);
}

/* Says what the figures lack. */
static void put_notes(const struct frame *frame, struct text_buf *out)
{
	if (!member_flag(frame->answer, "taskstats"))
		text_buf_printf(out, "Ended tasks are missing (%s): CPU time is that of living tasks only.\n",
				member_text(frame->answer, "taskstats_error"));
	if (frame->lost)
		text_buf_printf(out, "The kernel dropped records of ended tasks (%" PRIu64 " x): see (ended, unknown).\n",
				frame->lost);
	if (!member_flag(frame->answer, "delays"))
		text_buf_printf(out, "This kernel does not count waits (CONFIG_TASK_DELAY_ACCT).\n");
}

static char *frame_text(const struct frame *frame, bool on_terminal)
{
	struct text_buf classes = { 0 }, apps = { 0 }, out = { 0 };
	char name[512];

	put_heads(frame, &classes, "CLASS");
	for (size_t i = 0; i < frame->classes.count; i++) {
		text_buf_printf(&classes, "%s", frame->classes.lines[i].class ? frame->classes.lines[i].class : "-");
		put_figures(frame, &classes, &frame->classes.lines[i]);
	}
	put_heads(frame, &apps, "CLASS\tRULE OR PROGRAM");
	for (size_t i = 0; i < frame->apps.count; i++) {
		const struct use_line *line = &frame->apps.lines[i];

		text_buf_printf(&apps, "%s\t%s", line->class ? line->class : "-", label(line, name, sizeof(name)));
		put_figures(frame, &apps, line);
	}
	text_buf_printf(&out, "%.1f s: %.0f %% of %ld CPUs, by %" PRIu64 " living tasks and %" PRIu64 " that ended\n",
			(double)frame->us / 1e6, percent(frame, frame->all.cpu_us), frame->cpus, frame->all.living,
			frame->all.ended);
	put_notes(frame, &out);
	text_buf_put(&out, "\n", 1);
	text_table_print(&classes, "lrrlrr", on_terminal, &out);
	text_buf_put(&out, "\n", 1);
	text_table_print(&apps, "llrrlrr", on_terminal, &out);
	return text_buf_take(&out);
}

/* ---- JSON ---- */

/* Adds the cgroup whose weight ranks the app's tasks before their nice values do; nothing for the root. */
static void put_border(cJSON *to, const struct use_line *line, int proc, const struct cpu_hierarchies *cgroups)
{
	char border[PATH_MAX + 64];
	struct cpu_group group;

	if (line->living && cpu_group_of(cgroups, proc, line->example, &group) == 0 && group.path[0])
		cJSON_AddStringToObject(to, "ranked_by", border_text(border, sizeof(border), &group));
}

static cJSON *line_json(const struct frame *frame, const struct use_line *line, cJSON *to)
{
	cJSON *json = cJSON_CreateObject();

	cJSON_AddItemToArray(to, json);
	if (line->class)
		cJSON_AddStringToObject(json, "class", line->class);
	else
		cJSON_AddNullToObject(json, "class");
	cJSON_AddNumberToObject(json, "tasks", (double)line->living);
	cJSON_AddNumberToObject(json, "ended", (double)line->ended);
	cJSON_AddNumberToObject(json, "cpu_percent", percent(frame, line->cpu_us));
	cJSON_AddNumberToObject(json, "cpu_seconds", (double)line->cpu_us / 1e6);
	cJSON_AddNumberToObject(json, "ending_seconds", (double)line->ending_us / 1e6);
	cJSON_AddNumberToObject(json, "run_seconds", (double)line->run_us / 1e6);
	if (member_flag(frame->answer, "delays")) {
		cJSON_AddNumberToObject(json, "delay_seconds", (double)line->delay_us / 1e6);
		cJSON_AddNumberToObject(json, "delay_ms_per_second", wait_ms(line));
		cJSON_AddNumberToObject(json, "waits", (double)line->waits);
	}
	if (member_flag(frame->answer, "longest") && line->longest_us)
		cJSON_AddNumberToObject(json, "longest_wait_ms", (double)line->longest_us / 1e3);
	else if (member_flag(frame->answer, "longest"))
		cJSON_AddNullToObject(json, "longest_wait_ms");
	return json;
}

static char *frame_json(const struct frame *frame)
{
	_cleanup_(cJSON_Deletep) cJSON *json = cJSON_CreateObject();
	const struct cpu_hierarchies cgroups = cpu_hierarchies_find(AT_FDCWD);
	_cleanup_close_ int proc = procfs_open();
	cJSON *classes, *apps;

	cJSON_AddNumberToObject(json, "seconds", (double)frame->us / 1e6);
	cJSON_AddNumberToObject(json, "cpus", (double)frame->cpus);
	cJSON_AddNumberToObject(json, "cpu_percent", percent(frame, frame->all.cpu_us));
	cJSON_AddNumberToObject(json, "cpu_seconds", (double)frame->all.cpu_us / 1e6);
	cJSON_AddNumberToObject(json, "busy_seconds", (double)frame->busy_us / 1e6);
	cJSON_AddNumberToObject(json, "tasks", (double)frame->all.living);
	cJSON_AddNumberToObject(json, "ended", (double)frame->all.ended);
	cJSON_AddNumberToObject(json, "lost", (double)frame->lost);
	cJSON_AddBoolToObject(json, "taskstats", member_flag(frame->answer, "taskstats"));
	cJSON_AddBoolToObject(json, "delays", member_flag(frame->answer, "delays"));
	cJSON_AddBoolToObject(json, "task_delayacct", member_flag(frame->answer, "task_delayacct"));
	classes = cJSON_AddArrayToObject(json, "classes");
	for (size_t i = 0; i < frame->classes.count; i++)
		line_json(frame, &frame->classes.lines[i], classes);
	apps = cJSON_AddArrayToObject(json, "apps");
	for (size_t i = 0; i < frame->apps.count; i++) {
		const struct use_line *line = &frame->apps.lines[i];
		cJSON *app = line_json(frame, line, apps);

		cJSON_AddStringToObject(app, "kind", line->kind);
		if (line->name)
			cJSON_AddStringToObject(app, "name", line->name);
		cJSON_AddStringToObject(app, "visibility", line->visibility);
		put_border(app, line, proc, &cgroups);
	}
	return cJSON_Print(json);
}

/* ---- frames ---- */

/* Cuts the text to the lines that fit on the screen. */
static void cut_to_screen(char *text)
{
	struct winsize size = { 0 };
	unsigned rows;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	/* A serial line does not report its size. */
	rows = size.ws_row ? size.ws_row : 24;
	for (unsigned line = 1; line < rows && *text; line++)
		text += strcspn(text, "\n") + 1;
	*text = '\0';
}

/* Prints the difference of two answers. Returns false on failure. */
static bool show_frame(const struct use_answer *before, const struct use_answer *now, bool as_json, bool is_once)
{
	_cleanup_free_ char *text = NULL;
	struct frame frame;

	if (make_frame(before, now, &frame))
		text = as_json ? frame_json(&frame) : frame_text(&frame, isatty(STDOUT_FILENO));
	free(frame.apps.lines);
	free(frame.classes.lines);
	if (!text)
		return false;
	if (as_json)
		return puts(text) >= 0;
	if (!is_once)
		cut_to_screen(text);
	return text_table_show(is_once ? "" : "\033[H\033[J", text);
}

static int run_top(unsigned seconds, bool as_json, bool is_once)
{
	struct use_answer before = { 0 };
	int status = use_ask(&before);
	bool is_shown = true;

	while (!status && is_shown) {
		const struct timespec period = { .tv_sec = seconds };
		struct use_answer now = { 0 };

		nanosleep(&period, NULL);
		status = use_ask(&now);
		if (!status)
			is_shown = show_frame(&before, &now, as_json, is_once);
		use_clear(&before);
		before = now;
		if (is_once)
			break;
	}
	use_clear(&before);
	return status ? status : is_shown ? 0 : EXIT_FAILURE;
}

#define SECONDS_MAX 86400

int cmd_top(const struct command *command)
{
	const char *text = command->values[OPTION_SECONDS];
	const bool as_json = option_given(command, OPTION_JSON);
	uint64_t seconds = 1;

	if (text && (parse_u64(text, strlen(text), SECONDS_MAX, &seconds) < 0 || !seconds))
		return usage_error(command->verb, "--seconds takes a number between 1 and %d", SECONDS_MAX);
	return run_top((unsigned)seconds, as_json,
		       as_json || option_given(command, OPTION_ONCE) || !text_table_is_screen());
}
