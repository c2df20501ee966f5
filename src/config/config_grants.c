/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings about rules that give privileges to everybody. */
#include "config_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

/* If several rules give the same class, the warning is at the first and names up to this many
 * others. */
#define ALSO_NAMED 3

/* One class that one rule gives, to its process or to a thread. */
struct grant {
	struct source at;
	uint16_t qos_class;
	const struct rule *rule;
	const struct thread_rule *thread; /* or NULL */
};

struct grants {
	const struct config *config;
	struct grant *items;
	size_t count;
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

	return !match || (!match->user && (!match->cgroup || is_cgroup_of_users(match->cgroup)));
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
	/* See config_check_grants(). */
	return rule->yield != YIELD_YES || !is_yield_enough(class, rule);
}

static void add_grant(struct grants *grants, const struct rule *rule,
		      const struct thread_rule *thread)
{
	size_t n_tags;
	const struct tag *tags = rules_tags(grants->config->rules, &n_tags);
	uint16_t qos_class = tags[thread ? thread->tag : rule->tag].qos_class;

	if (!is_dear(&grants->config->classes[qos_class], rule))
		return;
	grants->items[grants->count++] = (struct grant){
		.at = thread ? thread->source : rule->source,
		.qos_class = qos_class,
		.rule = rule,
		.thread = thread,
	};
}

static void add_list(struct grants *grants, const struct rule *list)
{
	for (const struct rule *rule = list; rule; rule = rule->next) {
		if (!is_for_everybody(rule))
			continue;
		if (rule->qos)
			add_grant(grants, rule, NULL);
		for (size_t i = 0; i < rule->n_threads; i++)
			add_grant(grants, rule, &rule->threads[i]);
	}
}

/* By file, then by class, then by place. */
static int compare_grants(const void *va, const void *vb)
{
	const struct grant *a = va, *b = vb;

	if (a->at.file != b->at.file)
		return a->at.file < b->at.file ? -1 : 1;
	if (a->qos_class != b->qos_class)
		return a->qos_class < b->qos_class ? -1 : 1;
	return source_compare(&a->at, &b->at);
}

static int grants_find(struct grants *grants)
{
	const struct rules *rules = grants->config->rules;
	size_t most = 0;

	for (size_t i = 0; i < rules_count(rules); i++) {
		for (const struct rule *rule = rules_nth(rules, i); rule; rule = rule->next)
			most += 1 + rule->n_threads;
	}
	grants->items = calloc(most + 1, sizeof(*grants->items));
	if (!grants->items)
		return -ENOMEM;
	for (size_t i = 0; i < rules_count(rules); i++)
		add_list(grants, rules_nth(rules, i));
	qsort(grants->items, grants->count, sizeof(*grants->items), compare_grants);
	return 0;
}

/* Also where the class was defined, if that is a later file, which the rule's author may not know.
 */
static void put_class(struct text_buf *text, const struct config *config, const struct grant *grant)
{
	const struct qos_class *class = &config->classes[grant->qos_class];

	text_buf_printf(text, "%s (", class->name);
	if (task_policy_is_fair(class->attr.policy))
		text_buf_printf(text, "nice %d", class->attr.nice);
	else if (class->attr.policy == POLICY_DEADLINE)
		text_buf_printf(text, "SCHED_DEADLINE");
	else
		text_buf_printf(text, "%s %u", task_policy_name(class->attr.policy),
				class->attr.priority);
	if (is_realtime_io(&class->attr))
		text_buf_printf(text, ", io_class realtime");
	if (class->source.line && class->source.file > grant->at.file)
		text_buf_printf(text, " by %s:%u", config->files[class->source.file],
				class->source.line);
	text_buf_printf(text, ")");
}

/* The paths of the other rules that give the same class. */
static void put_others(struct text_buf *text, const struct config *config,
		       const struct grant *others, size_t n)
{
	size_t named = n <= ALSO_NAMED + 1 ? n : ALSO_NAMED;

	for (size_t i = 0; i < named; i++) {
		_cleanup_free_ char *path =
			config_path_of(config, others[i].rule, others[i].thread);

		text_buf_printf(text, "%s%s",
				i == 0	    ? "; also "
				: i + 1 < n ? ", "
					    : " and ",
				path ? path : "...");
	}
	if (named < n)
		text_buf_printf(text, " and %zu more of this file", n - named);
}

/* One warning for n grants of one class by one file. */
static int warn(const struct config *config, const struct grant *grants, size_t n,
		struct config_errors *errors)
{
	_cleanup_free_ char *path = config_path_of(config, grants->rule, grants->thread),
			    *message = NULL;
	struct text_buf text = { 0 };

	put_class(&text, config, grants);
	text_buf_printf(&text,
			" goes to whoever takes this name or path: match a \"user\", or a "
			"\"cgroup\" outside user@.service%s",
			is_yield_enough(&config->classes[grants->qos_class], grants->rule)
				? ", or accept that by \"yield\": true"
				: "");
	put_others(&text, config, grants + 1, n - 1);
	message = text_buf_take(&text);
	if (!path || !message)
		return -ENOMEM;
	return config_warning_add(errors, config->files[grants->at.file], &grants->at, path,
				  message);
}

/* The warnings of one file, in the order of its lines. */
static int warn_of_file(const struct config *config, const struct grant *grants, size_t n,
			struct config_errors *errors)
{
	_cleanup_(config_errors_clear) struct config_errors found = { 0 };
	size_t end;

	for (size_t i = 0; i < n; i = end) {
		int r;

		for (end = i + 1; end < n && grants[end].qos_class == grants[i].qos_class;)
			end++;
		r = warn(config, &grants[i], end - i, &found);
		if (r < 0)
			return r;
	}
	config_errors_sort(&found);
	return config_errors_move(errors, &found);
}

int config_check_grants(const struct config *config, struct config_errors *errors)
{
	struct grants grants = { .config = config };
	_cleanup_free_ struct grant *items = NULL;
	int r = grants_find(&grants);
	size_t end;

	items = grants.items;
	for (size_t i = 0; r == 0 && i < grants.count; i = end) {
		for (end = i + 1; end < grants.count && items[end].at.file == items[i].at.file;)
			end++;
		r = warn_of_file(config, &items[i], end - i, errors);
	}
	return r;
}
