/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mutter, GNOME's compositor: on the cgroup of each of the user's units that has windows it keeps,
 * as an xattr, since when these have not had the focus; -1: one has it, or had it when Mutter
 * crashed. Which are minimised it does not say, so here nothing is ever hidden.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>

#include "process.h"
#include "source.h"

#define MUTTER "org.gnome.Mutter.DisplayConfig"
#define XATTR  "user.xdg.inactive-since"

struct mutter {
	struct focus *focus;
	char apps[256]; /* the slice of apps; slices in it have units as well */
	int fd;		/* of inotify, for all of them */
	sd_event_source *changes;
};

/* ---- what is focused ---- */

/* One of the processes in the cgroup, or 0. */
static pid_t first_process(const char *cgroup)
{
	char path[1024];
	FILE *file;
	int pid = 0;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &pid) == 1 && !process_is_app(pid))
		pid = 0;
	if (file)
		fclose(file);
	return pid;
}

static bool says_focused(const char *cgroup)
{
	char value[32];
	const ssize_t n = getxattr(cgroup, XATTR, value, sizeof(value));

	return n == 2 && memcmp(value, "-1", 2) == 0;
}

static bool is_slice(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && strcmp(dot, ".slice") == 0;
}

/*
 * Puts a process of each unit that has the focus, and watches the folder and those of slices in it:
 * that changes nothing where it has been done. 0 or -errno.
 */
static int scan(struct mutter *mutter, const char *path)
{
	const int watched = inotify_add_watch(mutter->fd, path, IN_ATTRIB | IN_CREATE | IN_DELETE | IN_ONLYDIR);
	_cleanup_closedir_ DIR *dir = watched < 0 ? NULL : opendir(path);
	const struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		_cleanup_free_ char *child = NULL;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' || asprintf(&child, "%s/%s", path, entry->d_name) < 0)
			continue;
		if (is_slice(entry->d_name))
			scan(mutter, child);
		else if (says_focused(child))
			shown_put_window(&mutter->focus->shown, first_process(child), true, true);
	}
	return 0;
}

static int look(struct mutter *mutter)
{
	shown_no_windows(&mutter->focus->shown);
	focus_changed(mutter->focus);
	return scan(mutter, mutter->apps);
}

static int on_change(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	char events[4096];

	(void)source;
	(void)revents;
	while (read(fd, events, sizeof(events)) > 0)
		;
	look(userdata);
	return 0;
}

/* ---- life ---- */

static void mutter_close(void *source)
{
	struct mutter *mutter = source;

	sd_event_source_disable_unref(mutter->changes);
	if (mutter->fd >= 0)
		close(mutter->fd);
	free(mutter);
}

/* Another process of its unit stands for it. */
static void mutter_ended(void *source)
{
	look(source);
}

/* 0 or -errno. */
static int start(struct mutter *mutter)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	const unsigned uid = getuid();
	int r = -ENOENT;

	for (size_t i = 0; i < array_size(mounts) && r < 0; i++) {
		snprintf(mutter->apps, sizeof(mutter->apps), "%s/user.slice/user-%u.slice/user@%u.service/app.slice", mounts[i],
			 uid, uid);
		r = look(mutter);
	}
	return r < 0 ? r : sd_event_add_io(mutter->focus->event, &mutter->changes, mutter->fd, EPOLLIN, on_change, mutter);
}

static int mutter_open(const struct focus_source *source, struct focus *focus, void **ret, char *why, size_t size)
{
	struct mutter *mutter;
	int r;

	(void)source;
	if (!focus_owner(focus, MUTTER, why, size))
		return -ENOENT;
	if (!getenv("WAYLAND_DISPLAY") && getenv("DISPLAY")) {
		snprintf(why, size, "$WAYLAND_DISPLAY is not set: the X server knows more");
		return -ENOENT;
	}
	mutter = calloc(1, sizeof(*mutter));
	if (!mutter)
		return -ENOMEM;
	*mutter = (struct mutter){ .focus = focus, .fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC) };
	r = start(mutter);
	if (r < 0) {
		snprintf(why, size, "apps are not in cgroups of their own: there is no app.slice of user %u",
			 (unsigned)getuid());
		mutter_close(mutter);
		return r;
	}
	*ret = mutter;
	return 0;
}

const struct focus_source source_mutter = {
	.name = "Mutter", .bus_name = MUTTER, .open = mutter_open, .close = mutter_close, .ended = mutter_ended
};
