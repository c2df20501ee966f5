/* SPDX-License-Identifier: GPL-2.0-only */
/* Ends overrides: when their process or cgroup ends, when their holder disconnects, when another one replaces them. */
#include "daemon_private.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

/*
 * Maximum numbers: of one user's overrides, and as many again that only say that an app is visible; of a user's apps
 * with the focus; of the overrides of all users together. The last does not hold for a user at a seat, whom a crowd of
 * uids (subuid(5)) could lock out.
 */
#define BY_USER_MAX  64
#define FOCUSED_MAX  8
#define BY_USERS_MAX 4096

/*
 * ---- tests for tagger_end_overrides: each returns whether an override ends, and if so stops watching its target ----
 */

static bool unwatch(const struct override *override)
{
	/* Other overrides may share the source: the last of them frees it. */
	sd_event_source_unref(override->end);
	return true;
}

/* Ends the watch, and tells the holder that the override has ended: for an end that the holder has not asked for. */
static bool tell_and_unwatch(const struct override *override)
{
	const char *cgroup = override_cgroup(override);

	if (override->holder.bus && !override->holder.name)
		sd_bus_emit_signal(override->holder.bus, BUS_PATH, BUS_OVERRIDES_INTERFACE, "Ended", "su",
				   cgroup ? cgroup : "", (uint32_t) override->pid);
	return unwatch(override);
}

/* Finds the cgroup's folder. Returns 0, -ENOTDIR if there is no such cgroup, or another -errno. */
static int find_cgroup_folder(const char *cgroup, char ret[PATH_MAX])
{
	int r = host_cgroup_folder(cgroup, ret, PATH_MAX);

	return r == -ENOENT ? -ENOTDIR : r;
}

static bool has_ended(int pidfd)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };

	return poll(&end, 1, 0) > 0;
}

/* The process of an override has ended. */
struct process_end {
	const sd_event_source *source;
	uid_t uid; /* the override's user */
};

/*
 * Also ends the user's other overrides whose process has ended by now: after each round of ends, the processes of a
 * limit are looked for in all of /proc.
 */
static bool process_ends(const struct override *override, const void *context)
{
	const struct process_end *end = context;

	if (override->end != end->source && (override->uid != end->uid || override_cgroup(override) ||
					      !has_ended(sd_event_source_get_io_fd(override->end))))
		return false;
	return tell_and_unwatch(override);
}

/* An event of a watched folder, which contains cgroups with limits. */
struct removal {
	const sd_event_source *source;
	const char *name; /* name of the removed cgroup; NULL if events were lost, or the folder itself is gone */
};

/*
 * Compares names before it looks at any folder, because users may remove cgroups next to limited ones as often as they
 * like. Then checks that the folder is gone, because another cgroup may have taken the name.
 */
static bool cgroup_ends(const struct override *override, const void *context)
{
	const struct removal *removal = context;
	char folder[PATH_MAX];

	return override->end == removal->source &&
	       (!removal->name || strcmp(removal->name, strrchr(override_cgroup(override), '/') + 1) == 0) &&
	       find_cgroup_folder(override_cgroup(override), folder) == -ENOTDIR && tell_and_unwatch(override);
}

static bool has_same_target(const struct override *override, const struct override *other)
{
	const char *cgroup = override_cgroup(override), *others = override_cgroup(other);

	if (override->kind != other->kind || !cgroup != !others)
		return false;
	return cgroup ? strcmp(cgroup, others) == 0 : override->pid == other->pid;
}

/*
 * Returns whether one override may replace the other: they belong to the same user. Limits of root's must also have the
 * same client, since several may be in force, of which the lowest counts.
 */
static bool is_of_same(const struct override *override, const struct override *other)
{
	return override->uid == other->uid &&
	       (override->uid || override->kind == OVERRIDE_CLASS || override->holder.bus == other->holder.bus);
}

/* The latest request counts. */
static bool gives_way(const struct override *override, const void *asked)
{
	const struct override *newest = asked;

	if (override == newest || !is_of_same(override, newest) || !has_same_target(override, newest))
		return false;
	return override->holder.bus == newest->holder.bus ? unwatch(override) : tell_and_unwatch(override);
}

static bool is_ended_by(const struct override *override, const void *asked)
{
	const struct override *like = asked;

	return has_same_target(override, like) && (!like->uid || like->uid == override->uid) &&
	       tell_and_unwatch(override);
}

/* Returns whether `holder` is that client; if whom has a name, also that caller of the bridge. */
static bool is_held_by(const struct holder *holder, const struct holder *whom)
{
	return holder->bus == whom->bus && (!whom->name || (holder->name && strcmp(holder->name, whom->name) == 0));
}

static bool is_dropped(const struct override *override, const void *whom)
{
	return is_held_by(&override->holder, whom) && unwatch(override);
}

static bool lacks_class(const struct override *override, const void *in_force)
{
	const struct config *config = in_force;

	const char *class = override_class(override);

	return class && !qos_class_find(config->classes, config->n_classes, class) && tell_and_unwatch(override);
}

/* ---- watching for ends ---- */

static int on_process_ended(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct daemon *daemon = userdata;
	struct process_end end = { .source = source };
	const struct override *override;
	uint16_t number = 0;

	(void)fd;
	(void)revents;
	while ((override = overrides_next(tagger_overrides(daemon->tagger), &number))) {
		if (override->end == source)
			end.uid = override->uid;
	}
	tagger_end_overrides(daemon->tagger, process_ends, &end);
	return 0;
}

static int on_removal(sd_event_source *source, const struct inotify_event *event, void *userdata)
{
	const struct removal removal = { source, event->len ? event->name : NULL };
	struct daemon *daemon = userdata;

	tagger_end_overrides(daemon->tagger, cgroup_ends, &removal);
	return 0;
}

/* Returns the length of the path of the parent cgroup. */
static size_t length_around(const char *cgroup)
{
	return (size_t)(strrchr(cgroup, '/') - cgroup);
}

/* Returns a reference to the source by which another override already watches the parent's folder; NULL if none. */
static sd_event_source *share_watch(const struct daemon *daemon, const char *cgroup)
{
	const size_t length = length_around(cgroup);
	const struct override *override;
	uint16_t number = 0;

	while ((override = overrides_next(tagger_overrides(daemon->tagger), &number))) {
		const char *other = override_cgroup(override);

		if (other && override->end && length_around(other) == length && strncmp(other, cgroup, length) == 0)
			return sd_event_source_ref(override->end);
	}
	return NULL;
}

/* Watches the folder at a low priority, after the events of tasks: nothing else waits for a limit's end. */
static int watch_folder(struct daemon *daemon, const char *folder, sd_event_source **ret)
{
	int r = sd_event_add_inotify(daemon->event, ret, folder, IN_DELETE | IN_ONLYDIR, on_removal, daemon);

	return r < 0 ? r : sd_event_source_set_priority(*ret, SD_EVENT_PRIORITY_NORMAL + 2);
}

/*
 * Watches the parent of the cgroup, because the kernel reports a removal only there (tried with 6.18). Overrides in the
 * same folder share the watch, because each event wakes each source.
 */
static int watch_cgroup(struct daemon *daemon, struct override *override)
{
	char folder[PATH_MAX];
	sd_event_source *end = NULL;
	const char *cgroup = override_cgroup(override);
	int r = find_cgroup_folder(cgroup, folder);

	/* The root is never removed. */
	if (r < 0 || !cgroup[1])
		return r;
	end = share_watch(daemon, cgroup);
	if (!end) {
		*strrchr(folder, '/') = '\0';
		r = watch_folder(daemon, folder, &end);
	}
	override->end = end;
	/* The cgroup may have been removed before the watch began. */
	return r < 0 ? r : find_cgroup_folder(cgroup, folder);
}

/* Opens the descriptor first: if the process still lives after its start and owner were read, they are its own. */
static int watch_process(struct daemon *daemon, struct override *override)
{
	_cleanup_close_ int fd = (int)syscall(SYS_pidfd_open, override->pid, 0);
	struct procfs_stat stat;
	sd_event_source *end;
	struct procfs_status status = { 0 };
	int r;

	/* pidfd_open fails for a thread with EINVAL, on later kernels with ENOENT. */
	if (fd < 0)
		return errno == EINVAL || errno == ENOENT ? -ESRCH : -errno;
	r = procfs_stat(daemon->proc, override->pid, &stat);
	if (r == 0 && override->uid)
		r = procfs_status(daemon->proc, override->pid, &status, NULL);
	if (r == 0 && has_ended(fd))
		r = -ESRCH;
	if (r == 0 && status.owner != override->uid)
		r = -EPERM;
	if (r < 0)
		return r;
	override->start = stat.start;
	r = sd_event_add_io(daemon->event, &end, fd, EPOLLIN, on_process_ended, daemon);
	if (r < 0)
		return r;
	sd_event_source_set_io_fd_own(end, true);
	override->end = end;
	take_fd(fd);
	return 0;
}

static bool is_only_visible(const struct override *override)
{
	return override_shows(override, SHOWN_VISIBLE);
}

/*
 * Returns whether the user already has too many overrides, not counting those that the new one replaces. "visible" ones
 * count separately from all others. Root's are limited only by the range of their numbers.
 */
static bool has_too_many(const struct daemon *daemon, const struct override *asked)
{
	const struct overrides *overrides = tagger_overrides(daemon->tagger);
	size_t users = 0, own = 0, focused = 0;
	const struct override *override;
	uint16_t number = 0;

	while (asked->uid && (override = overrides_next(overrides, &number))) {
		const bool is_own = is_of_same(override, asked);

		if (is_own && has_same_target(override, asked))
			continue;
		users += override->uid != 0;
		own += is_own && is_only_visible(override) == is_only_visible(asked);
		focused += is_own && override_shows(override, SHOWN_FOCUSED);
	}
	return own >= BY_USER_MAX || (override_shows(asked, SHOWN_FOCUSED) && focused >= FOCUSED_MAX) ||
	       (users >= BY_USERS_MAX && !host_has_seat(asked->uid));
}

int held_put(struct daemon *daemon, struct override override, uint64_t *ret_lowered)
{
	uint16_t number = 0;
	int r;

	/*
	 * Without an override an app counts as visible anyway, unless a hidden app started it: ending the previous
	 * override is enough.
	 */
	if (has_too_many(daemon, &override)) {
		if (is_only_visible(&override))
			held_end(daemon, &override);
		return is_only_visible(&override) ? 0 : -EDQUOT;
	}
	r = override_cgroup(&override) ? watch_cgroup(daemon, &override) : watch_process(daemon, &override);
	if (r == 0)
		r = tagger_override(daemon->tagger, &override, &number, ret_lowered);
	if (r < 0) {
		unwatch(&override);
		return r;
	}
	tagger_end_overrides(daemon->tagger, gives_way, overrides_get(tagger_overrides(daemon->tagger), number));
	return 0;
}

size_t held_end(struct daemon *daemon, const struct override *like)
{
	return tagger_end_overrides(daemon->tagger, is_ended_by, like);
}

void held_drop(struct daemon *daemon, const struct holder *whom)
{
	const struct units *units = tagger_units(daemon->tagger);
	size_t i = 0;

	tagger_end_overrides(daemon->tagger, is_dropped, whom);
	while (i < units->count) {
		const struct unit_class *unit = &units->all[i].is;

		if (is_held_by(&unit->holder, whom) && tagger_set_units(daemon->tagger, unit->uid, NULL, 0) == 0)
			i = 0;
		else
			i++;
	}
}

void held_reloaded(struct daemon *daemon)
{
	const size_t ended = tagger_end_overrides(daemon->tagger, lacks_class, daemon->config);

	if (ended)
		log_warning("%zu override%s ended, because the configuration no longer has their class", ended,
			    ended == 1 ? "" : "s");
}

void held_leave(struct daemon *daemon)
{
	const struct override *override;
	uint16_t number = 0;

	while ((override = overrides_next(tagger_overrides(daemon->tagger), &number)))
		unwatch(override);
}
