/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes a call from the bus to polkit, to the daemon and back, and limits what callers can make us keep. */
#include "bridge_private.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/bus.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>

/* polkit's action that is required, besides set-own, for a class above those of the rules. */
#define ACTION_RAISE "org.schedqos1.raise-own"

#define POLKIT "org.freedesktop.PolicyKit1"
#define POLKIT_PATH "/org/freedesktop/PolicyKit1/Authority"
#define ALLOW_USER_INTERACTION 1

/* Time to answer polkit's dialog: long enough to find an administrator who types the password. */
#define INTERACTIVE_US (120 * 1000000ULL)
#define TIMEOUT_US (20 * 1000000ULL)

/* Maximum number of characters of an argument in polkit's dialog. */
#define DETAIL_CHARACTERS 64

/* Maximum number of programs of one uid for which the daemon may keep an override or the like. */
#define HOLDING_MAX 32

static int on_polkit_answers(sd_bus_message *answer, void *userdata, sd_bus_error *unused);

static uint64_t monotonic_us(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000;
}

/* ---- the end of a call ---- */

static void count_answer(struct call *call)
{
	struct bridge *bridge = call->bridge;
	const uint64_t worked_us = link_worked_us(bridge, call->asked_us);

	call->is_asked = false;
	if (call->account)
		account_answered(&bridge->accounts, call->account, monotonic_us(), worked_us);
}

void call_end(struct call *call)
{
	struct call **at = &call->bridge->calls;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	if (call->is_asked)
		count_answer(call);
	if (call->account)
		account_end(&call->bridge->accounts, call->account);
	sd_bus_slot_unref(call->waits);
	sd_bus_message_unref(call->message);
	free(call);
}

/* Answers a call with an error if there is one, and frees it. Returns the value for a handler of sd-bus. */
static int close_call(struct call *call, int r, const sd_bus_error *error)
{
	if (sd_bus_error_is_set(error))
		sd_bus_reply_method_error(call->message, error);
	else if (r < 0)
		sd_bus_reply_method_errnof(call->message, r, "%s", strerror(-r));
	call_end(call);
	return 0;
}

static int refuse_for_now(sd_bus_error *error)
{
	return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED, "too many calls: try again in a few seconds");
}

/* ---- messages ---- */

/* Charges each call from the bus, including those that sd-bus answers itself: Ping, Introspect, Get and GetAll. */
static int charge(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bridge *bridge = userdata;
	struct caller *caller;
	int r;

	if (sd_bus_message_is_method_call(message, NULL, NULL) <= 0)
		return 0;
	r = caller_get(bridge, message, &caller);
	if (r >= 0 && caller->uid)
		r = account_message(&bridge->accounts, caller->uid, monotonic_us());
	return r == -EAGAIN ? refuse_for_now(error) : r;
}

int calls_charge(struct bridge *bridge)
{
	return sd_bus_add_filter(bridge->bus, NULL, charge, bridge);
}

/* ---- polkit ---- */

/* Called for instance when a session is no longer in front. */
static int on_polkit_changes(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const struct bridge *bridge = userdata;

	(void)message;
	(void)error;
	for (struct caller *caller = bridge->callers; caller; caller = caller->next)
		caller->may_show = false;
	return 0;
}

int calls_follow_polkit(struct bridge *bridge)
{
	int r = sd_bus_match_signal(bridge->bus, NULL, POLKIT, POLKIT_PATH, POLKIT ".Authority", "Changed",
				    on_polkit_changes, bridge);

	return r < 0 ? r
		     : sd_bus_add_match(bridge->bus, NULL, BUS_NAME_OWNER_CHANGED ",arg0='" POLKIT "'",
					on_polkit_changes, bridge);
}

/*
 * Writes a text that the caller chose, for a dialog. Agents may draw markup, and brackets would let a program's name
 * look like more than a name: anything but letters, digits and what paths need becomes a question mark.
 */
static void put_plain(FILE *out, const char *text)
{
	for (size_t i = 0; i < DETAIL_CHARACTERS && text[i]; i++)
		fputc(isalnum((unsigned char)text[i]) || strchr(" _-+.:@/", text[i]) ? text[i] : '?', out);
}

/* Writes an argument: a process with its name, or a text. Returns whether it could be read. */
static bool put_argument(FILE *out, sd_bus_message *message, char type)
{
	_cleanup_close_ int proc = type == 'u' ? procfs_open() : -1;
	char comm[16];
	const char *text;
	uint32_t pid;

	if (type == 's' && sd_bus_message_read_basic(message, 's', &text) > 0) {
		fprintf(out, ", ");
		put_plain(out, text);
		return true;
	}
	if (type == 'u' && sd_bus_message_read_basic(message, 'u', &pid) > 0) {
		fprintf(out, ", process %u", pid);
		if (pid && pid <= INT32_MAX && procfs_comm(proc, (pid_t)pid, comm) == 0) {
			fprintf(out, " (");
			put_plain(out, comm);
			fprintf(out, ")");
		}
		return true;
	}
	return false;
}

/* Appends the call with its first arguments, for the messages of the actions: see org.schedqos1.policy. */
static int append_details(struct call *call, sd_bus_message *question)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	char type;
	int r;

	if (!out)
		return -ENOMEM;
	fprintf(out, "%s", call->method->name);
	r = sd_bus_message_rewind(call->message, 1);
	while (r >= 0 && sd_bus_message_peek_type(call->message, &type, NULL) > 0 &&
	       put_argument(out, call->message, type))
		;
	if (fclose(out) != 0)
		return -ENOMEM;
	return r < 0 ? r : sd_bus_message_append(question, "a{ss}", 1, "request", text);
}

/* Asks polkit whether the caller may. Returns 0 or -errno. */
static int ask_polkit(struct call *call, const char *action)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *question = NULL;
	const bool interactive = sd_bus_message_get_allow_interactive_authorization(call->message) > 0;
	sd_bus *bus = call->bridge->bus;
	int r = sd_bus_message_new_method_call(bus, &question, POLKIT, POLKIT_PATH, POLKIT ".Authority",
					       "CheckAuthorization");

	/* The bus vouches for the name and never reuses it for another connection. */
	if (r >= 0)
		r = sd_bus_message_append(question, "(sa{sv})s", "system-bus-name", 1, "name", "s",
					  sd_bus_message_get_sender(call->message), action);
	if (r >= 0)
		r = append_details(call, question);
	if (r >= 0)
		r = sd_bus_message_append(question, "us", interactive ? ALLOW_USER_INTERACTION : 0, "");
	if (r >= 0)
		r = sd_bus_call_async(bus, &call->waits, question, on_polkit_answers, call,
				      interactive ? INTERACTIVE_US : TIMEOUT_US);
	return r < 0 ? r : 0;
}

/* Returns 0 if polkit has allowed the call; else -errno with the reason in error. */
static int judge_answer(sd_bus_message *answer, sd_bus_error *error)
{
	const sd_bus_error *fault = sd_bus_message_get_error(answer);
	int is_authorized = 0, is_challenge = 0;

	if (sd_bus_error_has_names(fault, SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER))
		return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED,
					"polkit does not run, so only root may do this");
	if (fault || sd_bus_message_enter_container(answer, 'r', "bba{ss}") < 0 ||
	    sd_bus_message_read(answer, "bb", &is_authorized, &is_challenge) < 0)
		return sd_bus_error_setf(error, SD_BUS_ERROR_ACCESS_DENIED, "cannot ask polkit for permission: %s",
					 fault && fault->message ? fault->message : "its answer is malformed");
	if (is_authorized)
		return 0;
	if (is_challenge)
		return sd_bus_error_set(error, SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED,
					"this needs an administrator's password, and nobody can be asked for it");
	return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "polkit does not allow this");
}

/* ---- the daemon ---- */

/* Passes the daemon's error on to the caller. Replaces one that means that there was no answer. */
static int take_error(const sd_bus_error *fault, sd_bus_error *error)
{
	if (sd_bus_error_has_names(fault, SD_BUS_ERROR_NO_REPLY, SD_BUS_ERROR_DISCONNECTED, SD_BUS_ERROR_TIMEOUT))
		return sd_bus_error_set(error, BRIDGE_ERROR_NO_DAEMON,
					"the daemon does not answer, or refuses the bridge's connection");
	return sd_bus_error_copy(error, fault);
}

static int pass_on(struct call *call, sd_bus_message *reply)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *answer = NULL;
	int r = sd_bus_message_new_method_return(call->message, &answer);

	if (r >= 0)
		r = sd_bus_message_copy(answer, reply, 1);
	return r < 0 ? r : sd_bus_send(NULL, answer, NULL);
}

static int call_daemon(struct call *call, sd_bus_error *error);

/* Returns the oldest queued call of that account, or NULL. The newest call is first in the list. */
static struct call *find_queued(const struct bridge *bridge, const struct account *account)
{
	struct call *oldest = NULL;

	for (struct call *call = account ? bridge->calls : NULL; call; call = call->next) {
		if (call->is_queued && call->account == account)
			oldest = call;
	}
	return oldest;
}

/* Asks the daemon for a call that was queued behind this one. */
static void ask_next(const struct call *answered)
{
	struct call *call;

	while ((call = find_queued(answered->bridge, answered->account))) {
		_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
		int r;

		call->is_queued = false;
		r = call_daemon(call, &error);
		if (r >= 0)
			return;
		close_call(call, r, &error);
	}
}

static int on_daemon_answers(sd_bus_message *reply, void *userdata, sd_bus_error *unused)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	const sd_bus_error *fault = sd_bus_message_get_error(reply);
	struct call *call = userdata;
	int r;

	(void)unused;
	call->waits = sd_bus_slot_unref(call->waits);
	count_answer(call);
	if (!call->may_raise && sd_bus_error_has_name(fault, BUS_ERROR_NEEDS_RAISE)) {
		call->may_raise = true;
		r = ask_polkit(call, ACTION_RAISE);
		if (r >= 0) {
			ask_next(call);
			return 0;
		}
	} else if (fault) {
		r = take_error(fault, &error);
	} else {
		r = call->method->answer ? call->method->answer(call, reply, &error) : pass_on(call, reply);
		if (call->method->flags & METHOD_IS_LOGGED)
			log_info("%s was called by uid %u", call->method->name, (unsigned)call->uid);
	}
	ask_next(call);
	return close_call(call, r, &error);
}

static int put_question(struct call *call, sd_bus_message **ret)
{
	const struct method *method = call->method;
	const bool for_user = method->flags & METHOD_FOR_USER;
	int r = sd_bus_message_new_method_call(call->bridge->daemon, ret, NULL, BUS_PATH,
					       for_user ? BUS_OVERRIDES_INTERFACE : BUS_INTERFACE,
					       call->may_raise ? BUS_RAISE_CLASS : method->daemons);

	if (r >= 0 && for_user)
		r = sd_bus_message_append(*ret, "us", (uint32_t)call->uid, sd_bus_message_get_sender(call->message));
	if (r >= 0)
		r = sd_bus_message_rewind(call->message, 1);
	if (r >= 0)
		r = sd_bus_message_copy(*ret, call->message, 1);
	if (r >= 0 && method->put_more)
		r = method->put_more(*ret);
	return r;
}

/*
 * Asks the daemon, or queues the call. Sets `holds` before the question is sent, so that the daemon is told in any case
 * if the caller disconnects.
 */
static int send_question(struct call *call, struct caller *caller, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *question = NULL;
	const struct method *method = call->method;
	struct bridge *bridge = call->bridge;
	int r = call->account ? account_ask(&bridge->accounts, call->account, monotonic_us()) : 0;

	if (r == -EAGAIN)
		return refuse_for_now(error);
	call->is_queued = r == -EBUSY;
	if (call->is_queued)
		return 0;
	call->is_asked = true;
	call->asked_us = link_daemon_us(bridge);
	caller->holds |= method->flags & METHOD_HOLDS;
	if (method->before)
		r = method->before(call, caller, error);
	if (r >= 0)
		r = put_question(call, &question);
	return r < 0 ? r : sd_bus_call_async(bridge->daemon, &call->waits, question, on_daemon_answers, call, 0);
}

static int call_daemon(struct call *call, sd_bus_error *error)
{
	struct bridge *bridge = call->bridge;
	struct caller *caller = caller_find(bridge, sd_bus_message_get_sender(call->message));
	int r = link_need(bridge);

	if (r == -EACCES || r == -EPERM)
		return sd_bus_error_set(
			error, BRIDGE_ERROR_NO_DAEMON,
			"the daemon refuses the bridge's connection: give the daemon's unit the group schedqos, and restart the daemon");
	if (r < 0)
		return sd_bus_error_set(error, BRIDGE_ERROR_NO_DAEMON,
					"no daemon runs: 'systemctl start schedqos' starts it");
	if (!caller)
		return -ESRCH;
	if ((call->method->flags & METHOD_HOLDS) && !caller->holds &&
	    callers_holding(bridge, caller->uid) >= HOLDING_MAX)
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
					"too many of your programs already hold classes or limits: end one of them");
	return send_question(call, caller, error);
}

/* ---- permission ---- */

static int on_polkit_answers(sd_bus_message *answer, void *userdata, sd_bus_error *unused)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	struct call *call = userdata;
	struct caller *caller = caller_find(call->bridge, sd_bus_message_get_sender(call->message));
	int r = judge_answer(answer, &error);

	(void)unused;
	call->waits = sd_bus_slot_unref(call->waits);
	/* Not later, when polkit may have reported a change since. */
	if (r >= 0 && caller)
		caller->may_show |= call->method->flags & METHOD_SHOWS;
	if (r >= 0)
		r = call_daemon(call, &error);
	return r < 0 ? close_call(call, r, &error) : 0;
}

static int send_out(struct call *call, const struct caller *caller, sd_bus_error *error)
{
	const struct method *method = call->method;
	struct bridge *bridge = call->bridge;
	int r = call->uid == 0 ? 0 : account_begin(&bridge->accounts, call->uid, monotonic_us(), &call->account);

	if (r == -EBUSY)
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
					"too many unanswered calls, of yours or of all users: try again later");
	if (r < 0)
		return r;
	if (call->uid == 0 && (method->flags & METHOD_FOR_USER))
		return sd_bus_error_set(error, SD_BUS_ERROR_NOT_SUPPORTED,
					"not for root: use the command schedqos, which asks the daemon itself");
	if (call->uid == 0 || !method->action || (caller->may_show && (method->flags & METHOD_SHOWS)))
		return call_daemon(call, error);
	return ask_polkit(call, method->action);
}

/*
 * Maximum size of a call's arguments in bytes, because they are kept while polkit is asked, and copied for the daemon.
 * Large enough for all units that one user may name at once.
 */
#define ARGUMENTS_BYTES (32 * PATH_MAX)

/* Adds up the size of the arguments; even an empty text takes some. Returns 0, -E2BIG or another -errno. */
static int measure_arguments(sd_bus_message *message, size_t *size)
{
	const char *contents, *text;
	char type;
	int r;

	while ((r = sd_bus_message_peek_type(message, &type, &contents)) > 0 && *size <= ARGUMENTS_BYTES) {
		*size += sizeof(uint64_t);
		if (type == 'a' || type == 'r') {
			r = sd_bus_message_enter_container(message, type, contents);
			if (r >= 0)
				r = measure_arguments(message, size);
			if (r >= 0)
				r = sd_bus_message_exit_container(message);
		} else if (type == 's') {
			r = sd_bus_message_read(message, "s", &text);
			*size += r < 0 ? 0 : strlen(text);
		} else {
			r = sd_bus_message_skip(message, NULL);
		}
		if (r < 0)
			return r;
	}
	if (r >= 0 && *size > ARGUMENTS_BYTES)
		return -E2BIG;
	return r < 0 ? r : 0;
}

int call_begin(struct bridge *bridge, const struct method *method, sd_bus_message *message, sd_bus_error *error)
{
	struct caller *caller;
	struct call *call;
	size_t size = 0;
	int r = measure_arguments(message, &size);

	if (r == -E2BIG)
		return sd_bus_error_set(error, SD_BUS_ERROR_INVALID_ARGS, "the arguments are too long");
	if (r >= 0)
		r = sd_bus_message_rewind(message, 1);
	if (r >= 0)
		r = caller_get(bridge, message, &caller);
	if (r < 0)
		return r;
	call = malloc(sizeof(*call));
	if (!call)
		return -ENOMEM;
	*call = (struct call){ .next = bridge->calls,
			       .bridge = bridge,
			       .method = method,
			       .message = sd_bus_message_ref(message),
			       .uid = caller->uid };
	bridge->calls = call;
	r = send_out(call, caller, error);
	if (r < 0)
		call_end(call);
	return r < 0 ? r : 1;
}
