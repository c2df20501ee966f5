/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies that the files in configs/ are valid, without a warning, and agree with the built-in ones. Runs in the top
 * folder.
 */
#include "shipped.h"

static const char *const presets[] = { "announcement", "balanced", "foreground" };

static void assert_same_classes(const struct config *config, const struct qos_class *classes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_true(qos_attr_equal(&class_named(config, classes[i].name)->attr, &classes[i].attr));
}

TEST(the_shipped_files_have_all_built_in_classes_and_profiles)
{
	struct config *mapping = shipped(MAPPING_FILE, MAPPING_FILE, NULL),
		      *profiles = shipped(PROFILES_FILE, PROFILES_FILE, NULL);
	struct config *announcement = shipped(PRESETS, PRESETS, "announcement");

	assert_int_equal(mapping->n_classes, QOS_BUILTIN_COUNT);
	assert_same_classes(mapping, qos_builtin, QOS_BUILTIN_COUNT);
	assert_same_classes(announcement, qos_builtin, QOS_BUILTIN_COUNT);
	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++)
		assert_int_not_equal(mapping->classes[i].source.line, 0);
	/* The folder adds "balanced". */
	assert_int_equal(profiles->n_profiles, PROFILE_BUILTIN_COUNT + 1);
	for (size_t i = 0; i < PROFILE_BUILTIN_COUNT; i++) {
		assert_int_not_equal(profiles->profiles[i].source.line, 0);
		assert_true(sched_profile_equal(&profiles->profiles[i], &profile_builtin[i]));
	}
	config_free(mapping);
	config_free(profiles);
	config_free(announcement);
}

/*
 * These are the built-in classes and the one of app_configs/maintenance.json. If a preset lacked a class, that of the
 * previous preset would stay.
 */
TEST(each_preset_defines_all_classes_and_no_other)
{
	for (size_t i = 0; i < COUNT(presets); i++) {
		struct config *config = shipped(PRESETS, PRESETS, presets[i]);

		assert_int_equal(config->n_classes, QOS_BUILTIN_COUNT + 1);
		class_named(config, "QOS_MAINTENANCE");
		for (size_t k = 0; k < config->n_classes; k++)
			assert_int_not_equal(config->classes[k].source.line, 0);
		config_free(config);
	}
}

TEST(shipped_rules_are_valid_and_yield)
{
	struct config *config = shipped(RULES_FILES, RULES_FILES, NULL);

	assert_string_equal(rule_for(config, "cc1plus")->qos, "QOS_BACKGROUND");
	assert_string_equal(rule_for(config, "firefox")->qos, "QOS_USER_INTERACTIVE");
	assert_int_equal(rule_for(config, "make")->inherit, INHERIT_YES);
	/* A user who chose attributes for a program did not ask for these rules. */
	for (size_t i = 0; i < config->rules->n_lists; i++) {
		for (const struct rule *rule = config->rules->lists[i]; rule; rule = rule->next) {
			if (rule->yield != YIELD_YES)
				fail_msg("%s does not yield", rule->pattern);
		}
	}
	config_free(config);
}

/* schedqos.json alone names the preset and its sched profile. */
TEST(the_folder_puts_a_preset_and_a_profile_in_force)
{
	struct config *config = shipped(PRESETS, PROFILES_FILE, NULL), *preset;
	const struct sched_profile *profile;

	assert_true(config->settings.mapping_is_named);
	assert_string_equal(config->files[config->settings.mapping_source.file], "configs/schedqos.json");
	assert_string_not_equal(config->settings.mapping, "announcement");
	preset = shipped(PRESETS, PRESETS, config->settings.mapping);
	assert_same_classes(config, preset->classes, preset->n_classes);
	/* Classes without a slice keep the kernel's, so the profile must not set a base slice. */
	profile = sched_profile_find(config->profiles, config->n_profiles, config->settings.sched_profile);
	assert_non_null(profile);
	for (size_t i = 0; i < profile->n_knobs; i++)
		assert_string_not_equal(profile->knobs[i].file, "base_slice_ns");
	config_free(preset);
	config_free(config);
}

/* Any user can give a program any name. */
TEST(shipped_rules_raise_only_users_at_a_seat)
{
	for (size_t i = 0; i < COUNT(presets); i++) {
		struct config *config = shipped(PRESETS, RULES_FILES, presets[i]);
		const struct tag *tags = config->rules->tags;

		for (size_t n = 0; n < config->rules->n_rules; n++) {
			const struct rule *rule = config->rules->by_id[n];

			if (rule->qos && qos_attr_privileged(&tags[rule->tag].attr) && !(rule->bounds & BOUND_SEAT))
				fail_msg("%s raises everybody", rule->pattern);
			for (size_t t = 0; t < rule->n_threads; t++)
				assert_false(qos_attr_privileged(&tags[rule->threads[t].tag].attr));
		}
		config_free(config);
	}
}
