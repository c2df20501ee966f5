/* SPDX-License-Identifier: GPL-2.0-only */
/* Follows KWin's windows, by a script that we load into KWin and that calls us on the session's bus. */
#include "focus.h"

#include <errno.h>
#include <string.h>

#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#define KWIN	  "org.kde.KWin"
#define SILENT_US (10 * 1000000ULL)

/*
 * The script. Only scripts in KWin learn the processes of windows. At each change it calls us with all windows, as
 * [[pid, is focused, is visible], ...]. It supports the names of Plasma 5.27 and of 6.
 */
static const char script[] =
	"const is6 = workspace.windowList !== undefined;\n"
	"\n"
	"function all() {\n"
	"	return is6 ? workspace.windowList() : workspace.clientList();\n"
	"}\n"
	"\n"
	"function isHere(window) {\n"
	"	const activities = window.activities || [], desktop = workspace.currentDesktop;\n"
	"	if (window.minimized || window.hidden)\n"
	"		return false;\n"
	"	if (activities.length && activities.indexOf(workspace.currentActivity) < 0)\n"
	"		return false;\n"
	"	if (!is6)\n"
	"		return window.onAllDesktops || window.desktop === desktop;\n"
	"	return window.onAllDesktops || window.desktops.some(one => one.id === desktop.id);\n"
	"}\n"
	"\n"
	"function tell(gone) {\n"
	"	const active = is6 ? workspace.activeWindow : workspace.activeClient;\n"
	"	const told = all().filter(window => window !== gone && !window.specialWindow)\n"
	"		.map(window => [window.pid, window === active, isHere(window)]);\n"
	"	callDBus(schedqos, '/org/schedqos/Focus', 'org.schedqos.Focus1', 'Windows', JSON.stringify(told));\n"
	"}\n"
	"\n"
	"function on(change) {\n"
	"	if (change)\n"
	"		change.connect(() => tell());\n"
	"}\n"
	"\n"
	"function follow(window) {\n"
	"	on(window.minimizedChanged);\n"
	"	on(window.desktopsChanged || window.desktopChanged);\n"
	"}\n"
	"\n"
	"all().forEach(follow);\n"
	"(is6 ? workspace.windowAdded : workspace.clientAdded).connect(window => { follow(window); tell(); });\n"
	"(is6 ? workspace.windowRemoved : workspace.clientRemoved).connect(tell);\n"
	"on(is6 ? workspace.windowActivated : workspace.clientActivated);\n"
	"on(workspace.currentDesktopChanged);\n"
	"on(workspace.currentActivityChanged);\n"
	"tell();\n";

struct kwin {
	struct focus_source source;
	char name[32];	/* name of the script */
	char path[256]; /* path of its file; "" once KWin has read it */
	sd_bus_slot *slot;
	sd_event_source *silent;
};

int kwin_read_windows(struct shown *shown, const char *text)
{
	_cleanup_(cJSON_Deletep) cJSON *list = cJSON_Parse(text);
	const cJSON *window;

	if (!cJSON_IsArray(list))
		return -EBADMSG;
	shown_no_windows(shown);
	cJSON_ArrayForEach(window, list)
		shown_put_window(shown, json_pid(cJSON_GetArrayItem(window, 0)),
				 cJSON_IsTrue(cJSON_GetArrayItem(window, 1)),
				 cJSON_IsTrue(cJSON_GetArrayItem(window, 2)));
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

	if (strcmp(sd_bus_message_get_sender(message), kwin->source.owner) != 0)
		return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "only KWin knows the windows");
	remove_file(kwin);
	kwin->silent = sd_event_source_disable_unref(kwin->silent);
	r = sd_bus_message_read(message, "s", &text);
	if (r >= 0)
		r = kwin_read_windows(&kwin->source.focus->shown, text);
	return r < 0 ? r : sd_bus_reply_method_return(message, "");
}

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_ARGS("Windows", SD_BUS_ARGS("s", windows), SD_BUS_NO_RESULT, on_windows,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

static int on_silent(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	(void)userdata;
	log_warning("KWin accepted our script, but the script reports nothing: see KWin's log");
	return 0;
}

/* Writes the script's file. Returns 0 or -errno. */
static int write_script(struct kwin *kwin)
{
	const char *folder = getenv("XDG_RUNTIME_DIR"), *name;
	FILE *file;
	int r = sd_bus_get_unique_name(kwin->source.focus->user_bus, &name);

	if (r < 0)
		return r;
	snprintf(kwin->path, sizeof(kwin->path), "%s/%s.js", folder ? folder : "", kwin->name);
	file = fopen(kwin->path, "we");
	if (!file)
		return -errno;
	fprintf(file, "const schedqos = '%s';\n%s", name, script);
	return fclose(file) == 0 ? 0 : -EIO;
}

static int call_kwin(struct kwin *kwin, const char *method, sd_bus_error *error, sd_bus_message **ret,
		     const char *types, const char *first, const char *second)
{
	return sd_bus_call_method(kwin->source.focus->user_bus, KWIN, "/Scripting", "org.kde.kwin.Scripting", method,
				  error, ret, types, first, second);
}

/*
 * Replaces the script that a killed run may have left. Then starts all scripts that do not run yet, because the number
 * that KWin returns may be another script's as well.
 */
static int load_script(struct kwin *kwin, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int number = -1, r;

	call_kwin(kwin, "unloadScript", NULL, NULL, "s", kwin->name, NULL);
	r = call_kwin(kwin, "loadScript", error, &reply, "ss", kwin->path, kwin->name);
	if (r >= 0)
		r = sd_bus_message_read(reply, "i", &number);
	if (r >= 0 && number < 0)
		r = sd_bus_error_set(error, SD_BUS_ERROR_FAILED, "a script of this name is already loaded");
	return r < 0 ? r : call_kwin(kwin, "start", error, NULL, NULL, NULL, NULL);
}

/* Offers our method first, because the script may call it at once. Returns 0 or -errno. */
static int start_script(struct kwin *kwin, sd_bus_error *error)
{
	struct focus *focus = kwin->source.focus;
	int r = sd_bus_add_object_vtable(focus->user_bus, &kwin->slot, "/org/schedqos/Focus", "org.schedqos.Focus1",
					 vtable, kwin);

	if (r >= 0)
		r = write_script(kwin);
	if (r >= 0)
		r = load_script(kwin, error);
	return r < 0 ? r : focus_call_in(focus, &kwin->silent, SILENT_US, on_silent, kwin);
}

static const char *kwin_open(void *held)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	struct kwin *kwin = held;
	char *why = kwin->source.why;
	const size_t size = sizeof(kwin->source.why);
	const char *message;
	int r;

	/* Several runs with --print may exist at the same time. */
	snprintf(kwin->name, sizeof(kwin->name), "schedqos-focus-%d", kwin->source.focus->prints ? (int)getpid() : 0);
	r = start_script(kwin, &error);
	if (r >= 0)
		return NULL;
	message = error.message ? error.message : strerror(-r);
	snprintf(why, size, "KWin refuses our script: ");
	text_escape_to(why + strlen(why), size - strlen(why), message, strlen(message));
	return why;
}

static void kwin_close(void *held)
{
	struct kwin *kwin = held;

	if (kwin->slot)
		call_kwin(kwin, "unloadScript", NULL, NULL, "s", kwin->name, NULL);
	remove_file(kwin);
	sd_event_source_disable_unref(kwin->silent);
	sd_bus_slot_unref(kwin->slot);
}

const struct source_type kwin_type = { .name = "KWin",
				       .subject = WINDOWS,
				       .bus_name = KWIN,
				       .size = sizeof(struct kwin),
				       .open = kwin_open,
				       .close = kwin_close };
