/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the difference between two configurations, and how many running tasks it affects. */
#include "configuration.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/tagging/tagger.h>
#include <schedqos/util/cleanup.h>

/* Returns whether the class or period of a task differs between the two configurations. */
static bool is_given_other(const struct config *before, const struct tagger_task *was, const struct config *after,
			   const struct tagger_task *is)
{
	const struct qos_class *old = class_of_tag(before, was->tag), *new = class_of_tag(after, is->tag);

	if (!old || !new)
		return old || new;
	return before->rules->tags[was->tag].period_ns != after->rules->tags[is->tag].period_ns ||
	       strcmp(old->name, new->name) != 0;
}

/* Counts the running tasks that would change class. Sets nothing. Returns 0 or -errno. */
static int count_changes(const struct config *before, const struct config *after, size_t *ret)
{
	_cleanup_(tagger_freep) struct tagger *old = NULL, *new = NULL;
	struct tagger_task was, is;
	uint32_t cursor = 0;
	int r = tagger_rehearse(before, &old);

	if (r == 0)
		r = tagger_rehearse(after, &new);
	if (r < 0)
		return r;
	while (tagger_next_task(old, &cursor, &was)) {
		if (tagger_find_task(new, was.tid, &is))
			*ret += is_given_other(before, &was, after, &is);
	}
	return 0;
}

static void put_side(char sign, const struct config_change *change, const char *text, const char *place)
{
	if (*text)
		printf("%c %s %s: %s%s%s\n", sign, change->kind, change->name, text, *place ? "  # " : "", place);
}

/* Prints a change. Removed items come from the daemon, which sends places only for rules; others have no file here. */
static void put_change(void *context __attribute__((unused)), const struct config_change *change)
{
	const bool is_known = !*change->after && strcmp(change->kind, "rule") == 0;

	put_side('-', change, change->before, is_known ? change->place : "");
	put_side('+', change, change->after, change->place);
}

void show_diff(const struct config *before, const struct config *after)
{
	struct config_diff diff;
	size_t count = 0;
	int r = config_diff(before, after, put_change, NULL, &diff);

	if (r == 0 && !diff.added && !diff.removed && !diff.changed && !diff.others) {
		printf("no difference\n");
		return;
	}
	if (r == 0) {
		printf("rules: %zu added, %zu removed, %zu changed; settings, classes and profiles: %zu changed\n",
		       diff.added, diff.removed, diff.changed, diff.others);
		r = count_changes(before, after, &count);
	}
	if (r < 0)
		printf("cannot tell how many tasks change class: %s\n", strerror(-r));
	else
		printf("tasks: %zu of the running ones change%s class\n", count, count == 1 ? "s" : "");
}
