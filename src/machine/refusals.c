/* SPDX-License-Identifier: GPL-2.0-only */
#include "profile_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

/* Returns a hint for errors that strerror does not explain here, or "". */
static const char *hint(enum knob_tree tree, int error)
{
	switch (-error) {
	case EPERM:
		return tree == KNOB_DEBUGFS ? " (kernel lockdown, or no CAP_SYS_ADMIN to mount it)" : "";
	case ENOENT:
	case ENODEV:
		if (tree == KNOB_DEBUGFS)
			return " (this kernel has no such knob there)";
		return tree == KNOB_CPUFREQ ? " (this machine has no frequency scaling)" : "";
	case EACCES:
	case EROFS:
		return " (closed to the service: a drop-in with ReadWritePaths opens it, see schedqos(8))";
	case EINVAL:
		return " (the kernel takes no such value)";
	default:
		return "";
	}
}

/* Returns the part of a line after the name of the CPU or disk: "/scaling_governor: reason". */
static const char *ending(const char *line, enum knob_tree tree)
{
	const char *unit = line + strlen(knobs_folder(tree)) + 1;

	return tree == KNOB_CPUFREQ || tree == KNOB_BLOCK ? unit + strcspn(unit, "/") : line;
}

void refusals_add(struct knobs_names *lines, const struct item *item, int error, const char *wanted, const char *now)
{
	_cleanup_free_ char *reason = NULL, *line = NULL, *safe = NULL;
	const char *last = lines->count ? lines->items[lines->count - 1] : NULL, *folder = knobs_folder(item->tree);

	if (asprintf(&reason, error ? "%s%s" : "accepted %s, but holds %s", error ? strerror(-error) : wanted,
		     error ? hint(item->tree, error) : now) < 0)
		reason = NULL;
	if (!reason || asprintf(&line, "%s/%s: %s", folder, item->path, reason) < 0)
		line = NULL;
	safe = line ? text_escape(line, strlen(line)) : NULL;
	if (safe && !(last && strncmp(last, folder, strlen(folder)) == 0 &&
		      strcmp(ending(last, item->tree), ending(safe, item->tree)) == 0))
		knobs_names_add(lines, take_ptr(safe));
}
