/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/bridge/bridge.h>

#include <errno.h>
#include <inttypes.h>
#include <linux/limits.h>
#include <signal.h>
#include <string.h>

#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-login.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/policy/rules.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "classes.h"
#include "manager.h"
#include "record.h"
#include "seats.h"
#include "user_side.h"
#include "wanted.h"

struct weights {
	sd_event *event;
	sd_bus *daemon, *manager;
	bool is_user; /* the manager is a user's, who cannot ask the daemon: */
	struct user_side user;
	char record_path[PATH_MAX];
	sd_login_monitor *logins; /* NULL: nobody tells of seats */
	bool seat_is_used;
	struct weight_record *record;
	struct wanted wanted;
	struct classes classes;	  /* that units name, for those that are not wanted */
	sd_event_source *tell;	  /* the daemon about them, when no more signals wait */
	int level;	     /* at which is said what is respected */
	bool has_told_border;
	struct problem refused;
};

/* ---- one unit ---- */

/* In the order in which a kill in between leaves no trace. 0 or -errno: the manager cannot be asked any more. */
static int put_back(struct weights *weights, struct kept_weight *kept, const struct unit *unit)
{
	int r = 0;

	if (unit && unit->weight == kept->set) {
		r = unit_set_weight(weights->manager, kept->unit, kept->before);
		if (r < 0 && r != -ENOENT && r != -EACCES)
			return r;
		if (r < 0)
			log_warning("%s: its CPUWeight of %" PRIu64 " cannot be put back: %s", kept->unit, kept->set,
				    strerror(-r));
		else
			log_debug("%s: CPUWeight is put back", kept->unit);
	} else if (unit && unit->weight != kept->before) {
		log_info("%s: its CPUWeight was changed by somebody and stays", kept->unit);
	}
	r = weight_record_remove(weights->record, kept);
	if (r < 0)
		problem_report(&weights->refused, "the record of cpu weights cannot be written: %s", strerror(-r));
	return 0;
}

/* Set by systemd itself or, since that has been put back, by us. */
static void look_for_choice(void *context, const char *path)
{
	static const char *const shipped[] = { "/usr/lib/systemd/user/", "/lib/systemd/user/", "/run/user/" };
	bool *is_chosen = context, is_shipped = false;

	for (size_t i = 0; i < array_size(shipped); i++)
		is_shipped |= strncmp(path, shipped[i], strlen(shipped[i])) == 0;
	*is_chosen |= !is_shipped;
}

/* Slices of users have 100 in systemd's own files, which is what they would have without. */
static int has_chosen_weight(struct weights *weights, const char *name, const struct unit *unit, bool *ret)
{
	*ret = unit->weight != WEIGHT_UNSET;
	if (!weights->is_user || unit->weight != WEIGHT_USUAL)
		return 0;
	*ret = false;
	return unit_each_file(weights->manager, name, look_for_choice, ret);
}

/* Whether nobody has chosen what the unit gets, and its weight would not make a border. */
static int may_set(struct weights *weights, const char *name, const struct unit *unit, bool *ret)
{
	bool is_chosen;
	int r = has_chosen_weight(weights, name, unit, &is_chosen);

	*ret = false;
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (is_chosen || unit->other) {
		log_at(weights->level, "%s: somebody has chosen its %s, which stays", name, is_chosen ? "CPUWeight" : unit->other);
		return 0;
	}
	r = unit_has_border(weights->manager, unit, ret);
	if (r < 0 || *ret)
		return r;
	log_at(weights->has_told_border ? LOG_DEBUG : LOG_INFO,
	       "%s: gets no CPUWeight, which would switch on the cpu controller for all that is in %s; the same goes for "
	       "others where it is off",
	       name, unit->slice);
	weights->has_told_border = true;
	return 0;
}

static int set(struct weights *weights, const char *name, const struct unit *unit, unsigned weight)
{
	int r = weight_record_add(weights->record, name, unit->weight, weight);

	if (r < 0) {
		problem_report(&weights->refused, "%s: gets no CPUWeight, since that cannot be recorded: %s", name, strerror(-r));
		return 0;
	}
	weight_record_find(weights->record, name)->is_transient = unit->is_transient;
	r = unit_set_weight(weights->manager, name, weight);
	if (r == 0)
		log_debug("%s: CPUWeight is %u", name, weight);
	if (r != -ENOENT && r != -EACCES)
		return r;
	problem_report(&weights->refused, "%s: the service manager refuses a CPUWeight: %s", name, strerror(-r));
	return put_back(weights, weight_record_find(weights->record, name), NULL);
}

/* The setting goes first. 0: none. */
static unsigned weight_of(const struct weights *weights, const char *name)
{
	const unsigned weight = weights_find(weights->wanted.all, weights->wanted.n, name, weights->seat_is_used);
	const struct named_class *class = classes_find(&weights->classes, name);

	if (!weights->daemon && !weights->user.config)
		return 0;
	return weight || !class ? weight : class->weight;
}

/* Sees to it that the unit has what it is to have. load: also if it is not there yet. 0 or -errno, as put_back. */
static int consider(struct weights *weights, const char *name, bool load)
{
	const unsigned weight = weight_of(weights, name);
	struct kept_weight *kept = weight_record_find(weights->record, name);
	struct unit unit;
	bool may = false;
	int r;

	if (!weight && !kept)
		return 0;
	r = unit_read(weights->manager, name, load || kept, &unit);
	if (r < 0 && r != -ENOENT)
		return r;
	if (kept && (r < 0 || unit.weight != kept->set || kept->set != weight)) {
		const uint64_t before = unit.weight == kept->set ? kept->before : unit.weight;
		int error = put_back(weights, kept, r < 0 ? NULL : &unit);

		if (error < 0)
			return error;
		kept = NULL;
		unit.weight = before;
	}
	if (r < 0 || kept || !weight)
		return 0;
	r = may_set(weights, name, &unit, &may);
	return r < 0 || !may ? r : set(weights, name, &unit, weight);
}

/* ---- all of them ---- */

static int look_listed(void *context, const char *name)
{
	struct weights *weights = context;

	int r = classes_look(&weights->classes, weights->manager, name);

	return r < 0 ? r : 0;
}

static void tell_bridge(struct weights *weights)
{
	classes_resolve(&weights->classes, weights->user.config);
	user_side_tell(&weights->user, &weights->classes);
}

/* A daemon that does not answer has what it had; when it ends we are told. */
static void tell_classes(struct weights *weights)
{
	int r = 0;

	if (weights->daemon)
		r = classes_tell(&weights->classes, weights->daemon);
	else if (weights->user.config)
		tell_bridge(weights);
	if (r < 0)
		log_warning("the daemon does not take the classes of units: %s", strerror(-r));
}

/* Whoever asks the service manager for our status. */
static void tell_status(struct weights *weights)
{
	sd_notifyf(0, "STATUS=%zu units have a weight, %zu name a class, somebody is %sat a seat", weights->record->count,
		   weights->classes.count, weights->seat_is_used ? "" : "not ");
}

/* Those that are named have been asked about. */
static int consider_listed(void *context, const char *name)
{
	struct weights *weights = context;

	for (size_t i = 0; i < weights->wanted.n; i++) {
		if (strcmp(weights->wanted.all[i].pattern, name) == 0)
			return 0;
	}
	return consider(weights, name, false);
}

static int consider_kept(struct weights *weights)
{
	int r = 0;

	for (size_t i = weights->record->count; i > 0 && r >= 0; i--) {
		_cleanup_free_ char *name = strdup(weights->record->items[i - 1].unit);

		r = name ? consider(weights, name, true) : -ENOMEM;
	}
	return r;
}

/* A service that is named gets its weight before it ever starts. */
static int consider_all(struct weights *weights)
{
	int r;

	weights->level = LOG_INFO;
	r = manager_each_unit(weights->manager, look_listed, weights);
	if (r >= 0)
		tell_classes(weights);
	if (r >= 0)
		r = consider_kept(weights);
	for (size_t i = 0; i < weights->wanted.n && r >= 0; i++) {
		if (!pattern_is_glob(weights->wanted.all[i].pattern))
			r = consider(weights, weights->wanted.all[i].pattern, true);
	}
	if (r >= 0)
		r = manager_each_unit(weights->manager, consider_listed, weights);
	/* Not again with each daemon-reload. */
	weights->level = LOG_DEBUG;
	if (r < 0)
		return r;
	sd_notify(0, "READY=1");
	tell_status(weights);
	return 0;
}

static int put_all_back(struct weights *weights)
{
	int r = 0;

	while (weights->record->count && r >= 0) {
		struct kept_weight *kept = &weights->record->items[weights->record->count - 1];
		struct unit unit;

		r = unit_read(weights->manager, kept->unit, true, &unit);
		if (r >= 0 || r == -ENOENT)
			r = put_back(weights, kept, r < 0 ? NULL : &unit);
	}
	return r;
}

/* ---- what wakes us ---- */

/* The record stays for the next one. */
static int give_up(struct weights *weights, int r)
{
	if (r < 0) {
		log_error("the service manager does not answer: %s", strerror(-r));
		sd_event_exit(weights->event, EXIT_FAILURE);
	}
	return 0;
}

static int on_unit(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct weights *weights = userdata;
	const char *name;
	int r = sd_bus_message_read(message, "s", &name);

	(void)error;
	if (r < 0)
		return 0;
	r = classes_look(&weights->classes, weights->manager, name);
	if (r > 0)
		sd_event_source_set_enabled(weights->tell, SD_EVENT_ONESHOT);
	else if (r == 0)
		r = consider(weights, name, false);
	tell_status(weights);
	return give_up(weights, r);
}

/* After a daemon-reload all units are new, and this comes once. */
static int on_tell(sd_event_source *source, void *userdata)
{
	struct weights *weights = userdata;
	int r;

	(void)source;
	tell_classes(weights);
	r = consider_kept(weights);
	for (size_t i = 0; i < weights->classes.count && r >= 0; i++)
		r = consider(weights, weights->classes.items[i].unit, false);
	tell_status(weights);
	return give_up(weights, r);
}

/* Of what goes with the unit, the record keeps nothing. While the manager reloads, all are gone and come back. */
static int on_unit_removed(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct weights *weights = userdata;
	struct kept_weight *kept;
	struct unit unit;
	const char *name;

	(void)error;
	if (sd_bus_message_read(message, "s", &name) < 0)
		return 0;
	if (classes_find(&weights->classes, name) && classes_look(&weights->classes, weights->manager, name) > 0)
		sd_event_source_set_enabled(weights->tell, SD_EVENT_ONESHOT);
	kept = weight_record_find(weights->record, name);
	if (kept && kept->is_transient && unit_read(weights->manager, name, false, &unit) == -ENOENT)
		put_back(weights, kept, NULL);
	tell_status(weights);
	return 0;
}

static int on_reloaded(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct weights *weights = userdata;

	(void)message;
	(void)error;
	/* A daemon that does not answer has the configuration that it had. */
	if (wanted_ask(&weights->wanted, weights->daemon) >= 0)
		give_up(weights, consider_all(weights));
	return 0;
}

static int on_daemon_gone(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct weights *weights = userdata;

	(void)message;
	(void)error;
	return sd_event_exit(weights->event, 0);
}

static int on_manager_gone(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)message;
	(void)error;
	return give_up(userdata, -ECONNRESET);
}

static int on_login(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct weights *weights = userdata;
	const bool was_used = weights->seat_is_used;

	(void)source;
	(void)fd;
	(void)revents;
	sd_login_monitor_flush(weights->logins);
	/* The session may be in front now, in which polkit allows what it did not. */
	if (weights->is_user && weights->user.is_refused)
		tell_classes(weights);
	if (weights->is_user)
		return 0;
	weights->seat_is_used = seat_is_used();
	return weights->seat_is_used == was_used ? 0 : give_up(weights, consider_all(weights));
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
	weights->seat_is_used = r >= 0 && seat_is_used();
	return 0;
}

static int listen_to_signals(struct weights *weights)
{
	int r = sd_event_add_signal(weights->event, NULL, SIGTERM | SD_EVENT_SIGNAL_PROCMASK, NULL, NULL);

	return r < 0 ? r : sd_event_add_signal(weights->event, NULL, SIGINT | SD_EVENT_SIGNAL_PROCMASK, NULL, NULL);
}

static int match(sd_bus *bus, const char *path, const char *interface, const char *member, sd_bus_message_handler_t handler,
		 struct weights *weights)
{
	return sd_bus_match_signal(bus, NULL, NULL, path, interface, member, handler, weights);
}

static int on_changed(void *context, int error)
{
	struct weights *weights = context;

	wanted_take(&weights->wanted, weights->user.config);
	return give_up(weights, error < 0 ? error : consider_all(weights));
}

/* Whoever sits at the machine does so with a session of his own, or this would not run. */
static int follow_daemon(struct weights *weights)
{
	int r = user_side_open(&weights->user, weights->event);

	weights->seat_is_used = true;
	wanted_take(&weights->wanted, weights->user.config);
	return r;
}

static int connect_to_daemon(struct weights *weights)
{
	int r = sd_bus_new(&weights->daemon);

	if (r >= 0)
		r = sd_bus_set_address(weights->daemon, "unix:path=" BUS_SOCKET);
	if (r >= 0)
		r = sd_bus_start(weights->daemon);
	if (r >= 0)
		r = match(weights->daemon, BUS_PATH, BUS_INTERFACE, "Reloaded", on_reloaded, weights);
	if (r >= 0)
		r = match(weights->daemon, "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local", "Disconnected",
			  on_daemon_gone, weights);
	if (r >= 0)
		r = wanted_ask(&weights->wanted, weights->daemon);
	if (r >= 0)
		r = sd_bus_attach_event(weights->daemon, weights->event, SD_EVENT_PRIORITY_NORMAL);
	if (r < 0)
		log_error("talking to the daemon: %s", strerror(-r));
	return r;
}

static int connect_to_manager(struct weights *weights)
{
	static const char path[] = "/org/freedesktop/systemd1", interface[] = "org.freedesktop.systemd1.Manager";
	int r = manager_open(weights->is_user, &weights->manager);

	if (r >= 0)
		r = match(weights->manager, path, interface, "UnitNew", on_unit, weights);
	if (r >= 0)
		r = match(weights->manager, path, interface, "UnitRemoved", on_unit_removed, weights);
	if (r >= 0)
		r = match(weights->manager, "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local", "Disconnected",
			  on_manager_gone, weights);
	if (r >= 0)
		r = sd_bus_attach_event(weights->manager, weights->event, SD_EVENT_PRIORITY_NORMAL);
	if (r >= 0)
		r = sd_event_add_defer(weights->event, &weights->tell, on_tell, weights);
	if (r >= 0)
		r = sd_event_source_set_priority(weights->tell, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = sd_event_source_set_enabled(weights->tell, SD_EVENT_OFF);
	if (r < 0)
		log_error("talking to systemd on the %s bus, which sets cpu weights: %s", weights->is_user ? "user's" : "system",
			  strerror(-r));
	return r;
}

static int open_record(struct weights *weights)
{
	const char *folder = weights->is_user ? getenv("XDG_RUNTIME_DIR") : NULL;
	int r = weights->is_user && !folder ? -ENXIO : 0;

	snprintf(weights->record_path, sizeof(weights->record_path), "%s/schedqos", folder ? folder : RUNDIR);
	if (r == 0)
		r = weight_record_open(folder ? weights->record_path : NULL, &weights->record);
	if (r < 0)
		log_error("the record of cpu weights, %s/weights: %s", weights->record_path,
			  r == -EBUSY ? "\"schedqos weights\" runs already" : strerror(-r));
	return r;
}

static int start(struct weights *weights)
{
	static int (*const of_system[])(struct weights *) = { listen_to_signals,  open_record,	    connect_to_daemon,
							      connect_to_manager, listen_to_logins, consider_all };
	static int (*const of_user[])(struct weights *) = { listen_to_signals, open_record,	 connect_to_manager,
							    listen_to_logins,  follow_daemon, consider_all };
	int (*const *steps)(struct weights *) = weights->is_user ? of_user : of_system;
	const size_t n = weights->is_user ? array_size(of_user) : array_size(of_system);
	int r = sd_event_new(&weights->event);

	for (size_t i = 0; i < n && r >= 0; i++) {
		r = steps[i](weights);
		if (r < 0 && steps[i] == consider_all)
			give_up(weights, r);
	}
	return r;
}

static void clear(struct weights *weights)
{
	problem_summary(&weights->refused);
	wanted_clear(&weights->wanted);
	sd_event_source_unref(weights->tell);
	classes_clear(&weights->classes);
	sd_login_monitor_unref(weights->logins);
	sd_bus_close_unref(weights->daemon);
	user_side_close(&weights->user);
	sd_bus_flush_close_unref(weights->manager);
	weight_record_close(weights->record);
	sd_event_unref(weights->event);
}

/* Returns an exit status. */
static int finish(struct weights *weights)
{
	int r = put_all_back(weights);

	if (r < 0)
		log_error("cpu weights are not put back, but still in the record, %s/weights: %s", weights->record_path, strerror(-r));
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int weights_run(const struct config_paths *user)
{
	_cleanup_(clear) struct weights weights = { .is_user = user, .level = LOG_DEBUG };
	int status;

	weights.user = (struct user_side){ .paths = user, .changed = on_changed, .context = &weights };
	if (start(&weights) < 0)
		return EXIT_FAILURE;
	status = sd_event_loop(weights.event);
	return status ? EXIT_FAILURE : finish(&weights);
}

int weights_restore(bool is_user)
{
	_cleanup_(clear) struct weights weights = { .is_user = is_user, .level = LOG_DEBUG };
	int r = open_record(&weights);

	if (r < 0)
		return EXIT_FAILURE;
	if (!weights.record->count)
		return EXIT_SUCCESS;
	r = manager_open(is_user, &weights.manager);
	if (r < 0)
		log_error("talking to systemd on the bus: %s", strerror(-r));
	return r < 0 ? EXIT_FAILURE : finish(&weights);
}
