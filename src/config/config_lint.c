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
 * Whether a cgroup below user@UID.service, where users make cgroups and move their processes as
 * they like, may match. Only the text before the first special character is compared: what follows
 * can be anything.
 */
static bool is_cgroup_of_users(const char *glob)
{
	/* 0 stands for any number. */
	const char *theirs = "/user.slice/user-0.slice/user@0.service";
	bool is_glob = pattern_is_glob(glob);
	const char *end = glob + (is_glob ? strcspn(glob, "*?[\\") : strlen(glob));

	for (; *theirs && glob < end; theirs++) {
		size_t digits = strspn(glob, "0123456789");

		if (*theirs == '0' && digits)
			glob += digits;
		else if (*theirs == *glob)
			glob++;
		else
			return false;
	}
	if (glob < end)
		return *glob == '/';
	return is_glob || !*theirs;
}

static bool is_for_everybody(const struct rule *rule)
{
	const struct rule_match *match = rule->match;

	return rule->raise != RAISE_SEAT &&
	       (!match || (!match->user && (!match->cgroup || is_cgroup_of_users(match->cgroup))));
}

/* The one I/O class that takes privilege. */
static bool is_realtime_io(const struct qos_attr *attr)
{
	return (attr->has & QOS_HAS_IO_CLASS) && attr->io_class == IO_CLASS_REALTIME;
}

/* Whether the class costs others no more than a negative nice value that the author of the rule can
 * have known. */
static bool is_yield_enough(const struct qos_class *class, const struct rule *rule)
{
	return task_policy_is_fair(class->attr.policy) && !is_realtime_io(&class->attr) &&
	       (!class->source.line || class->source.file < rule->source.file);
}

/* Whether the rule should not give the class to everybody. */
static bool is_dear(const struct qos_class *class, const struct rule *rule)
{
	const struct qos_attr *attr = &class->attr;

	if (!task_policy_is_fair(attr->policy) || is_realtime_io(attr))
		return true;
	/* SCHED_IDLE accepts a nice value and ignores it. */
	if (!(attr->has & QOS_HAS_NICE) || attr->nice >= 0 || attr->policy == POLICY_IDLE)
		return false;
	/* See config_lint(). */
	return rule->yield != YIELD_YES || !is_yield_enough(class, rule);
}

/* Also where the class was defined, if that is a later file, which the rule's author may not know. */
static char *class_words(const struct config *config, const struct grant *grant)
{
	const struct qos_class *class = &config->classes[grant->qos_class];
	struct text_buf text = { 0 };

	text_buf_printf(&text, "%s (", class->name);
	if (task_policy_is_fair(class->attr.policy))
		text_buf_printf(&text, "nice %d", class->attr.nice);
	else if (class->attr.policy == POLICY_DEADLINE)
		text_buf_printf(&text, "SCHED_DEADLINE");
	else
		text_buf_printf(&text, "%s %u", task_policy_name(class->attr.policy), class->attr.priority);
	if (is_realtime_io(&class->attr))
		text_buf_printf(&text, ", io_class realtime");
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
				  "%s goes to whoever takes this name or path: match a \"user\", or a \"cgroup\" outside user@.service%s%s",
				  class, may_yield ? ", or accept that by \"yield\": true" : "", more);
}

static int take_grant(struct grants *grants, const struct rule *rule, const struct thread_rule *thread)
{
	const struct config *config = grants->config;
	const struct tag *tags = rules_tags(config->rules, &(size_t){ 0 });
	const struct grant grant = { rule, thread, thread ? &thread->source : &rule->source,
				     tags[thread ? thread->tag : rule->tag].qos_class };
	size_t *count = &grants->counts[grant.at->file * config->n_classes + grant.qos_class], n = *count;

	if (!is_dear(&config->classes[grant.qos_class], rule))
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
