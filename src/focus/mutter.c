/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows Mutter, GNOME's compositor. On the cgroup of each of the user's units with windows, Mutter keeps an xattr
 * with the time since which these have not had the focus; -1 means that one has it, or had it when Mutter crashed.
 * Mutter does not report minimised windows, so here no app is ever hidden.
 */
#include "focus.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/xattr.h>

#define XATTR "user.xdg.inactive-since"

struct mutter {
	struct focus_source source; /* fd: inotify for all folders */
	char apps[256];		    /* the slice of apps, which also contains slices with units */
};

/* Returns one of the app processes in the cgroup, or 0. */
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

/*
 * Puts a process of each unit that has the focus, and watches the folder and the slices in it. Watching a folder again
 * changes nothing. Returns 0 or -errno.
 */
static int scan(struct mutter *mutter, const char *path)
{
	const int watched = inotify_add_watch(mutter->source.fd, path, IN_ATTRIB | IN_CREATE | IN_DELETE | IN_ONLYDIR);
	_cleanup_closedir_ DIR *dir = watched < 0 ? NULL : opendir(path);
	const struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		const char *suffix = strrchr(entry->d_name, '.');
		_cleanup_free_ char *child = NULL;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    asprintf(&child, "%s/%s", path, entry->d_name) < 0)
			continue;
		if (suffix && strcmp(suffix, ".slice") == 0)
			scan(mutter, child);
		else if (says_focused(child))
			shown_put_window(&mutter->source.focus->shown, first_process(child), true, true);
	}
	return 0;
}

/*
 * Looks at all units again; also after a process has ended, because then another process of its unit must represent it.
 */
static const char *mutter_take(void *held)
{
	struct mutter *mutter = held;
	char events[4096];

	while (read(mutter->source.fd, events, sizeof(events)) > 0)
		;
	shown_no_windows(&mutter->source.focus->shown);
	return scan(mutter, mutter->apps) < 0 ? "apps are not in cgroups of their own: this user has no app.slice"
					      : NULL;
}

static const char *mutter_open(void *held)
{
	struct mutter *mutter = held;
	const bool is_unified = access("/sys/fs/cgroup/cgroup.procs", F_OK) == 0;
	const unsigned uid = getuid();

	if (!getenv("WAYLAND_DISPLAY") && getenv("DISPLAY"))
		return "$WAYLAND_DISPLAY is not set: the X server reports all windows";
	snprintf(mutter->apps, sizeof(mutter->apps),
		 "/sys/fs/cgroup%s/user.slice/user-%u.slice/user@%u.service/app.slice", is_unified ? "" : "/unified",
		 uid, uid);
	mutter->source.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	return mutter->source.fd < 0 ? strerror(errno) : NULL;
}

const struct source_type mutter_type = { .name = "Mutter",
					 .subject = WINDOWS,
					 .bus_name = "org.gnome.Mutter.DisplayConfig",
					 .size = sizeof(struct mutter),
					 .open = mutter_open,
					 .take = mutter_take };
