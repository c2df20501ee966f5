/* SPDX-License-Identifier: GPL-2.0-only */
/* The control socket of a daemon whose files hold what no terminal should see, and D-Bus refuses.
 */
#include "made_up_tree.h"

#include <cjson/cJSON.h>

#include <schedqos/config/config_text.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/util/log.h>

#include "../../src/daemon/bus.h"
#include "../../src/daemon/daemon_private.h"
#include "../../src/machine/items.h"
#include "../../src/tagging/tagger_private.h"

static struct daemon the_daemon;
static struct tagger tagger;
static sd_bus *client;
static char path[96];

static int no_task(pid_t tid, struct ksched_attr *ret)
{
	(void)tid;
	(void)ret;
	return -ESRCH;
}

static void load(const char *profiles)
{
	const struct config_file file = { "p.json", profiles, strlen(profiles), CONFIG_PROFILES };
	struct config_errors errors = { 0 };

	assert_int_equal(config_parse(&file, 1, NULL, NULL, &the_daemon.config, &errors), 0);
	assert_int_equal(plan_set_config(tagger.plan, the_daemon.config), 0);
}

/* old_profile: the name of the profile in the record of a killed daemon. */
static void start(const char *profiles, const char *old_profile)
{
	static const struct sched_ops nothing = { .get = no_task, .set = no_task };
	int folder = open_folder("run");
	const struct items records = { .profile = (char *)old_profile };
	char address[128];

	assert_int_equal(items_write(folder, &records), 0);
	tagger = (struct tagger){ .applier = { .ops = &nothing }, .proc = -1 };
	the_daemon = (struct daemon){ .tagger = &tagger, .proc = -1 };
	assert_int_equal(machine_new_at(open_folder(""), folder, false, &the_daemon.machine), 0);
	tagger.plan = plan_new(&tagger.applier.caps, getpid(), 0, NULL);
	load(profiles);
	machine_set_config(the_daemon.machine, the_daemon.config);
	assert_true(sd_event_new(&the_daemon.event) >= 0);
	snprintf(path, sizeof(path), "%s/bus", top);
	assert_int_equal(bus_server_new(&the_daemon, path, &the_daemon.bus), 0);
	snprintf(address, sizeof(address), "unix:path=%s", path);
	assert_true(sd_bus_new(&client) >= 0);
	assert_true(sd_bus_set_address(client, address) >= 0);
	assert_true(sd_bus_start(client) >= 0);
}

static int set_up(void **state)
{
	return make_trees(state);
}

static int tear_down(void **state)
{
	sd_bus_close_unref(client);
	bus_server_free(the_daemon.bus);
	machine_free(the_daemon.machine);
	plan_free(tagger.plan);
	config_free(the_daemon.config);
	sd_event_unref(the_daemon.event);
	return remove_trees(state);
}

static int keep(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	(void)error;
	*(sd_bus_message **)userdata = sd_bus_message_ref(reply);
	return 0;
}

/* Server and client are in this process, and run in turn. */
static sd_bus_message *call(const char *interface, const char *member, const char *argument)
{
	sd_bus_message *reply = NULL;

	assert_true(sd_bus_call_method_async(client, NULL, NULL, BUS_PATH, interface, member, keep,
					     &reply, argument ? "s" : NULL, argument) >= 0);
	while (!reply &&
	       (sd_event_run(the_daemon.event, 0) > 0 || sd_bus_process(client, NULL) > 0))
		;
	assert_non_null(reply);
	return reply;
}

static cJSON *status(void)
{
	sd_bus_message *reply = call(BUS_INTERFACE, "Status", NULL);
	const char *text = NULL;
	cJSON *json;

	assert_true(sd_bus_message_read(reply, "s", &text) > 0);
	json = cJSON_Parse(text);
	assert_non_null(json);
	sd_bus_message_unref(reply);
	return json;
}

static void status_escapes_a_profile_that_is_not_utf8(void **state)
{
	cJSON *json;

	(void)state;
	start("{}", "\xff\x1b[2J");
	json = status();
	assert_string_equal(cJSON_GetObjectItem(json, "sched_profile")->valuestring,
			    "\\xff\\x1b[2J");
	cJSON_Delete(json);
}

static void names_of_profiles_are_safe_to_print(void **state)
{
	const sd_bus_error *error;
	sd_bus_message *reply;
	cJSON *json, *names;

	(void)state;
	start("{ \"fast\\u001b[2J\": {} }", "old");
	json = status();
	names = cJSON_GetObjectItem(json, "sched_profiles");
	/* After the built-in ones. */
	assert_string_equal(cJSON_GetArrayItem(names, cJSON_GetArraySize(names) - 1)->valuestring,
			    "fast\\x1b[2J");
	cJSON_Delete(json);
	reply = call(BUS_INTERFACE, "SetSchedProfile", "fas\x1b[2J");
	error = sd_bus_message_get_error(reply);
	assert_non_null(error);
	assert_string_equal(error->name, BUS_ERROR_UNKNOWN_PROFILE);
	assert_string_equal(error->message, "no sched profile \"fas\\x1b[2J\" "
					    "(did you mean \"fast\\x1b[2J\"?)");
	sd_bus_message_unref(reply);
}

static char logged[4096];

static void record_line(int level, bool plain, const char *line)
{
	(void)level;
	(void)plain;
	snprintf(logged, sizeof(logged), "%s", line);
}

static void a_profile_is_logged_in_one_line(void **state)
{
	sd_bus_message *reply;

	(void)state;
	start("{ \"a\\nb\": {} }", "old");
	log_set_sink(record_line);
	reply = call(BUS_INTERFACE, "SetSchedProfile", "a\nb");
	log_set_sink(NULL);
	assert_false(sd_bus_message_is_method_error(reply, NULL));
	assert_non_null(strstr(logged, "sched profile a\\nb:"));
	sd_bus_message_unref(reply);
}

/* ---- a reload is answered after the scan ---- */

static void a_reload_is_answered_after_the_scan(void **state)
{
	sd_bus_message *reply;
	char own[96];
	int folder;

	(void)state;
	start("{}", "old");
	put("own.json", "{}");
	snprintf(own, sizeof(own), "%s/own.json", top);
	tagger.facts = live_facts_new(-1, &tagger.applier, &tagger.arguments);
	tagger.event = the_daemon.event;
	assert_true(loop_init(&tagger) >= 0);
	folder = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(state_new(folder, 0, &tagger.state), 0);
	the_daemon.paths = (struct config_paths){ .folder = top, .file = own };
	reply = call(BUS_INTERFACE, "Reload", NULL);
	assert_int_equal(tagger.counters.scans, 1);
	assert_false(sd_bus_message_is_method_error(reply, NULL));
	sd_bus_message_unref(reply);
	state_free(tagger.state);
	close(folder);
	loop_free(&tagger);
	live_facts_free(tagger.facts);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(status_escapes_a_profile_that_is_not_utf8),
		TEST(names_of_profiles_are_safe_to_print),
		TEST(a_profile_is_logged_in_one_line),
		TEST(a_reload_is_answered_after_the_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
