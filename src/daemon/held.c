/* SPDX-License-Identifier: GPL-2.0-only */
#include "held.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "daemon_private.h"

struct held_override {
	struct daemon *daemon;
	uint16_t number;
	sd_bus *holder;	      /* compared only, except where it is told of the end; NULL: nobody */
	char *name;	      /* for whom the bridge holds it, or NULL */
	sd_event_source *end; /* of the process, or the cgroup */
};

static const struct override *override_of(const struct held_override *held)
{
	return tagger_get_override(held->daemon->tagger, held->number);
}

static void free_one(struct held_override *held)
{
	sd_event_source_disable_unref(held->end);
	free(held->name);
	free(held);
}

static void end_nth(struct daemon *daemon, size_t n)
{
	struct held_override *held = daemon->held.all[n];

	daemon->held.all[n] = daemon->held.all[--daemon->held.count];
	tagger_end_override(daemon->tagger, held->number);
	free_one(held);
}

/* For another reason than its holder's wish. */
static void end_and_tell(struct daemon *daemon, size_t n)
{
	const struct held_override *held = daemon->held.all[n];
	const struct override *override = override_of(held);

	if (held->holder && !held->name)
		sd_bus_emit_signal(held->holder, BUS_PATH, BUS_OVERRIDES_INTERFACE, "Ended", "su",
				   override->cgroup ? override->cgroup : "", (uint32_t)override->pid);
	end_nth(daemon, n);
}

static void target_ended(struct held_override *held)
{
	struct daemon *daemon = held->daemon;

	for (size_t i = 0; i < daemon->held.count; i++) {
		if (daemon->held.all[i] == held) {
			end_and_tell(daemon, i);
			return;
		}
	}
}

static int on_process_ended(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source;
	(void)fd;
	(void)revents;
	target_ended(userdata);
	return 0;
}

/* Something is gone from the folder that it is in. */
static int on_cgroup_removed(sd_event_source *source, const struct inotify_event *event, void *userdata)
{
	struct held_override *held = userdata;

	(void)source;
	if ((event->mask & (IN_IGNORED | IN_UNMOUNT | IN_Q_OVERFLOW)) ||
	    strcmp(event->name, strrchr(override_of(held)->cgroup, '/') + 1) == 0)
		target_ended(held);
	return 0;
}

/* The kernel tells of a cgroup's removal only those who watch the one around it (tried with 6.18). */
static int watch_cgroup(struct held_override *held, const char *cgroup)
{
	char folder[PATH_MAX], *last;
	int r = host_cgroup_folder(cgroup, folder, sizeof(folder));

	if (r < 0)
		return r == -ENOENT ? -ENOTDIR : r;
	/* The root stays. */
	if (!cgroup[1])
		return 0;
	last = strrchr(folder, '/');
	*last = '\0';
	r = sd_event_add_inotify(held->daemon->event, &held->end, folder, IN_DELETE | IN_ONLYDIR, on_cgroup_removed,
				 held);
	*last = '/';
	/* It may have gone meanwhile. */
	return r < 0 ? r : access(folder, F_OK) == 0 ? 0 : -ENOTDIR;
}

static bool has_ended(int pidfd)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };

	return poll(&end, 1, 0) != 0;
}

/* The descriptor comes first: if the process lives after its start and owner were read, they were its. */
static int watch_target(struct held_override *held, struct override *override)
{
	_cleanup_close_ int fd = (int)syscall(SYS_pidfd_open, override->pid, 0);
	const int proc = held->daemon->proc;
	struct procfs_stat stat;
	uid_t owner = 0;
	int r;

	/* For a thread it is EINVAL, and on later kernels ENOENT. */
	if (fd < 0)
		return errno == EINVAL || errno == ENOENT ? -ESRCH : -errno;
	r = procfs_stat(proc, override->pid, &stat);
	if (r == 0 && override->uid)
		r = procfs_owner(proc, override->pid, &owner);
	if (r == 0 && has_ended(fd))
		r = -ESRCH;
	if (r == 0 && owner != override->uid)
		r = -EPERM;
	if (r < 0)
		return r;
	override->start = stat.start;
	r = sd_event_add_io(held->daemon->event, &held->end, fd, EPOLLIN, on_process_ended, held);
	if (r < 0)
		return r;
	sd_event_source_set_io_fd_own(held->end, true);
	take_fd(fd);
	return 0;
}

static bool is_like(const struct override *override, const struct override *other)
{
	if (override->kind != other->kind || !override->cgroup != !other->cgroup)
		return false;
	return override->cgroup ? strcmp(override->cgroup, other->cgroup) == 0 : override->pid == other->pid;
}

static bool is_held_by(const struct held_override *held, struct holder holder)
{
	return held->holder == holder.bus &&
	       (!holder.name || (held->name && strcmp(held->name, holder.name) == 0));
}

static bool has_room(struct held *held)
{
	size_t size = held->size ? held->size * 2 : 16;
	struct held_override **all;

	if (held->count < held->size)
		return true;
	all = reallocarray(held->all, size, sizeof(struct held_override *));
	if (!all)
		return false;
	held->all = all;
	held->size = size;
	return true;
}

static bool is_focused(const struct override *override)
{
	return override->kind == OVERRIDE_SHOWN && override->shown == SHOWN_FOCUSED;
}

static bool is_visible(const struct override *override)
{
	return override->kind == OVERRIDE_SHOWN && override->shown == SHOWN_VISIBLE;
}

/* Whether users may not ask for that, too: besides what it takes the place of. What is visible takes no room of other things. */
static bool users_have_too_many(const struct daemon *daemon, const struct override *asked)
{
	size_t all = 0, own = 0, focused = 0;

	for (size_t i = 0; i < daemon->held.count; i++) {
		const struct override *override = override_of(daemon->held.all[i]);
		const bool is_own = override->uid == asked->uid;

		if (!override->uid || (is_own && is_like(override, asked)))
			continue;
		all++;
		own += is_own && is_visible(override) == is_visible(asked);
		focused += is_own && is_focused(override);
	}
	return all >= HELD_BY_USERS_MAX || own >= HELD_BY_USER_MAX || (is_focused(asked) && focused >= HELD_FOCUSED_MAX);
}

static bool has_too_many(const struct daemon *daemon, struct holder holder, const struct override *override)
{
	size_t count = 0;

	if (override->uid)
		return users_have_too_many(daemon, override);
	for (size_t i = 0; i < daemon->held.count; i++)
		count += daemon->held.all[i]->holder == holder.bus && !override_of(daemon->held.all[i])->uid;
	return count >= (holder.bus ? HELD_MAX : HELD_BY_NOBODY_MAX);
}

static int put_in_force(struct held_override *held, struct override override)
{
	int r = override.cgroup ? watch_cgroup(held, override.cgroup) : watch_target(held, &override);

	return r < 0 ? r : tagger_override(held->daemon->tagger, &override, &held->number);
}

/* Of the same user it does not matter who holds it: what is asked for last counts. */
static bool takes_place_of(const struct held_override *held, const struct held_override *other)
{
	const struct override *override = override_of(held);

	return override->uid == override_of(other)->uid && is_like(override, override_of(other)) &&
	       (override->uid || held->holder == other->holder);
}

static bool lacks_class(const struct daemon *daemon, const struct override *override)
{
	return override->kind != OVERRIDE_SHOWN &&
	       !qos_class_find(daemon->config->classes, daemon->config->n_classes, override->qos);
}

int held_put(struct daemon *daemon, struct holder holder, const struct override *override)
{
	struct held_override *held;
	size_t before = daemon->held.count;
	int r;

	if (lacks_class(daemon, override))
		return -ENOENT;
	/* What is only visible is as it would be anyway, unless an app that has started it is hidden. */
	if (has_too_many(daemon, holder, override)) {
		if (is_visible(override))
			held_end(daemon, override);
		return is_visible(override) ? 0 : -EDQUOT;
	}
	held = has_room(&daemon->held) ? calloc(1, sizeof(*held)) : NULL;
	if (!held)
		return -ENOMEM;
	held->daemon = daemon;
	held->holder = holder.bus;
	held->name = holder.name ? strdup(holder.name) : NULL;
	r = holder.name && !held->name ? -ENOMEM : put_in_force(held, *override);
	if (r < 0) {
		free_one(held);
		return r;
	}
	daemon->held.all[daemon->held.count++] = held;
	while (before-- > 0) {
		if (takes_place_of(held, daemon->held.all[before]))
			end_nth(daemon, before);
	}
	return 0;
}

size_t held_end(struct daemon *daemon, const struct override *like)
{
	size_t ended = 0;

	for (size_t i = daemon->held.count; i-- > 0;) {
		const struct override *override = override_of(daemon->held.all[i]);

		if (is_like(override, like) && (!like->uid || like->uid == override->uid)) {
			end_and_tell(daemon, i);
			ended++;
		}
	}
	return ended;
}

void held_drop(struct daemon *daemon, struct holder holder)
{
	for (size_t i = daemon->held.count; i-- > 0;) {
		if (is_held_by(daemon->held.all[i], holder))
			end_nth(daemon, i);
	}
}

void held_reloaded(struct daemon *daemon)
{
	size_t ended = 0;

	for (size_t i = daemon->held.count; i-- > 0;) {
		if (!lacks_class(daemon, override_of(daemon->held.all[i])))
			continue;
		end_and_tell(daemon, i);
		ended++;
	}
	if (ended)
		log_warning("%zu override%s ended, since the configuration has their class no more", ended,
			    ended == 1 ? "" : "s");
}

void held_free(struct daemon *daemon)
{
	for (size_t i = 0; i < daemon->held.count; i++)
		free_one(daemon->held.all[i]);
	free(daemon->held.all);
	daemon->held = (struct held){ 0 };
}

size_t held_shown(const struct daemon *daemon, enum shown shown)
{
	size_t count = 0;

	for (size_t i = 0; i < daemon->held.count; i++) {
		const struct override *override = override_of(daemon->held.all[i]);

		count += override->kind == OVERRIDE_SHOWN && override->shown == shown;
	}
	return count;
}
