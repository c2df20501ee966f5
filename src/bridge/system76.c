/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface by which COSMIC and plugins of other desktops tell system76-scheduler which window is in front. It knows
 * but one such window for each caller.
 */
#include <errno.h>

#include "calls.h"
#include "methods.h"

/* Its modes are settings of the kernel's scheduler. Here these are a sched profile, which has a name. */
enum mode { MODE_AUTO, MODE_CUSTOM, MODE_DEFAULT, MODE_RESPONSIVE };

/* Before the new one, since both may be of the same app. */
static void send_behind(struct call *call, const struct holder *holder)
{
	if (holder->foreground)
		sd_bus_call_method_async(call->bridge->daemon, NULL, NULL, BUS_PATH, BUS_OVERRIDES_INTERFACE, "Shown", NULL, NULL,
					 "usus", (uint32_t)call->uid, holder->name, holder->foreground, "visible");
}

/* The number may be anybody's: that it is a process of the caller's is for the daemon to see. */
static int put_foreground(struct call *call, sd_bus_message *question, sd_bus_error *error)
{
	struct holder *holder = holder_find(call->bridge, sd_bus_message_get_sender(call->message));
	uint32_t pid;
	int r = holder ? sd_bus_message_read(call->message, "u", &pid) : -ESRCH;

	(void)error;
	if (r < 0)
		return r;
	send_behind(call, holder);
	holder->foreground = pid;
	return sd_bus_message_append(question, "us", pid, "focused");
}

static const struct method foreground = { "SetForegroundProcess", "Shown", "org.schedqos1.show",
					  METHOD_AS_USER | METHOD_HOLDS | METHOD_SHOWS, put_foreground, call_answer_nothing };
static const struct method profile = { "SetCpuProfile", "SetSchedProfile", "org.schedqos1.manage", 0, NULL, call_answer_nothing };
static const struct method reload = { "ReloadConfiguration", "Reload", "org.schedqos1.manage", 0, NULL, call_answer_nothing };

static int on_foreground(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return call_begin(userdata, &foreground, message, error);
}

static int on_profile(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return call_begin(userdata, &profile, message, error);
}

static int on_reload(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return call_begin(userdata, &reload, message, error);
}

static int on_mode(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	uint8_t mode;
	int r = sd_bus_message_read(message, "y", &mode);

	(void)userdata;
	if (r < 0)
		return r;
	if (mode > MODE_RESPONSIVE)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS, "there is no mode %u", mode);
	return sd_bus_reply_method_return(message, NULL);
}

static int get_mode(sd_bus *bus, const char *path, const char *interface, const char *name, sd_bus_message *reply, void *userdata,
		    sd_bus_error *error)
{
	(void)bus;
	(void)path;
	(void)interface;
	(void)name;
	(void)userdata;
	(void)error;
	return sd_bus_message_append(reply, "y", MODE_CUSTOM);
}

static int get_profile(sd_bus *bus, const char *path, const char *interface, const char *name, sd_bus_message *reply,
		       void *userdata, sd_bus_error *error)
{
	const struct bridge *bridge = userdata;

	(void)bus;
	(void)path;
	(void)interface;
	(void)name;
	(void)error;
	return sd_bus_message_append(reply, "s", bridge->properties[PROPERTY_PROFILE]);
}

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("SetForegroundProcess", "u", SD_BUS_PARAM(pid), NULL, , on_foreground, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("SetCpuMode", "y", SD_BUS_PARAM(cpu_mode), NULL, , on_mode, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("SetCpuProfile", "s", SD_BUS_PARAM(profile), NULL, , on_profile, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("ReloadConfiguration", NULL, NULL, on_reload, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_PROPERTY("CpuMode", "y", get_mode, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("CpuProfile", "s", get_profile, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_VTABLE_END,
};

int system76_offer(struct bridge *bridge)
{
	return sd_bus_add_object_vtable(bridge->bus, NULL, SYSTEM76_PATH, SYSTEM76_NAME, vtable, bridge);
}
