/* SPDX-License-Identifier: GPL-2.0-only */
/* The files in configs/ are good, without a warning, and say what is built in. Runs in the top folder. */
#include <glob.h>

#include "fake_process.h"

#define SHIPPED_MAX 32

/* The folder as it is installed, in the order in which it is read. */
static const struct part {
	const char *pattern;
	enum config_kind kind;
} folder[] = {
	{ "configs/mappings/*.json", CONFIG_PRESET },
	{ "configs/qos_mappings.json", CONFIG_MAPPING },
	{ "configs/app_configs/*.json", CONFIG_RULES },
	{ "configs/schedqos.json", CONFIG_RULES },
	{ "configs/sched_profiles.json", CONFIG_PROFILES },
};

enum {
	PRESETS,
	MAPPING_FILE,
	RULES_FILES,
	SETTINGS_FILE,
	PROFILES_FILE,
};

static const char *const presets[] = { "announcement", "balanced", "foreground" };

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

/*
 * These parts of the folder, and a mapping that an option chooses, or NULL: without an error or a warning, also of
 * those that `check` has, which of rules of ours would be noise.
 */
static struct config *shipped(size_t first, size_t last, const char *mapping)
{
	struct config_file files[SHIPPED_MAX];
	struct config_errors errors = { 0 };
	struct config *config = NULL;
	size_t n = 0;

	for (const struct part *part = &folder[first]; part <= &folder[last]; part++) {
		glob_t found;

		assert_int_equal(glob(part->pattern, 0, NULL, &found), 0);
		for (size_t i = 0; i < found.gl_pathc; i++, n++) {
			assert_in_range(n, 0, SHIPPED_MAX - 2);
			files[n] = (struct config_file){ .path = strdup(found.gl_pathv[i]), .kind = part->kind };
			files[n].text = read_file(files[n].path, &files[n].size);
		}
		globfree(&found);
	}
	if (mapping)
		files[n++] = (struct config_file){ strdup("--mapping"), strdup(mapping), strlen(mapping), CONFIG_CHOICE };
	assert_int_equal(config_parse(files, n, lookup_user, NULL, &config, &errors), 0);
	assert_int_equal(config_lint(config, &errors), 0);
	print_all(&errors);
	assert_int_equal(errors.count, 0);
	if (mapping)
		assert_string_equal(config->settings.mapping, mapping);
	while (n--) {
		free((char *)files[n].path);
		free((char *)files[n].text);
	}
	return config;
}

static void assert_same_classes(const struct config *config, const struct qos_class *classes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_true(qos_attr_equal(&class_named(config, classes[i].name)->attr, &classes[i].attr));
}

TEST(what_is_built_in_is_shipped_as_well)
{
	struct config *mapping = shipped(MAPPING_FILE, MAPPING_FILE, NULL),
		      *profiles = shipped(PROFILES_FILE, PROFILES_FILE, NULL);
	struct config *announcement = shipped(PRESETS, PRESETS, "announcement");

	assert_int_equal(mapping->n_classes, QOS_BUILTIN_COUNT);
	assert_same_classes(mapping, qos_builtin, QOS_BUILTIN_COUNT);
	assert_same_classes(announcement, qos_builtin, QOS_BUILTIN_COUNT);
	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++)
		assert_int_not_equal(mapping->classes[i].source.line, 0);
	assert_int_equal(profiles->n_profiles, PROFILE_BUILTIN_COUNT);
	for (size_t i = 0; i < PROFILE_BUILTIN_COUNT; i++) {
		assert_int_not_equal(profiles->profiles[i].source.line, 0);
		assert_true(sched_profile_equal(&profiles->profiles[i], &profile_builtin[i]));
	}
	config_free(mapping);
	config_free(profiles);
	config_free(announcement);
}

/*
 * The built-in ones and that of configs/app_configs/maintenance.json. One that another lacks would stay when that is
 * chosen.
 */
TEST(presets_define_all_classes_and_no_other)
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

TEST(rules_are_good_and_keep_what_somebody_chose)
{
	struct config *config = shipped(RULES_FILES, RULES_FILES, NULL);

	assert_string_equal(rule_for(config, "cc1plus")->qos, "QOS_BACKGROUND");
	assert_string_equal(rule_for(config, "firefox")->qos, "QOS_USER_INTERACTIVE");
	assert_int_equal(rule_for(config, "make")->inherit, INHERIT_YES);
	/* Whoever chose something for a program did not ask for these files. */
	for (size_t i = 0; i < config->rules->n_lists; i++) {
		for (const struct rule *rule = config->rules->lists[i]; rule; rule = rule->next) {
			if (rule->yield != YIELD_YES)
				fail_msg("%s does not yield", rule->pattern);
		}
	}
	config_free(config);
}

/* What a process has by the shipped rules. "no class" is a rule's as well: nothing is inherited then. */
#define INTERACTIVE "QOS_USER_INTERACTIVE"
#define KEPT	    ", kept while hidden"

/* What Wine hands to its loader when it starts a program, and what the program has made of it by the next reload. */
#define WINE(...)	 PROCESS("/usr/lib/wine/wine64", "wine64", "/usr/lib/wine/wine64\0" __VA_ARGS__)
#define WINE_RUNS(...)	 PROCESS("/usr/lib/wine/wine64", "game.exe", __VA_ARGS__)
#define PROTON_BIN	 "/home/me/.steam/steam/steamapps/common/Proton 9.0/files/bin/"
#define PROTON(...)                                                                                        \
	PROCESS(PROTON_BIN "wine64-preloader", "wine64-preloade",                                          \
		PROTON_BIN "wine64-preloader\0" PROTON_BIN "wine64\0" __VA_ARGS__, .sandboxed = true)

/* As Wine, Electron and sandboxes name what they run; see the comments in the files. */
static struct desktop_program {
	struct process process;
	const char *want;
} desktop_programs[] = {
	/* Windows programs, by whatever path and loader; but not mono's. */
	{ WINE("/home/me/games/Foo.exe"), INTERACTIVE },
	{ WINE("Z:\\home\\me\\games\\FOO.EXE\0-windowed"), INTERACTIVE },
	{ WINE_RUNS("Z:\\home\\me\\games\\Foo.exe"), INTERACTIVE },
	{ PROTON("C:\\Program Files (x86)\\Foo\\Foo.exe"), INTERACTIVE },
	{ PROCESS("/opt/wine-staging/bin/wine-preloader", "wine-preloader", "/opt/wine-staging/bin/wine-preloader\0wine\0Foo.exe"),
	  INTERACTIVE },
	{ PROCESS("/usr/bin/mono-sgen", "mono", "mono\0/usr/lib/mono/4.5/mcs.exe"), "no rule" },
	{ PROCESS("/usr/bin/foo.exe", "foo.exe", "foo.exe"), "no rule" },
	/* Wine's own. */
	{ WINE("C:\\windows\\system32\\services.exe"), "no class" },
	{ WINE("C:\\windows\\system32\\explorer.exe\0/desktop"), "no class" },
	{ WINE_RUNS("C:\\windows\\system32\\svchost.exe\0-k\0LocalServiceNetworkRestricted"), "no class" },
	{ WINE_RUNS("C:\\WINDOWS\\system32\\rpcss.exe"), "no class" },
	{ WINE_RUNS("start.exe\0/exec"), "no class" },
	{ WINE("explorer\0/desktop=Foo,1280x720\0Foo.exe"), "no class" },
	{ WINE("cmd\0/c\0run.bat"), "no class" },
	{ PROTON("c:\\windows\\system32\\steam.exe\0/home/me/games/Foo.exe"), "no class" },
	{ PROTON("C:\\windows\\system32\\tabtip.exe"), "no class" },
	/* Neither a game's server nor a compiler. */
	{ WINE("/srv/game/PalServer-Win64-Shipping-Cmd.exe"), "no class" },
	{ WINE("Z:\\opt\\msvc\\bin\\cl.exe\0/c"), "QOS_BACKGROUND" },
	{ PROCESS("/usr/lib/wine/wineserver64", "wineserver64", "/usr/lib/wine/wineserver64\0-p0"), INTERACTIVE },
	{ PROCESS(PROTON_BIN "wineserver", "wineserver", PROTON_BIN "wineserver", .sandboxed = true), INTERACTIVE },
	/* Electron's, Flatpak's and Snap's. */
	{ PROCESS("/usr/lib/electron34/electron", "electron", "/usr/bin/electron34\0/usr/lib/foo/app.asar"), INTERACTIVE },
	{ PROCESS("/usr/lib/electron34/electron", "electron", "/proc/self/exe\0--type=zygote"), INTERACTIVE },
	{ PROCESS("/app/bin/Telegram", "Telegram", "Telegram\0--", .sandboxed = true), INTERACTIVE KEPT },
	{ PROCESS("/app/discord/Discord", "Discord", "/app/discord/Discord\0--type=gpu-process", .sandboxed = true), INTERACTIVE KEPT },
	{ PROCESS("/snap/slack/164/usr/lib/slack/slack", "slack", "/snap/slack/164/usr/lib/slack/slack\0--type=zygote"),
	  INTERACTIVE KEPT },
	/* A call goes on behind other windows, and so does what is recorded. */
	{ PROCESS("/opt/zoom/zoom", "zoom", "zoom"), INTERACTIVE KEPT },
	{ PROCESS("/usr/bin/obs", "obs", "obs"), INTERACTIVE KEPT },
	{ PROCESS("/usr/bin/steam", "steam", "steam"), INTERACTIVE KEPT },
	{ PROCESS("/usr/bin/plasmashell", "plasmashell", "plasmashell"), INTERACTIVE KEPT },
	{ PROCESS("/usr/bin/firefox", "firefox", "firefox"), INTERACTIVE },
	{ PROCESS("/usr/bin/bwrap", "bwrap", "bwrap\0--args\00042\0--\0Telegram"), "no rule" },
	{ PROCESS("/usr/libexec/rtkit-daemon", "rtkit-daemon", "/usr/libexec/rtkit-daemon"), "QOS_USER_INITIATED" },
	{ PROCESS("/home/me/rtkit-daemon", "rtkit-daemon", "/usr/libexec/rtkit-daemon"), "no rule" },
};

TEST(programs_of_a_desktop_are_known)
{
	struct config *config = shipped(RULES_FILES, RULES_FILES, NULL);

	for (size_t i = 0; i < COUNT(desktop_programs); i++) {
		struct desktop_program *program = &desktop_programs[i];
		int error;
		const struct rule *rule = process_match(config, &program->process, &error);
		const char *qos = rule && rule->qos ? rule->qos : rule ? "no class" : "no rule";
		char found[64];

		assert_int_equal(error, 0);
		snprintf(found, sizeof(found), "%s%s", qos, rule && rule->keeps_hidden ? KEPT : "");
		if (strcmp(found, program->want) != 0)
			fail_msg("number %zu, %s: %s by \"%s\"", i, program->process.exe, found, rule ? rule->pattern : "");
	}
	config_free(config);
}

/* By schedqos.json alone, which names it. */
TEST(the_folder_puts_a_preset_in_force)
{
	struct config *config = shipped(PRESETS, SETTINGS_FILE, NULL), *preset;

	assert_true(config->settings.mapping_is_named);
	assert_string_equal(config->files[config->settings.mapping_source.file], "configs/schedqos.json");
	assert_string_not_equal(config->settings.mapping, "announcement");
	preset = shipped(PRESETS, PRESETS, config->settings.mapping);
	assert_same_classes(config, preset->classes, preset->n_classes);
	config_free(preset);
	config_free(config);
}

/* Anybody can give his program any name. */
TEST(nobody_is_raised_but_who_is_at_a_seat)
{
	for (size_t i = 0; i < COUNT(presets); i++) {
		struct config *config = shipped(PRESETS, RULES_FILES, presets[i]);
		const struct tag *tags = config->rules->tags;

		for (size_t n = 0; n < config->rules->n_rules; n++) {
			const struct rule *rule = config->rules->by_id[n];

			if (rule->qos && qos_attr_raises(&tags[rule->tag].attr) && !(rule->bounds & BOUND_SEAT))
				fail_msg("%s raises everybody", rule->pattern);
			for (size_t t = 0; t < rule->n_threads; t++)
				assert_false(qos_attr_raises(&tags[rule->threads[t].tag].attr));
		}
		config_free(config);
	}
}
