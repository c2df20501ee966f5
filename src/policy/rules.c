/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds a set of rules for the configuration: adds, resolves, numbers and indexes them. */
#include "rules_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

/* ---- globs ---- */

static int compare_ranks(const void *va, const void *vb)
{
	const struct rule *a = ((const struct glob *)va)->list, *b = ((const struct glob *)vb)->list;

	return pattern_compare(a->pattern, &a->source, b->pattern, &b->source);
}

static struct glob make_glob(const struct rule *list)
{
	const char *pattern = list->pattern, *star = strrchr(pattern, '*');
	struct glob glob = {
		.list = list,
		.suffix = "",
		.prefix_length = (uint32_t)strcspn(pattern, "*?[\\"),
		.is_path = strchr(pattern, '/') != NULL,
	};

	/* Without brackets, because a '*' in brackets is literal. */
	if (star && !strpbrk(star, "?[\\") && !strchr(pattern, '[')) {
		glob.suffix_length = (uint32_t)strlen(star + 1);
		glob.suffix = star + 1;
	}
	return glob;
}

static uint32_t chain_of(const struct glob *glob)
{
	const char *pattern = glob->list->pattern;

	if (glob->prefix_length)
		return glob_chain(glob->is_path, pattern[0], glob->prefix_length > 1 ? pattern[1] : '\0');
	return glob_chain(glob->is_path, '\0', glob->suffix_length ? glob->suffix[glob->suffix_length - 1] : '\0');
}

/* Collects the globs, highest precedence first. Returns 0 or -ENOMEM. */
static int finish_globs(struct rules *rules)
{
	rules->globs = calloc(rules->n_lists + 1, sizeof(*rules->globs));
	if (!rules->globs)
		return -ENOMEM;
	for (size_t i = 0; i < rules->n_lists; i++) {
		if (pattern_is_glob(rules->lists[i]->pattern))
			rules->globs[rules->n_globs++] = make_glob(rules->lists[i]);
	}
	qsort(rules->globs, rules->n_globs, sizeof(*rules->globs), compare_ranks);
	for (size_t i = rules->n_globs; i-- > 0;) {
		struct glob *glob = &rules->globs[i];
		uint32_t *chain = &rules->chains[chain_of(glob)];

		glob->next = *chain;
		*chain = (uint32_t)i + 1;
	}
	return 0;
}

/* ---- building ---- */

struct rules *rules_new(void)
{
	return calloc(1, sizeof(struct rules));
}

void rules_free(struct rules *rules)
{
	if (!rules)
		return;
	free(rules->patterns);
	free(rules->index);
	free(rules->globs);
	free(rules->by_id);
	free(rules->tags);
	free(rules->lists);
	free(rules);
}

int rules_put(struct rules *rules, const char *pattern, struct rule *list, const struct source *source)
{
	struct pattern *patterns = array_room(rules->patterns, rules->n_patterns, sizeof(*patterns));

	if (!patterns)
		return -ENOMEM;
	rules->patterns = patterns;
	patterns[rules->n_patterns++] = (struct pattern){ .text = pattern, .list = list, .source = *source };
	return 0;
}

static int compare_lists(const void *va, const void *vb)
{
	const struct rule *const *a = va, *const *b = vb;

	if ((*a)->source.file != (*b)->source.file)
		return (*a)->source.file < (*b)->source.file ? -1 : 1;
	return source_compare(&(*a)->source, &(*b)->source);
}

static int compare_threads(const void *va, const void *vb)
{
	const struct thread_rule *a = va, *b = vb;

	if (!pattern_is_glob(a->pattern) && !pattern_is_glob(b->pattern))
		return strcmp(a->pattern, b->pattern);
	return pattern_compare(a->pattern, &a->source, b->pattern, &b->source);
}

/* Indexes the patterns. Of equal patterns keeps the last, with the list that it replaces. Returns 0 or -ENOMEM. */
static int finish_patterns(struct rules *rules)
{
	const size_t n = rules->n_patterns;

	/* At least three of four places are free, so looking up an absent name rarely needs a comparison. */
	for (rules->index_size = 64; rules->index_size < 4 * n;)
		rules->index_size *= 2;
	rules->index = calloc(rules->index_size, sizeof(*rules->index));
	if (!rules->index)
		return -ENOMEM;
	rules->n_patterns = 0;
	for (size_t i = 0; i < n; i++) {
		struct pattern pattern = rules->patterns[i], *same;
		uint32_t *slot = rules_slot(rules, pattern.text);

		if (*slot) {
			same = &rules->patterns[*slot - 1];
			pattern.before = same->list ? same->list : same->before;
			*same = pattern;
			continue;
		}
		rules->patterns[rules->n_patterns++] = pattern;
		*slot = (uint32_t)rules->n_patterns;
	}
	return 0;
}

/* Returns the tag for a class at a period in ns, and makes it if it is new. Returns TAG_NONE if out of memory. */
static uint16_t tag_for(struct rules *rules, const char *name, uint64_t period_ns)
{
	const struct qos_class *class = qos_class_find(rules->classes, rules->n_classes, name);
	const uint16_t tag = rules_tag_of(rules, class, period_ns);
	struct tag *tags;

	if (!class || tag != TAG_NONE || rules->n_tags == TAG_NONE)
		return tag;
	tags = reallocarray(rules->tags, rules->n_tags + 1, sizeof(*tags));
	if (!tags)
		return TAG_NONE;
	rules->tags = tags;
	tags[rules->n_tags] = (struct tag){
		.qos_class = (uint16_t)(class - rules->classes),
		.period_ns = period_ns,
		.attr = qos_attr_scale(&class->attr, period_ns),
	};
	return rules->n_tags++;
}

bool rule_user_is_pending(const struct rule_user *user)
{
	return user->error && user->error != -ENOENT;
}

bool rule_needs_initial_userns(const struct rule *rule)
{
	enum rule_userns userns = rule->match ? rule->match->user_namespace : USERNS_DEFAULT;

	switch (userns) {
	case USERNS_DEFAULT:
		return strchr(rule->pattern, '/') || (rule->match && rule->match->exe);
	case USERNS_INITIAL:
		return true;
	case USERNS_ANY:
		return false;
	}
	return true;
}

static bool is_privileged(const struct rules *rules, uint16_t tag)
{
	return qos_attr_privileged(&rules->tags[tag].attr);
}

static int finish_rule(struct rules *rules, struct rule *rule)
{
	const uint8_t seat = rule->raise == RAISE_SEAT ? BOUND_SEAT : 0;
	const struct rule **by_id;

	rule->tag = TAG_DEFAULT;
	if (rule->qos)
		rule->tag = tag_for(rules, rule->qos, rule->period_ns);
	if (rule->tag == TAG_NONE)
		return -ENOMEM;
	/* struct task has 16 bits for a rule. */
	if (rules->n_rules == UINT16_MAX)
		return -E2BIG;
	rule->bounds = rule_needs_initial_userns(rule) ? BOUND_USERNS : 0;
	if (rule->qos && is_privileged(rules, rule->tag))
		rule->bounds |= seat;
	for (size_t i = 0; i < rule->n_threads; i++) {
		struct thread_rule *thread = &rule->threads[i];

		thread->tag = tag_for(rules, thread->qos, rule->period_ns);
		if (thread->tag == TAG_NONE)
			return -ENOMEM;
		if (is_privileged(rules, thread->tag))
			rule->bounds |= seat;
	}
	if (rule->n_threads)
		qsort(rule->threads, rule->n_threads, sizeof(*rule->threads), compare_threads);
	by_id = array_room(rules->by_id, rules->n_rules, sizeof(const struct rule *));
	if (!by_id)
		return -ENOMEM;
	rules->by_id = by_id;
	by_id[rules->n_rules++] = rule;
	rule->id = (uint16_t)rules->n_rules;
	rules->need_renames |= rule->n_threads > 0;
	rules->need_cgroup |= rule->match && rule->match->cgroup;
	rules->enforce |= rule->enforce;
	return 0;
}

/* Collects the lists that are not masked, by file and line, and numbers their rules. Returns like rules_finish. */
static int finish_lists(struct rules *rules)
{
	rules->lists = calloc(rules->n_patterns + 1, sizeof(struct rule *));
	if (!rules->lists)
		return -ENOMEM;
	for (size_t i = 0; i < rules->n_patterns; i++) {
		if (rules->patterns[i].list)
			rules->lists[rules->n_lists++] = rules->patterns[i].list;
	}
	qsort(rules->lists, rules->n_lists, sizeof(struct rule *), compare_lists);
	for (size_t i = 0; i < rules->n_lists; i++) {
		for (const struct rule *rule = rules->lists[i]; rule; rule = rule->next) {
			int r = finish_rule(rules, (struct rule *)rule);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* Makes a tag of each class at each period of the first n_periods tags. The first tag has no period. */
static int tag_all_classes(struct rules *rules, size_t n_periods)
{
	for (size_t i = 0; i < n_periods; i++) {
		for (size_t c = 0; c < rules->n_classes; c++) {
			if (tag_for(rules, rules->classes[c].name, rules->tags[i].period_ns) == TAG_NONE)
				return -ENOMEM;
		}
	}
	return 0;
}

int rules_finish(struct rules *rules, const struct qos_class *classes, size_t n_classes, bool all_classes)
{
	int r = finish_patterns(rules);

	rules->classes = classes;
	rules->n_classes = n_classes;
	if (r == 0 && tag_for(rules, QOS_DEFAULT_NAME, 0) != TAG_DEFAULT)
		r = -ENOMEM;
	if (r == 0)
		r = finish_lists(rules);
	rules->n_of_rules = rules->n_tags;
	if (r == 0)
		r = tag_all_classes(rules, all_classes ? rules->n_tags : 1);
	return r < 0 ? r : finish_globs(rules);
}
