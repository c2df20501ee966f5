/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of the methods on the system bus: each row says how a call becomes a call of the daemon. */
#include "bridge_private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>

#define SET_OWN "org.schedqos1.set-own"
#define SHOW "org.schedqos1.show"
#define MANAGE "org.schedqos1.manage"

/*
 * Refuses if /proc hides other users' tasks from us (hidepid): lists, and the problems in the status, would name them.
 */
static int before_list(struct call *call, struct caller *caller, sd_bus_error *error)
{
	if (caller->uid != 0 && access("/proc/1/stat", R_OK) < 0)
		return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED,
					"/proc hides other users' processes here (hidepid), so only root may see them");
	(void)call;
	return 0;
}

/*
 * com.system76.Scheduler knows only one window in front. Resets the previous one first, because both may belong to the
 * same app. The number may name any process: the daemon checks that it is the caller's.
 */
static int before_foreground(struct call *call, struct caller *caller, sd_bus_error *error)
{
	int r;

	(void)error;
	if (caller->foreground)
		sd_bus_call_method_async(call->bridge->daemon, NULL, NULL, BUS_PATH, BUS_OVERRIDES_INTERFACE, "SetShown",
					 NULL, NULL, "usus", (uint32_t)caller->uid, caller->name, caller->foreground,
					 "visible");
	/* polkit's question may have read the arguments. */
	r = sd_bus_message_rewind(call->message, 1);
	return r < 0 ? r : sd_bus_message_read(call->message, "u", &caller->foreground);
}

static int answer_nothing(struct call *call, sd_bus_message *reply, sd_bus_error *error)
{
	(void)reply;
	(void)error;
	return sd_bus_reply_method_return(call->message, NULL);
}

static int put_focused(sd_bus_message *question)
{
	return sd_bus_message_append(question, "s", "focused");
}

#define OWN METHOD_FOR_USER
#define HELD (METHOD_FOR_USER | METHOD_HOLDS)

static const struct method methods[] = {
	{ "Status", "Status", NULL, 0, before_list, NULL, NULL },
	{ "Explain", "Explain", NULL, OWN, NULL, NULL, NULL },
	{ "ListTasks", "ListTasks", NULL, 0, before_list, NULL, NULL },
	{ "ListUse", "ListUse", NULL, HELD, before_list, NULL, NULL },
	{ "Reload", "Reload", MANAGE, METHOD_IS_LOGGED, NULL, NULL, NULL },
	{ "SetSchedProfile", "SetSchedProfile", MANAGE, METHOD_IS_LOGGED, NULL, NULL, NULL },
	{ "SetMapping", "SetMapping", MANAGE, METHOD_IS_LOGGED, NULL, NULL, NULL },
	{ "SetClass", "SetClass", SET_OWN, HELD, NULL, NULL, NULL },
	{ "Reset", "Reset", SET_OWN, OWN, NULL, NULL, NULL },
	{ "LimitProcess", "LimitProcess", SET_OWN, HELD, NULL, NULL, NULL },
	{ "LimitCgroup", "LimitCgroup", SET_OWN, HELD, NULL, NULL, NULL },
	{ "LiftProcess", "LiftProcess", SET_OWN, OWN, NULL, NULL, NULL },
	{ "LiftCgroup", "LiftCgroup", SET_OWN, OWN, NULL, NULL, NULL },
	{ "GetUserWeights", "GetUserWeights", NULL, 0, NULL, NULL, NULL },
	{ "SetUnitClasses", "SetUnitClasses", SET_OWN, HELD, NULL, NULL, NULL },
	{ "SetShown", "SetShown", SHOW, HELD | METHOD_SHOWS, NULL, NULL, NULL },
	{ "SetForegroundProcess", "SetShown", SHOW, HELD | METHOD_SHOWS, before_foreground, put_focused, NULL },
	{ "SetCpuProfile", "SetSchedProfile", MANAGE, METHOD_IS_LOGGED, NULL, NULL, answer_nothing },
	{ "ReloadConfiguration", "Reload", MANAGE, METHOD_IS_LOGGED, NULL, NULL, answer_nothing },
};

static int on_bus_call(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const char *name = sd_bus_message_get_member(message);

	for (size_t i = 0; i < array_size(methods); i++) {
		if (strcmp(methods[i].name, name) == 0)
			return call_begin(userdata, &methods[i], message, error);
	}
	return -EBADR;
}

/*
 * The modes of com.system76.Scheduler stand for settings of the kernel's scheduler. Here these are sched profiles,
 * which have names; so the mode is always "custom".
 */
#define MODE_CUSTOM 1

static int on_mode(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)userdata;
	(void)error;
	return sd_bus_reply_method_return(message, NULL);
}

/* sd-bus has checked the types of the arguments, which the caller chooses. */
#define METHOD(name, in, in_names, out, out_names) \
	SD_BUS_METHOD_WITH_NAMES(name, in, in_names, out, out_names, on_bus_call, SD_BUS_VTABLE_UNPRIVILEGED)
#define PROPERTY(name, number)                                                        \
	SD_BUS_PROPERTY(name, "s", NULL, offsetof(struct bridge, properties[number]), \
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE)
#define IN(name) SD_BUS_PARAM(name)

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	METHOD("Status", NULL, , "s", IN(json)),
	METHOD("Explain", "u", IN(task), "s", IN(json)),
	METHOD("ListTasks", NULL, , BUS_TASKS, IN(classes) IN(reasons) IN(patterns) IN(tasks)),
	METHOD("ListUse", NULL, , "s", IN(json)),
	METHOD("Reload", NULL, , "ss", IN(warnings) IN(summary)),
	METHOD("SetSchedProfile", "s", IN(name), "as", IN(refusals)),
	METHOD("SetMapping", "s", IN(name), "ss", IN(warnings) IN(summary)),
	METHOD("SetClass", "usbb", IN(pid) IN(class) IN(descendants) IN(keep), "ss", IN(class) IN(reason)),
	METHOD("Reset", "u", IN(pid), "t", IN(ended)),
	METHOD("LimitProcess", "usb", IN(pid) IN(class) IN(keep), "t", IN(lowered)),
	METHOD("LimitCgroup", "ssb", IN(cgroup) IN(class) IN(keep), "t", IN(lowered)),
	METHOD("LiftProcess", "u", IN(pid), "t", IN(lifted)),
	METHOD("LiftCgroup", "s", IN(cgroup), "t", IN(lifted)),
	METHOD("GetUserWeights", NULL, , "a(sqb)", IN(weights)),
	METHOD("SetUnitClasses", "a(sss)", IN(units), "a(qs)", IN(weights)),
	METHOD("SetShown", "us", IN(pid) IN(shown), NULL, ),
	SD_BUS_SIGNAL("Reloaded", NULL, 0),
	SD_BUS_PROPERTY("InterfaceVersion", "u", NULL, offsetof(struct bridge, interface_version),
			SD_BUS_VTABLE_PROPERTY_CONST),
	PROPERTY("Version", PROPERTY_VERSION),
	PROPERTY("SchedProfile", PROPERTY_PROFILE),
	PROPERTY("Mapping", PROPERTY_MAPPING),
	PROPERTY("Focus", PROPERTY_FOCUS),
	SD_BUS_VTABLE_END,
};

static const sd_bus_vtable of_system76[] = {
	SD_BUS_VTABLE_START(0),
	METHOD("SetForegroundProcess", "u", IN(pid), NULL, ),
	SD_BUS_METHOD_WITH_NAMES("SetCpuMode", "y", IN(cpu_mode), NULL, , on_mode, SD_BUS_VTABLE_UNPRIVILEGED),
	METHOD("SetCpuProfile", "s", IN(profile), NULL, ),
	SD_BUS_METHOD("ReloadConfiguration", NULL, NULL, on_bus_call, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_PROPERTY("CpuMode", "y", NULL, offsetof(struct bridge, cpu_mode), SD_BUS_VTABLE_PROPERTY_CONST),
	PROPERTY("CpuProfile", PROPERTY_PROFILE),
	SD_BUS_VTABLE_END,
};

/* Increment it with each new method, property or signal: see org.schedqos1(5). */
#define INTERFACE_VERSION 1

int methods_offer(struct bridge *bridge)
{
	int r = sd_bus_add_object_vtable(bridge->bus, NULL, BUS_PATH, BRIDGE_NAME, vtable, bridge);

	bridge->cpu_mode = MODE_CUSTOM;
	bridge->interface_version = INTERFACE_VERSION;
	return r < 0 ? r
		     : sd_bus_add_object_vtable(bridge->bus, NULL, SYSTEM76_PATH, SYSTEM76_NAME, of_system76, bridge);
}
