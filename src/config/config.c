/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/config/config_text.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/policy/rules.h>

#include "config_private.h"

/* Passes over all files. Each pass may refer to names that an earlier pass found in any file. */
enum pass {
	PASS_SYNTAX,	  /* syntax and presets */
	PASS_DEFINITIONS, /* classes and profiles */
	PASS_RULES,	  /* rules and settings */
	PASSES,
};

/* Stands for a file that has an error as a whole or is not an object. */
static const struct json_node nothing = { .type = JSON_OBJECT };

static const struct json_node *read_root(struct parser *parser, struct arena **arena, const struct config_file *file)
{
	struct json_problem problem;
	const struct json_node *root;
	int r = file->kind == CONFIG_CHOICE ? 0 : json_parse(arena, file->text, file->size, &root, &problem);

	if (r == -EINVAL)
		complain(parser, &(struct json_node){ .at = problem.at }, AT_VALUE, "%s", problem.message);
	if (r == -ENOMEM)
		parser->no_memory = true;
	if (r < 0 || file->kind == CONFIG_CHOICE || !value_is_object(parser, root, NULL))
		return &nothing;
	check_duplicates(parser, root);
	return root;
}

static void parse_file(struct parser *parser, const struct config_file *file, enum pass pass)
{
	switch (file->kind) {
	case CONFIG_RULES:
		if (pass == PASS_DEFINITIONS)
			parse_definitions(parser);
		if (pass == PASS_RULES)
			parse_rules(parser);
		break;
	case CONFIG_MAPPING:
		if (pass == PASS_DEFINITIONS)
			parse_mapping(parser, &parser->classes);
		break;
	case CONFIG_PROFILES:
		if (pass == PASS_DEFINITIONS)
			parse_profiles(parser);
		break;
	case CONFIG_PRESET:
		if (pass == PASS_SYNTAX)
			parse_preset(parser, file->path);
		break;
	case CONFIG_CHOICE:
		if (pass == PASS_DEFINITIONS)
			mapping_choose(parser, &nothing, file->text);
		break;
	}
}

static int parse_files(struct parser *parser, const struct config_file *files)
{
	const size_t n_files = parser->config->n_files;
	_cleanup_free_ const struct json_node **roots = calloc(n_files + 1, sizeof(*roots));
	struct arena *trees = NULL;

	parser->no_memory |= !roots;
	for (enum pass pass = PASS_SYNTAX; pass < PASSES && !parser->no_memory; pass++) {
		for (parser->file = 0; parser->file < n_files; parser->file++) {
			const struct config_file *file = &files[parser->file];

			if (pass == PASS_SYNTAX)
				roots[parser->file] = read_root(parser, &trees, file);
			parser->root = roots[parser->file];
			parse_file(parser, file, pass);
		}
	}
	arena_free(trees);
	return parser->no_memory ? -ENOMEM : 0;
}

/* Puts the built-in configuration in place. */
static int put_builtin(struct parser *parser)
{
	struct config *config = parser->config;
	struct preset announcement = { .name = "announcement" };

	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++) {
		class_define(parser, &announcement.classes, &qos_builtin[i]);
		class_define(parser, &parser->classes, &qos_builtin[i]);
	}
	preset_define(parser, &announcement);
	for (size_t i = 0; i < PROFILE_BUILTIN_COUNT; i++)
		profile_define(parser, &profile_builtin[i]);
	config->settings = (struct settings){
		.sched_profile = "qos",
		.default_mode = DEFAULT_PRISTINE,
		.autogroup_off = true,
		.focus = "QOS_USER_INITIATED",
		.hidden = "QOS_UTILITY",
		.mapping = "announcement",
	};
	return parser->no_memory ? -ENOMEM : 0;
}

static int parser_init(struct parser *parser, const struct config_file *files, size_t n_files)
{
	struct config *config = calloc(1, sizeof(*config));

	if (!config)
		return -ENOMEM;
	parser->config = config;
	config->rules = rules_new();
	config->files = keep_alloc(parser, n_files * sizeof(*config->files));
	config->private_files = keep_alloc(parser, n_files * sizeof(*config->private_files));
	if (!config->rules || !config->files || !config->private_files)
		return -ENOMEM;
	for (; config->n_files < n_files; config->n_files++) {
		const char *path = keep_text(parser, files[config->n_files].path);

		if (!path)
			return -ENOMEM;
		config->files[config->n_files] = path;
		config->private_files[config->n_files] = files[config->n_files].is_private;
	}
	return put_builtin(parser);
}

/* Sorts classes, the highest first; of two equal ones the one defined first comes first. */
static void sort_classes(struct class_table *table)
{
	for (size_t i = 1; i < table->count; i++) {
		const struct qos_class class = table->items[i];
		size_t at = i;

		for (; at && class_compare(&class, &table->items[at - 1]) < 0; at--)
			table->items[at] = table->items[at - 1];
		table->items[at] = class;
	}
}

static int parse(struct parser *parser, const struct config_file *files, size_t n_files)
{
	struct config *config;
	int r = parser_init(parser, files, n_files);

	if (r == 0)
		r = parse_files(parser, files);
	config_errors_sort(parser->errors, parser->n_before);
	if (r < 0 || parser->errors->n_errors > parser->n_errors_before)
		return r < 0 ? r : -EINVAL;
	config = parser->config;
	sort_classes(&parser->classes);
	config->classes = parser->classes.items;
	config->n_classes = parser->classes.count;
	weights_finish(config, &config->weights);
	weights_finish(config, &config->user_weights);
	r = rules_finish(config->rules, config->classes, config->n_classes, config->n_groups > 0);
	if (r != -E2BIG)
		return r;
	config_error_add(parser->errors, files[n_files - 1].path, "more than %d rules", UINT16_MAX);
	return -EINVAL;
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
	return r;
}

void config_free(struct config *config)
{
	if (!config)
		return;
	rules_free(config->rules);
	arena_free(config->memory);
	free(config);
}
