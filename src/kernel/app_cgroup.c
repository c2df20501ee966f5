/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/app_cgroup.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Returns whether the name, of this length, begins with `begin` and ends with `end`. */
static bool is_named(const char *name, size_t length, const char *begin, const char *end)
{
	const size_t n = strlen(begin), tail = strlen(end);

	return length >= n + tail && strncmp(name, begin, n) == 0 && strncmp(name + length - tail, end, tail) == 0;
}

int app_cgroup(const char *cgroup)
{
	bool is_user = false, is_app = false;

	for (const char *name = cgroup, *end; *name == '/'; name = end) {
		const size_t length = strcspn(++name, "/");

		end = name + length;
		if (is_user &&
		    (is_named(name, length, "session", ".slice") || is_named(name, length, "init", ".scope")))
			return -ENOENT;
		if (is_app && (is_named(name, length, "", ".scope") || is_named(name, length, "", ".service")))
			return is_named(name, length, "dbus", ".service") && !memchr(name, '@', length)
				       ? 0
				       : (int)(end - cgroup);
		is_app |= is_user && is_named(name, length, "app", ".slice") && (name[3] == '.' || name[3] == '-');
		is_user |= is_named(name, length, "user@", ".service");
	}
	return 0;
}
