/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which profile a daemon applies at its start, a reload, a switch, and when processors come or go. */
#include "machine_case.h"

#include <syslog.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/log.h>

#define CONFIG(profile) \
	"{ \"schedqos\": { \"sched_profile\": " profile ", \"autogroup\": \"keep\" } }"
#define PROFILES                                                          \
	"{ \"one\": { \"debugfs\": { \"base_slice_ns\": 16000000 } },"     \
	"  \"two\": { \"debugfs\": { \"base_slice_ns\": 8000000 } },"      \
	"  \"power\": { \"cpufreq\": { \"scaling_governor\": \"schedutil\" } }," \
	"  \"fast\": { \"cpufreq\": { \"scaling_governor\": \"performance\" } } }"

static struct config *config, *old;
static unsigned n_changes; /* reported changes of the base slice */
static unsigned n_warnings;

static void count_change(void *context)
{
	++*(unsigned *)context;
}

static void discard_line(int level, bool plain, const char *line)
{
	n_warnings += level == LOG_WARNING;
	(void)plain;
	(void)line;
}

static void parse(const char *rules)
{
	const struct config_file files[] = {
		{ .path = "profiles.json", .text = PROFILES, .size = strlen(PROFILES), .kind = CONFIG_PROFILES },
		{ .path = "rules.json", .text = rules, .size = strlen(rules), .kind = CONFIG_RULES },
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
	machine_on_change(machine, count_change, NULL, &n_changes);
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

/* Does what machine_start does, without the sources that need the kernel. */
static void start_machine(void)
{
	assert_int_equal(machine_switch(machine, "one"), 0);
}

#define TEST_MACHINE_TEST(name) TEST_IN(name, set_up_config, tear_down_config)

TEST_MACHINE_TEST(writes_of_the_base_slice_are_reported)
{
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

TEST_MACHINE_TEST(a_switch_lasts_until_the_configuration_asks_for_another)
{
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

TEST_MACHINE_TEST(a_switch_to_an_unknown_profile_changes_nothing)
{
	start_machine();
	assert_int_equal(machine_switch(machine, "three"), -ENOENT);
	assert_string_equal(machine_profile(machine), "one");
	assert_int_equal(machine_switch(machine, ""), 0);
	assert_null(machine_profile(machine));
}

TEST_MACHINE_TEST(a_refusal_is_logged_once)
{
	size_t count;

	closed = "base_slice_ns";
	why_closed = EPERM;
	n_warnings = 0;
	for (int i = 0; i < 3; i++)
		assert_int_equal(machine_switch(machine, "one"), 0);
	machine_refresh(machine);
	assert_int_equal(n_warnings, 1);
	machine_refusals(machine, &count);
	assert_int_equal(count, 1);
	closed = NULL;
	assert_int_equal(machine_switch(machine, "one"), 0);
	machine_refusals(machine, &count);
	assert_int_equal(count, 0);
	assert_string_equal(get(BASE_SLICE), "16000000\n");
}

/* The kernel may accept the profile for earlier policies, and refuse it for a new one. */
TEST_MACHINE_TEST(the_refusal_of_a_new_policy_is_logged_once_and_listed)
{
	size_t count;

	assert_int_equal(machine_switch(machine, "power"), 0);
	put(GOVERNOR2, "ondemand\n");
	closed = "policy2/scaling_governor";
	why_closed = EPERM;
	n_warnings = 0;
	for (int i = 0; i < 3; i++)
		machine_refresh(machine);
	assert_int_equal(n_warnings, 1);
	machine_refusals(machine, &count);
	assert_int_equal(count, 1);
}

TEST_MACHINE_TEST(a_reload_turns_autogroups_on_or_off)
{
	start_machine();
	assert_int_equal(machine_switch(machine, "two"), 0);
	reload("{ \"schedqos\": { \"sched_profile\": \"one\", \"autogroup\": \"off\" } }");
	assert_string_equal(get(AUTOGROUP), "0\n");
	/* The previous profile stays in force. */
	assert_string_equal(machine_profile(machine), "two");
	reload(CONFIG("\"one\""));
	assert_string_equal(get(AUTOGROUP), "1\n");
}

TEST_MACHINE_TEST(a_record_that_cannot_be_used_is_set_aside)
{
	close_machine();
	put_record("{");
	assert_int_equal(machine_new_at(open_folder(""), open_folder("run"), true, &machine), 0);
	assert_string_equal(get("run/knobs.json.damaged"), "{");
	assert_null(get(STATE));
}

/* ---- processors that come and go ---- */

TEST_MACHINE_TEST(a_new_policy_gets_the_profile)
{
	assert_int_equal(machine_switch(machine, "power"), 0);
	put(GOVERNOR0, "ondemand\n");
	put(BASE_SLICE, "5000000\n");
	put(GOVERNOR2, "ondemand\n");
	n_writes = 0;
	machine_refresh(machine);
	/* Nothing else changes. */
	assert_int_equal(n_writes, 1);
	assert_string_equal(get(GOVERNOR2), "schedutil\n");
	machine_refresh(machine);
	assert_int_equal(n_writes, 1);
	assert_string_equal(machine_profile(machine), "power");
	machine_put_back(machine);
	assert_string_equal(get(GOVERNOR2), "ondemand\n");
	assert_string_equal(get(GOVERNOR0), "ondemand\n");
	assert_string_equal(get(GOVERNOR1), "powersave\n");
}

/*
 * A policy whose processors are all offline cannot be read. That is no refusal: it is set once a processor comes
 * online.
 */
TEST_MACHINE_TEST(a_policy_without_processors_is_set_later)
{
	size_t count;

	put(GOVERNOR2, "ondemand\n");
	closed = "policy2/scaling_governor";
	why_closed = EBUSY;
	assert_int_equal(machine_switch(machine, "power"), 0);
	machine_refusals(machine, &count);
	assert_int_equal(count, 0);
	closed = NULL;
	machine_refresh(machine);
	assert_string_equal(get(GOVERNOR2), "schedutil\n");
}

TEST_MACHINE_TEST(a_policy_that_another_profile_had_set_is_set_later)
{
	put(GOVERNOR2, "ondemand\n");
	assert_int_equal(machine_switch(machine, "power"), 0);
	assert_string_equal(get(GOVERNOR2), "schedutil\n");
	closed = "policy2/scaling_governor";
	why_closed = EBUSY;
	assert_int_equal(machine_switch(machine, "fast"), 0);
	closed = NULL;
	machine_refresh(machine);
	assert_string_equal(get(GOVERNOR2), "performance\n");
	machine_put_back(machine);
	assert_string_equal(get(GOVERNOR2), "ondemand\n");
}

/*
 * The kernel computes the base slice again when a processor comes or goes. At the end, the base slice gets the value
 * that it would have by then.
 */
TEST_MACHINE_TEST(a_lost_base_slice_is_set_again)
{
	start_machine();
	put(BASE_SLICE, "1500000\n");
	machine_refresh(machine);
	assert_string_equal(get(BASE_SLICE), "16000000\n");
	assert_int_equal(n_changes, 2);
	n_writes = 0;
	machine_refresh(machine);
	assert_int_equal(n_writes, 0);
	machine_put_back(machine);
	assert_string_equal(get(BASE_SLICE), "1500000\n");
}
