/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stand-in for the service manager, with the methods that cpu weights need, on the bus that DBUS_SYSTEM_BUS_ADDRESS
 * names. It obeys the lines of its standard input, and answers each with a line:
 *
 *   unit NAME CGROUP SLICE    loads a unit and signals that; "-": none
 *   files NAME FILE DROP-IN   gives the unit these files; "-": none. Signals a new unit, as after a daemon-reload
 *   gone NAME                 removes the unit and signals that
 *   put NAME WEIGHT QUOTA     sets them as somebody else would
 *   get NAME                  answers the unit's weight
 *   bridge HOW                also plays the bridge, which serves ("here"), "refuses" classes, or is "gone" again
 *   user_weight N             the weight of session.slice that the bridge answers from now on; 0: it has no daemon
 *   told                      answers the units that the bridge was told of since the last such line
 *   asked                     answers how often the bridge was asked for weights since the last such line
 *   kill NAME HOW             kills the next process that sets the unit's weight, "before" or "after" it is set
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#define NAME	"org.freedesktop.systemd1"
#define PATH	"/org/freedesktop/systemd1"
#define BRIDGE	"org.schedqos1"
#define UNITS	32

static struct unit {
	char *name, *state, *cgroup, *slice, *fragment, *drop_ins[2];
	uint64_t weight, quota;
	int transient;
} units[UNITS];

static sd_bus *bus;
static char doomed[256], how[16];

static struct unit *unit_find(const char *name)
{
	for (size_t i = 0; i < UNITS; i++) {
		if (units[i].name && strcmp(units[i].name, name) == 0)
			return &units[i];
	}
	return NULL;
}

static struct unit *unit_add(const char *name, const char *state, const char *cgroup, const char *slice)
{
	struct unit *unit = unit_find(name);

	for (size_t i = 0; !unit && i < UNITS; i++) {
		if (!units[i].name)
			unit = &units[i];
	}
	if (!unit)
		abort();
	*unit = (struct unit){ .name = strdup(name),
			       .state = strdup(state),
			       .cgroup = strdup(cgroup),
			       .slice = strdup(slice),
			       .weight = UINT64_MAX,
			       .quota = UINT64_MAX,
			       .transient = strstr(name, ".scope") != NULL };
	return unit;
}

static int tell(const char *signal, const char *name)
{
	char *path = NULL;
	int r = sd_bus_path_encode(PATH "/unit", name, &path);

	if (r >= 0)
		r = sd_bus_emit_signal(bus, PATH, NAME ".Manager", signal, "so", name, path);
	free(path);
	return r;
}

static int reply_path(sd_bus_message *message, const char *name)
{
	char *path = NULL;
	int r = sd_bus_path_encode(PATH "/unit", name, &path);

	if (r >= 0)
		r = sd_bus_reply_method_return(message, "o", path);
	free(path);
	return r;
}

static int subscribe(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)userdata;
	(void)error;
	return sd_bus_reply_method_return(message, NULL);
}

static int get_unit(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const char *name;
	int r = sd_bus_message_read(message, "s", &name);

	(void)userdata;
	if (r < 0)
		return r;
	if (!unit_find(name))
		return sd_bus_error_setf(error, NAME ".NoSuchUnit", "Unit %s not loaded.", name);
	return reply_path(message, name);
}

static int load_unit(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const char *name;
	int r = sd_bus_message_read(message, "s", &name);

	(void)userdata;
	(void)error;
	if (r < 0)
		return r;
	if (!unit_find(name)) {
		unit_add(name, "not-found", "", "");
		tell("UnitNew", name);
	}
	return reply_path(message, name);
}

/* Ends the array in the reply and sends it. r: the result of filling it so far. */
static int send_array(sd_bus_message *reply, int r)
{
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	if (r >= 0)
		r = sd_bus_send(bus, reply, NULL);
	sd_bus_message_unref(reply);
	return r;
}

static int list_units(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	sd_bus_message *reply = NULL;
	int r = sd_bus_message_new_method_return(message, &reply);

	(void)userdata;
	(void)error;
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "(ssssssouso)");
	for (size_t i = 0; i < UNITS && r >= 0; i++) {
		if (units[i].name)
			r = sd_bus_message_append(reply, "(ssssssouso)", units[i].name, "", units[i].state, "active",
						  "running", "", "/", 0, "", "/");
	}
	return send_array(reply, r);
}

static void kill_sender(sd_bus_message *message)
{
	sd_bus_creds *creds = NULL;
	pid_t pid;

	*doomed = '\0';
	if (sd_bus_query_sender_creds(message, SD_BUS_CREDS_PID, &creds) >= 0 && sd_bus_creds_get_pid(creds, &pid) >= 0)
		kill(pid, SIGKILL);
	sd_bus_creds_unref(creds);
}

static int set_properties(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const char *name, *property;
	uint64_t weight;
	int runtime, r;
	struct unit *unit;

	(void)userdata;
	r = sd_bus_message_read(message, "sb", &name, &runtime);
	if (r >= 0)
		r = sd_bus_message_read(message, "a(sv)", 1, &property, "t", &weight);
	if (r < 0)
		return r;
	unit = unit_find(name);
	if (!unit || !runtime || strcmp(property, "CPUWeight") != 0)
		return sd_bus_error_setf(error, NAME ".NoSuchUnit", "Not %s of %s.", property, name);
	if (strcmp(name, doomed) != 0 || strcmp(how, "after") == 0)
		unit->weight = weight;
	if (strcmp(name, doomed) == 0)
		kill_sender(message);
	return sd_bus_reply_method_return(message, NULL);
}

static const sd_bus_vtable manager[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("Subscribe", NULL, NULL, subscribe, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("GetUnit", "s", "o", get_unit, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("LoadUnit", "s", "o", load_unit, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("ListUnits", NULL, "a(ssssssouso)", list_units, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("SetUnitProperties", "sba(sv)", NULL, set_properties, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_SIGNAL("UnitNew", "so", 0),
	SD_BUS_SIGNAL("UnitRemoved", "so", 0),
	SD_BUS_VTABLE_END,
};

static int drop_ins_of(sd_bus *on, const char *path, const char *interface, const char *property, sd_bus_message *reply,
		       void *userdata, sd_bus_error *error)
{
	struct unit *unit = userdata;

	(void)on;
	(void)path;
	(void)interface;
	(void)property;
	(void)error;
	return sd_bus_message_append_strv(reply, unit->drop_ins);
}

/* ---- the bridge ---- */

static char told[2048];
static bool refuses;
static unsigned user_weight, asked;

static int get_user_weights(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)userdata;
	asked++;
	if (!user_weight)
		return sd_bus_error_set(error, "org.schedqos1.Error.NoDaemon", "no daemon runs");
	return sd_bus_reply_method_return(message, "a(sqb)", 2, "session.slice", user_weight, 0, "c*.slice", 7, 0);
}

static int set_unit_classes(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const char *cgroup, *class, *place;
	sd_bus_message *reply = NULL;
	size_t length = 0;
	int r = sd_bus_message_enter_container(message, 'a', "(sss)");

	(void)userdata;
	snprintf(told, sizeof(told), "refused");
	if (refuses)
		return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "not in front");
	length += (size_t)snprintf(told, sizeof(told), "told");
	if (r >= 0)
		r = sd_bus_message_new_method_return(message, &reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "(qs)");
	while (r >= 0 && (r = sd_bus_message_read(message, "(sss)", &cgroup, &class, &place)) > 0 && length < sizeof(told)) {
		length += (size_t)snprintf(told + length, sizeof(told) - length, " %s %s %s", cgroup, class, place);
		r = sd_bus_message_append(reply, "(qs)", 41, "");
	}
	return send_array(reply, r);
}

static const sd_bus_vtable bridge[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("GetUserWeights", NULL, "a(sqb)", get_user_weights, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("SetUnitClasses", "a(sss)", "a(qs)", set_unit_classes, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_SIGNAL("Reloaded", NULL, 0),
	SD_BUS_VTABLE_END,
};

static int put_bridge(const char *where)
{
	int r;

	refuses = strcmp(where, "refuses") == 0;
	if (strcmp(where, "gone") == 0)
		return sd_bus_release_name(bus, BRIDGE);
	r = sd_bus_request_name(bus, BRIDGE, 0);
	return r == -EALREADY ? 0 : r;
}

/* ---- units ---- */

static const sd_bus_vtable of_all[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Id", "s", NULL, offsetof(struct unit, name), 0),
	SD_BUS_PROPERTY("LoadState", "s", NULL, offsetof(struct unit, state), 0),
	SD_BUS_PROPERTY("FragmentPath", "s", NULL, offsetof(struct unit, fragment), 0),
	SD_BUS_PROPERTY("DropInPaths", "as", drop_ins_of, 0, 0),
	SD_BUS_PROPERTY("Transient", "b", NULL, offsetof(struct unit, transient), 0),
	SD_BUS_VTABLE_END,
};

static const sd_bus_vtable of_kind[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("CPUWeight", "t", NULL, offsetof(struct unit, weight), 0),
	SD_BUS_PROPERTY("CPUQuotaPerSecUSec", "t", NULL, offsetof(struct unit, quota), 0),
	SD_BUS_PROPERTY("ControlGroup", "s", NULL, offsetof(struct unit, cgroup), 0),
	SD_BUS_PROPERTY("Slice", "s", NULL, offsetof(struct unit, slice), 0),
	SD_BUS_VTABLE_END,
};

static int on_path(sd_bus *on, const char *path, const char *interface, void *userdata, void **ret, sd_bus_error *error)
{
	char *name = NULL;
	int r = sd_bus_path_decode(path, PATH "/unit", &name);

	(void)on;
	(void)interface;
	(void)userdata;
	(void)error;
	if (r <= 0)
		return r;
	*ret = unit_find(name);
	free(name);
	return *ret != NULL;
}

static const char *or_none(const char *word)
{
	return strcmp(word, "-") == 0 ? "" : word;
}

static void obey(const char *line)
{
	char name[256], cgroup[512], slice[256], drop_in[512];
	uint64_t weight, quota;
	struct unit *unit;

	if (sscanf(line, "unit %255s %511s %255s", name, cgroup, slice) == 3) {
		unit_add(name, "loaded", or_none(cgroup), or_none(slice));
		tell("UnitNew", name);
	} else if (sscanf(line, "files %255s %511s %511s", name, cgroup, drop_in) == 3 && (unit = unit_find(name))) {
		unit->fragment = strdup(or_none(cgroup));
		unit->drop_ins[0] = *or_none(drop_in) ? strdup(drop_in) : NULL;
		tell("UnitNew", name);
	} else if (sscanf(line, "user_weight %u", &user_weight) == 1) {
		sd_bus_emit_signal(bus, "/org/schedqos1", BRIDGE, "Reloaded", NULL);
	} else if (sscanf(line, "gone %255s", name) == 1 && (unit = unit_find(name))) {
		unit->name = NULL;
		tell("UnitRemoved", name);
	} else if (sscanf(line, "put %255s %" SCNu64 " %" SCNu64, name, &weight, &quota) == 3 && (unit = unit_find(name))) {
		unit->weight = weight;
		unit->quota = quota;
	} else if (sscanf(line, "get %255s", name) == 1 && (unit = unit_find(name))) {
		printf("%" PRIu64 "\n", unit->weight);
		return;
	} else if (strcmp(line, "told\n") == 0) {
		printf("%s\n", told);
		*told = '\0';
		return;
	} else if (strcmp(line, "asked\n") == 0) {
		printf("%u\n", asked);
		asked = 0;
		return;
	} else if (sscanf(line, "bridge %255s", name) == 1 && put_bridge(name) < 0) {
		printf("no name\n");
		return;
	} else if (strncmp(line, "bridge ", 7) != 0 && sscanf(line, "kill %255s %15s", doomed, how) != 2) {
		printf("what?\n");
		return;
	}
	printf("done\n");
}

static int on_input(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	char line[2048];

	(void)fd;
	(void)revents;
	(void)userdata;
	if (!fgets(line, sizeof(line), stdin))
		return sd_event_exit(sd_event_source_get_event(source), 0);
	obey(line);
	return 0;
}

int main(void)
{
	static const char *const kinds[] = { NAME ".Slice", NAME ".Service", NAME ".Scope" };
	sd_event *event = NULL;
	int r = sd_event_new(&event);

	setlinebuf(stdout);
	setvbuf(stdin, NULL, _IONBF, 0);
	if (r >= 0)
		r = sd_bus_open_system(&bus);
	if (r >= 0)
		r = sd_bus_add_object_vtable(bus, NULL, PATH, NAME ".Manager", manager, NULL);
	if (r >= 0)
		r = sd_bus_add_object_vtable(bus, NULL, "/org/schedqos1", BRIDGE, bridge, NULL);
	if (r >= 0)
		r = sd_bus_add_fallback_vtable(bus, NULL, PATH "/unit", NAME ".Unit", of_all, on_path, NULL);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && r >= 0; i++)
		r = sd_bus_add_fallback_vtable(bus, NULL, PATH "/unit", kinds[i], of_kind, on_path, NULL);
	if (r >= 0)
		r = sd_bus_request_name(bus, NAME, 0);
	if (r >= 0)
		r = sd_bus_attach_event(bus, event, 0);
	if (r >= 0)
		r = sd_event_add_io(event, NULL, 0, EPOLLIN, on_input, NULL);
	if (r < 0) {
		fprintf(stderr, "manager: %s\n", strerror(-r));
		return 1;
	}
	printf("ready\n");
	return sd_event_loop(event) < 0;
}
