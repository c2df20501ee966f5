/* SPDX-License-Identifier: GPL-2.0-only */
/* Warns about rules that give privileges to everybody, and about rules that never take effect. */
#include "config_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/policy/rules_trace.h>
#include <schedqos/util/cleanup.h>

/* The number of rules and thread rules of one file that give a class to everybody, and the first of them. */
struct grant {
	const struct rule *rule;
	const struct thread_rule *thread; /* the thread rule; NULL if it is the rule itself */
	size_t count;
};

/*
 * Returns whether the glob may match a cgroup below user.slice, where users start and move processes as they like.
 * Compares only the text before the first special character, since the rest can match anything.
 */
static bool is_cgroup_of_users(const char *glob)
{
	static const char theirs[] = "/user.slice/";
	const size_t literal = strcspn(glob, "*?[\\"), n = literal < strlen(theirs) ? literal : strlen(theirs);

	return strncmp(glob, theirs, n) == 0 && (glob[literal] || literal > n);
}

static bool is_for_everybody(const struct rule *rule)
{
	const struct rule_match *match = rule->match;

	return rule->raise != RAISE_SEAT &&
	       (!match || (!match->user && (!match->cgroup || is_cgroup_of_users(match->cgroup))));
}

/*
 * Returns whether `yield` makes the rule harmless: the class only has a negative nice value, and the rule's author
 * could know that.
 */
static bool is_yield_enough(const struct qos_class *class, const struct rule *rule)
{
	return qos_attr_privileged(&class->attr) == TASK_ATTR_NICE &&
	       (!class->source.line || class->source.file < rule->source.file);
}

/*
 * Describes the class's privileges, and where it was defined if that is a later file than `file`, since the rule's
 * author may not know of it. Returns NULL if there is no memory.
 */
static char *class_words(const struct config *config, const struct qos_class *class, size_t file)
{
	static const struct attr_caps all = { .slice = true, .util_clamp = true, .io_priority = true };
	const struct task_attr attr = qos_attr_over(&class->attr, &task_attr_pristine, &all);
	struct text_buf text = { 0 };
	char carries[TASK_ATTR_TEXT_MAX];

	text_buf_printf(&text, "%s (%s", class->name, task_attr_text(&attr, carries));
	if (class->source.line && class->source.file > file)
		text_buf_printf(&text, " by %s:%u", config->files[class->source.file], class->source.line);
	text_buf_printf(&text, ")");
	return text_buf_take(&text);
}

static int warn_granted(const struct config *config, const struct grant *grant, const struct qos_class *class,
			struct config_errors *errors)
{
	const struct source *at = grant->thread ? &grant->thread->source : &grant->rule->source;
	_cleanup_free_ char *path = config_path_of(config, grant->rule, grant->thread),
			    *words = class_words(config, class, at->file);
	char more[64] = "";

	if (!path || !words)
		return -ENOMEM;
	if (grant->count > 1)
		snprintf(more, sizeof(more), "; the same goes for %zu more in this file", grant->count - 1);
	return config_warn(
		config, errors, at, path,
		"%s is given to every program with this name or path: match a \"user\", or a \"cgroup\" outside user.slice%s%s",
		words, is_yield_enough(class, grant->rule) ? ", or accept that by \"yield\": true" : "", more);
}

static void take_grant(const struct config *config, struct grant *grants, const struct rule *rule,
		       const struct thread_rule *thread)
{
	const struct qos_class *class = class_of_tag(config, thread ? thread->tag : rule->tag);
	struct grant *grant = &grants[rule->source.file * config->n_classes + (size_t)(class - config->classes)];

	/* See config_lint(). */
	if (!qos_attr_privileged(&class->attr) || (rule->yield == YIELD_YES && is_yield_enough(class, rule)))
		return;
	if (!grant->count++)
		*grant = (struct grant){ rule, thread, 1 };
}

static void take_grants(const struct config *config, struct grant *grants)
{
	for (size_t i = 0; i < config->rules->n_rules; i++) {
		const struct rule *rule = config->rules->by_id[i];

		if (rule->qos && is_for_everybody(rule))
			take_grant(config, grants, rule, NULL);
		for (size_t t = 0; t < rule->n_threads && is_for_everybody(rule); t++)
			take_grant(config, grants, rule, &rule->threads[t]);
	}
}

static int check_grants(const struct config *config, struct config_errors *errors)
{
	const size_t n = config->n_files * config->n_classes;
	_cleanup_free_ struct grant *grants = calloc(n + 1, sizeof(*grants));
	int r = grants ? 0 : -ENOMEM;

	if (grants)
		take_grants(config, grants);
	for (size_t i = 0; r == 0 && i < n; i++) {
		if (grants[i].count)
			r = warn_granted(config, &grants[i], &config->classes[i % config->n_classes], errors);
	}
	return r;
}

/* Returns the name of a built-in class that was probably meant, since no rule assigns this class, or NULL. */
static const char *meant_name(const struct config *config, const struct qos_class *class)
{
	struct suggestion near = { .word = class->name };

	for (size_t tag = 0; tag < config->rules->n_of_rules; tag++) {
		if (class_of_tag(config, (uint16_t)tag) == class)
			return NULL;
	}
	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++)
		suggest_offer(&near, qos_builtin[i].name);
	return near.best && strcmp(near.best, class->name) != 0 ? near.best : NULL;
}

static int check_classes(const struct config *config, struct config_errors *errors)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < config->n_classes; i++) {
		const struct qos_class *class = &config->classes[i];
		const bool is_default =
			strcmp(class->name, QOS_DEFAULT_NAME) == 0 && config->settings.default_mode != DEFAULT_NONE;
		_cleanup_free_ char *words = class_words(config, class, class->source.file);
		const char *meant = meant_name(config, class);

		if (!words)
			r = -ENOMEM;
		else if (is_default && qos_attr_privileged(&class->attr))
			r = config_warn(config, errors, &class->source, class->name,
					"%s is given to every program that has no rule", words);
		else if (meant)
			r = config_warn(config, errors, &class->source, class->name,
					"is a new class that no rule assigns (did you mean \"%s\"?)", meant);
	}
	return r;
}

static int warn_beaten(const struct config *config, const struct rule *rule, const struct rule *before,
		       struct config_errors *errors)
{
	_cleanup_free_ char *path = config_path_of(config, rule, NULL);

	if (!path)
		return -ENOMEM;
	return config_warn(config, errors, &rule->source, path,
			   "never takes effect: \"%s\" of %s:%u has no conditions and always comes first, "
			   "since an exact name goes before a glob: write \"%s\" with a \"match\" of \"exe\"",
			   before->pattern, config->files[before->source.file], before->source.line, before->pattern);
}

static int check_beaten(const struct config *config, struct config_errors *errors)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < config->rules->n_lists; i++) {
		const struct rule *rule = config->rules->lists[i], *before = rules_always_before(config->rules, rule);

		/* A rule of a later file is meant to come first. */
		if (before && before->source.file <= rule->source.file)
			r = warn_beaten(config, rule, before, errors);
	}
	return r;
}

int config_lint(const struct config *config, struct config_errors *errors)
{
	const size_t n = errors->count;
	int r = check_grants(config, errors);

	if (r == 0)
		r = check_classes(config, errors);
	if (r == 0)
		r = check_beaten(config, errors);
	config_errors_sort(errors, n);
	return r;
}
