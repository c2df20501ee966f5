/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which part of a cgroup's path names the unit of a desktop app. */
#include <errno.h>

#include <schedqos/kernel/app_cgroup.h>

#include "test.h"

TEST(the_unit_of_an_app_is_found_in_the_path_of_its_cgroup)
{
	static const struct {
		const char *cgroup;
		int want; /* length */
	} cases[] = {
#define USER	       "/user.slice/user-7.slice/user@7.service"
#define IS(path, rest) { path rest, sizeof(path) - 1 }
		IS(USER "/app.slice/app-gnome-firefox-12.scope", ""),
		IS(USER "/app.slice/app-org.gnome.Terminal.slice/vte-spawn-1.scope", ""),
		IS(USER "/app.slice/snap.x.scope", "/inner/y.scope"),
		IS(USER "/app-graphical.slice/app-x.service", ""),
		IS(USER "/app.slice/dbus-:1.2-org.gnome.Nautilus@0.service", ""),
		{ USER "/app.slice/dbus.service", 0 },
		{ USER "/app.slice/dbus-broker.service", 0 },
		{ USER "/app.slice", 0 },
		{ USER "/application.slice/x.scope", 0 },
		{ USER "/background.slice/x.service", 0 },
		{ USER "/session.slice/plasma-kwin.service", -ENOENT },
		{ USER "/init.scope", -ENOENT },
		{ USER, 0 },
		{ "/user.slice/user-7.slice/session-2.scope", 0 },
		{ "/system.slice/app.slice/x.scope", 0 },
		{ "/session.slice/x.scope", 0 },
		{ "/", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(app_cgroup(cases[i].cgroup), cases[i].want);
}
