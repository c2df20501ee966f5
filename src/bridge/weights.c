/* SPDX-License-Identifier: GPL-2.0-only */
/* The weights service: follows configuration, units and seats, and decides which weight each unit should have. */
#include <schedqos/bridge/bridge.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-login.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/policy/weights.h>
#include <schedqos/util/bus.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "classes.h"
#include "manager.h"
#include "weighted.h"

#define PENDING_MAX 256
#define DEADLINE_US 100000

struct weights {
	sd_event *event;
	struct weighted units;
	sd_bus *daemon;		  /* for a user, the connection to the bridge */
	bool has_daemon;	  /* the daemon has sent its setting; a bridge may have no daemon */
	sd_login_monitor *logins; /* NULL without a login manager */
	bool seat_is_used;
	struct weight_list wanted;
	sd_bus_message *reply;	/* the daemon's answer; owns the patterns */
	struct classes classes; /* named by units, for units without a setting */
	bool has_told;		/* the daemon knows some of them */
	bool is_refused;	/* the daemon refuses them, which we have logged */
	/* Units in signals that we have yet to look at; all units if there were more than PENDING_MAX. */
	char *pending[PENDING_MAX];
	size_t n_pending;
	bool all_pending;
	bool reconsider; /* decide about all units again */
	/* handle pending units: when no signal waits, or at the deadline */
	sd_event_source *idle, *deadline;
};

/* Returns the weight of a unit; 0 for none. The setting counts before the unit's class. */
static unsigned wanted_weight(const void *context, const char *name)
{
	const struct weights *weights = context;
	const unsigned weight = weights_find(&weights->wanted, name, weights->seat_is_used);
	const struct named_class *class = weights->is_refused ? NULL : classes_find(&weights->classes, name);

	if (!weights->has_daemon)
		return 0;
	return weight || !class ? weight : class->weight;
}

static int consider_listed(void *context, const char *name)
{
	struct weights *weights = context;

	return weighted_give(&weights->units, name, wanted_weight(weights, name));
}

static int look_listed(void *context, const char *name)
{
	struct weights *weights = context;
	int r = classes_look(&weights->classes, weights->units.manager, name);

	return r < 0 ? r : 0;
}

/*
 * Sends the classes to the daemon, unless there is nothing to report. If it refuses them, their units get no weight for
 * their class.
 */
static void tell_classes(struct weights *weights)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	char safe[256];
	int r;

	if (!weights->has_daemon || (!weights->classes.count && !weights->has_told))
		return;
	r = classes_tell(&weights->classes, weights->daemon, weights->units.is_user, &error);
	if (r < 0 && !weights->is_refused)
		log_warning("the daemon refuses the classes that units name: %s",
			    error.message ? text_escape_to(safe, sizeof(safe), error.message, strlen(error.message))
					  : strerror(-r));
	weights->is_refused = r < 0;
	weights->has_told = weights->classes.count;
}

/* Reports our status to the service manager, where users see it, and at the first time that all is set. */
static void tell_status(const struct weights *weights)
{
	sd_notifyf(0, "READY=1\nSTATUS=%zu units have a weight, %zu name a class, %s is at a seat",
		   weights->units.count, weights->classes.count, weights->seat_is_used ? "somebody" : "nobody");
}

static int consider_all(struct weights *weights)
{
	int r;

	tell_classes(weights);
	r = weighted_again(&weights->units, wanted_weight, weights);
	if (r >= 0)
		r = manager_each_unit(weights->units.manager, consider_listed, weights);
	if (r >= 0)
		tell_status(weights);
	return r;
}

/* ---- seats ---- */

/* Returns whether the session is a user's, at a seat, and not closing: no login screen, no remote session. */
static bool is_at_seat(const char *session)
{
	_cleanup_free_ char *seat = NULL, *class = NULL, *state = NULL;

	return sd_session_get_seat(session, &seat) >= 0 && sd_session_get_class(session, &class) >= 0 &&
	       sd_session_get_state(session, &state) >= 0 && strncmp(class, "user", strlen("user")) == 0 &&
	       strcmp(state, "closing") != 0;
}

static bool seat_is_used(void)
{
	bool is_used = false;
	char **sessions = NULL;
	int n = sd_get_sessions(&sessions);

	for (int i = 0; i < n; i++) {
		is_used |= is_at_seat(sessions[i]);
		free(sessions[i]);
	}
	free(sessions);
	return is_used;
}

/* ---- what wakes us ---- */

/* Ends the loop after an error. The record stays for the next run. */
static int give_up(struct weights *weights, int r)
{
	return r < 0 ? sd_event_exit(weights->event, EXIT_FAILURE) : 0;
}

/*
 * Schedules the work, which signals only mark. Anybody can have the manager send as many signals as it can, by loading
 * units that do not exist; these are gone again before we look at them.
 */
static int do_soon(struct weights *weights)
{
	int enabled = SD_EVENT_OFF, r = sd_event_source_set_enabled(weights->idle, SD_EVENT_ONESHOT);

	if (r >= 0)
		r = sd_event_source_get_enabled(weights->deadline, &enabled);
	if (r < 0 || enabled != SD_EVENT_OFF)
		return r;
	r = sd_event_source_set_time_relative(weights->deadline, DEADLINE_US);
	return r < 0 ? r : sd_event_source_set_enabled(weights->deadline, SD_EVENT_ONESHOT);
}

static int look_again(struct weights *weights)
{
	weights->reconsider = true;
	return do_soon(weights);
}

static bool is_pending(const struct weights *weights, const char *name, size_t *ret)
{
	for (*ret = 0; *ret < weights->n_pending; ++*ret) {
		if (strcmp(weights->pending[*ret], name) == 0)
			return true;
	}
	return false;
}

static int mark_pending(struct weights *weights, const char *name)
{
	char *copy;
	size_t at;

	if (weights->all_pending || is_pending(weights, name, &at))
		return 0;
	copy = weights->n_pending < PENDING_MAX ? strdup(name) : NULL;
	if (copy)
		weights->pending[weights->n_pending++] = copy;
	else
		weights->all_pending = true;
	return do_soon(weights);
}

static void unmark(struct weights *weights, const char *name)
{
	size_t at;

	if (!is_pending(weights, name, &at))
		return;
	free(weights->pending[at]);
	weights->pending[at] = weights->pending[--weights->n_pending];
}

static void unmark_all(struct weights *weights)
{
	while (weights->n_pending)
		free(weights->pending[--weights->n_pending]);
	weights->all_pending = false;
}

/* Looks at a unit's files. If its class has changed, all units are decided about again. */
static int do_pending(struct weights *weights, const char *name)
{
	int r = classes_look(&weights->classes, weights->units.manager, name);

	weights->reconsider |= r > 0;
	return r == 0 ? consider_listed(weights, name) : r < 0 ? r : 0;
}

static int do_all_pending(struct weights *weights)
{
	int r = weights->all_pending ? manager_each_unit(weights->units.manager, look_listed, weights) : 0;

	weights->reconsider |= weights->all_pending;
	for (size_t i = 0; i < weights->n_pending && !weights->all_pending && r >= 0; i++)
		r = do_pending(weights, weights->pending[i]);
	unmark_all(weights);
	if (r < 0 || !weights->reconsider) {
		tell_status(weights);
		return r;
	}
	weights->reconsider = false;
	r = consider_all(weights);
	/* Log units that keep their own weight the first time, not again whenever some unit or session appears. */
	weights->units.level = LOG_DEBUG;
	return r;
}

static int on_idle(sd_event_source *source, void *userdata)
{
	struct weights *weights = userdata;

	(void)source;
	sd_event_source_set_enabled(weights->deadline, SD_EVENT_OFF);
	return give_up(weights, do_all_pending(weights));
}

static int on_deadline(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct weights *weights = userdata;

	(void)source;
	(void)usec;
	sd_event_source_set_enabled(weights->idle, SD_EVENT_OFF);
	return give_up(weights, do_all_pending(weights));
}

/* Called when a unit is new or removed. While the manager reloads, all are removed and come back. */
static int on_unit(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct weights *weights = userdata;
	const char *name;

	(void)error;
	if (sd_bus_message_read(message, "s", &name) < 0)
		return 0;
	/* Ignore a removed unit of which we know nothing. */
	if (sd_bus_message_is_signal(message, NULL, "UnitRemoved") > 0 &&
	    !classes_find(&weights->classes, name) && !weighted_has(&weights->units, name)) {
		unmark(weights, name);
		return 0;
	}
	return give_up(weights, mark_pending(weights, name));
}

/*
 * Asks for the setting. If there is no answer, the previous one stays in force, unless there is no bridge, or it has no
 * daemon.
 */
static int ask_weights(struct weights *weights)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	const bool is_user = weights->units.is_user;
	int at_seat, r = sd_bus_call_method(weights->daemon, is_user ? BRIDGE_NAME : NULL, BUS_PATH,
					    is_user ? BRIDGE_NAME : BUS_INTERFACE,
					    is_user ? "GetUserWeights" : "GetWeights", &error, &reply, NULL);

	if (r >= 0 || sd_bus_error_has_names(&error, BRIDGE_ERROR_NO_DAEMON, SD_BUS_ERROR_SERVICE_UNKNOWN,
					     SD_BUS_ERROR_NAME_HAS_NO_OWNER))
		weights->has_daemon = r >= 0;
	if (r < 0)
		return r;
	sd_bus_message_unref(weights->reply);
	weights->reply = reply;
	weights->wanted.count = 0;
	r = sd_bus_message_enter_container(reply, 'a', "(sqb)");
	while (r >= 0) {
		struct weight *all = array_room(weights->wanted.items, weights->wanted.count, sizeof(*all));

		if (!all)
			return -ENOMEM;
		weights->wanted.items = all;
		all += weights->wanted.count;
		r = sd_bus_message_read(reply, "(sqb)", &all->pattern, &all->number, &at_seat);
		if (r <= 0)
			break;
		all->at_seat = at_seat;
		weights->wanted.count++;
	}
	return r;
}

/* Called after a reload, or when a bridge without a daemon has got one. */
static int on_reloaded(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct weights *weights = userdata;

	(void)message;
	(void)error;
	ask_weights(weights);
	weights->units.level = LOG_INFO;
	return look_again(weights);
}

/*
 * Called when the bridge's name gets another owner, which does not know our classes yet. Without a bridge, no unit
 * should have a weight until there is one again.
 */
static int on_bridge(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct weights *weights = userdata;
	const char *name, *before, *after;

	if (sd_bus_message_read(message, "sss", &name, &before, &after) < 0)
		return 0;
	if (*after)
		return on_reloaded(message, userdata, error);
	weights->has_daemon = weights->has_told = false;
	return look_again(weights);
}

static int on_login(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct weights *weights = userdata;
	const bool was_used = weights->seat_is_used;

	(void)source;
	(void)fd;
	(void)revents;
	sd_login_monitor_flush(weights->logins);
	if (!weights->units.is_user)
		weights->seat_is_used = seat_is_used();
	/* A user's session may now be active, and polkit then allows more. */
	return weights->seat_is_used != was_used || weights->is_refused ? look_again(weights) : 0;
}

/* ---- life ---- */

static int listen_to_logins(struct weights *weights)
{
	int r = sd_login_monitor_new("session", &weights->logins);

	if (r >= 0)
		r = sd_event_add_io(weights->event, NULL, sd_login_monitor_get_fd(weights->logins),
				    (uint32_t)sd_login_monitor_get_events(weights->logins), on_login, weights);
	/* Without a login manager, nobody is at a seat. */
	if (r < 0)
		log_debug("cannot follow seats: %s", strerror(-r));
	if (!weights->units.is_user)
		weights->seat_is_used = r >= 0 && seat_is_used();
	return 0;
}

static int connect_to_bridge(struct weights *weights)
{
	int r = bus_open_system(&weights->daemon);

	/* A user at this machine has a session, or this service would not run. */
	weights->seat_is_used = true;
	if (r >= 0)
		r = sd_bus_add_match(weights->daemon, NULL, BUS_NAME_OWNER_CHANGED ",arg0='" BRIDGE_NAME "'", on_bridge,
				     weights);
	/* Any signal of the bridge: Reloaded, PropertiesChanged. */
	if (r >= 0)
		r = sd_bus_match_signal(weights->daemon, NULL, BRIDGE_NAME, BUS_PATH, NULL, NULL, on_reloaded, weights);
	if (r >= 0)
		ask_weights(weights);
	return r;
}

static int connect_to_socket(struct weights *weights)
{
	int r = bus_connect(&weights->daemon);

	if (r >= 0)
		r = sd_bus_match_signal(weights->daemon, NULL, NULL, BUS_PATH, BUS_INTERFACE, "Changed", on_reloaded,
					weights);
	return r < 0 ? r : ask_weights(weights);
}

static int connect_to_daemon(struct weights *weights)
{
	int r = weights->units.is_user ? connect_to_bridge(weights) : connect_to_socket(weights);

	if (r >= 0)
		r = sd_bus_set_exit_on_disconnect(weights->daemon, 1);
	if (r >= 0)
		r = sd_bus_set_close_on_exit(weights->daemon, 0);
	if (r >= 0)
		r = sd_bus_attach_event(weights->daemon, weights->event, SD_EVENT_PRIORITY_NORMAL);
	if (!weights->units.is_user && (r == -ENOENT || r == -ECONNREFUSED || r == -ECONNRESET || r == -ENOTCONN))
		log_error(
			"no daemon runs, and only the daemon knows the weights: 'systemctl start schedqos' starts it");
	else if (r < 0)
		log_error("cannot talk to the daemon: %s", strerror(-r));
	return r;
}

static int connect_to_manager(struct weights *weights)
{
	int r = manager_open(weights->units.is_user, &weights->units.manager);

	weights->reconsider = true;
	if (r >= 0)
		r = manager_follow_units(weights->units.manager, on_unit, weights);
	if (r >= 0)
		r = sd_bus_attach_event(weights->units.manager, weights->event, SD_EVENT_PRIORITY_NORMAL);
	if (r >= 0)
		r = sd_event_add_time_relative(weights->event, &weights->deadline, CLOCK_MONOTONIC, DEADLINE_US, 0,
					       on_deadline, weights);
	if (r >= 0)
		r = sd_event_source_set_enabled(weights->deadline, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_add_defer(weights->event, &weights->idle, on_idle, weights);
	if (r >= 0)
		r = sd_event_source_set_priority(weights->idle, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = manager_each_unit(weights->units.manager, look_listed, weights);
	if (r < 0)
		log_error("cannot talk to systemd, which sets cpu weights, on the %s bus: %s",
			  weights->units.is_user ? "user's" : "system", strerror(-r));
	return r;
}

static int weights_start(struct weights *weights, bool is_user)
{
	int r = weighted_open(&weights->units, is_user);

	if (r >= 0)
		r = sd_event_new(&weights->event);
	if (r >= 0)
		r = sd_event_set_signal_exit(weights->event, 1);
	if (r >= 0)
		r = connect_to_daemon(weights);
	if (r >= 0)
		r = connect_to_manager(weights);
	return r < 0 ? r : listen_to_logins(weights);
}

static void weights_clear(struct weights *weights)
{
	free(weights->wanted.items);
	sd_bus_message_unref(weights->reply);
	unmark_all(weights);
	sd_event_source_unref(weights->idle);
	sd_event_source_unref(weights->deadline);
	classes_clear(&weights->classes);
	sd_login_monitor_unref(weights->logins);
	sd_bus_flush_close_unref(weights->daemon);
	weighted_close(&weights->units);
	sd_event_unref(weights->event);
}

int weights_run(bool is_user)
{
	_cleanup_(weights_clear) struct weights weights = { 0 };

	if (weights_start(&weights, is_user) < 0)
		return EXIT_FAILURE;
	/* Put all back also when the daemon has ended, because its setting has ended with it. */
	if (sd_event_loop(weights.event) == 0 || !sd_bus_is_open(weights.daemon))
		return weighted_put_back(&weights.units);
	log_error("the service manager does not answer: cpu weights are not put back, and stay on record in %s",
		  weights.units.path);
	return EXIT_FAILURE;
}

int weights_restore(bool is_user)
{
	_cleanup_(weighted_close) struct weighted weighted;

	return weighted_open(&weighted, is_user) < 0 ? EXIT_FAILURE : weighted_put_back(&weighted);
}
