/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control socket of a daemon with no tasks: calls with any arguments by a client that speaks
 * D-Bus, any bytes by one that does not, while configuration, records of knobs and problems hold
 * any text. The status can always be read, and is JSON; every answer and every line of the log is
 * safe to print.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/log.h>

#include "../../src/daemon/bus.h"
#include "../../src/daemon/daemon_private.h"
#include "../../src/machine/items.h"
#include "../../src/tagging/tagger_private.h"
#include "fuzz.h"

#include <schedqos/policy/plan.h>

#define TEXT_MAX 1024

static const char greeting[] = "\0AUTH EXTERNAL\r\nDATA\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n";

static const char *const files[] = {
	"app_configs/a.json", "app_configs/b.json", "sched_profiles.json",
	"qos_mappings.json",  "mappings/m.json",
};

static struct {
	char folder[64], path[96], own[96];
	int fd;	  /* of the folder */
	int proc; /* an empty folder */
} place = { .fd = -1 };

static struct daemon the_daemon;
static struct tagger tagger;
static sd_bus *client;

/* ---- a machine with nothing on it ---- */

static int no_get(pid_t tid, struct ksched_attr *ret)
{
	*ret = (struct ksched_attr){ .runtime = 3000000, .util_max = UTIL_FULL };
	return tid ? -ESRCH : 0;
}

static int no_set(pid_t tid, struct ksched_attr *attr)
{
	(void)attr;
	return tid ? -ESRCH : 0;
}

static int no_io(pid_t tid)
{
	return tid ? -ESRCH : 0;
}

static int no_set_io(pid_t tid, int value)
{
	(void)value;
	return tid ? -ESRCH : 0;
}

static void check_line(int level, bool plain, const char *line)
{
	(void)level;
	(void)plain;
	check_printable(line);
}

static void write_text(const char *name, const char *text)
{
	int fd = openat(place.fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t size = strlen(text);

	check(fd >= 0 && write(fd, text, size) == (ssize_t)size);
	close(fd);
}

static void make_place(void)
{
	static const char *const folders[] = { "proc", "state", "app_configs", "mappings" };

	make_folder(place.folder);
	place.fd = open(place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	check(place.fd >= 0);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		check(mkdirat(place.fd, folders[i], 0700) == 0);
	snprintf(place.path, sizeof(place.path), "%s/bus", place.folder);
	snprintf(place.own, sizeof(place.own), "%s/own.json", place.folder);
	write_text("own.json", "{}");
	place.proc = openat(place.fd, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	check(place.proc >= 0);
}

static void remove_place(void)
{
	static const char *const others[] = { "own.json", "bus", "state/knobs.json" };
	static const char *const folders[] = { "proc", "state", "app_configs", "mappings" };

	sd_bus_close_unref(client);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlinkat(place.fd, files[i], 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		unlinkat(place.fd, others[i], 0);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		unlinkat(place.fd, folders[i], AT_REMOVEDIR);
	rmdir(place.folder);
}

/* Once: the loop and the socket. */
static void start(void)
{
	static const struct sched_ops nothing = {
		.get = no_get, .set = no_set, .get_io = no_io, .set_io = no_set_io,
	};
	char address[128];

	make_place();
	atexit(remove_place);
	log_set_sink(check_line);
	unsetenv("NOTIFY_SOCKET");
	the_daemon.paths = (struct config_paths){ .folder = place.folder, .file = place.own };
	the_daemon.proc = tagger.proc = place.proc;
	the_daemon.tagger = &tagger;
	tagger.applier = (struct applier){ &nothing, { true, true, 3000000, false } };
	tagger.tick_ns = 10000000;
	tagger.facts = live_facts_new(place.proc, &tagger.applier, &tagger.arguments);
	check(tagger.facts && sd_event_new(&the_daemon.event) >= 0);
	tagger.event = the_daemon.event;
	check(loop_init(&tagger) >= 0);
	check(bus_server_new(&the_daemon, place.path, &the_daemon.bus) == 0);
	snprintf(address, sizeof(address), "unix:path=%s", place.path);
	check(sd_bus_new(&client) >= 0 && sd_bus_set_address(client, address) >= 0);
	check(sd_bus_start(client) >= 0);
}

/* ---- one life of the daemon ---- */

/* A killed daemon's records, as root may have edited them. */
static void write_records(struct input *input, int folder)
{
	char *name = take_text(input, TEXT_MAX), *path = take_text(input, TEXT_MAX);
	struct item record = {
		.tree = KNOB_SYSCTL, .path = path, .is_recorded = true, .before = "1", .set = "2"
	};
	const struct items records = { .items = &record, .count = 1, .profile = name };

	check(items_write(folder, &records) == 0);
	free(name);
	free(path);
}

static void begin(struct input *input)
{
	static const struct config_file empty = { "{}", "{}", 2, CONFIG_RULES };
	struct config_errors errors = { 0 };
	int folder = openat(place.fd, "state", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	check(folder >= 0);
	state_file_remove(folder, STATE_KNOBS);
	if (take_byte(input) & 1)
		write_records(input, folder);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlinkat(place.fd, files[i], 0);
	machine_new_at(dup(place.fd), folder, true, &the_daemon.machine);
	check(the_daemon.machine);
	check(config_parse(&empty, 1, NULL, NULL, &the_daemon.config, &errors) == 0);
	machine_set_config(the_daemon.machine, the_daemon.config);
	tagger.plan = plan_new(&tagger.applier.caps, getpid(), 0, &one_chunk);
	check(tagger.plan && plan_set_config(tagger.plan, the_daemon.config) == 0);
	check(state_new(folder, 0, &tagger.state) == 0);
}

static void end(void)
{
	plan_free(tagger.plan);
	state_free(tagger.state);
	machine_free(the_daemon.machine);
	config_free(the_daemon.config);
	free(the_daemon.reload_error);
	the_daemon.reload_error = NULL;
	memset(&tagger.counters, 0, sizeof(tagger.counters));
	memset(&tagger.problems, 0, sizeof(tagger.problems));
	the_daemon.bus_problem = (struct problem){ 0 };
}

static void pump(void)
{
	while (sd_event_run(the_daemon.event, 0) > 0 || sd_bus_process(client, NULL) > 0)
		;
}

/* ---- a client that speaks D-Bus ---- */

/* Lines, each safe to print. */
static void check_lines(const char *text)
{
	check_utf8(text);
	for (; *text; text++)
		check(*text == '\n' || *text == '\t' || ((unsigned char)*text >= 0x20 && *text != 0x7f));
}

/* JSON that is safe to print. */
static int on_status(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	const char *text;
	cJSON *json;

	(void)error;
	check(sd_bus_message_read(reply, "s", &text) > 0);
	check_lines(text);
	json = cJSON_Parse(text);
	check(cJSON_IsString(cJSON_GetObjectItem(json, "version")));
	check(cJSON_IsObject(cJSON_GetObjectItem(json, "problems")));
	cJSON_Delete(json);
	*(bool *)userdata = true;
	return 0;
}

static int on_answer(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	const sd_bus_error *answer = sd_bus_message_get_error(reply);
	const char *text;

	(void)error;
	if (answer && strncmp(answer->name, "org.schedqos1.", strlen("org.schedqos1.")) == 0)
		check_lines(answer->message);
	if (!answer && sd_bus_message_has_signature(reply, "s") &&
	    sd_bus_message_read(reply, "s", &text) >= 0)
		check_lines(text);
	*(bool *)userdata = true;
	return 0;
}

/* Calls that sd-bus itself refuses are not sent. */
static void send_call(sd_bus_message *call, sd_bus_message_handler_t handler)
{
	bool answered = false;

	if (sd_bus_call_async(client, NULL, call, handler, &answered, 0) >= 0) {
		pump();
		check(answered);
	}
	sd_bus_message_unref(call);
}

static sd_bus_message *new_call(const char *interface, const char *member)
{
	sd_bus_message *call = NULL;

	if (sd_bus_message_new_method_call(client, &call, NULL, BUS_PATH, interface, member) < 0)
		return NULL;
	return call;
}

static void ask_status(void)
{
	sd_bus_message *call = new_call(BUS_INTERFACE, "Status");

	check(call);
	send_call(call, on_status);
}

/* A call of some method of ours, or of one of sd-bus's own, with as many strings as come. */
static void call(struct input *input)
{
	static const char *const members[][2] = {
		{ BUS_INTERFACE, "Reload" },
		{ BUS_INTERFACE, "GetConfig" },
		{ BUS_INTERFACE, "SetSchedProfile" },
		{ "org.freedesktop.DBus.Properties", "Get" },
		{ "org.freedesktop.DBus.Properties", "GetAll" },
		{ "org.freedesktop.DBus.Properties", "Set" },
		{ "org.freedesktop.DBus.Introspectable", "Introspect" },
		{ "org.freedesktop.DBus.Peer", "Ping" },
	};
	uint8_t which = take_byte(input), n = take_byte(input) % 4;
	char *interface = take_text(input, which == 0xff ? 64 : 0);
	char *member = take_text(input, which == 0xff ? 64 : 0);
	sd_bus_message *message;

	if (which == 0xff)
		message = new_call(interface, member);
	else
		message = new_call(members[which % 7][0], members[which % 7][1]);
	for (; message && n > 0; n--) {
		char *text = take_text(input, TEXT_MAX);

		if (sd_bus_message_append(message, n == 3 ? "v" : "s", n == 3 ? "s" : text, text) <
		    0) {
			sd_bus_message_unref(message);
			message = NULL;
		}
		free(text);
	}
	if (message)
		send_call(message, on_answer);
	free(interface);
	free(member);
}

/* JSON, indented, and otherwise safe to print. */
static int on_explained(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	const char *text;
	cJSON *json;

	(void)error;
	*(bool *)userdata = true;
	if (sd_bus_message_is_method_error(reply, NULL))
		return 0;
	check(sd_bus_message_read(reply, "s", &text) >= 0);
	json = cJSON_Parse(text);
	check(cJSON_GetArraySize(cJSON_GetObjectItem(json, "threads")) == 1);
	cJSON_Delete(json);
	check_lines(text);
	return 0;
}

/* What would become of any program. */
static void ask_explain(struct input *input)
{
	sd_bus_message *call = new_call(BUS_INTERFACE, "ExplainName");
	char *name = take_text(input, TEXT_MAX);

	check(call);
	if (sd_bus_message_append(call, "s", name) >= 0)
		send_call(call, on_explained);
	else
		sd_bus_message_unref(call);
	free(name);
}

/* ---- a client that does not ---- */

static int connect_raw(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	strncpy(address.sun_path, place.path, sizeof(address.sun_path) - 1);
	check(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	return fd;
}

static void babble(struct input *input)
{
	bool greets = take_byte(input) & 1;
	int fd = connect_raw();
	char answer[4096];
	uint8_t *bytes;
	size_t size;

	if (greets)
		check(write(fd, greeting, sizeof(greeting) - 1) > 0);
	bytes = take_bytes(input, take_number(input, 2), &size);
	/* The daemon may have closed the connection. */
	if (size)
		send(fd, bytes, size, MSG_NOSIGNAL);
	pump();
	while (read(fd, answer, sizeof(answer)) > 0)
		;
	close(fd);
	pump();
	free(bytes);
}

/* ---- what the calls are about ---- */

static void change(struct input *input)
{
	uint8_t which = take_byte(input);
	char *text = take_text(input, SIZE_MAX);

	write_text(files[which % (sizeof(files) / sizeof(files[0]))], text);
	free(text);
}

static void step(struct input *input)
{
	const uint8_t what = take_byte(input);

	switch (what & 3) {
	case 0:
		call(input);
		break;
	case 1:
		babble(input);
		break;
	case 2:
		change(input);
		break;
	case 3:
		if (what & 4)
			ask_explain(input);
		else
			ask_status();
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = { bytes, size };

	if (place.fd < 0)
		start();
	begin(&input);
	while (input.left)
		step(&input);
	ask_status();
	end();
	return 0;
}
