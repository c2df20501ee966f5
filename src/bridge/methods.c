/* SPDX-License-Identifier: GPL-2.0-only */
#include "bridge_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include <schedqos/util/cleanup.h>

#include "calls.h"

#define SET_OWN "org.schedqos1.set-own"
#define SHOW "org.schedqos1.show"
#define MANAGE "org.schedqos1.manage"

DEFINE_CLEANUP(cJSON, cJSON_Delete)

/*
 * The daemon sees more of a process than /proc shows to other users. What it has answered is of one that the caller has
 * started; that it runs no setuid program, or the like, is seen by whose /proc has it now.
 */
static bool is_own(const struct call *call, const cJSON *explained)
{
	const cJSON *uid = cJSON_GetObjectItemCaseSensitive(explained, "uid");
	uint32_t task = 0;
	struct stat owner;
	char path[32];

	if (!cJSON_IsNumber(uid) || uid->valuedouble != call->uid)
		return false;
	if (sd_bus_message_rewind(call->message, 1) < 0 || sd_bus_message_read(call->message, "u", &task) < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%u", task);
	return stat(path, &owner) == 0 && owner.st_uid == call->uid;
}

static int answer_explain(struct call *call, sd_bus_message *reply, sd_bus_error *error)
{
	_cleanup_(cJSON_Deletep) cJSON *all = NULL;
	const char *text;
	int r = sd_bus_message_read(reply, "s", &text);

	if (r < 0)
		return r;
	all = cJSON_Parse(text);
	if (call->uid != 0 && !is_own(call, all))
		return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "not a task of yours: try 'sudo schedqos explain'");
	return sd_bus_reply_method_return(call->message, "s", text);
}

/* Of others' tasks as much as /proc shows: where it hides them from us (hidepid), it hides them from the caller. */
static int begin_list(struct call *call, sd_bus_message *question, sd_bus_error *error)
{
	if (call->uid != 0 && access("/proc/1/stat", R_OK) < 0)
		return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "/proc hides others' processes here: only root may list them");
	return sd_bus_message_copy(question, call->message, 1);
}

/* ---- com.system76.Scheduler: who plugins of desktops tell which window is in front, of which it knows but one ---- */

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

/* Its modes are settings of the kernel's scheduler. Here these are a sched profile, which has a name. */
enum mode { MODE_AUTO, MODE_CUSTOM, MODE_DEFAULT, MODE_RESPONSIVE };

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

/* ---- both ---- */

static const struct method methods[] = {
	{ "Status", "Status", NULL, 0, NULL, NULL },
	{ "Explain", "Explain", NULL, 0, NULL, answer_explain },
	{ "List", "ListTasks", NULL, 0, begin_list, NULL },
	{ "Reload", "Reload", MANAGE, 0, NULL, NULL },
	{ "SetSchedProfile", "SetSchedProfile", MANAGE, 0, NULL, NULL },
	{ "SetMapping", "SetMapping", MANAGE, 0, NULL, NULL },
	{ "SetClass", "Set", SET_OWN, METHOD_AS_USER | METHOD_HOLDS | METHOD_MAY_RAISE, NULL, NULL },
	{ "Reset", "Reset", SET_OWN, METHOD_AS_USER, NULL, NULL },
	{ "LimitProcess", "Limit", SET_OWN, METHOD_AS_USER | METHOD_HOLDS | METHOD_IS_LIMIT, NULL, NULL },
	{ "LimitCgroup", "Limit", SET_OWN, METHOD_AS_USER | METHOD_HOLDS | METHOD_IS_LIMIT, NULL, NULL },
	{ "LiftProcess", "Lift", SET_OWN, METHOD_AS_USER | METHOD_IS_LIMIT, NULL, NULL },
	{ "LiftCgroup", "Lift", SET_OWN, METHOD_AS_USER | METHOD_IS_LIMIT, NULL, NULL },
	{ "GetUserWeights", "GetUserWeights", NULL, METHOD_FOLLOWS, NULL, NULL },
	{ "SetUnitClasses", "SetUnitClasses", SET_OWN, METHOD_AS_USER | METHOD_HOLDS, NULL, NULL },
	{ "SetShown", "Shown", SHOW, METHOD_AS_USER | METHOD_HOLDS | METHOD_SHOWS, NULL, NULL },
	{ "SetForegroundProcess", "Shown", SHOW, METHOD_AS_USER | METHOD_HOLDS | METHOD_SHOWS, put_foreground, call_answer_nothing },
	{ "SetCpuProfile", "SetSchedProfile", MANAGE, 0, NULL, call_answer_nothing },
	{ "ReloadConfiguration", "Reload", MANAGE, 0, NULL, call_answer_nothing },
};

static int on_call(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const char *name = sd_bus_message_get_member(message);

	for (size_t i = 0; i < array_size(methods); i++) {
		if (strcmp(methods[i].name, name) == 0)
			return call_begin(userdata, &methods[i], message, error);
	}
	return -EBADR;
}

/* The argument as a whole is the caller's; sd-bus has checked its type. */
#define METHOD(name, in, in_names, out, out_names) \
	SD_BUS_METHOD_WITH_NAMES(name, in, in_names, out, out_names, on_call, SD_BUS_VTABLE_UNPRIVILEGED)
#define PROPERTY(name, number) \
	SD_BUS_PROPERTY(name, "s", NULL, offsetof(struct bridge, properties[number]), SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE)
#define IN(name) SD_BUS_PARAM(name)

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	METHOD("Status", NULL, , "s", IN(json)),
	METHOD("Explain", "u", IN(task), "s", IN(json)),
	METHOD("List", NULL, , "asasa(us)auauauauaqanayayay",
	       IN(classes) IN(reasons) IN(rules) IN(tid) IN(tgid) IN(rule) IN(slice) IN(qos_class) IN(nice) IN(reason) IN(policy)
		       IN(flags)),
	METHOD("Reload", NULL, , "ss", IN(warnings) IN(summary)),
	METHOD("SetSchedProfile", "s", IN(name), "as", IN(refusals)),
	METHOD("SetMapping", "s", IN(name), "ss", IN(warnings) IN(summary)),
	METHOD("SetClass", "hsbb", IN(pidfd) IN(class) IN(descendants) IN(keep), "ss", IN(class) IN(reason)),
	METHOD("Reset", "h", IN(pidfd), "t", IN(ended)),
	METHOD("LimitProcess", "hsb", IN(pidfd) IN(class) IN(keep), NULL, ),
	METHOD("LimitCgroup", "ssb", IN(cgroup) IN(class) IN(keep), NULL, ),
	METHOD("LiftProcess", "h", IN(pidfd), "t", IN(lifted)),
	METHOD("LiftCgroup", "s", IN(cgroup), "t", IN(lifted)),
	METHOD("GetUserWeights", NULL, , "a(sqb)", IN(weights)),
	METHOD("SetUnitClasses", "a(sss)", IN(units), "a(qs)", IN(weights)),
	METHOD("SetShown", "hs", IN(pidfd) IN(shown), NULL, ),
	SD_BUS_SIGNAL("Reloaded", NULL, 0),
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
	SD_BUS_METHOD("ReloadConfiguration", NULL, NULL, on_call, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_PROPERTY("CpuMode", "y", NULL, offsetof(struct bridge, cpu_mode), SD_BUS_VTABLE_PROPERTY_CONST),
	PROPERTY("CpuProfile", PROPERTY_PROFILE),
	SD_BUS_VTABLE_END,
};

int methods_offer(struct bridge *bridge)
{
	bridge->cpu_mode = MODE_CUSTOM;
	return bridge->is_system76 ?
		       sd_bus_add_object_vtable(bridge->bus, NULL, SYSTEM76_PATH, SYSTEM76_NAME, of_system76, bridge) :
		       sd_bus_add_object_vtable(bridge->bus, NULL, BUS_PATH, BRIDGE_NAME, vtable, bridge);
}
