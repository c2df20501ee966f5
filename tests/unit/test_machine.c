/* SPDX-License-Identifier: GPL-2.0-only */
/* Which profile a daemon applies: at its start, at a reload, at a switch, and once the record can be read. */
#include "machine_case.h"

#include <schedqos/config/config_text.h>
#include <schedqos/util/log.h>

#include "../../src/machine/machine_private.h"

#define CONFIG(profile) \
	"{ \"schedqos\": { \"sched_profile\": " profile ", \"autogroup\": \"keep\" } }"
#define PROFILES                                                          \
	"{ \"one\": { \"debugfs\": { \"base_slice_ns\": 16000000 } },"     \
	"  \"two\": { \"debugfs\": { \"base_slice_ns\": 8000000 } },"      \
	"  \"power\": { \"cpufreq\": { \"scaling_governor\": \"schedutil\" } } }"

static struct config *config, *old;
static unsigned n_changes; /* of the base slice, as notified */

static void count_change(void *context)
{
	++*(unsigned *)context;
}

static void discard_line(int level, bool plain, const char *line, const struct log_field *fields)
{
	(void)level;
	(void)plain;
	(void)line;
	(void)fields;
}

static void parse(const char *rules)
{
	const struct config_file files[] = {
		{ "profiles.json", PROFILES, strlen(PROFILES), CONFIG_PROFILES },
		{ "rules.json", rules, strlen(rules), CONFIG_RULES },
	};
	struct config_errors errors = { 0 };

	config_free(old);
	old = config;
	assert_int_equal(config_parse(files, 2, NULL, NULL, &config, &errors), 0);
	config_errors_clear(&errors);
}

static int set_up_config(void **state)
{
	int r = set_up(state);

	log_set_sink(discard_line);
	n_changes = 0;
	machine_on_base_slice(machine, count_change, &n_changes);
	parse(CONFIG("\"one\""));
	machine_set_config(machine, config);
	return r;
}

static int tear_down_config(void **state)
{
	int r = tear_down(state);

	config_free(config);
	config_free(old);
	config = old = NULL;
	log_set_sink(NULL);
	return r;
}

static void reload(const char *rules)
{
	parse(rules);
	machine_reload(machine, config);
}

/* As machine_start, without the sources that need the kernel. */
static void start_machine(void)
{
	assert_int_equal(machine_switch(machine, "one"), 0);
}

static void base_slice_writes_are_notified(void **state)
{
	(void)state;
	start_machine();
	assert_int_equal(n_changes, 1);
	assert_int_equal(machine_switch(machine, "one"), 0);
	assert_int_equal(n_changes, 1);
	assert_int_equal(machine_switch(machine, "power"), 0);
	/* It was put back. */
	assert_int_equal(n_changes, 2);
	machine_put_back(machine);
	assert_int_equal(n_changes, 2);
	assert_null(machine_profile(machine));
}

static void a_switch_lasts_until_the_configuration_asks_for_another(void **state)
{
	(void)state;
	start_machine();
	assert_int_equal(machine_switch(machine, "two"), 0);
	reload(CONFIG("\"one\""));
	assert_string_equal(machine_profile(machine), "two");
	reload(CONFIG("\"power\""));
	assert_string_equal(machine_profile(machine), "power");
	reload(CONFIG("null"));
	assert_null(machine_profile(machine));
	assert_int_equal(machine_count_changed(machine), 0);
}

static void switch_to_unknown_profile_changes_nothing(void **state)
{
	(void)state;
	start_machine();
	assert_int_equal(machine_switch(machine, "three"), -ENOENT);
	assert_string_equal(machine_profile(machine), "one");
	assert_int_equal(machine_switch(machine, ""), 0);
	assert_null(machine_profile(machine));
}

static void autogroups_follow_a_reload(void **state)
{
	(void)state;
	start_machine();
	assert_int_equal(machine_switch(machine, "two"), 0);
	reload("{ \"schedqos\": { \"sched_profile\": \"one\", \"autogroup\": \"off\" } }");
	assert_string_equal(get(AUTOGROUP), "0\n");
	/* The one in force stays. */
	assert_string_equal(machine_profile(machine), "two");
	reload(CONFIG("\"one\""));
	assert_string_equal(get(AUTOGROUP), "1\n");
}

static void damage_record(void)
{
	char path[128];

	close_machine();
	put(STATE, "{");
	snprintf(path, sizeof(path), "%s/" STATE, top);
	assert_int_equal(chmod(path, 0600), 0);
	start(-EBADMSG);
	machine_set_config(machine, config);
}

static void void_record_is_set_aside(void **state)
{
	struct problem unread = { 0 };
	sd_event *event;

	(void)state;
	damage_record();
	assert_true(sd_event_new(&event) >= 0);
	machine_start(machine, event, &unread);
	assert_string_equal(machine_profile(machine), "one");
	assert_string_equal(get("run/knobs.json.damaged"), "{");
	assert_int_equal(unread.count, 0);
	machine_put_back(machine);
	close_machine();
	sd_event_unref(event);
}

static void unreadable_record_is_retried(void **state)
{
	struct problem unread = { 0 };
	sd_event *event;

	(void)state;
	damage_record();
	machine->takeover_error = -EMFILE;
	assert_true(sd_event_new(&event) >= 0);
	machine_start(machine, event, &unread);
	assert_int_equal(unread.count, 1);
	/* The file is not overwritten. */
	assert_null(machine_profile(machine));
	assert_string_equal(get(STATE), "{");
	take_away(STATE);
	assert_true(sd_event_source_set_time_relative(machine->retry, 0) >= 0);
	while (!machine_profile(machine))
		assert_true(sd_event_run(event, 5000000) > 0);
	assert_string_equal(machine_profile(machine), "one");
	machine_put_back(machine);
	close_machine();
	sd_event_unref(event);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_config, tear_down_config)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(base_slice_writes_are_notified),
		TEST(a_switch_lasts_until_the_configuration_asks_for_another),
		TEST(switch_to_unknown_profile_changes_nothing),
		TEST(autogroups_follow_a_reload),
		TEST(void_record_is_set_aside),
		TEST(unreadable_record_is_retried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
