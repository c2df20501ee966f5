/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks the daemon what tasks use, for top, and subtracts two answers. */
#include "use.h"

#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "tasks.h"
#include "verb.h"

static size_t class_rank(const cJSON *classes, const char *name)
{
	const cJSON *class;
	size_t rank = 0;

	cJSON_ArrayForEach (class, classes) {
		if (name && strcmp(class->valuestring ? class->valuestring : "", name) == 0)
			break;
		rank++;
	}
	return name ? rank : SIZE_MAX;
}

static struct use_line line_of(const cJSON *row, const cJSON *classes)
{
	const char *class = cJSON_GetStringValue(member(row, "class")), *rule = cJSON_GetStringValue(member(row, "rule"));

	return (struct use_line){
		.class = class,
		.kind = member_text(row, "kind"),
		.name = rule ? rule : cJSON_GetStringValue(member(row, "program")),
		.visibility = member_text(row, "visibility"),
		.rank = class_rank(classes, class),
		.example = (pid_t)member_count(row, "example"),
		.living = member_count(row, "tasks"),
		.ended = member_count(row, "ended"),
		.cpu_us = member_count(row, "cpu_usec"),
		.ending_us = member_count(row, "ending_usec"),
		.run_us = member_count(row, "run_usec"),
		.delay_us = member_count(row, "delay_usec"),
		.waits = member_count(row, "waits"),
		.longest_us = member_count(row, "longest_usec"),
	};
}

static int compare_apps(const void *a, const void *b)
{
	const struct use_line *first = a, *second = b;
	int order = COMPARE(first->rank, second->rank);

	/* Classes that a reload has removed share a rank. */
	if (!order)
		order = task_text_compare(first->class, second->class);
	if (!order)
		order = strcmp(first->kind, second->kind);
	if (!order)
		order = task_text_compare(first->name, second->name);
	return order ? order : strcmp(first->visibility, second->visibility);
}

static void add_line(struct use_line *line, const struct use_line *other)
{
	line->living += other->living;
	line->ended += other->ended;
	line->cpu_us += other->cpu_us;
	line->ending_us += other->ending_us;
	line->run_us += other->run_us;
	line->delay_us += other->delay_us;
	line->waits += other->waits;
	if (other->longest_us > line->longest_us)
		line->longest_us = other->longest_us;
	if (other->living)
		line->example = other->example;
}

/*
 * Sorts the lines and merges equal ones. After a reload there may be two for the same app, with the old rule and the
 * new.
 */
static void merge(struct use_lines *lines, int (*compare)(const void *a, const void *b))
{
	size_t n = 0;

	if (lines->count)
		qsort(lines->lines, lines->count, sizeof(*lines->lines), compare);
	for (size_t i = 0; i < lines->count; i++) {
		if (n && compare(&lines->lines[n - 1], &lines->lines[i]) == 0)
			add_line(&lines->lines[n - 1], &lines->lines[i]);
		else
			lines->lines[n++] = lines->lines[i];
	}
	lines->count = n;
}

int use_ask(struct use_answer *ret)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const cJSON *rows, *row, *classes;
	const char *text = "";
	int status = client_call(BUS_OVERRIDES_INTERFACE, "ListUse", &reply, "");

	if (status)
		return status;
	sd_bus_message_read(reply, "s", &text);
	ret->json = client_json(text);
	rows = member(ret->json, "rows");
	classes = member(ret->json, "classes");
	ret->apps.lines = calloc((size_t)cJSON_GetArraySize(rows) + 1, sizeof(*ret->apps.lines));
	if (!ret->json || !ret->apps.lines) {
		log_error(ret->json ? "out of memory" : "the daemon's answer is not valid JSON");
		use_clear(ret);
		return EXIT_FAILURE;
	}
	cJSON_ArrayForEach (row, rows)
		ret->apps.lines[ret->apps.count++] = line_of(row, classes);
	merge(&ret->apps, compare_apps);
	return 0;
}

void use_clear(struct use_answer *answer)
{
	cJSON_Delete(answer->json);
	free(answer->apps.lines);
	*answer = (struct use_answer){ 0 };
}

/* Returns the difference. If the sum has shrunk, counting has begun anew, and all of it is new. */
static uint64_t since(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now;
}

struct use_lines use_between(const struct use_answer *before, const struct use_answer *now)
{
	struct use_lines lines = { calloc(now->apps.count + 1, sizeof(*lines.lines)), 0 };

	for (size_t i = 0; lines.lines && i < now->apps.count; i++) {
		struct use_line line = now->apps.lines[i];
		const struct use_line *then = NULL;

		if (before->apps.count)
			then = bsearch(&line, before->apps.lines, before->apps.count, sizeof(line), compare_apps);
		if (then) {
			line.ended = since(line.ended, then->ended);
			line.cpu_us = since(line.cpu_us, then->cpu_us);
			line.ending_us = since(line.ending_us, then->ending_us);
			line.run_us = since(line.run_us, then->run_us);
			line.delay_us = since(line.delay_us, then->delay_us);
			line.waits = since(line.waits, then->waits);
		}
		if (line.living || line.ended || line.cpu_us)
			lines.lines[lines.count++] = line;
	}
	return lines;
}

static int compare_classes(const void *a, const void *b)
{
	const struct use_line *first = a, *second = b;
	int order = COMPARE(first->rank, second->rank);

	return order ? order : task_text_compare(first->class, second->class);
}

struct use_lines use_by_class(const struct use_lines *apps)
{
	struct use_lines classes = { calloc(apps->count + 1, sizeof(*classes.lines)), apps->count };

	if (!classes.lines)
		return (struct use_lines){ 0 };
	memcpy(classes.lines, apps->lines, apps->count * sizeof(*classes.lines));
	merge(&classes, compare_classes);
	return classes;
}
