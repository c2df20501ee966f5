/* SPDX-License-Identifier: GPL-2.0-only */
/* KWin, by a script that we load into it, and that calls us on the session's bus. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "json.h"
#include "source.h"

#define KWIN	  "org.kde.KWin"
#define SILENT_US (10 * 1000000ULL)

/*
 * In KWin, whose scripts alone learn of processes: calls us with all windows, as [[pid, is focused, is visible], ...], at
 * each change. It knows the names of Plasma 5.27 and of 6.
 */
static const char script[] =
	"const is6 = workspace.windowList !== undefined;\n"
	"\n"
	"function isHere(window) {\n"
	"	if (window.minimized || window.hidden)\n"
	"		return false;\n"
	"	const activities = window.activities || [];\n"
	"	if (activities.length && activities.indexOf(workspace.currentActivity) < 0)\n"
	"		return false;\n"
	"	if (window.onAllDesktops)\n"
	"		return true;\n"
	"	if (!is6)\n"
	"		return window.desktop === workspace.currentDesktop;\n"
	"	return window.desktops.some(desktop => desktop.id === workspace.currentDesktop.id);\n"
	"}\n"
	"\n"
	"function tell(gone) {\n"
	"	const active = is6 ? workspace.activeWindow : workspace.activeClient;\n"
	"	const all = is6 ? workspace.windowList() : workspace.clientList();\n"
	"	const told = [];\n"
	"	for (let i = 0; i < all.length; i++) {\n"
	"		const window = all[i];\n"
	"		if (window !== gone && !window.specialWindow)\n"
	"			told.push([window.pid, window === active, isHere(window)]);\n"
	"	}\n"
	"	callDBus(schedqos, '/org/schedqos/Focus', 'org.schedqos.Focus1', 'Windows', JSON.stringify(told));\n"
	"}\n"
	"\n"
	"function tellAll() {\n"
	"	tell(null);\n"
	"}\n"
	"\n"
	"function follow(window) {\n"
	"	window.minimizedChanged.connect(tellAll);\n"
	"	const moved = window.desktopsChanged || window.desktopChanged;\n"
	"	if (moved)\n"
	"		moved.connect(tellAll);\n"
	"}\n"
	"\n"
	"function add(window) {\n"
	"	follow(window);\n"
	"	tellAll();\n"
	"}\n"
	"\n"
	"(is6 ? workspace.windowList() : workspace.clientList()).forEach(follow);\n"
	"(is6 ? workspace.windowAdded : workspace.clientAdded).connect(add);\n"
	"(is6 ? workspace.windowRemoved : workspace.clientRemoved).connect(tell);\n"
	"(is6 ? workspace.windowActivated : workspace.clientActivated).connect(tellAll);\n"
	"workspace.currentDesktopChanged.connect(tellAll);\n"
	"workspace.currentActivityChanged.connect(tellAll);\n"
	"tellAll();\n";

struct kwin {
	struct focus *focus;
	char name[32];	 /* of the script */
	char path[256];	 /* of its file; "" as soon as it has been read */
	char *owner;	 /* KWin's own name on the bus */
	sd_bus_slot *slot;
	sd_event_source *silent;
};

int kwin_read_windows(struct shown *shown, const char *text)
{
	_cleanup_json_ cJSON *list = cJSON_Parse(text);
	const cJSON *window;

	if (!cJSON_IsArray(list))
		return -EBADMSG;
	shown_no_windows(shown);
	cJSON_ArrayForEach(window, list)
		shown_put_window(shown, (pid_t)json_number(cJSON_GetArrayItem(window, 0), INT32_MAX),
				 cJSON_IsTrue(cJSON_GetArrayItem(window, 1)), cJSON_IsTrue(cJSON_GetArrayItem(window, 2)));
	return 0;
}

static void remove_file(struct kwin *kwin)
{
	if (*kwin->path)
		unlink(kwin->path);
	*kwin->path = '\0';
}

static int on_windows(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct kwin *kwin = userdata;
	const char *text;
	int r;

	if (strcmp(sd_bus_message_get_sender(message), kwin->owner) != 0)
		return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "only KWin knows the windows");
	remove_file(kwin);
	kwin->silent = sd_event_source_disable_unref(kwin->silent);
	r = sd_bus_message_read(message, "s", &text);
	if (r >= 0)
		r = kwin_read_windows(&kwin->focus->shown, text);
	if (r < 0)
		return r;
	focus_changed(kwin->focus);
	return sd_bus_reply_method_return(message, "");
}

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_ARGS("Windows", SD_BUS_ARGS("s", windows), SD_BUS_NO_RESULT, on_windows, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

static int on_silent(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	(void)userdata;
	log_warning("KWin has taken our script, which says nothing: its log may say why");
	return 0;
}

static int write_script(struct kwin *kwin)
{
	const char *folder = getenv("XDG_RUNTIME_DIR"), *name;
	FILE *file;
	int r = sd_bus_get_unique_name(kwin->focus->user_bus, &name);

	if (r < 0)
		return r;
	if (!folder || (size_t)snprintf(kwin->path, sizeof(kwin->path), "%s/%s.js", folder, kwin->name) >= sizeof(kwin->path)) {
		*kwin->path = '\0';
		return -ENOENT;
	}
	file = fopen(kwin->path, "we");
	if (!file)
		return -errno;
	fprintf(file, "const schedqos = '%s';\n%s", name, script);
	return fclose(file) == 0 ? 0 : -EIO;
}

static int call(struct kwin *kwin, const char *method, sd_bus_error *error, sd_bus_message **ret, const char *types,
		const char *first, const char *second)
{
	return sd_bus_call_method(kwin->focus->user_bus, KWIN, "/Scripting", "org.kde.kwin.Scripting", method, error, ret,
				  types, first, second);
}

/*
 * One of ours that was killed may have left its own. Runs all that do not run yet: the number that
 * KWin gives a script may be another's as well.
 */
static int load_script(struct kwin *kwin, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int number = -1, r;

	call(kwin, "unloadScript", NULL, NULL, "s", kwin->name, NULL);
	r = call(kwin, "loadScript", error, &reply, "ss", kwin->path, kwin->name);
	if (r >= 0)
		r = sd_bus_message_read(reply, "i", &number);
	if (r >= 0 && number < 0)
		r = sd_bus_error_set(error, SD_BUS_ERROR_FAILED, "it has one of this name");
	return r < 0 ? r : call(kwin, "start", error, NULL, NULL, NULL, NULL);
}

static void kwin_close(void *source)
{
	struct kwin *kwin = source;

	if (kwin->owner)
		call(kwin, "unloadScript", NULL, NULL, "s", kwin->name, NULL);
	remove_file(kwin);
	sd_event_source_disable_unref(kwin->silent);
	sd_bus_slot_unref(kwin->slot);
	free(kwin->owner);
	free(kwin);
}

/* The answer may come before anything else is done. */
static int start(struct kwin *kwin, sd_bus_error *error)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	struct focus *focus = kwin->focus;
	const char *owner;
	int r = sd_bus_get_name_creds(focus->user_bus, KWIN, SD_BUS_CREDS_UNIQUE_NAME, &creds);

	if (r >= 0)
		r = sd_bus_creds_get_unique_name(creds, &owner);
	if (r < 0)
		return r;
	kwin->owner = strdup(owner);
	if (!kwin->owner)
		return -ENOMEM;
	r = sd_bus_add_object_vtable(focus->user_bus, &kwin->slot, "/org/schedqos/Focus", "org.schedqos.Focus1", vtable, kwin);
	if (r >= 0)
		r = write_script(kwin);
	if (r >= 0)
		r = load_script(kwin, error);
	return r < 0 ? r : focus_call_in(focus, &kwin->silent, SILENT_US, on_silent, kwin);
}

static int kwin_open(const struct focus_source *source, struct focus *focus, void **ret, char *why, size_t size)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	struct kwin *kwin;
	int r;

	(void)source;
	focus->shown.compositor = focus_owner(focus, KWIN, why, size);
	if (!focus->shown.compositor)
		return -ENOENT;
	kwin = calloc(1, sizeof(*kwin));
	if (!kwin)
		return -ENOMEM;
	kwin->focus = focus;
	/* Several may print. */
	snprintf(kwin->name, sizeof(kwin->name), "schedqos-focus-%d", focus->is_service ? 0 : (int)getpid());
	r = start(kwin, &error);
	if (r < 0) {
		const char *message = error.message ? error.message : strerror(-r);

		snprintf(why, size, "it does not take our script: ");
		text_escape_to(why + strlen(why), size - strlen(why), message, strlen(message));
		kwin_close(kwin);
		return r;
	}
	*ret = kwin;
	return 0;
}

const struct focus_source source_kwin = { .name = "KWin", .bus_name = KWIN, .open = kwin_open, .close = kwin_close };
