/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings about rules that give privileges to everybody, and about those that another one always comes before. */
#include "config_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

/* A rule, or a thread rule of it if that is not NULL, and the class that it gives. */
struct grant {
	const struct rule *rule;
	const struct thread_rule *thread;
	const struct source *at;
	uint16_t qos_class;
};

/* How many rules of each file give each class to everybody; 0 again, once that is told at the first of them. */
struct grants {
	const struct config *config;
	size_t *counts;
	struct config_errors *errors; /* NULL: they are being counted */
};

/*
 * Whether a cgroup below user.slice, where users start and move what they like, may match. Only the text before the first
 * special character is compared: what follows can be anything.
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

/* Whether the class costs others no more than a negative nice value that the author of the rule can have known. */
static bool is_yield_enough(const struct qos_class *class, const struct rule *rule)
{
	return qos_attr_raises(&class->attr) == TASK_ATTR_NICE &&
	       (!class->source.line || class->source.file < rule->source.file);
}

/* Also where the class was defined, if that is a later file, which the rule's author may not know. */
static char *class_words(const struct config *config, const struct grant *grant)
{
	static const struct attr_caps all = { .slice = true, .util_clamp = true, .io_priority = true };
	const struct qos_class *class = &config->classes[grant->qos_class];
	const struct task_attr attr = qos_attr_over(&class->attr, &task_attr_pristine, &all);
	struct text_buf text = { 0 };
	char carries[TASK_ATTR_TEXT_MAX];

	text_buf_printf(&text, "%s (%s", class->name, task_attr_text(&attr, carries));
	if (class->source.line && class->source.file > grant->at->file)
		text_buf_printf(&text, " by %s:%u", config->files[class->source.file], class->source.line);
	text_buf_printf(&text, ")");
	return text_buf_take(&text);
}

static int warn_granted(const struct config *config, const struct grant *grant, size_t n_more, struct config_errors *errors)
{
	const bool may_yield = is_yield_enough(&config->classes[grant->qos_class], grant->rule);
	_cleanup_free_ char *path = config_path_of(config, grant->rule, grant->thread), *class = class_words(config, grant);
	char more[64] = "";

	if (!path || !class)
		return -ENOMEM;
	if (n_more)
		snprintf(more, sizeof(more), "; %zu more of this file do the same", n_more);
	return config_warning_add(errors, config->files[grant->at->file], grant->at, path,
				  "%s goes to whoever takes this name or path: match a \"user\", or a \"cgroup\" outside user.slice%s%s",
				  class, may_yield ? ", or accept that by \"yield\": true" : "", more);
}

static int take_grant(struct grants *grants, const struct rule *rule, const struct thread_rule *thread)
{
	const struct config *config = grants->config;
	const struct tag *tags = rules_tags(config->rules, &(size_t){ 0 });
	const struct grant grant = { rule, thread, thread ? &thread->source : &rule->source,
				     tags[thread ? thread->tag : rule->tag].qos_class };
	const struct qos_class *class = &config->classes[grant.qos_class];
	size_t *count = &grants->counts[grant.at->file * config->n_classes + grant.qos_class], n = *count;

	/* See config_lint(). */
	if (!qos_attr_raises(&class->attr) || (rule->yield == YIELD_YES && is_yield_enough(class, rule)))
		return 0;
	*count = grants->errors ? 0 : n + 1;
	return grants->errors && n ? warn_granted(config, &grant, n - 1, grants->errors) : 0;
}

static int take_grants(struct grants *grants)
{
	const struct rules *rules = grants->config->rules;
	int r = 0;

	for (size_t i = 0; i < rules_count(rules); i++) {
		for (const struct rule *rule = rules_nth(rules, i); rule; rule = rule->next) {
			if (!is_for_everybody(rule))
				continue;
			if (rule->qos)
				r = take_grant(grants, rule, NULL);
			for (size_t t = 0; r == 0 && t < rule->n_threads; t++)
				r = take_grant(grants, rule, &rule->threads[t]);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int check_grants(const struct config *config, struct config_errors *errors)
{
	_cleanup_free_ size_t *counts = calloc(config->n_files * config->n_classes + 1, sizeof(*counts));
	int r = counts ? take_grants(&(struct grants){ config, counts, NULL }) : -ENOMEM;

	return r == 0 ? take_grants(&(struct grants){ config, counts, errors }) : r;
}

static int warn_beaten(const struct config *config, const struct rule *rule, const struct rule *before,
		       struct config_errors *errors)
{
	_cleanup_free_ char *path = config_path_of(config, rule, NULL);

	if (!path)
		return -ENOMEM;
	return config_warning_add(errors, config->files[rule->source.file], &rule->source, path,
				  "never takes effect: \"%s\" of %s:%u has no conditions and always comes first, "
				  "since an exact name goes before a glob: write \"%s\" with a \"match\" of \"exe\"",
				  before->pattern, config->files[before->source.file], before->source.line, before->pattern);
}

static int check_beaten(const struct config *config, struct config_errors *errors)
{
	const struct rule *rule, *before;
	int r = 0;

	for (size_t i = 0; r == 0 && (rule = rules_nth(config->rules, i)); i++) {
		before = rules_always_before(config->rules, rule);
		/* A later file's rule is meant to come before. */
		if (before && before->source.file <= rule->source.file)
			r = warn_beaten(config, rule, before, errors);
	}
	return r;
}

int config_lint(const struct config *config, struct config_errors *errors)
{
	int r = check_grants(config, errors);

	return r == 0 ? check_beaten(config, errors) : r;
}
