/* SPDX-License-Identifier: GPL-2.0-only */
#include "refusals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/kernel/knobs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

/* Of one reason: a machine may have hundreds of processors, each with the same knob. */
#define NAMES_MAX 4

struct refusal_group {
	enum knob_tree tree;
	char *reason;
	char *names; /* the first few */
	size_t count;
};

/* What an error means here, where strerror alone would not tell; or NULL. */
static const char *hint(enum knob_tree tree, int error)
{
	switch (-error) {
	case EPERM:
		return tree == KNOB_DEBUGFS ? "kernel lockdown, or no CAP_SYS_ADMIN to mount it"
					     : NULL;
	case ENOENT:
	case ENODEV:
		if (tree == KNOB_DEBUGFS)
			return "this kernel has no such knob there";
		return tree == KNOB_CPUFREQ ? "this machine has no frequency scaling" : NULL;
	case ELOOP:
		return "a symbolic link: none is followed";
	case ENOTDIR:
		return "a file, or a symbolic link: none is followed";
	case EACCES:
		return "not to be written, or not by the service: a drop-in with ReadWritePaths, see schedqos(8)";
	case EBUSY:
		return tree == KNOB_CPUFREQ ? "its processors are offline" : NULL;
	case EROFS:
		return "closed to the service: a drop-in with ReadWritePaths opens it, see schedqos(8); or a container";
	case EINVAL:
		return "the kernel takes no such value";
	case ENOSYS:
		return "this needs Linux 5.2";
	default:
		return NULL;
	}
}

static void add_name(struct refusal_group *group, const char *name)
{
	char *names;

	if (group->count++ >= NAMES_MAX)
		return;
	if (asprintf(&names, "%s%s%s", group->names ? group->names : "", group->names ? ", " : "",
		     name) < 0)
		return;
	free(group->names);
	group->names = names;
}

/* Takes ownership of reason, which is NULL if there was no memory for it. */
static void add(struct refusals *refusals, enum knob_tree tree, const char *name, char *reason)
{
	struct refusal_group *groups;

	for (size_t i = 0; reason && i < refusals->n_groups; i++) {
		struct refusal_group *group = &refusals->groups[i];

		if (group->tree == tree && strcmp(group->reason, reason) == 0) {
			add_name(group, name);
			free(reason);
			return;
		}
	}
	groups = reason ? reallocarray(refusals->groups, refusals->n_groups + 1, sizeof(*groups))
			: NULL;
	if (!groups) {
		free(reason);
		return;
	}
	refusals->groups = groups;
	groups[refusals->n_groups] = (struct refusal_group){ .tree = tree, .reason = reason };
	add_name(&groups[refusals->n_groups++], name);
}

void refusals_add(struct refusals *refusals, enum knob_tree tree, const char *name, int error)
{
	const char *more = hint(tree, error);
	char *reason;

	if (asprintf(&reason, "%s%s%s%s", strerror(-error), more ? " (" : "", more ? more : "",
		     more ? ")" : "") < 0)
		reason = NULL;
	add(refusals, tree, name, reason);
}

void refusals_add_mismatch(struct refusals *refusals, enum knob_tree tree, const char *name,
			   const char *wanted, const char *now)
{
	char *reason;

	if (asprintf(&reason, "accepted %s, but holds %s", wanted, now ? now : "nothing") < 0)
		reason = NULL;
	add(refusals, tree, name, reason);
}

/* "FOLDER/NAME: reason", "FOLDER: NAME, NAME and 7 more: reason"; safe for a terminal. */
static char *group_text(const struct refusal_group *group)
{
	_cleanup_free_ char *text = NULL;
	char more[32] = "";

	if (group->count > NAMES_MAX)
		snprintf(more, sizeof(more), " and %zu more", group->count - NAMES_MAX);
	if (asprintf(&text, "%s%s%s%s: %s", knobs_folder(group->tree),
		     group->count == 1 ? "/" : ": ", group->names ? group->names : "", more,
		     group->reason) < 0) {
		text = NULL;
		return NULL;
	}
	return text_escape(text, strlen(text));
}

static bool has_text(const struct refusals *refusals, const char *text)
{
	for (size_t i = 0; i < refusals->count; i++) {
		if (strcmp(refusals->items[i].text, text) == 0)
			return true;
	}
	return false;
}

void refusals_finish(struct refusals *refusals, const struct refusals *before)
{
	refusals->items = calloc(refusals->n_groups + 1, sizeof(*refusals->items));
	for (size_t i = 0; refusals->items && i < refusals->n_groups; i++) {
		char *text = group_text(&refusals->groups[i]);

		if (text)
			refusals->items[refusals->count++] =
				(struct refusal){ text, !has_text(before, text) };
	}
}

void refusals_append(struct refusals *refusals, struct refusals *more)
{
	struct refusal *items;

	for (size_t i = 0; i < refusals->count; i++)
		refusals->items[i].is_new = false;
	items = reallocarray(refusals->items, refusals->count + more->count + 1, sizeof(*items));
	if (!items)
		return;
	refusals->items = items;
	for (size_t i = 0; i < more->count; i++) {
		if (more->items[i].is_new)
			items[refusals->count++] = (struct refusal){ take_ptr(more->items[i].text), true };
	}
}

void refusals_clear(struct refusals *refusals)
{
	for (size_t i = 0; i < refusals->n_groups; i++) {
		free(refusals->groups[i].reason);
		free(refusals->groups[i].names);
	}
	for (size_t i = 0; i < refusals->count; i++)
		free(refusals->items[i].text);
	free(refusals->groups);
	free(refusals->items);
	*refusals = (struct refusals){ 0 };
}
