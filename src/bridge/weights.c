/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/bridge/bridge.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-login.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/broadcasts.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>
#include "classes.h"
#include "manager.h"

struct weights {
	sd_event *event;
	sd_bus *daemon, *manager;
	bool is_user;	 /* the manager is a user's, and in place of the daemon, which does not let him in, there is the
			    bridge */
	bool has_daemon; /* with a configuration, which a bridge may have not */
	bool is_ending;	 /* nothing is to have a weight any more */
	char record_path[PATH_MAX];
	int record, lock;
	size_t n_kept; /* units in it */
	sd_login_monitor *logins; /* NULL: nobody tells of seats */
	bool seat_is_used;
	struct weight_list wanted;
	sd_bus_message *reply; /* of the daemon; holds the patterns */
	struct classes classes; /* that units name, for those that are not wanted */
	bool has_told;		/* the daemon, of some */
	bool is_refused;	/* it does not take them, which has been said */
	sd_event_source *again; /* looks at all units, when no more signals wait */
	int level;		/* at which is said what is respected */
	bool has_told_border;
	struct problem refused;
};

/* ---- the record of weights that were set ---- */

/*
 * For each unit a symbolic link of its name, in a folder, which is made before the weight is set and removed after it
 * is put back. Either is one step, so that whoever reads them after a kill at any moment knows all: what a link has and
 * its unit has not was never set.
 */
struct kept_weight {
	uint64_t before, set; /* UINT64_MAX: none */
	int is_transient;     /* its unit goes with all that was set on it */
};

/* Locks it. */
static int open_record(struct weights *weights)
{
	const char *folder = weights->is_user ? getenv("XDG_RUNTIME_DIR") : RUNDIR;
	int r = folder ? 0 : -ENXIO;

	snprintf(weights->record_path, sizeof(weights->record_path), "%s/schedqos",
		 folder ? folder : "$XDG_RUNTIME_DIR");
	if (r >= 0)
		r = weights->record = folder_open(weights->record_path, 0755);
	/* Not the folder itself: root's everybody can open, and so lock. */
	if (r >= 0) {
		weights->lock =
			openat(weights->record, "weights.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (weights->lock < 0 || flock(weights->lock, LOCK_EX | LOCK_NB) < 0)
			r = -errno;
	}
	if (r < 0)
		log_error("the record of cpu weights in %s: %s", weights->record_path,
			  r == -EWOULDBLOCK ? "\"schedqos weights\" runs already" : strerror(-r));
	return r;
}

static bool find_kept(const struct weights *weights, const char *name, struct kept_weight *ret)
{
	char text[64];
	ssize_t n = readlinkat(weights->record, name, text, sizeof(text) - 1);

	if (n < 0)
		return false;
	text[n] = '\0';
	return sscanf(text, "%" SCNu64 " %" SCNu64 " %d", &ret->before, &ret->set, &ret->is_transient) == 3;
}

static int keep(struct weights *weights, const char *name, const struct kept_weight *kept)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 " %d", kept->before, kept->set, kept->is_transient);
	if (symlinkat(text, weights->record, name) < 0)
		return -errno;
	weights->n_kept++;
	return 0;
}

/* One that cannot be removed does no harm: its unit no longer carries what was set. */
static int forget(struct weights *weights, const char *name)
{
	int r = state_file_remove(weights->record, name);

	if (r < 0)
		problem_report(&weights->refused, "the record of cpu weights cannot be written: %s", strerror(-r));
	else
		weights->n_kept--;
	return 0;
}

/* ---- one unit ---- */

/* In the order in which a kill in between leaves no trace. 0 or -errno: the manager cannot be asked any more. */
static int put_back(struct weights *weights, const char *name, const struct kept_weight *kept, struct unit *unit)
{
	if (unit->weight == kept->set) {
		int r = unit_set_weight(weights->manager, name, kept->before);

		if (r < 0 && r != -ENOENT && r != -EACCES)
			return r;
		if (r < 0)
			log_warning("%s: its CPUWeight of %" PRIu64 " cannot be put back: %s", name, kept->set,
				    strerror(-r));
		else
			log_debug("%s: CPUWeight is put back", name);
		unit->weight = kept->before;
	} else if (unit->weight != kept->before) {
		log_info("%s: its CPUWeight was changed by somebody and stays", name);
	}
	return forget(weights, name);
}

/* Set by systemd itself or, since that has been put back, by us. */
static bool is_shipped(const char *path)
{
	static const char *const shipped[] = { "/usr/lib/systemd/user/", "/lib/systemd/user/", "/run/user/" };

	for (size_t i = 0; i < array_size(shipped); i++) {
		if (strncmp(path, shipped[i], strlen(shipped[i])) == 0)
			return true;
	}
	return !*path;
}

/* Slices of users have 100 in systemd's own files, which is what they would have without. */
static bool has_chosen_weight(const struct weights *weights, const struct unit *unit)
{
	bool is_chosen = !is_shipped(unit->fragment);

	if (!weights->is_user || unit->weight != WEIGHT_USUAL)
		return unit->weight != WEIGHT_UNSET;
	for (char **at = unit->drop_ins; at && *at; at++)
		is_chosen |= !is_shipped(*at);
	return is_chosen;
}

/* Whether nobody has chosen what the unit gets, and its weight would not make a border. */
static bool may_set(struct weights *weights, const struct unit *unit)
{
	const bool is_chosen = has_chosen_weight(weights, unit);

	if (is_chosen || unit->other) {
		log_write(weights->level, "%s: somebody has chosen its %s, which stays", unit->id,
			  is_chosen ? "CPUWeight" : unit->other);
		return false;
	}
	if (unit_has_border(unit))
		return true;
	log_write(
		weights->has_told_border ? LOG_DEBUG : LOG_INFO,
		"%s: gets no CPUWeight, which would switch on the cpu controller for all that is in %s; the same goes for "
		"others where it is off",
		unit->id, unit->slice);
	weights->has_told_border = true;
	return false;
}

static int set(struct weights *weights, const char *name, const struct unit *unit, unsigned weight)
{
	const struct kept_weight kept = { unit->weight, weight, unit->is_transient };
	int r = keep(weights, name, &kept);

	if (r < 0) {
		problem_report(&weights->refused, "%s: gets no CPUWeight, since that cannot be recorded: %s", name,
			       strerror(-r));
		return 0;
	}
	r = unit_set_weight(weights->manager, name, weight);
	if (r == 0)
		log_debug("%s: CPUWeight is %u", name, weight);
	if (r != -ENOENT && r != -EACCES)
		return r;
	problem_report(&weights->refused, "%s: the service manager refuses a CPUWeight: %s", name, strerror(-r));
	return forget(weights, name);
}

/* The setting goes first. 0: none. */
static unsigned weight_of(const struct weights *weights, const char *name)
{
	const unsigned weight = weights_find(&weights->wanted, name, weights->seat_is_used);
	const struct named_class *class = weights->is_refused ? NULL : classes_find(&weights->classes, name);

	if (weights->is_ending || !weights->has_daemon)
		return 0;
	return weight || !class ? weight : class->weight;
}

/*
 * Sees to it that the unit has what it is to have. load: also if it is not there now; one that is not even then is
 * forgotten. 0 or -errno: the manager cannot be asked any more.
 */
static int consider(struct weights *weights, const char *name, bool load)
{
	_cleanup_(unit_clear) struct unit unit = { 0 };
	const unsigned weight = weight_of(weights, name);
	struct kept_weight kept;
	bool is_kept = find_kept(weights, name, &kept);
	int r;

	if (!weight && !is_kept)
		return 0;
	r = weights->manager ? 0 : manager_open(weights->is_user, &weights->manager);
	if (r < 0)
		return r;
	r = unit_read(weights->manager, name, load, &unit);
	if (r >= 0)
		r = unit_read_share(weights->manager, &unit);
	if (r == -ENOENT)
		return is_kept && (load || kept.is_transient) ? forget(weights, name) : 0;
	if (r >= 0 && is_kept && (unit.weight != kept.set || kept.set != weight)) {
		r = put_back(weights, name, &kept, &unit);
		is_kept = false;
	}
	if (r < 0 || is_kept || !weight || !may_set(weights, &unit))
		return r;
	return set(weights, name, &unit, weight);
}

/* ---- all of them ---- */

/* Loaded, if it is not: what was set on it would come back with it. */
static int consider_kept(struct weights *weights)
{
	struct dirent **entries;
	int n = scandirat(weights->record, ".", &entries, NULL, alphasort), r = n < 0 ? -errno : 0;

	weights->n_kept = 0;
	for (int i = 0; i < n; i++) {
		if (r >= 0 && entries[i]->d_type == DT_LNK) {
			weights->n_kept++;
			r = consider(weights, entries[i]->d_name, true);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return r;
}

static int consider_listed(void *context, const char *name)
{
	return consider(context, name, false);
}

static int look_listed(void *context, const char *name)
{
	struct weights *weights = context;
	int r = classes_look(&weights->classes, weights->manager, name);

	return r < 0 ? r : 0;
}

/* What says nothing need not be told so. One that is refused does not have the weight either. */
static void tell_classes(struct weights *weights)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	char safe[256];
	int r;

	if (!weights->has_daemon || (!weights->classes.count && !weights->has_told))
		return;
	r = classes_tell(&weights->classes, weights->daemon, weights->is_user, &error);
	if (r < 0 && !weights->is_refused)
		log_warning("the classes that units name do not count: %s",
			    error.message ? text_escape_to(safe, sizeof(safe), error.message, strlen(error.message))
					  : strerror(-r));
	weights->is_refused = r < 0;
	weights->has_told = weights->classes.count;
}

/* To the service manager, also for whoever asks that for our status. The first time all is set. */
static void tell_status(const struct weights *weights)
{
	sd_notifyf(0, "READY=1\nSTATUS=%zu units have a weight, %zu name a class, somebody is %sat a seat",
		   weights->n_kept, weights->classes.count, weights->seat_is_used ? "" : "not ");
}

static int consider_all(struct weights *weights)
{
	int r;

	tell_classes(weights);
	r = consider_kept(weights);
	if (r >= 0)
		r = manager_each_unit(weights->manager, consider_listed, weights);
	if (r >= 0)
		tell_status(weights);
	return r;
}

/* ---- seats ---- */

/* Not a login screen, not from afar, not on the way out. */
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

/* The record stays for the next one. */
static int give_up(struct weights *weights, int r)
{
	return r < 0 ? sd_event_exit(weights->event, EXIT_FAILURE) : 0;
}

/* What is respected is said the first time, and not again when some unit or session comes. */
static int on_again(sd_event_source *source, void *userdata)
{
	struct weights *weights = userdata;
	int r = consider_all(weights);

	(void)source;
	weights->level = LOG_DEBUG;
	return give_up(weights, r);
}

static int look_again(struct weights *weights)
{
	return sd_event_source_set_enabled(weights->again, SD_EVENT_ONESHOT);
}

/* It is new, or removed: while the manager reloads, all are gone and come back. */
static int on_unit(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct weights *weights = userdata;
	struct kept_weight kept;
	const char *name;
	int r = sd_bus_message_read(message, "s", &name);

	(void)error;
	/* Of most that are removed nothing is known, and nothing need be asked. */
	if (r < 0 || (sd_bus_message_is_signal(message, NULL, "UnitRemoved") > 0 &&
		      !classes_find(&weights->classes, name) && !find_kept(weights, name, &kept)))
		return 0;
	r = classes_look(&weights->classes, weights->manager, name);
	if (r > 0)
		return look_again(weights);
	if (r == 0)
		r = consider(weights, name, false);
	tell_status(weights);
	return give_up(weights, r);
}

/* Who does not answer has the configuration that he had. But there may be no bridge, or it has no daemon. */
static int ask_daemon(struct weights *weights)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	int at_seat, r = weights->is_user ? sd_bus_call_method(weights->daemon, BRIDGE_NAME, BUS_PATH, BRIDGE_NAME,
							       "GetUserWeights", &error, &reply, NULL)
					  : sd_bus_call_method(weights->daemon, NULL, BUS_PATH, BUS_INTERFACE,
							       "GetWeights", NULL, &reply, NULL);

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

/* Or a bridge that had no daemon has one. */
static int on_reloaded(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct weights *weights = userdata;

	(void)message;
	(void)error;
	ask_daemon(weights);
	weights->level = LOG_INFO;
	return look_again(weights);
}

/*
 * Who has the name of the bridge now knows nothing of us. Where nobody has, nothing is to have a weight until somebody
 * does: the service manager starts the next one.
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
	if (!weights->is_user)
		weights->seat_is_used = seat_is_used();
	/* A user's session may be in front now, in which polkit allows what it did not. */
	return weights->seat_is_used != was_used || weights->is_refused ? look_again(weights) : 0;
}

/* ---- life ---- */

static int listen_to_logins(struct weights *weights)
{
	int r = sd_login_monitor_new("session", &weights->logins);

	if (r >= 0)
		r = sd_event_add_io(weights->event, NULL, sd_login_monitor_get_fd(weights->logins),
				    (uint32_t)sd_login_monitor_get_events(weights->logins), on_login, weights);
	/* Without a login manager nobody is at a seat. */
	if (r < 0)
		log_debug("nobody tells of seats: %s", strerror(-r));
	if (!weights->is_user)
		weights->seat_is_used = r >= 0 && seat_is_used();
	return 0;
}

static int connect_to_bridge(struct weights *weights)
{
	int r = sd_bus_open_system(&weights->daemon);

	/* Whoever sits at the machine does so with a session of his own, or this would not run. */
	weights->seat_is_used = true;
	if (r >= 0)
		r = hear_broadcasts_only(weights->daemon);
	if (r >= 0)
		r = sd_bus_add_match(weights->daemon, NULL, BUS_NAME_OWNER_CHANGED ",arg0='" BRIDGE_NAME "'", on_bridge,
				     weights);
	/* Reloaded, and PropertiesChanged. */
	if (r >= 0)
		r = sd_bus_match_signal(weights->daemon, NULL, BRIDGE_NAME, BUS_PATH, NULL, NULL, on_reloaded, weights);
	if (r >= 0)
		ask_daemon(weights);
	return r;
}

static int connect_to_socket(struct weights *weights)
{
	int r = bus_connect(&weights->daemon);

	if (r >= 0)
		r = sd_bus_match_signal(weights->daemon, NULL, NULL, BUS_PATH, BUS_INTERFACE, "Changed", on_reloaded,
					weights);
	return r < 0 ? r : ask_daemon(weights);
}

static int connect_to_daemon(struct weights *weights)
{
	int r = weights->is_user ? connect_to_bridge(weights) : connect_to_socket(weights);

	if (r >= 0)
		r = sd_bus_set_exit_on_disconnect(weights->daemon, 1);
	if (r >= 0)
		r = sd_bus_set_close_on_exit(weights->daemon, 0);
	if (r >= 0)
		r = sd_bus_attach_event(weights->daemon, weights->event, SD_EVENT_PRIORITY_NORMAL);
	if (!weights->is_user && (r == -ENOENT || r == -ECONNREFUSED || r == -ECONNRESET || r == -ENOTCONN))
		log_error("not running: the daemon says what weights there are");
	else if (r < 0)
		log_error("talking to the daemon: %s", strerror(-r));
	return r;
}

static int connect_to_manager(struct weights *weights)
{
	int r = manager_open(weights->is_user, &weights->manager);

	if (r >= 0)
		r = manager_follow_units(weights->manager, on_unit, weights);
	if (r >= 0)
		r = sd_bus_attach_event(weights->manager, weights->event, SD_EVENT_PRIORITY_NORMAL);
	if (r >= 0)
		r = sd_event_add_defer(weights->event, &weights->again, on_again, weights);
	if (r >= 0)
		r = sd_event_source_set_priority(weights->again, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = manager_each_unit(weights->manager, look_listed, weights);
	if (r < 0)
		log_error("talking to systemd on the %s bus, which sets cpu weights: %s",
			  weights->is_user ? "user's" : "system", strerror(-r));
	return r;
}

static int start(struct weights *weights)
{
	int r = sd_event_new(&weights->event);

	if (r >= 0)
		r = sd_event_set_signal_exit(weights->event, 1);
	if (r >= 0)
		r = open_record(weights);
	if (r >= 0)
		r = connect_to_daemon(weights);
	if (r >= 0)
		r = connect_to_manager(weights);
	return r < 0 ? r : listen_to_logins(weights);
}

static void clear(struct weights *weights)
{
	problem_summary(&weights->refused);
	free(weights->wanted.items);
	sd_bus_message_unref(weights->reply);
	sd_event_source_unref(weights->again);
	classes_clear(&weights->classes);
	sd_login_monitor_unref(weights->logins);
	sd_bus_flush_close_unref(weights->daemon);
	sd_bus_flush_close_unref(weights->manager);
	cleanup_close(&weights->record);
	cleanup_close(&weights->lock);
	sd_event_unref(weights->event);
}

/* Returns an exit status. */
static int finish(struct weights *weights)
{
	int r;

	weights->is_ending = true;
	r = consider_kept(weights);
	if (r < 0)
		log_error("cpu weights are not put back, but still in the record in %s: %s", weights->record_path,
			  strerror(-r));
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int weights_run(bool is_user)
{
	_cleanup_(clear) struct weights weights = { .is_user = is_user, .level = LOG_INFO, .record = -1, .lock = -1 };

	if (start(&weights) < 0)
		return EXIT_FAILURE;
	/* With the daemon, too, all ends that it has said. */
	if (sd_event_loop(weights.event) == 0 || !sd_bus_is_open(weights.daemon))
		return finish(&weights);
	log_error("the service manager does not answer: cpu weights are still in the record in %s",
		  weights.record_path);
	return EXIT_FAILURE;
}

int weights_restore(bool is_user)
{
	_cleanup_(clear) struct weights weights = { .is_user = is_user, .level = LOG_DEBUG, .record = -1, .lock = -1 };

	return open_record(&weights) < 0 ? EXIT_FAILURE : finish(&weights);
}
