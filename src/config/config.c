/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/config/config_text.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/policy/rules.h>

#include "config_private.h"

static void check_later(struct parser *parser, const struct later *later)
{
	const struct config *config = parser->config;
	const struct class_table *classes = &parser->classes;
	const bool is_class = later->kind == LATER_CLASS;
	const size_t n = is_class ? classes->count : config->n_profiles;
	struct suggestion near = { .word = later->name };

	for (size_t i = 0; i < n; i++) {
		const char *name = is_class ? classes->items[i].name : config->profiles[i].name;

		if (strcmp(name, later->name) == 0)
			return;
		suggest_offer(&near, name);
	}
	complain_unknown_at(parser, later->file, later->position, later->path, is_class ? "class" : "sched_profile", &near, "");
}

static void parse_contents(struct parser *parser, const struct config_file *file)
{
	check_duplicates(parser);
	if (!value_is_object(parser, parser->root))
		return;
	switch (file->kind) {
	case CONFIG_RULES:
		parse_rules(parser);
		break;
	case CONFIG_MAPPING:
		parse_mapping(parser, &parser->classes);
		break;
	case CONFIG_PROFILES:
		parse_profiles(parser);
		break;
	case CONFIG_PRESET:
		parse_mapping(parser, &parser->presets[parser->n_presets - 1].classes);
		break;
	case CONFIG_CHOICE:
		break;
	}
}

static void parse_choice(struct parser *parser, const struct config_file *file)
{
	const struct source source = { .file = parser->file };
	const char *name = keep_text(parser, file->text);
	struct suggestion near = { .word = name };

	if (!name || mapping_choose(parser, name, &source, &near))
		return;
	complain_unknown_at(parser, parser->file, (struct json_position){ 0 }, "", "mapping", &near, "");
}

static void parse_file(struct parser *parser, const struct config_file *file)
{
	struct arena *arena = arena_new();
	struct json_problem problem;
	int r = arena ? json_parse(arena, file->text, file->size, &parser->root, &problem) : -ENOMEM;

	if (r == -EINVAL)
		complain_at(parser, parser->file, problem.at, "", "%s", problem.message);
	if (r == -ENOMEM)
		parser->no_memory = true;
	if (r == 0)
		parse_contents(parser, file);
	arena_free(arena);
}

/* Presets are parsed first, wherever they are in the list: any file may use any of them. */
static void parse_files(struct parser *parser, const struct config_file *files)
{
	size_t n_files = parser->config->n_files;

	for (size_t i = 0; i < n_files; i++) {
		parser->file = i;
		if (files[i].kind == CONFIG_PRESET && preset_add(parser, files[i].path))
			parse_file(parser, &files[i]);
	}
	for (size_t i = 0; i < n_files; i++) {
		parser->file = i;
		if (files[i].kind == CONFIG_CHOICE)
			parse_choice(parser, &files[i]);
		else if (files[i].kind != CONFIG_PRESET)
			parse_file(parser, &files[i]);
	}
}

/* The built-in configuration. */
static int put_builtin(struct parser *parser)
{
	struct config *config = parser->config;

	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++)
		class_define(parser, &parser->classes, &qos_builtin[i]);
	for (size_t i = 0; i < PROFILE_BUILTIN_COUNT; i++)
		profile_define(parser, &profile_builtin[i]);
	config->settings = (struct settings){
		.sched_profile = "qos",
		.default_mode = DEFAULT_PRISTINE,
		.autogroup_off = true,
		.focus = "QOS_USER_INITIATED",
		.mapping = "announcement",
		.interpreters = interpreters_default,
		.n_interpreters = interpreters_default_count,
	};
	return parser->no_memory ? -ENOMEM : 0;
}

static int parser_init(struct parser *parser, const struct config_file *files, size_t n_files)
{
	struct config *config = calloc(1, sizeof(*config));

	if (!config)
		return -ENOMEM;
	parser->config = config;
	parser->arena = config->memory = arena_new();
	config->rules = rules_new();
	if (!parser->arena || !config->rules)
		return -ENOMEM;
	config->files = arena_alloc(parser->arena, n_files * sizeof(*config->files));
	if (!config->files)
		return -ENOMEM;
	for (; config->n_files < n_files; config->n_files++) {
		const char *path = keep_text(parser, files[config->n_files].path);

		if (!path)
			return -ENOMEM;
		config->files[config->n_files] = path;
	}
	return put_builtin(parser);
}

/* Frees everything except the configuration. */
static void parser_clear(struct parser *parser)
{
	for (size_t i = 0; i < parser->n_presets; i++)
		free(parser->presets[i].classes.items);
	for (size_t i = 0; i < parser->n_later; i++)
		free(parser->later[i].path);
	free(parser->presets);
	free(parser->later);
	free(parser->classes.items);
}

static int parse(struct parser *parser, const struct config_file *files, size_t n_files)
{
	struct config *config;
	int r = parser_init(parser, files, n_files);

	if (r < 0)
		return r;
	parse_files(parser, files);
	for (size_t i = 0; i < parser->n_later; i++)
		check_later(parser, &parser->later[i]);
	config_errors_sort(parser->errors, parser->n_before);
	if (parser->no_memory || parser->errors->n_errors > parser->n_errors_before)
		return parser->no_memory ? -ENOMEM : -EINVAL;
	config = parser->config;
	config->classes = parser->classes.items;
	config->n_classes = parser->classes.count;
	parser->classes = (struct class_table){ 0 };
	r = rules_set_interpreters(config->rules, config->settings.interpreters, config->settings.n_interpreters);
	return r < 0 ? r : rules_finish(config->rules, config->classes, config->n_classes, config->n_groups > 0);
}

int config_parse(const struct config_file *files, size_t n_files,
		 int (*look_up)(void *context, const char *name, uid_t *ret), void *context,
		 struct config **ret, struct config_errors *errors)
{
	struct parser parser = {
		.look_up = look_up,
		.look_up_context = context,
		.errors = errors,
		.n_before = errors->count,
		.n_errors_before = errors->n_errors,
	};
	int r;

	/* struct source has 16 bits for the file. */
	if (n_files > UINT16_MAX) {
		config_error_add(errors, files[UINT16_MAX].path, "more than %d files", UINT16_MAX);
		return -EINVAL;
	}
	r = parse(&parser, files, n_files);
	if (r < 0)
		config_free(parser.config);
	else
		*ret = parser.config;
	parser_clear(&parser);
	return r;
}

void config_free(struct config *config)
{
	if (!config)
		return;
	rules_free(config->rules);
	arena_free(config->memory);
	free(config->classes);
	free(config->profiles);
	free(config->groups);
	free(config->weights);
	free(config->user_weights);
	free(config);
}
