/* SPDX-License-Identifier: GPL-2.0-only */
#include "configuration.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/tagging/tagger.h>

/* What a task would be given. */
struct given_class {
	pid_t tid;
	const char *name; /* of the configuration; "": none */
	uint64_t period_ns;
};

struct given_classes {
	struct given_class *items;
	size_t count, size;
};

static int add(struct given_classes *list, const struct config *config,
	       const struct tagger_task *task)
{
	size_t n_tags;
	const struct tag *tags = rules_tags(config->rules, &n_tags);
	const struct tag *tag = task->tag < n_tags ? &tags[task->tag] : NULL;

	if (list->count == list->size) {
		size_t size = list->size ? list->size * 2 : 256;
		struct given_class *items = reallocarray(list->items, size, sizeof(*items));

		if (!items)
			return -ENOMEM;
		list->items = items;
		list->size = size;
	}
	list->items[list->count++] = (struct given_class){
		.tid = task->tid,
		.name = tag ? config->classes[tag->qos_class].name : "",
		.period_ns = tag ? tag->period_ns : 0,
	};
	return 0;
}

static int by_tid(const void *va, const void *vb)
{
	const struct given_class *a = va, *b = vb;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* The class of each task under a configuration. 0 or -errno. */
static int rehearse(const struct config *config, struct given_classes *ret)
{
	struct rehearsal *rehearsal;
	struct tagger_task task;
	uint32_t cursor = 0;
	int r = rehearsal_new(config, &rehearsal);

	if (r < 0)
		return r;
	rehearsal_scan(rehearsal);
	while (r == 0 && tagger_next_task(rehearsal_tagger(rehearsal), &cursor, &task))
		r = add(ret, config, &task);
	rehearsal_free(rehearsal);
	if (ret->count)
		qsort(ret->items, ret->count, sizeof(*ret->items), by_tid);
	return r;
}

/* Of tasks that were there both times. */
static size_t count_others(const struct given_classes *before, const struct given_classes *after)
{
	size_t count = 0;

	for (size_t a = 0, b = 0; a < before->count && b < after->count;) {
		const struct given_class *was = &before->items[a], *is = &after->items[b];

		a += was->tid <= is->tid;
		b += is->tid <= was->tid;
		if (was->tid == is->tid)
			count +=
				strcmp(was->name, is->name) != 0 || was->period_ns != is->period_ns;
	}
	return count;
}

/* How many of the tasks of this moment would change class; they are set nothing. 0 or -errno. */
static int count_changes(const struct config *before, const struct config *after, size_t *ret)
{
	struct given_classes old = { 0 }, new = { 0 };
	int r = rehearse(before, &old);

	if (r == 0)
		r = rehearse(after, &new);
	if (r == 0)
		*ret = count_others(&old, &new);
	free(old.items);
	free(new.items);
	return r;
}

static void put_side(FILE *out, char sign, const struct config_change *change, const char *text, const char *place)
{
	if (*text)
		fprintf(out, "%c %s %s: %s%s%s\n", sign, change->kind, change->name, text, *place ? "  # " : "", place);
}

static void put_change(void *context, const struct config_change *change)
{
	put_side(context, '-', change, change->before, *change->after ? "" : change->place);
	put_side(context, '+', change, change->after, change->place);
}

static void put_tasks(FILE *out, const struct config *before, const struct config *after)
{
	size_t count = 0;
	int r = count_changes(before, after, &count);

	if (r < 0)
		fprintf(out, "tasks: how many change class cannot be told (%s)\n", strerror(-r));
	else
		fprintf(out, "tasks: %zu of those that run change%s class\n", count,
			count == 1 ? "s" : "");
}

bool show_diff(FILE *out, const struct config *before, const struct config *after)
{
	struct config_diff diff;

	if (config_diff(before, after, put_change, out, &diff) < 0) {
		fprintf(out, "out of memory\n");
		return true;
	}
	if (!diff.added && !diff.removed && !diff.changed && !diff.others) {
		fprintf(out, "no difference\n");
		return false;
	}
	fprintf(out, "rules: %zu added, %zu removed, %zu changed; settings, classes and profiles: %zu changed\n", diff.added,
		diff.removed, diff.changed, diff.others);
	put_tasks(out, before, after);
	return true;
}
