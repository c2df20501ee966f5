/* SPDX-License-Identifier: GPL-2.0-only */
/* The files in configs/ are good, without a warning, and say what is built in. Runs in the top
 * folder. */
#include <glob.h>

#include "config_case.h"

#define SHIPPED_MAX 32

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	char *text = malloc(CONFIG_SIZE_MAX);

	if (!file)
		fail_msg("%s is missing", path);
	assert_non_null(text);
	*size = fread(text, 1, CONFIG_SIZE_MAX, file);
	fclose(file);
	return text;
}

static struct config *parse_shipped(const char *pattern, enum config_kind kind)
{
	struct config_file files[SHIPPED_MAX];
	struct config_errors errors = { 0 };
	struct config *config = NULL;
	glob_t found;
	int r;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_in_range(found.gl_pathc, 1, SHIPPED_MAX);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		files[i] = (struct config_file){ .path = found.gl_pathv[i], .kind = kind };
		files[i].text = read_file(files[i].path, &files[i].size);
	}
	r = config_parse(files, found.gl_pathc, lookup_user, NULL, &config, &errors);
	print_all(&errors);
	assert_int_equal(errors.count, 0);
	assert_int_equal(r, 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		free((char *)files[i].text);
	globfree(&found);
	return config;
}

static void mapping_is_what_is_built_in(void **state)
{
	struct config *config = parse_shipped("configs/qos_mappings.json", CONFIG_MAPPING);

	(void)state;
	assert_int_equal(config->n_classes, QOS_BUILTIN_COUNT);
	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++) {
		assert_true(qos_attr_equal(&config->classes[i].attr, &qos_builtin[i].attr));
		assert_int_not_equal(config->classes[i].source.line, 0);
	}
	config_free(config);
}

/* The configuration that a preset gives when a later file names it. */
static struct config *with_preset(const char *name)
{
	char path[64], setting[64];
	struct config_errors errors = { 0 };
	struct config *config = NULL;
	struct config_file files[2];

	snprintf(path, sizeof(path), "configs/mappings/%s.json", name);
	snprintf(setting, sizeof(setting), "{ \"schedqos\": { \"mapping\": \"%s\" } }", name);
	files[0] = (struct config_file){ .path = path, .kind = CONFIG_PRESET };
	files[0].text = read_file(path, &files[0].size);
	files[1] = (struct config_file){ .path = "later", .kind = CONFIG_RULES, .text = setting };
	files[1].size = strlen(setting);
	assert_int_equal(config_parse(files, 2, lookup_user, NULL, &config, &errors), 0);
	print_all(&errors);
	assert_int_equal(errors.count, 0);
	assert_string_equal(config->settings.mapping, name);
	free((char *)files[0].text);
	return config;
}

/* The built-in ones and that of configs/app_configs/maintenance.json. One that another lacks would stay when that is chosen. */
static void presets_define_all_classes_and_no_other(void **state)
{
	static const char *const names[] = { "announcement", "balanced", "foreground" };

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct config *config = with_preset(names[i]);

		assert_int_equal(config->n_classes, QOS_BUILTIN_COUNT + 1);
		assert_true(qos_class_find(config->classes, config->n_classes, "QOS_MAINTENANCE"));
		for (size_t k = 0; k < config->n_classes; k++)
			assert_int_not_equal(config->classes[k].source.line, 0);
		config_free(config);
	}
}

static void the_announcement_is_what_is_built_in(void **state)
{
	struct config *config = with_preset("announcement");

	(void)state;
	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++)
		assert_true(qos_attr_equal(&config->classes[i].attr, &qos_builtin[i].attr));
	config_free(config);
}

static void profiles_are_what_is_built_in(void **state)
{
	struct config *config = parse_shipped("configs/sched_profiles.json", CONFIG_PROFILES);

	(void)state;
	assert_int_equal(config->n_profiles, PROFILE_BUILTIN_COUNT);
	for (size_t i = 0; i < PROFILE_BUILTIN_COUNT; i++) {
		const struct sched_profile *profile = &config->profiles[i];

		assert_int_not_equal(profile->source.line, 0);
		assert_true(sched_profile_equal(profile, &profile_builtin[i]));
	}
	config_free(config);
}

static void rules_are_good(void **state)
{
	struct config *config = parse_shipped("configs/app_configs/*.json", CONFIG_RULES);

	(void)state;
	assert_string_equal(rule_for(config, "cc1plus")->qos, "QOS_BACKGROUND");
	assert_string_equal(rule_for(config, "firefox")->qos, "QOS_USER_INTERACTIVE");
	assert_true(rule_for(config, "make")->inherit);
	config_free(config);
}

/* Whoever chose something for a program did not ask for these files. */
static void rules_keep_what_somebody_chose(void **state)
{
	struct config *config = parse_shipped("configs/app_configs/*.json", CONFIG_RULES);

	(void)state;
	for (size_t i = 0; i < rules_count(config->rules); i++) {
		for (const struct rule *rule = rules_nth(config->rules, i); rule;
		     rule = rule->next) {
			if (rule->yield != YIELD_YES)
				fail_msg("%s does not yield", rule->pattern);
		}
	}
	config_free(config);
}

/* Reads the files that a pattern stands for onto the list. */
static size_t add_files(struct config_file *files, size_t n, const char *pattern,
			enum config_kind kind)
{
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++, n++) {
		assert_in_range(n, 0, SHIPPED_MAX - 2);
		files[n] = (struct config_file){ .path = strdup(found.gl_pathv[i]), .kind = kind };
		files[n].text = read_file(files[n].path, &files[n].size);
	}
	globfree(&found);
	return n;
}

static void free_files(struct config_file *files, size_t n)
{
	while (n--) {
		free((char *)files[n].path);
		free((char *)files[n].text);
	}
}

/* The whole folder, as it is installed; its maintenance class is then the mapping's, too. */
static struct config *shipped_folder(const char *mapping)
{
	struct config_file files[SHIPPED_MAX];
	size_t n = add_files(files, 0, "configs/mappings/*.json", CONFIG_PRESET);
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	n = add_files(files, n, "configs/qos_mappings.json", CONFIG_MAPPING);
	n = add_files(files, n, "configs/app_configs/*.json", CONFIG_RULES);
	n = add_files(files, n, "configs/schedqos.json", CONFIG_RULES);
	if (mapping)
		files[n++] = (struct config_file){ strdup("--mapping"), strdup(mapping), strlen(mapping), CONFIG_CHOICE };
	assert_int_equal(config_parse(files, n, lookup_user, NULL, &config, &errors), 0);
	print_all(&errors);
	assert_int_equal(errors.count, 0);
	free_files(files, n);
	return config;
}

static void assert_same_classes(const struct config *config, const struct config *other)
{
	for (size_t i = 0; i < other->n_classes; i++)
		assert_true(qos_attr_equal(&class_named(config, other->classes[i].name)->attr, &other->classes[i].attr));
}

/* By schedqos.json alone, which names it. */
static void the_folder_puts_a_preset_in_force(void **state)
{
	struct config *config = shipped_folder(NULL), *preset;

	(void)state;
	assert_true(config->settings.mapping_is_named);
	assert_string_equal(config->files[config->settings.mapping_source.file], "configs/schedqos.json");
	assert_string_not_equal(config->settings.mapping, "announcement");
	preset = with_preset(config->settings.mapping);
	assert_same_classes(config, preset);
	config_free(preset);
	config_free(config);
}

static void an_option_brings_the_announcement_back(void **state)
{
	struct config *config = shipped_folder("announcement"), *rules = parse_shipped("configs/app_configs/*.json", CONFIG_RULES);

	(void)state;
	assert_string_equal(config->settings.mapping, "announcement");
	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++)
		assert_true(qos_attr_equal(&class_named(config, qos_builtin[i].name)->attr, &qos_builtin[i].attr));
	assert_same_classes(config, rules);
	config_free(rules);
	config_free(config);
}

/* Under no mapping of ours does `check` warn of our own rules; of those it would be noise. */
static void rules_hand_out_nothing_to_warn_of(void **state)
{
	static const char *const names[] = { "announcement", "balanced", "foreground" };
	struct config_file files[SHIPPED_MAX];
	size_t n = add_files(files, 0, "configs/mappings/*.json", CONFIG_PRESET);

	(void)state;
	n = add_files(files, n, "configs/qos_mappings.json", CONFIG_MAPPING);
	n = add_files(files, n, "configs/app_configs/*.json", CONFIG_RULES);
	for (size_t i = 0; i < COUNT(names); i++) {
		struct config_errors errors = { 0 };
		struct config *config = NULL;
		char setting[64];

		snprintf(setting, sizeof(setting), "{ \"schedqos\": { \"mapping\": \"%s\" } }",
			 names[i]);
		files[n] = (struct config_file){ "mine", setting, strlen(setting), CONFIG_RULES };
		assert_int_equal(config_parse(files, n + 1, lookup_user, NULL, &config, &errors), 0);
		assert_string_equal(config->settings.mapping, names[i]);
		assert_int_equal(config_lint(config, &errors), 0);
		print_all(&errors);
		assert_int_equal(errors.count, 0);
		config_free(config);
	}
	free_files(files, n);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(mapping_is_what_is_built_in),
		cmocka_unit_test(presets_define_all_classes_and_no_other),
		cmocka_unit_test(the_announcement_is_what_is_built_in),
		cmocka_unit_test(profiles_are_what_is_built_in),
		cmocka_unit_test(rules_are_good),
		cmocka_unit_test(rules_keep_what_somebody_chose),
		cmocka_unit_test(the_folder_puts_a_preset_in_force),
		cmocka_unit_test(an_option_brings_the_announcement_back),
		cmocka_unit_test(rules_hand_out_nothing_to_warn_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
