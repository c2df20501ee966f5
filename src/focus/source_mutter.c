/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mutter, GNOME's compositor: on the cgroup of each of the user's units that has windows it keeps, as an xattr, since when
 * these have not had the focus; -1: one has it. Which are minimised it does not say, so here nothing is ever hidden.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/xattr.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "process.h"
#include "source.h"

#define MUTTER "org.gnome.Mutter.DisplayConfig"
#define XATTR  "user.xdg.inactive-since"

/* A slice, whose units are in it; slices in it are folders of their own. */
struct folder {
	struct mutter *mutter;
	struct folder *next;
	char *path;
	sd_event_source *source;
};

struct mutter {
	struct focus *focus;
	struct folder *folders;
	char *focused; /* the cgroup; NULL: none, or several say so from before */
	pid_t pid;     /* one of its processes, which stands for it */
};

static int watch(struct mutter *mutter, const char *path, unsigned *found);

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

static void tell(struct mutter *mutter)
{
	struct shown *shown = &mutter->focus->shown;

	mutter->pid = mutter->focused ? first_process(mutter->focused) : 0;
	shown_no_windows(shown);
	shown_put_window(shown, mutter->pid, true, true);
	focus_changed(mutter->focus);
}

/* Takes the path, or NULL. */
static void set_focused(struct mutter *mutter, char *path)
{
	free(mutter->focused);
	mutter->focused = path;
	tell(mutter);
}

static bool says_focused(const char *cgroup)
{
	char value[32];
	const ssize_t n = getxattr(cgroup, XATTR, value, sizeof(value));

	return n == 2 && memcmp(value, "-1", 2) == 0;
}

/* Who has it now is the one that says so last: whatever was left behind by a crash says so, too. */
static void consider(struct mutter *mutter, const char *cgroup)
{
	const bool was_focused = mutter->focused && strcmp(mutter->focused, cgroup) == 0;
	const bool is_focused = says_focused(cgroup);

	if (is_focused && !was_focused)
		set_focused(mutter, strdup(cgroup));
	else if (!is_focused && was_focused)
		set_focused(mutter, NULL);
}

/* ---- folders ---- */

static bool is_slice(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && strcmp(dot, ".slice") == 0;
}

static void remove_folder(struct folder *folder)
{
	for (struct folder **link = &folder->mutter->folders; *link; link = &(*link)->next) {
		if (*link == folder) {
			*link = folder->next;
			break;
		}
	}
	sd_event_source_disable_unref(folder->source);
	free(folder->path);
	free(folder);
}

/* Those that say so are counted in *found; the last of them is considered to have the focus. */
static int scan(struct mutter *mutter, const char *path, unsigned *found)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	const struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		_cleanup_free_ char *child = NULL;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' || asprintf(&child, "%s/%s", path, entry->d_name) < 0)
			continue;
		if (is_slice(entry->d_name))
			watch(mutter, child, found);
		*found += says_focused(child);
		consider(mutter, child);
	}
	return 0;
}

static void scan_all(struct mutter *mutter, const char *path)
{
	unsigned found = 0;

	while (mutter->folders)
		remove_folder(mutter->folders);
	watch(mutter, path, &found);
	if (found <= 1)
		return;
	log_debug("%u units say that they have the focus: waiting until one says so anew", found);
	set_focused(mutter, NULL);
}

static int on_change(sd_event_source *source, const struct inotify_event *event, void *userdata)
{
	struct folder *folder = userdata;
	struct mutter *mutter = folder->mutter;
	_cleanup_free_ char *child = NULL;
	unsigned found = 0;

	(void)source;
	if (event->mask & IN_IGNORED) {
		remove_folder(folder);
		return 0;
	}
	if (!event->len || asprintf(&child, "%s/%s", folder->path, event->name) < 0)
		return 0;
	if ((event->mask & IN_CREATE) && is_slice(event->name))
		watch(mutter, child, &found);
	consider(mutter, child);
	return 0;
}

/* It may have got units before it is watched. */
static int watch(struct mutter *mutter, const char *path, unsigned *found)
{
	struct folder *folder = calloc(1, sizeof(*folder));
	int r;

	if (!folder)
		return -ENOMEM;
	*folder = (struct folder){ .mutter = mutter, .next = mutter->folders, .path = strdup(path) };
	mutter->folders = folder;
	r = folder->path ? 0 : -ENOMEM;
	if (r >= 0)
		r = sd_event_add_inotify(mutter->focus->event, &folder->source, path,
					 IN_ATTRIB | IN_CREATE | IN_DELETE | IN_ONLYDIR, on_change, folder);
	if (r >= 0)
		r = scan(mutter, path, found);
	if (r < 0)
		remove_folder(folder);
	return r;
}

/* ---- life ---- */

static void mutter_close(void *source)
{
	struct mutter *mutter = source;

	while (mutter->folders)
		remove_folder(mutter->folders);
	free(mutter->focused);
	free(mutter);
}

static void mutter_ended(void *source, pid_t pid)
{
	struct mutter *mutter = source;

	if (pid == mutter->pid)
		tell(mutter);
}

static int mutter_open(const struct focus_source *source, struct focus *focus, void **ret, char *why, size_t size)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct mutter *mutter;
	char path[256];

	(void)source;
	if (!focus_owner(focus, MUTTER)) {
		snprintf(why, size, MUTTER " is not on the session's bus");
		return -ENOENT;
	}
	if (!getenv("WAYLAND_DISPLAY") && getenv("DISPLAY")) {
		snprintf(why, size, "$WAYLAND_DISPLAY is not set: the X server knows more");
		return -ENOENT;
	}
	mutter = calloc(1, sizeof(*mutter));
	if (!mutter)
		return -ENOMEM;
	mutter->focus = focus;
	for (size_t i = 0; i < array_size(mounts) && !mutter->folders; i++) {
		snprintf(path, sizeof(path), "%s/user.slice/user-%u.slice/user@%u.service/app.slice", mounts[i],
			 (unsigned)getuid(), (unsigned)getuid());
		scan_all(mutter, path);
	}
	if (!mutter->folders) {
		snprintf(why, size, "apps are not in cgroups of their own: there is no app.slice of user %u", (unsigned)getuid());
		mutter_close(mutter);
		return -ENOENT;
	}
	*ret = mutter;
	return 0;
}

const struct focus_source source_mutter = {
	.name = "Mutter", .bus_name = MUTTER, .open = mutter_open, .close = mutter_close, .ended = mutter_ended
};
