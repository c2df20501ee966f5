/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration, as a specification: what may be written and what it means. */
#include <syslog.h>

#include "config_case.h"

/* ---- what holds without any file ---- */

static void no_file_is_a_configuration(void **state)
{
	struct config *config = parse_good(NULL, 0);

	(void)state;
	assert_int_equal(config->n_classes, QOS_BUILTIN_COUNT);
	assert_string_equal(config->classes[4].name, "QOS_DEFAULT");
	assert_int_equal(config->n_profiles, PROFILE_BUILTIN_COUNT);
	assert_int_equal(rules_count(config->rules), 0);
	assert_string_equal(config->settings.sched_profile, "qos");
	assert_string_equal(config->settings.mapping, "announcement");
	assert_int_equal(config->settings.default_mode, DEFAULT_PRISTINE);
	assert_true(config->settings.autogroup_off);
	assert_false(config->settings.has_log_level);
	config_free(config);
	config_free(NULL);
}

/* ---- the announcement's blocks, as they stand ---- */

static void announcement_simple(void **state)
{
	struct config *config = GOOD(RULES("{\n"
					   "\"chrome\": {\n"
					   "\"qos\": \"QOS_USER_INTERACTIVE\"\n"
					   "},\n"
					   "\"gcc\": {\n"
					   "\"qos\": \"QOS_BACKGROUND\"\n"
					   "}\n"
					   "}\n"));
	const struct rule *gcc = rule_for(config, "gcc");

	(void)state;
	assert_int_equal(rules_count(config->rules), 2);
	assert_string_equal(gcc->qos, "QOS_BACKGROUND");
	assert_int_equal(gcc->source.line, 5);
	assert_int_equal(gcc->source.column, 1);
	assert_int_equal(gcc->source.file, 0);
	assert_string_equal(config->files[0], "rules.json");
	config_free(config);
}

static void announcement_threads(void **state)
{
	struct config *config = GOOD(RULES("{\n"
					   "\"chrome\": {\n"
					   "\"thread_qos\": {\n"
					   "\"chrome\": \"QOS_USER_INTERACTIVE\",\n"
					   "\"some_bg_task\": \"QOS_BACKGROUND\"\n"
					   "}\n"
					   "}\n"
					   "}\n"));
	const struct rule *chrome = rule_for(config, "chrome");

	(void)state;
	assert_null(chrome->qos);
	assert_int_equal(chrome->n_threads, 2);
	assert_string_equal(rule_thread(chrome, "some_bg_task")->qos, "QOS_BACKGROUND");
	assert_int_equal(rule_thread(chrome, "some_bg_task")->source.line, 5);
	assert_null(rule_thread(chrome, "other"));
	config_free(config);
}

static const char announcement_classes[] =
	"{\n"
	"\"QOS_USER_INTERACTIVE\": {\n\"sched_policy\": \"SCHED_NORMAL\",\n\"sched_nice\": -4,\n"
	"\"sched_runtime\": 8000000,\n\"sched_util_max\": 1024\n},\n"
	"\"QOS_USER_INITIATED\": {\n\"sched_policy\": \"SCHED_NORMAL\",\n\"sched_nice\": -2,\n"
	"\"sched_runtime\": 12000000,\n\"sched_util_max\": 768\n},\n"
	"\"QOS_UTILITY\": {\n\"sched_policy\": \"SCHED_BATCH\",\n\"sched_nice\": 2,\n"
	"\"sched_runtime\": 16000000,\n\"sched_util_max\": 512\n},\n"
	"\"QOS_BACKGROUND\": {\n\"sched_policy\": \"SCHED_BATCH\",\n\"sched_nice\": 4,\n"
	"\"sched_runtime\": 20000000,\n\"sched_util_max\": 256\n},\n"
	"\"QOS_DEFAULT\": {\n\"sched_policy\": \"SCHED_BATCH\",\n\"sched_nice\": 2,\n"
	"\"sched_runtime\": 16000000,\n\"sched_util_max\": 512\n}\n"
	"}\n";

static void announcement_mapping(void **state)
{
	struct config *config = GOOD(MAPPING(announcement_classes), RULES(announcement_classes));

	(void)state;
	assert_int_equal(config->n_classes, QOS_BUILTIN_COUNT);
	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++) {
		assert_string_equal(config->classes[i].name, qos_builtin[i].name);
		assert_true(qos_attr_equal(&config->classes[i].attr, &qos_builtin[i].attr));
		assert_int_equal(config->classes[i].source.file, 1);
	}
	config_free(config);
}

static void announcement_benchmarks(void **state)
{
	struct config *config =
		GOOD(RULES("{\n\"hackbench\": {\n\"qos\": \"QOS_BACKGROUND\"\n},\n"
			   "\"cyclictest\": {\n\"qos\": \"QOS_USER_INTERACTIVE\"\n}\n}\n"),
		     RULES("{\n\"make\": {\n\"qos\": \"QOS_BACKGROUND\"\n},\n"
			   "\"gcc\": {\n\"qos\": \"QOS_BACKGROUND\"\n},\n"
			   "\"cc1\": {\n\"qos\": \"QOS_BACKGROUND\"\n},\n"
			   "\"schbench\": {\n\"thread_qos\": {\n"
			   "\"schbench-msg\": \"QOS_USER_INTERACTIVE\",\n"
			   "\"schbench-worker\": \"QOS_USER_INITIATED\"\n}\n}\n}\n"));

	(void)state;
	assert_int_equal(rules_count(config->rules), 6);
	assert_string_equal(rule_for(config, "cyclictest")->qos, "QOS_USER_INTERACTIVE");
	assert_string_equal(rule_thread(rule_for(config, "schbench"), "schbench-worker")->qos,
			    "QOS_USER_INITIATED");
	config_free(config);
}

/* ---- classes ---- */

static void class_override_is_partial(void **state)
{
	struct config *config = GOOD(MAPPING("{\"QOS_UTILITY\": {\"sched_nice\": 3}}"),
				     RULES("{\"QOS_UTILITY\": {\"sched_util_max\": 600}}"));
	const struct qos_attr *attr = &class_named(config, "QOS_UTILITY")->attr;

	(void)state;
	assert_int_equal(attr->policy, POLICY_BATCH);
	assert_int_equal(attr->nice, 3);
	assert_int_equal(attr->runtime, 16000000);
	assert_int_equal(attr->util_max, 600);
	config_free(config);
}

static void class_of_a_new_name_is_normal(void **state)
{
	struct config *config = GOOD(RULES("{\"make\": {\"qos\": \"QOS_BUILD_2\"}}"),
				     RULES("{\"QOS_BUILD_2\": {\"sched_nice\": 19}}"));
	const struct qos_class *class = class_named(config, "QOS_BUILD_2");

	(void)state;
	assert_int_equal(config->n_classes, QOS_BUILTIN_COUNT + 1);
	assert_int_equal(class->attr.has, QOS_HAS_POLICY | QOS_HAS_NICE);
	assert_int_equal(class->attr.policy, POLICY_NORMAL);
	assert_int_equal(class->attr.nice, 19);
	assert_int_equal(class->source.file, 1);
	assert_int_equal(class->source.column, 2);
	config_free(config);
}

static void class_takes_every_policy(void **state)
{
	struct config *config = GOOD(RULES(
		"{\"QOS_A\": {\"sched_policy\": \"SCHED_OTHER\", \"sched_priority\": 0},\n"
		" \"QOS_B\": {\"sched_policy\": \"SCHED_IDLE\", \"sched_runtime\": 0},\n"
		" \"QOS_C\": {\"sched_policy\": \"SCHED_FIFO\", \"sched_priority\": 99},\n"
		" \"QOS_D\": {\"sched_policy\": \"SCHED_RR\", \"sched_priority\": 1,"
		" \"sched_util_min\": 1024},\n"
		" \"QOS_E\": {\"sched_policy\": \"SCHED_DEADLINE\", \"sched_runtime\": 1024,"
		" \"sched_deadline\": 9223372036854775807, \"sched_period\": "
		"9223372036854775807},\n"
		" \"QOS_F\": {\"sched_policy\": \"SCHED_BATCH\", \"sched_runtime\": 100000000},"
		" \"QOS_G\": {\"sched_util_min\": 5, \"sched_util_max\": 5}}"));

	(void)state;
	assert_int_equal(class_named(config, "QOS_A")->attr.policy, POLICY_NORMAL);
	assert_int_equal(class_named(config, "QOS_B")->attr.policy, POLICY_IDLE);
	assert_int_equal(class_named(config, "QOS_C")->attr.priority, 99);
	assert_int_equal(class_named(config, "QOS_D")->attr.util_min, 1024);
	assert_true(class_named(config, "QOS_E")->attr.deadline == INT64_MAX);
	assert_true(class_named(config, "QOS_E")->attr.period == INT64_MAX);
	assert_int_equal(class_named(config, "QOS_F")->attr.runtime, 100000000);
	config_free(config);
}

static void class_made_real_time_drops_what_is_fair(void **state)
{
	struct config *config =
		GOOD(RULES("{\"QOS_USER_INTERACTIVE\": "
			   "{\"sched_policy\": \"SCHED_FIFO\", \"sched_priority\": 3}}"));

	(void)state;
	assert_int_equal(class_named(config, "QOS_USER_INTERACTIVE")->attr.has,
			 QOS_HAS_POLICY | QOS_HAS_PRIORITY | QOS_HAS_UTIL_MAX);
	config_free(config);
}

static void class_attribute_null_takes_it_away(void **state)
{
	struct config *config = GOOD(
		RULES("{\"QOS_UTILITY\": {\"sched_util_max\": null, \"sched_period\": null}}"));

	(void)state;
	assert_int_equal(class_named(config, "QOS_UTILITY")->attr.has,
			 QOS_HAS_POLICY | QOS_HAS_NICE | QOS_HAS_RUNTIME);
	config_free(config);
}

#define IO_6 RULES("{\"QOS_UTILITY\": {\"io_class\": \"best-effort\", \"io_priority\": 6}}")

static void class_has_an_io_priority(void **state)
{
	static const struct {
		const char *over;
		uint16_t has;
		uint8_t io_priority;
	} rows[] = {
		{ "{}", QOS_HAS_IO_CLASS | QOS_HAS_IO_LEVEL, IO_PRIORITY(IO_CLASS_BEST_EFFORT, 6) },
		{ "{\"io_priority\": 0}", QOS_HAS_IO_CLASS | QOS_HAS_IO_LEVEL, IO_PRIORITY(IO_CLASS_BEST_EFFORT, 0) },
		{ "{\"io_priority\": null}", QOS_HAS_IO_CLASS, IO_PRIORITY(IO_CLASS_BEST_EFFORT, 4) },
		{ "{\"io_class\": \"best-effort\"}", QOS_HAS_IO_CLASS, IO_PRIORITY(IO_CLASS_BEST_EFFORT, 4) },
		{ "{\"io_class\": \"idle\"}", QOS_HAS_IO_CLASS, IO_PRIORITY(IO_CLASS_IDLE, 0) },
		{ "{\"io_class\": \"none\"}", QOS_HAS_IO_CLASS, 0 },
		{ "{\"io_class\": \"realtime\", \"io_priority\": 7}", QOS_HAS_IO_CLASS | QOS_HAS_IO_LEVEL,
		  IO_PRIORITY(IO_CLASS_REALTIME, 7) },
		{ "{\"io_class\": null}", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct config *config;
		const struct qos_attr *attr;
		char text[128];

		snprintf(text, sizeof(text), "{\"QOS_UTILITY\": %s}", rows[i].over);
		config = GOOD(IO_6, RULES(text));
		attr = &class_named(config, "QOS_UTILITY")->attr;
		assert_int_equal(attr->has & (QOS_HAS_IO_CLASS | QOS_HAS_IO_LEVEL), rows[i].has);
		if (rows[i].has)
			assert_int_equal(qos_attr_io_priority(attr), rows[i].io_priority);
		assert_int_equal(attr->nice, 2);
		config_free(config);
	}
}

/* ---- presets ---- */

#define LAPTOP                                                                                   \
	PRESET("laptop", "{\"QOS_UTILITY\": {\"sched_nice\": 9}, \"QOS_LAP\": {\"sched_nice\": " \
			 "1}}")

static void preset_rests_unless_asked_for(void **state)
{
	struct config *config = GOOD(LAPTOP, RULES("{}"));

	(void)state;
	assert_int_equal(config->n_classes, QOS_BUILTIN_COUNT);
	assert_int_equal(class_named(config, "QOS_UTILITY")->attr.nice, 2);
	config_free(config);
}

static void preset_replaces_whole_classes(void **state)
{
	struct config *config =
		GOOD(RULES("{\"QOS_LAP\": {\"sched_util_max\": 8}, \"QOS_UTILITY\": "
			   "{\"sched_nice\": 10}, \"QOS_MINE\": {}}"),
		     RULES("{\"QOS_LAP\": {\"sched_runtime\": 200000}, "
			   "\"schedqos\": {\"mapping\": \"laptop\"}}"),
		     LAPTOP);
	const struct qos_attr *lap = &class_named(config, "QOS_LAP")->attr;

	(void)state;
	assert_string_equal(config->settings.mapping, "laptop");
	assert_int_equal(lap->has, QOS_HAS_POLICY | QOS_HAS_NICE | QOS_HAS_RUNTIME);
	assert_int_equal(class_named(config, "QOS_UTILITY")->attr.nice, 9);
	assert_int_equal(class_named(config, "QOS_UTILITY")->source.file, 2);
	assert_int_equal(class_named(config, "QOS_UTILITY")->attr.has,
			 QOS_HAS_POLICY | QOS_HAS_NICE);
	assert_int_equal(class_named(config, "QOS_BACKGROUND")->attr.nice, 4);
	class_named(config, "QOS_MINE");
	config_free(config);
}

static void preset_announcement_is_built_in(void **state)
{
	struct config *config = GOOD(MAPPING("{\"QOS_UTILITY\": {\"sched_nice\": 10}}"),
				     RULES("{\"schedqos\": {\"mapping\": \"announcement\"}}"));

	(void)state;
	assert_int_equal(class_named(config, "QOS_UTILITY")->attr.nice, 2);
	config_free(config);
}

static void preset_of_the_option_goes_before_all(void **state)
{
	struct config *config = GOOD(LAPTOP, RULES("{\"schedqos\": {\"mapping\": \"laptop\"}}"),
				     RULES("{\"schedqos\": {\"default\": \"none\"}, \"QOS_UTILITY\": {\"sched_nice\": 10}}"),
				     CHOICE("announcement"));
	char *place = config_mapping_place(config);

	(void)state;
	assert_int_equal(class_named(config, "QOS_UTILITY")->attr.nice, 2);
	assert_string_equal(config->settings.mapping, "announcement");
	assert_string_equal(place, "--mapping");
	free(place);
	config_free(config);
}

static void preset_of_the_option_must_exist(void **state)
{
	const struct config_file files[] = { LAPTOP, CHOICE("latop") };
	struct config_errors errors = { 0 };
	struct config *config;
	char *text;

	(void)state;
	assert_int_equal(parse(files, 2, &config, &errors), -EINVAL);
	assert_int_equal(errors.count, 1);
	text = config_error_text(&errors.items[0]);
	assert_string_equal(text, "--mapping: unknown mapping \"latop\" (did you mean \"laptop\"?)");
	free(text);
	config_errors_clear(&errors);
}

/* Other settings of a later file leave an earlier file's in force, and it is still told where that stands. */
static void preset_stays_in_force_under_other_settings(void **state)
{
	struct config *config = GOOD(LAPTOP, RULES("{\n\"schedqos\": {\"mapping\": \"laptop\"}}"),
				     RULES("{\"schedqos\": {\"default\": \"none\"}}"));
	char *place = config_mapping_place(config);

	(void)state;
	assert_string_equal(config->settings.mapping, "laptop");
	assert_int_equal(class_named(config, "QOS_UTILITY")->attr.nice, 9);
	assert_string_equal(place, "rules.json:2:25");
	free(place);
	config_free(config);
}

static void preset_that_nobody_names_is_built_in(void **state)
{
	struct config *config = GOOD(LAPTOP);
	char *place = config_mapping_place(config);

	(void)state;
	assert_string_equal(config->settings.mapping, "announcement");
	assert_string_equal(place, "built in");
	free(place);
	config_free(config);
}

static void preset_file_of_that_name_is_the_one_used(void **state)
{
	struct config *config =
		GOOD(PRESET("announcement", "{\"QOS_UTILITY\": {\"sched_nice\": 11}}"),
		     PRESET("announcement", "{\"QOS_UTILITY\": {\"sched_nice\": 12}}"),
		     RULES("{\"schedqos\": {\"mapping\": \"announcement\"}}"));

	(void)state;
	assert_int_equal(class_named(config, "QOS_UTILITY")->attr.nice, 12);
	config_free(config);
}

/* ---- settings ---- */

static void settings_merge_key_by_key(void **state)
{
	struct config *config = GOOD(
		RULES("{\"schedqos\": {\"sched_profile\": \"throughput\", \"default\": \"all\","
		      " \"log\": \"debug\"}}"),
		RULES("{\"schedqos\": {\"default\": \"none\", \"autogroup\": \"keep\"}}"));

	(void)state;
	assert_string_equal(config->settings.sched_profile, "throughput");
	assert_int_equal(config->settings.default_mode, DEFAULT_NONE);
	assert_false(config->settings.autogroup_off);
	assert_true(config->settings.has_log_level);
	assert_int_equal(config->settings.log_level, LOG_DEBUG);
	config_free(config);
}

static void settings_profile_null_is_none(void **state)
{
	struct config *config =
		GOOD(RULES("{\"schedqos\": {\"sched_profile\": null, \"log\": \"error\","
			   " \"autogroup\": \"off\", \"default\": \"pristine\"}}"));

	(void)state;
	assert_null(config->settings.sched_profile);
	assert_int_equal(config->settings.log_level, LOG_ERR);
	config_free(config);
}

/* ---- profiles ---- */

static void profiles_keep_values_as_written(void **state)
{
	struct config *config =
		GOOD(RULES("{\"schedqos\": {\"sched_profile\": \"mine\"}}"),
		     PROFILES("{\"mine\": {\"debugfs\": {\"base_slice_ns\": 3000000,\n"
			      "\"features\": [\"NO_HRTICK\", \"NEXT_BUDDY\", 7]},\n"
			      "\"cpufreq\": {\"scaling_governor\": \"schedutil\", "
			      "\"energy\": \"schedutil\", \"big\": 9223372036854775807}}}"));
	const struct sched_profile *mine = &config->profiles[PROFILE_BUILTIN_COUNT];

	(void)state;
	assert_int_equal(config->n_profiles, PROFILE_BUILTIN_COUNT + 1);
	assert_string_equal(mine->name, "mine");
	assert_int_equal(mine->source.file, 1);
	assert_int_equal(mine->n_knobs, 5);
	assert_string_equal(mine->knobs[0].file, "base_slice_ns");
	assert_string_equal(mine->knobs[0].values[0], "3000000");
	assert_int_equal(mine->knobs[1].tree, KNOB_DEBUGFS);
	assert_int_equal(mine->knobs[1].n_values, 3);
	assert_string_equal(mine->knobs[1].values[1], "NEXT_BUDDY");
	assert_string_equal(mine->knobs[1].values[2], "7");
	assert_int_equal(mine->knobs[1].source.line, 2);
	/* Two settings of one value do not overwrite each other. */
	assert_int_equal(mine->knobs[2].tree, KNOB_CPUFREQ);
	assert_string_equal(mine->knobs[2].values[0], "schedutil");
	assert_string_equal(mine->knobs[3].file, "energy");
	assert_string_equal(mine->knobs[3].values[0], "schedutil");
	assert_string_equal(mine->knobs[4].values[0], "9223372036854775807");
	config_free(config);
}

static void profiles_have_sysctls_and_block_devices(void **state)
{
	struct config *config =
		GOOD(PROFILES("{\"mine\": {\"sysctl\": {\"kernel.sched_rt_period_us\": 9},\n"
			      "\"block\": {\"vd*\": {\"scheduler\": \"bfq\", \"nr_requests\": 64},\n"
			      "\"sda\": {\"scheduler\": \"none\"}, \"none\": {}}}}"));
	const struct knob *knobs = config->profiles[PROFILE_BUILTIN_COUNT].knobs;

	(void)state;
	assert_int_equal(config->profiles[PROFILE_BUILTIN_COUNT].n_knobs, 4);
	assert_int_equal(knobs[0].tree, KNOB_SYSCTL);
	assert_string_equal(knobs[0].file, "kernel/sched_rt_period_us");
	assert_string_equal(knobs[0].values[0], "9");
	assert_null(knobs[0].devices);
	assert_int_equal(knobs[1].tree, KNOB_BLOCK);
	assert_string_equal(knobs[1].devices, "vd*");
	assert_string_equal(knobs[1].file, "scheduler");
	assert_string_equal(knobs[1].values[0], "bfq");
	assert_string_equal(knobs[2].devices, "vd*");
	assert_string_equal(knobs[2].file, "nr_requests");
	assert_int_equal(knobs[2].source.line, 2);
	assert_string_equal(knobs[3].devices, "sda");
	assert_int_equal(knobs[3].source.line, 3);
	config_free(config);
}

static void profiles_have_folders_of_debugfs(void **state)
{
	struct config *config = GOOD(PROFILES("{\"mine\": {\"debugfs\": {\"llc_balancing/enabled\": 1,\n"
					      "\"a/..b/c...\": [\"x\", \"y\"]}}}"));
	const struct knob *knobs = config->profiles[PROFILE_BUILTIN_COUNT].knobs;

	(void)state;
	assert_int_equal(config->profiles[PROFILE_BUILTIN_COUNT].n_knobs, 2);
	assert_int_equal(knobs[0].tree, KNOB_DEBUGFS);
	assert_string_equal(knobs[0].file, "llc_balancing/enabled");
	assert_string_equal(knobs[0].values[0], "1");
	/* Dots are no way up as a part of a name. */
	assert_string_equal(knobs[1].file, "a/..b/c...");
	assert_int_equal(knobs[1].n_values, 2);
	assert_int_equal(knobs[1].source.line, 2);
	config_free(config);
}

static void profiles_are_equal_by_what_they_do(void **state)
{
	static const char *const variants[] = {
		"{\"p\": {\"block\": {\"a\": {\"f\": 1}}}}",
		"{\"p\": {\"block\": {\"b\": {\"f\": 1}}}}",
		"{\"p\": {\"block\": {\"a\": {\"g\": 1}}}}",
		"{\"p\": {\"block\": {\"a\": {\"f\": 2}}}}",
		"{\"p\": {\"cpufreq\": {\"f\": 1}}}",
		"{\"p\": {\"debugfs\": {\"f\": [1, 1]}}}",
		"{\"p\": {}}",
		"{\"q\": {\"block\": {\"a\": {\"f\": 1}}}}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(variants); i++) {
		for (size_t k = 0; k < COUNT(variants); k++) {
			/* The same on another line is the same. */
			char *moved = NULL;
			struct config *a = GOOD(PROFILES(variants[i])), *b;

			assert_true(asprintf(&moved, "\n%s", variants[k]) > 0);
			b = GOOD(PROFILES(moved));
			assert_int_equal(sched_profile_equal(&a->profiles[PROFILE_BUILTIN_COUNT],
							     &b->profiles[PROFILE_BUILTIN_COUNT]),
					 i == k);
			config_free(a);
			config_free(b);
			free(moved);
		}
	}
	assert_true(sched_profile_equal(NULL, NULL));
	assert_false(sched_profile_equal(NULL, &profile_builtin[0]));
	assert_false(sched_profile_equal(&profile_builtin[0], NULL));
}

static void profiles_of_a_later_file_replace(void **state)
{
	struct config *config =
		GOOD(PROFILES("{\"qos\": {\"debugfs\": {\"a\": 1, \"b\": 2}}}"),
		     PROFILES("{\"qos\": {\"cpufreq\": {\"c\": 3}}, \"none\": {}}"));

	(void)state;
	assert_int_equal(config->n_profiles, PROFILE_BUILTIN_COUNT + 1);
	assert_string_equal(config->profiles[2].name, "qos");
	assert_int_equal(config->profiles[2].n_knobs, 1);
	assert_string_equal(config->profiles[2].knobs[0].file, "c");
	assert_int_equal(config->profiles[PROFILE_BUILTIN_COUNT].n_knobs, 0);
	config_free(config);
}

/* ---- rules ---- */

static void rule_has_all_its_keys(void **state)
{
	struct config *config = GOOD(
		RULES("{\"/opt/x/*\": {\"qos\": \"QOS_UTILITY\", \"period\": 8000000, "
		      "\"version\": \"1.2\", \"inherit\": true, \"enforce\": true, \"match\": "
		      "{\"exe\": \"/opt/*\", \"argv\": [\"-j*\", \"all\"], \"cgroup\": \"/x*\", "
		      "\"user\": \"alice\", \"parent\": \"make\"}}}"));
	const struct rule *rule = rule_for(config, "/opt/x/*");
	size_t n_tags;

	(void)state;
	assert_int_equal(rule->period_ns, 8000000);
	assert_string_equal(rule->version, "1.2");
	assert_true(rule->inherit);
	assert_true(rule->enforce);
	assert_string_equal(rule->match->exe, "/opt/*");
	assert_int_equal(rule->match->n_argv, 2);
	assert_string_equal(rule->match->argv[1], "all");
	assert_string_equal(rule->match->cgroup, "/x*");
	assert_string_equal(rule->match->user->name, "alice");
	assert_int_equal(rule->match->user->uid, 1000);
	assert_string_equal(rule->match->parent, "make");
	assert_int_equal(rules_tags(config->rules, &n_tags)[rule->tag].attr.runtime, 8000000);
	config_free(config);
}

static void rule_yield_is_optional(void **state)
{
	struct config *config = GOOD(RULES("{\"unsaid\": {\"qos\": \"QOS_UTILITY\"},"
					   "\"yes\": {\"yield\": true},"
					   "\"no\": {\"yield\": false, \"enforce\": true}}"));

	(void)state;
	assert_int_equal(rule_for(config, "unsaid")->yield, YIELD_DEFAULT);
	assert_int_equal(rule_for(config, "yes")->yield, YIELD_YES);
	assert_int_equal(rule_for(config, "no")->yield, YIELD_NO);
	assert_true(rule_for(config, "no")->enforce);
	config_free(config);
}

static void rule_match_takes_short_forms(void **state)
{
	struct config *config =
		GOOD(RULES("{\"x\": {\"match\": {\"argv\": \"-v\", \"user\": 4294967294}}}"));
	const struct rule_match *match = rule_for(config, "x")->match;

	(void)state;
	assert_int_equal(match->n_argv, 1);
	assert_string_equal(match->argv[0], "-v");
	assert_string_equal(match->user->name, "4294967294");
	assert_int_equal(match->user->uid, 4294967294U);
	assert_null(match->exe);
	assert_int_equal(match->user_namespace, USERNS_DEFAULT);
	config_free(config);
}

static void rule_match_has_a_user_namespace(void **state)
{
	struct config *config =
		GOOD(RULES("{\"a\": {\"match\": {\"user_namespace\": \"initial\"}},"
			   "\"/b\": {\"match\": {\"user_namespace\": \"any\"}},"
			   "\"/c\": {}, \"d\": {}}"));

	(void)state;
	assert_int_equal(rule_for(config, "a")->match->user_namespace, USERNS_INITIAL);
	assert_int_equal(rule_for(config, "/b")->match->user_namespace, USERNS_ANY);
	assert_true(rule_for(config, "a")->initial_userns);
	assert_false(rule_for(config, "/b")->initial_userns);
	assert_true(rule_for(config, "/c")->initial_userns);
	assert_false(rule_for(config, "d")->initial_userns);
	config_free(config);
}

static void rule_list_is_linked_in_order(void **state)
{
	struct config *config = GOOD(RULES(
		"{\"java\": [\n{\"match\": {\"argv\": \"*ide*\"}, \"qos\": \"QOS_UTILITY\"},\n"
		"{\"qos\": \"QOS_BACKGROUND\"}]}"));
	const struct rule *rule = rule_for(config, "java");

	(void)state;
	assert_string_equal(rule->qos, "QOS_UTILITY");
	assert_int_equal(rule->source.line, 2);
	assert_string_equal(rule->next->qos, "QOS_BACKGROUND");
	assert_int_equal(rule->next->source.line, 3);
	assert_string_equal(rule->next->pattern, "java");
	assert_null(rule->next->next);
	config_free(config);
}

static void rule_of_a_later_file_replaces(void **state)
{
	struct config *config =
		GOOD(RULES("{\"a\": {\"qos\": \"QOS_UTILITY\", \"enforce\": true}}"),
		     RULES("{\"a\": {\"qos\": \"QOS_BACKGROUND\"}}"));

	(void)state;
	assert_int_equal(rules_count(config->rules), 1);
	assert_string_equal(rule_for(config, "a")->qos, "QOS_BACKGROUND");
	assert_false(rule_for(config, "a")->enforce);
	assert_int_equal(rule_for(config, "a")->source.file, 1);
	config_free(config);
}

static void rule_null_masks(void **state)
{
	struct config *config = GOOD(RULES("{\"a\": {\"qos\": \"QOS_UTILITY\"}, \"b\": {}}"),
				     RULES("{\"a\": null, \"never was\": null}"));

	(void)state;
	assert_int_equal(rules_count(config->rules), 1);
	assert_null(rule_for(config, "a"));
	config_free(config);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_file_is_a_configuration),
		cmocka_unit_test(announcement_simple),
		cmocka_unit_test(announcement_threads),
		cmocka_unit_test(announcement_mapping),
		cmocka_unit_test(announcement_benchmarks),
		cmocka_unit_test(class_override_is_partial),
		cmocka_unit_test(class_of_a_new_name_is_normal),
		cmocka_unit_test(class_takes_every_policy),
		cmocka_unit_test(class_made_real_time_drops_what_is_fair),
		cmocka_unit_test(class_attribute_null_takes_it_away),
		cmocka_unit_test(class_has_an_io_priority),
		cmocka_unit_test(preset_rests_unless_asked_for),
		cmocka_unit_test(preset_replaces_whole_classes),
		cmocka_unit_test(preset_announcement_is_built_in),
		cmocka_unit_test(preset_of_the_option_goes_before_all),
		cmocka_unit_test(preset_of_the_option_must_exist),
		cmocka_unit_test(preset_stays_in_force_under_other_settings),
		cmocka_unit_test(preset_that_nobody_names_is_built_in),
		cmocka_unit_test(preset_file_of_that_name_is_the_one_used),
		cmocka_unit_test(settings_merge_key_by_key),
		cmocka_unit_test(settings_profile_null_is_none),
		cmocka_unit_test(profiles_keep_values_as_written),
		cmocka_unit_test(profiles_have_sysctls_and_block_devices),
		cmocka_unit_test(profiles_have_folders_of_debugfs),
		cmocka_unit_test(profiles_are_equal_by_what_they_do),
		cmocka_unit_test(profiles_of_a_later_file_replace),
		cmocka_unit_test(rule_has_all_its_keys),
		cmocka_unit_test(rule_yield_is_optional),
		cmocka_unit_test(rule_match_takes_short_forms),
		cmocka_unit_test(rule_match_has_a_user_namespace),
		cmocka_unit_test(rule_list_is_linked_in_order),
		cmocka_unit_test(rule_of_a_later_file_replaces),
		cmocka_unit_test(rule_null_masks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
