/* SPDX-License-Identifier: GPL-2.0-only */
#include "calls.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>

/* What else than set-own a class above one's own rules takes. */
#define ACTION_RAISE "org.schedqos1.raise-own"

static int on_polkit_answers(sd_bus_message *answer, void *userdata, sd_bus_error *unused);

/* ---- the end of a call ---- */

static void free_call(struct call *call)
{
	sd_bus_slot_unref(call->waits);
	sd_bus_message_unref(call->message);
	free(call);
}

static void end_call(struct call *call)
{
	struct bridge *bridge = call->bridge;

	for (struct call **at = &bridge->calls; *at; at = &(*at)->next) {
		if (*at == call) {
			*at = call->next;
			break;
		}
	}
	if (call->uid != 0)
		account_return(&bridge->accounts, call->uid, call->daemon_us);
	free_call(call);
	bridge_may_leave(bridge);
}

void calls_free(struct bridge *bridge)
{
	while (bridge->calls) {
		struct call *call = bridge->calls;

		bridge->calls = call->next;
		free_call(call);
	}
}

/* Ends it, with an error if there is one. The result is that of a handler of sd-bus. */
static int close_call(struct call *call, int r, const sd_bus_error *error)
{
	if (sd_bus_error_is_set(error))
		sd_bus_reply_method_error(call->message, error);
	else if (r < 0)
		sd_bus_reply_method_errnof(call->message, r, "%s", strerror(-r));
	end_call(call);
	return 0;
}

/* ---- the daemon ---- */

/* Its errors are for the caller; that there was no answer is said in our words. */
static void take_error(const sd_bus_error *fault, sd_bus_error *error)
{
	if (sd_bus_error_has_name(fault, SD_BUS_ERROR_NO_REPLY) || sd_bus_error_has_name(fault, SD_BUS_ERROR_DISCONNECTED) ||
	    sd_bus_error_has_name(fault, SD_BUS_ERROR_TIMEOUT))
		sd_bus_error_set(error, BRIDGE_ERROR_NO_DAEMON, "the daemon does not answer, or lets the bridge not in");
	else
		sd_bus_error_copy(error, fault);
}

int call_answer_nothing(struct call *call, sd_bus_message *reply, sd_bus_error *error)
{
	(void)reply;
	(void)error;
	return sd_bus_reply_method_return(call->message, NULL);
}

static int pass_on(struct call *call, sd_bus_message *reply)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *answer = NULL;
	int r = sd_bus_message_new_method_return(call->message, &answer);

	if (r >= 0)
		r = sd_bus_message_copy(answer, reply, 1);
	return r < 0 ? r : sd_bus_send(NULL, answer, NULL);
}

static int on_daemon_answers(sd_bus_message *reply, void *userdata, sd_bus_error *unused)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	const sd_bus_error *fault = sd_bus_message_get_error(reply);
	struct call *call = userdata;
	uint64_t now_us;
	int r = 0;

	(void)unused;
	call->waits = sd_bus_slot_unref(call->waits);
	/* Whatever else it has done meanwhile is little beside what could be a burden. */
	now_us = link_daemon_us(call->bridge);
	if (call->asked_us && now_us > call->asked_us)
		call->daemon_us += now_us - call->asked_us;
	if (fault && (call->method->flags & METHOD_MAY_RAISE) && !call->may_raise &&
	    sd_bus_error_has_name(fault, BUS_ERROR_NEEDS_RAISE)) {
		call->may_raise = true;
		r = polkit_ask(call->message, ACTION_RAISE, on_polkit_answers, call, &call->waits);
		if (r >= 0)
			return 0;
	} else if (fault) {
		take_error(fault, &error);
	} else {
		r = call->method->answer ? call->method->answer(call, reply, &error) : pass_on(call, reply);
		/* Who has changed the machine. */
		if (call->method->action && !(call->method->flags & METHOD_AS_USER))
			log_info("%s was called by uid %u", call->method->name, (unsigned)call->uid);
	}
	return close_call(call, r, &error);
}

/*
 * A process is passed on by its number, since the daemon takes no descriptor. The number may be another process's when that
 * reads it; but it finds out whose that is, and what is the same user's he could have named as well.
 */
static int put_process(struct call *call, sd_bus_message *question, sd_bus_error *error)
{
	pid_t pid = 0;
	int fd, r = sd_bus_message_read(call->message, "h", &fd);

	if (r >= 0)
		r = procfs_pidfd(call->bridge->proc, fd, &pid);
	if (r == -EBADF)
		return sd_bus_error_set(error, SD_BUS_ERROR_INVALID_ARGS, "the descriptor is not a pidfd");
	if (r == -ESRCH)
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "no process: it has ended");
	return r < 0 ? r : sd_bus_message_append(question, "u", (uint32_t)pid);
}

/* What comes before all other arguments: of a limit a cgroup's path, or if that is empty a process. */
static int put_target(struct call *call, sd_bus_message *question, sd_bus_error *error)
{
	const bool is_process = sd_bus_message_get_signature(call->message, 1)[0] == 'h';
	const bool is_limit = call->method->flags & METHOD_IS_LIMIT;
	const char *cgroup = "";
	int r = 0;

	if (is_limit && !is_process)
		r = sd_bus_message_read(call->message, "s", &cgroup);
	if (r >= 0 && is_limit)
		r = sd_bus_message_append(question, "s", cgroup);
	if (r >= 0 && is_process)
		r = put_process(call, question, error);
	else if (r >= 0 && is_limit)
		r = sd_bus_message_append(question, "u", 0);
	return r;
}

static int put_arguments(struct call *call, sd_bus_message *question, sd_bus_error *error)
{
	const struct method *method = call->method;
	int r = sd_bus_message_rewind(call->message, 1);

	if (r >= 0 && (method->flags & METHOD_AS_USER))
		r = sd_bus_message_append(question, "u", (uint32_t)call->uid);
	if (r >= 0 && (method->flags & METHOD_HOLDS))
		r = sd_bus_message_append(question, "s", sd_bus_message_get_sender(call->message));
	if (r >= 0)
		r = put_target(call, question, error);
	if (r >= 0)
		r = method->put_arguments ? method->put_arguments(call, question, error) :
					    sd_bus_message_copy(question, call->message, 1);
	if (r >= 0 && (method->flags & METHOD_MAY_RAISE))
		r = sd_bus_message_append(question, "b", (int)call->may_raise);
	return r;
}

/* NULL: the caller holds nothing yet. */
static struct holder *holder_of(const struct call *call)
{
	return holder_find(call->bridge, sd_bus_message_get_sender(call->message));
}

/* The daemon is told of the caller's end in any case, since he is known before it is asked. */
static int know_holder(struct call *call, sd_bus_error *error)
{
	int r = holder_need(call->bridge, sd_bus_message_get_sender(call->message), call->uid);

	if (r == -EDQUOT)
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED, "too many of your programs hold something already");
	return r;
}

static int ask_daemon(struct call *call, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *question = NULL;
	struct bridge *bridge = call->bridge;
	const bool as_user = call->method->flags & METHOD_AS_USER;
	int r = link_need(bridge);

	if (r == -EACCES || r == -EPERM)
		return sd_bus_error_set(error, BRIDGE_ERROR_NO_DAEMON, "the daemon does not let the bridge in: its unit has not the group schedqos, or "
					 "had it not when it was started");
	if (r < 0)
		return sd_bus_error_set(error, BRIDGE_ERROR_NO_DAEMON, "no daemon runs: 'systemctl start schedqos' starts it");
	if (call->method->flags & (METHOD_HOLDS | METHOD_FOLLOWS))
		r = know_holder(call, error);
	if (r >= 0)
		r = sd_bus_message_new_method_call(bridge->daemon, &question, NULL, BUS_PATH,
						   as_user ? BUS_OVERRIDES_INTERFACE : BUS_INTERFACE, call->method->daemons);
	if (r >= 0)
		r = put_arguments(call, question, error);
	call->asked_us = link_daemon_us(bridge);
	if (r >= 0)
		r = sd_bus_call_async(bridge->daemon, &call->waits, question, on_daemon_answers, call, 0);
	return r;
}

/* ---- who may ---- */

static int on_polkit_answers(sd_bus_message *answer, void *userdata, sd_bus_error *unused)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	struct call *call = userdata;
	int r = 0;

	(void)unused;
	call->waits = sd_bus_slot_unref(call->waits);
	if (polkit_agrees(answer, &error)) {
		r = ask_daemon(call, &error);
		if (r >= 0 && (call->method->flags & METHOD_SHOWS))
			holder_of(call)->may_show = true;
		if (r >= 0)
			return 0;
	}
	return close_call(call, r, &error);
}

static int charge(struct call *call, sd_bus_error *error)
{
	int r = account_take(&call->bridge->accounts, call->uid, clock_ns(CLOCK_MONOTONIC) / 1000);

	if (r == -EBUSY)
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED, "too many of your calls are not answered yet");
	if (r == -EAGAIN)
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED, "too many calls for now");
	return r;
}

/* By the bus, which knows it from the connection; a process id could be somebody else's by now. */
static int find_uid(struct call *call)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	const struct holder *holder = holder_of(call);
	int r;

	if (holder) {
		call->uid = holder->uid;
		return 0;
	}
	r = sd_bus_query_sender_creds(call->message, SD_BUS_CREDS_EUID, &creds);
	return r < 0 ? r : sd_bus_creds_get_euid(creds, &call->uid);
}

/* The call is charged for. */
static int send_out(struct call *call, sd_bus_error *error)
{
	const struct method *method = call->method;
	const struct holder *holder = holder_of(call);

	if (call->uid == 0 && (method->flags & METHOD_AS_USER))
		return sd_bus_error_set(error, SD_BUS_ERROR_NOT_SUPPORTED, "root asks the daemon itself, as 'schedqos' does");
	if (call->uid == 0 || !method->action || (holder && holder->may_show && (method->flags & METHOD_SHOWS)))
		return ask_daemon(call, error);
	return polkit_ask(call->message, method->action, on_polkit_answers, call, &call->waits);
}

/* What a user's units can say at once. */
#define TEXTS_MAX (32 * PATH_MAX)

/* An array of three texts each. */
static bool are_long_texts(sd_bus_message *message)
{
	const char *texts[3];
	size_t total = 0;
	int r = sd_bus_message_enter_container(message, 'a', "(sss)");

	while (r >= 0 && total <= TEXTS_MAX) {
		r = sd_bus_message_read(message, "(sss)", &texts[0], &texts[1], &texts[2]);
		if (r <= 0)
			break;
		/* An empty one takes room, too. */
		for (size_t i = 0; i < array_size(texts); i++)
			total += strlen(texts[i]) + sizeof(uint64_t);
	}
	return r < 0 || total > TEXTS_MAX;
}

/* No name or path is as long. What is kept while polkit is asked, and copied for the daemon, should not be what a user likes. */
static bool has_long_text(sd_bus_message *message)
{
	const char *types = sd_bus_message_get_signature(message, 1), *text;
	bool is_long = false;

	for (; *types && !is_long; types++) {
		if (*types == 'a')
			return are_long_texts(message) || sd_bus_message_rewind(message, 1) < 0;
		if (*types == 's')
			is_long = sd_bus_message_read_basic(message, 's', &text) < 0 || strlen(text) > PATH_MAX;
		else
			sd_bus_message_skip(message, (const char[]){ *types, '\0' });
	}
	return is_long || sd_bus_message_rewind(message, 1) < 0;
}

int call_begin(struct bridge *bridge, const struct method *method, sd_bus_message *message, sd_bus_error *error)
{
	struct call *call;
	int r;

	if (has_long_text(message))
		return sd_bus_error_set(error, SD_BUS_ERROR_INVALID_ARGS, "no name is that long");
	call = calloc(1, sizeof(*call));
	if (!call)
		return -ENOMEM;
	*call = (struct call){ .bridge = bridge, .method = method, .message = sd_bus_message_ref(message) };
	r = find_uid(call);
	if (r >= 0 && call->uid != 0)
		r = charge(call, error);
	if (r < 0) {
		free_call(call);
		return r;
	}
	call->next = bridge->calls;
	bridge->calls = call;
	r = send_out(call, error);
	if (r < 0)
		end_call(call);
	return r < 0 ? r : 1;
}
