/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives units their cpu weights and puts them back, for the weights service. */
#include "weighted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

#include "manager.h"

/* ---- the record ---- */

/*
 * The record is a folder with a symbolic link per unit, with the unit's name. It is created before the weight is set
 * and removed after it is put back. Both steps are atomic, so the record is complete after a kill at any moment. If a
 * unit does not have the weight in its link, that weight was never set, or somebody has changed it.
 */
struct kept_weight {
	uint64_t before, set; /* UINT64_MAX for none */
	int is_transient;     /* systemd forgets the unit, with all that was set on it, when it ends */
};

int weighted_open(struct weighted *weighted, bool is_user)
{
	const char *folder = is_user ? getenv("XDG_RUNTIME_DIR") : RUNDIR;
	int r = folder ? 0 : -ENXIO;

	*weighted = (struct weighted){ .is_user = is_user, .level = LOG_INFO, .record = -1, .lock = -1 };
	snprintf(weighted->path, sizeof(weighted->path), "%s/schedqos", folder ? folder : "");
	if (r >= 0)
		r = weighted->record = folder_open(weighted->path, 0755);
	/* Lock a file, not the folder: everybody can open, and so lock, root's folder. */
	if (r >= 0) {
		weighted->lock =
			openat(weighted->record, "weights.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (weighted->lock < 0 || flock(weighted->lock, LOCK_EX | LOCK_NB) < 0)
			r = -errno;
	}
	if (!folder)
		log_error("XDG_RUNTIME_DIR is not set: run this in the user's session");
	else if (r < 0)
		log_error("cannot open the record of cpu weights in %s: %s%s", weighted->path,
			  r == -EWOULDBLOCK ? "'schedqos weights' already runs" : strerror(-r),
			  r == -EACCES && !is_user ? ": run this as root, or with --user" : "");
	return r;
}

static bool find_kept(const struct weighted *weighted, const char *name, struct kept_weight *ret)
{
	char text[64];
	ssize_t n = readlinkat(weighted->record, name, text, sizeof(text) - 1);

	if (n < 0)
		return false;
	text[n] = '\0';
	return sscanf(text, "%" SCNu64 " %" SCNu64 " %d", &ret->before, &ret->set, &ret->is_transient) == 3;
}

bool weighted_has(const struct weighted *weighted, const char *name)
{
	struct kept_weight kept;

	return find_kept(weighted, name, &kept);
}

static int record_weight(struct weighted *weighted, const char *name, const struct kept_weight *kept)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 " %d", kept->before, kept->set, kept->is_transient);
	if (symlinkat(text, weighted->record, name) < 0)
		return -errno;
	weighted->count++;
	return 0;
}

/* Removes a link. A failure does no harm, because the unit no longer has the weight in the link. */
static int forget_weight(struct weighted *weighted, const char *name)
{
	int r = state_file_remove(weighted->record, name);

	if (r < 0)
		problem_report(&weighted->refused, "the record of cpu weights cannot be written: %s", strerror(-r));
	else
		weighted->count--;
	return 0;
}

/* ---- one unit ---- */

/*
 * Puts a weight back before the link is removed, so that a kill in between leaves nothing behind. Returns 0, or -errno
 * if the manager no longer answers.
 */
static int put_back(struct weighted *weighted, const char *name, const struct kept_weight *kept,
		    struct manager_unit *unit)
{
	if (unit->weight == kept->set) {
		int r = unit_set_weight(weighted->manager, name, kept->before);

		if (r < 0 && r != -ENOENT && r != -EACCES)
			return r;
		if (r < 0)
			log_warning("%s: its CPUWeight of %" PRIu64 " cannot be put back: %s", name, kept->set,
				    strerror(-r));
		else
			log_debug("%s: CPUWeight is put back", name);
		unit->weight = kept->before;
	} else if (unit->weight != kept->before) {
		log_info("%s: somebody has changed its CPUWeight, which is not put back", name);
	}
	return forget_weight(weighted, name);
}

/*
 * Returns whether the file comes with systemd, or was made at run time, as by us. Our own weight has been put back by
 * now.
 */
static bool is_shipped(const char *path)
{
	static const char *const shipped[] = { "/usr/lib/systemd/user/", "/lib/systemd/user/", "/run/user/" };

	for (size_t i = 0; i < array_size(shipped); i++) {
		if (strncmp(path, shipped[i], strlen(shipped[i])) == 0)
			return true;
	}
	return !*path;
}

/*
 * Returns whether somebody has chosen the unit's weight. In a user's manager, systemd's own files give slices 100, the
 * value they would have anyway.
 */
static bool has_chosen_weight(const struct weighted *weighted, const struct manager_unit *unit)
{
	bool is_chosen = !is_shipped(unit->fragment);

	if (!weighted->is_user || unit->weight != WEIGHT_USUAL)
		return unit->weight != WEIGHT_UNSET;
	for (char **at = unit->drop_ins; at && *at; at++)
		is_chosen |= !is_shipped(*at);
	return is_chosen;
}

/* Returns whether nobody has chosen the unit's share, and a weight would make no new border. */
static bool may_set(struct weighted *weighted, const struct manager_unit *unit)
{
	const bool is_chosen = has_chosen_weight(weighted, unit);

	if (is_chosen || unit->other) {
		log_write(weighted->level, "%s: keeps the %s that somebody has chosen", unit->id,
			  is_chosen ? "CPUWeight" : unit->other);
		return false;
	}
	if (unit_has_border(unit))
		return true;
	log_write(
		weighted->has_told_border ? LOG_DEBUG : LOG_INFO,
		"%s: gets no CPUWeight, because that would enable the cpu controller for everything in %s; the same goes for other units where that controller is off",
		unit->id, unit->slice);
	weighted->has_told_border = true;
	return false;
}

static int set_weight(struct weighted *weighted, const char *name, const struct manager_unit *unit, unsigned weight)
{
	const struct kept_weight kept = { unit->weight, weight, unit->is_transient };
	int r = record_weight(weighted, name, &kept);

	if (r < 0) {
		problem_report(&weighted->refused, "%s: gets no CPUWeight, because that cannot be recorded: %s", name,
			       strerror(-r));
		return 0;
	}
	r = unit_set_weight(weighted->manager, name, weight);
	if (r == 0)
		log_debug("%s: CPUWeight is %u", name, weight);
	if (r != -ENOENT && r != -EACCES)
		return r;
	problem_report(&weighted->refused, "%s: the service manager refuses a CPUWeight: %s", name, strerror(-r));
	return forget_weight(weighted, name);
}

/*
 * Gives or puts back the weight of one unit. With load, loads the unit if needed, and removes its record if it cannot
 * be loaded.
 */
static int adjust_unit(struct weighted *weighted, const char *name, unsigned weight, bool load)
{
	_cleanup_(unit_clear) struct manager_unit unit = { 0 };
	struct kept_weight kept;
	bool is_kept = find_kept(weighted, name, &kept);
	int r;

	if (!weight && !is_kept)
		return 0;
	r = weighted->manager ? 0 : manager_open(weighted->is_user, &weighted->manager);
	if (r < 0)
		return r;
	r = unit_read(weighted->manager, name, load, &unit);
	if (r >= 0)
		r = unit_read_share(weighted->manager, &unit);
	if (r == -ENOENT)
		return is_kept && (load || kept.is_transient) ? forget_weight(weighted, name) : 0;
	if (r >= 0 && is_kept && (unit.weight != kept.set || kept.set != weight)) {
		r = put_back(weighted, name, &kept, &unit);
		is_kept = false;
	}
	if (r < 0 || is_kept || !weight || !may_set(weighted, &unit))
		return r;
	return set_weight(weighted, name, &unit, weight);
}

int weighted_give(struct weighted *weighted, const char *name, unsigned weight)
{
	return adjust_unit(weighted, name, weight, false);
}

/* ---- all of them ---- */

int weighted_again(struct weighted *weighted, weight_of_unit *weight_of, const void *context)
{
	struct dirent **entries;
	int n = scandirat(weighted->record, ".", &entries, NULL, alphasort), r = n < 0 ? -errno : 0;

	weighted->count = 0;
	for (int i = 0; i < n; i++) {
		if (r >= 0 && entries[i]->d_type == DT_LNK) {
			weighted->count++;
			r = adjust_unit(weighted, entries[i]->d_name, weight_of(context, entries[i]->d_name), true);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return r;
}

static unsigned no_weight(const void *context, const char *name)
{
	(void)context;
	(void)name;
	return 0;
}

int weighted_put_back(struct weighted *weighted)
{
	int r = weighted_again(weighted, no_weight, NULL);

	if (r < 0)
		log_error("cannot put back cpu weights, which stay on record in %s: %s", weighted->path, strerror(-r));
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

void weighted_close(struct weighted *weighted)
{
	problem_summary(&weighted->refused);
	sd_bus_flush_close_unref(weighted->manager);
	cleanup_close(&weighted->record);
	cleanup_close(&weighted->lock);
}
