/* SPDX-License-Identifier: GPL-2.0-only */
#include "held.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/tagging/watch.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "daemon_private.h"

struct held_override {
	struct daemon *daemon;
	uint16_t number;
	enum override_kind kind;
	bool is_tree;
	sd_bus *holder; /* compared only, except where it is told of the end; NULL: nobody */
	uid_t uid;	/* the ordinary user who asked for it; 0: root */
	char *cgroup;	/* or NULL */
	pid_t pid;
	uint64_t start; /* of the process */
	sd_event_source *end; /* of the process, or the cgroup */
};

static void free_one(struct held_override *held)
{
	sd_event_source_disable_unref(held->end);
	free(held->cgroup);
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

	if (held->holder)
		sd_bus_emit_signal(held->holder, BUS_PATH, BUS_OVERRIDES_INTERFACE, "Ended", "su",
				   held->cgroup ? held->cgroup : "", (uint32_t)held->pid);
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
	    strcmp(event->name, strrchr(held->cgroup, '/') + 1) == 0)
		target_ended(held);
	return 0;
}

/* The kernel tells of a cgroup's removal only those who watch the one around it (tried with 6.18). */
static int watch_cgroup(struct held_override *held)
{
	char folder[PATH_MAX], *last;
	int r = host_cgroup_folder(held->cgroup, folder, sizeof(folder));

	if (r < 0)
		return r == -ENOENT ? -ENOTDIR : r;
	/* The root stays. */
	if (!held->cgroup[1])
		return 0;
	last = strrchr(folder, '/');
	*last = '\0';
	r = sd_event_add_inotify(held->daemon->event, &held->end, folder, IN_DELETE | IN_ONLYDIR, on_cgroup_removed,
				 held);
	*last = '/';
	/* It may have gone meanwhile. */
	return r < 0 ? r : access(folder, F_OK) == 0 ? 0 : -ENOTDIR;
}

/* The descriptor comes first: if the process lives after its start was read, that was its start. */
static int watch_target(struct held_override *held, uint64_t *ret_start)
{
	_cleanup_close_ int fd = (int)syscall(SYS_pidfd_open, held->pid, 0);
	struct procfs_stat stat;
	int r;

	/* For a thread it is EINVAL, and on later kernels ENOENT. */
	if (fd < 0)
		return errno == EINVAL || errno == ENOENT ? -ESRCH : -errno;
	watch_enter(held->pid);
	r = procfs_stat(held->daemon->proc, held->pid, &stat);
	watch_leave();
	if (r < 0)
		return r;
	*ret_start = stat.start;
	r = sd_event_add_io(held->daemon->event, &held->end, fd, EPOLLIN, on_process_ended, held);
	if (r < 0)
		return r;
	sd_event_source_set_io_fd_own(held->end, true);
	take_fd(fd);
	return 0;
}

static bool is_for(const struct held_override *held, enum override_kind kind, const struct held_target *target)
{
	if (held->kind != kind || !held->cgroup != !target->cgroup)
		return false;
	return target->cgroup ? strcmp(held->cgroup, target->cgroup) == 0 : held->pid == target->pid;
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

/* expected: when the process started, 0 if that is not known. */
static int put_in_force(struct held_override *held, uint64_t expected, const char *qos)
{
	const struct override override = {
		.kind = held->kind,
		.is_tree = held->is_tree,
		.cgroup = held->cgroup,
		.qos = qos,
		.uid = held->uid,
	};
	uint64_t start = 0;
	int r = held->cgroup ? watch_cgroup(held) : watch_target(held, &start);

	if (r == 0 && expected && start != expected)
		return -ESRCH;
	held->start = start;
	return r < 0 ? r : tagger_override(held->daemon->tagger, &override, held->pid, start, &held->number);
}

static bool is_same_holder(const struct held_override *a, const struct held_override *b)
{
	return a->holder == b->holder && a->uid == b->uid;
}

/* The same holder's for this target, or NULL. One that is handed on otherwise than it is to be now is ended. */
static struct held_override *find_own(struct daemon *daemon, const struct held_override *wanted,
				      const struct held_target *target)
{
	for (size_t i = 0; i < daemon->held.count; i++) {
		struct held_override *held = daemon->held.all[i];

		if (!is_same_holder(held, wanted) || !is_for(held, wanted->kind, target))
			continue;
		if (held->is_tree == wanted->is_tree)
			return held;
		end_nth(daemon, i--);
	}
	return NULL;
}

static bool are_too_many(const struct daemon *daemon, const struct held_override *wanted)
{
	size_t own = 0, users = 0;

	for (size_t i = 0; i < daemon->held.count; i++) {
		own += is_same_holder(daemon->held.all[i], wanted);
		users += daemon->held.all[i]->uid != 0;
	}
	if (wanted->uid)
		return own >= HELD_BY_USER_MAX || users >= HELD_BY_USERS_MAX;
	return own >= (wanted->holder ? HELD_MAX : HELD_BY_NOBODY_MAX);
}

/* wanted: what it is to be, without what it owns. */
static int put(struct daemon *daemon, const struct held_override *wanted, const struct held_target *target,
	       const char *qos)
{
	struct held_override *held;
	int r = -ENOMEM;

	if (!qos_class_find(daemon->config->classes, daemon->config->n_classes, qos))
		return -ENOENT;
	held = find_own(daemon, wanted, target);
	if (held)
		return tagger_change_override(daemon->tagger, held->number, qos);
	if (are_too_many(daemon, wanted))
		return -EDQUOT;
	held = has_room(&daemon->held) ? calloc(1, sizeof(*held)) : NULL;
	if (!held)
		return -ENOMEM;
	*held = *wanted;
	held->pid = target->cgroup ? 0 : target->pid;
	held->cgroup = target->cgroup ? strdup(target->cgroup) : NULL;
	if (held->cgroup || !target->cgroup)
		r = put_in_force(held, target->start, qos);
	if (r < 0)
		free_one(held);
	else
		daemon->held.all[daemon->held.count++] = held;
	return r;
}

int held_put(struct daemon *daemon, sd_bus *holder, enum override_kind kind, bool is_tree,
	     const struct held_target *target, const char *qos)
{
	const struct held_override wanted = { .daemon = daemon, .kind = kind, .is_tree = is_tree, .holder = holder };

	return put(daemon, &wanted, target, qos);
}

int held_put_for_user(struct daemon *daemon, uid_t uid, bool is_tree, const struct held_target *target, const char *qos)
{
	const struct held_override wanted = {
		.daemon = daemon, .kind = OVERRIDE_CLASS, .is_tree = is_tree, .uid = uid
	};

	return put(daemon, &wanted, target, qos);
}

size_t held_end_for_user(struct daemon *daemon, uid_t uid, const struct held_target *target)
{
	size_t ended = 0;

	for (size_t i = daemon->held.count; i-- > 0;) {
		const struct held_override *held = daemon->held.all[i];

		if (held->uid != uid || !is_for(held, OVERRIDE_CLASS, target))
			continue;
		end_nth(daemon, i);
		ended++;
	}
	return ended;
}

size_t held_end(struct daemon *daemon, enum override_kind kind, const struct held_target *target)
{
	size_t ended = 0;

	for (size_t i = daemon->held.count; i-- > 0;) {
		if (is_for(daemon->held.all[i], kind, target)) {
			end_and_tell(daemon, i);
			ended++;
		}
	}
	return ended;
}

void held_drop(struct daemon *daemon, const sd_bus *holder)
{
	for (size_t i = daemon->held.count; i-- > 0;) {
		if (daemon->held.all[i]->holder == holder)
			end_nth(daemon, i);
	}
}

void held_reloaded(struct daemon *daemon)
{
	const struct config *config = daemon->config;
	size_t ended = 0;

	for (size_t i = daemon->held.count; i-- > 0;) {
		const struct held_override *held = daemon->held.all[i];

		if (qos_class_find(config->classes, config->n_classes,
				   tagger_override_class(daemon->tagger, held->number)))
			continue;
		end_and_tell(daemon, i);
		ended++;
	}
	if (ended)
		log_warning("%zu override%s ended, since the configuration has their class no more", ended,
			    ended == 1 ? "" : "s");
}

size_t held_count(const struct daemon *daemon, const sd_bus *holder)
{
	size_t count = 0;

	for (size_t i = 0; i < daemon->held.count; i++)
		count += daemon->held.all[i]->holder == holder;
	return count;
}

void held_take_over(struct daemon *daemon, const struct daemon *before)
{
	size_t ended = 0;

	for (size_t i = 0; i < before->held.count; i++) {
		const struct held_override *held = before->held.all[i];
		const struct held_target target = { held->cgroup, held->pid, held->start };
		const struct held_override wanted = {
			.daemon = daemon, .kind = held->kind, .is_tree = held->is_tree, .uid = held->uid
		};
		const char *qos = tagger_override_class(before->tagger, held->number);

		ended += held->holder || put(daemon, &wanted, &target, qos) < 0;
	}
	if (ended)
		log_warning("%zu override%s ended with what held %s", ended, ended == 1 ? "" : "s",
			    ended == 1 ? "it" : "them");
}

void held_free(struct daemon *daemon)
{
	for (size_t i = 0; i < daemon->held.count; i++)
		free_one(daemon->held.all[i]);
	free(daemon->held.all);
	daemon->held = (struct held){ 0 };
}
