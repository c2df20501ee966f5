/* SPDX-License-Identifier: GPL-2.0-only */
#include "list_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

/* What is in force of one file. Rules count as patterns, as everywhere. */
struct tally {
	size_t rules, classes, profiles;
};

static struct tally count(const struct config *config, size_t file)
{
	struct tally tally = { 0 };
	const struct rule *list;

	for (size_t i = 0; (list = rules_nth(config->rules, i)); i++)
		tally.rules += list->source.file == file;
	for (size_t i = 0; i < config->n_classes; i++)
		tally.classes +=
			config->classes[i].source.line && config->classes[i].source.file == file;
	for (size_t i = 0; i < config->n_profiles; i++)
		tally.profiles +=
			config->profiles[i].source.line && config->profiles[i].source.file == file;
	return tally;
}

/* A mapping that rules files choose by its name, rather than one that is in force whenever it is there. */
static bool is_preset(const char *path)
{
	const char *base = strrchr(path, '/');
	static const char folder[] = "/mappings";
	size_t len = sizeof(folder) - 1;

	return base && (size_t)(base - path) >= len && strncmp(base - len, folder, len) == 0;
}

/* All classes of a mapping may have been overridden. */
static void list_preset(const struct config *config, const char *path)
{
	const char *base = strrchr(path, '/') + 1, *name = config->settings.mapping;
	size_t len = strlen(name);
	bool is_chosen = strncmp(base, name, len) == 0 && strcmp(base + len, ".json") == 0;

	fprintf(stderr, "a mapping, %s\n", is_chosen ? "in force" : "not in force");
}

static void list_file(const struct config *config, size_t file)
{
	_cleanup_free_ char *path = text_escape(config->files[file], strlen(config->files[file]));
	const struct tally tally = count(config, file);

	fprintf(stderr, "%s: ", path ? path : "?");
	if (is_preset(config->files[file])) {
		list_preset(config, config->files[file]);
		return;
	}
	fprintf(stderr, "%zu rule%s", tally.rules, tally.rules == 1 ? "" : "s");
	if (tally.classes)
		fprintf(stderr, ", %zu class%s", tally.classes, tally.classes == 1 ? "" : "es");
	if (tally.profiles)
		fprintf(stderr, ", %zu profile%s", tally.profiles, tally.profiles == 1 ? "" : "s");
	fprintf(stderr, "\n");
}

static void warn_of_no_file(const struct config_paths *paths)
{
	const char *layers[CONFIG_LAYERS_MAX];
	size_t n = config_layers(paths, layers);

	log_warning("found no file in %s%s%s, and no %s: there is only what is built in", layers[0],
		    n > 1 ? " and " : "", n > 1 ? layers[1] : "", config_own_file(paths));
}

void list_files(const struct config *config, const struct config_paths *paths, bool named)
{
	size_t rules = rules_count(config->rules);

	for (size_t i = 0; i < config->n_files; i++)
		list_file(config, i);
	if (!config->n_files && !named)
		warn_of_no_file(paths);
	else if (!rules)
		log_warning("there is no rule: no program gets another class than %s",
			    QOS_DEFAULT_NAME);
	log_info("%zu rule%s, %zu classes: no errors", rules, rules == 1 ? "" : "s",
		 config->n_classes);
}
