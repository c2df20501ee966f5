/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/rules.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 3
#define COMM_CHARS (TASK_COMM_LEN - 1)

struct glob {
	const struct rule *list;
	size_t literal;
	bool is_path;
};

struct rules {
	/* One list for each pattern ever put, NULL where it is masked, in the order of the files. */
	struct pattern {
		const char *text;
		struct rule *list;
	} *patterns;
	size_t n_patterns, patterns_size;

	/* Open addressing: 1 + index into patterns, 0 for a free slot; a power of two in size. */
	uint32_t *index;
	size_t index_size;

	struct glob *globs; /* best rank first */
	size_t n_globs;

	const struct rule **by_id; /* by_id[id - 1] */
	size_t n_rules;

	struct tag *tags;
	size_t n_tags;

	const struct rule **lists; /* those not masked, by file and line */
	size_t n_lists;
};

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

/* FNV-1a: names are short, and a bad name costs its owner nothing but one longer probe. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return hash ^ hash >> 32;
}

/* The slot of the index that holds the pattern, or the free one where it belongs. */
static uint32_t *index_slot(const struct rules *rules, const char *text)
{
	size_t i = hash_text(text) & (rules->index_size - 1);

	while (rules->index[i] && strcmp(rules->patterns[rules->index[i] - 1].text, text) != 0)
		i = (i + 1) & (rules->index_size - 1);
	return &rules->index[i];
}

static int index_grow(struct rules *rules)
{
	size_t size = rules->index_size ? rules->index_size * 2 : 64;
	uint32_t *index = calloc(size, sizeof(*index));

	if (!index)
		return -ENOMEM;
	free(rules->index);
	rules->index = index;
	rules->index_size = size;
	for (size_t i = 0; i < rules->n_patterns; i++)
		*index_slot(rules, rules->patterns[i].text) = i + 1;
	return 0;
}

static int patterns_grow(struct rules *rules)
{
	size_t size = rules->patterns_size ? rules->patterns_size * 2 : 32;
	struct pattern *patterns = reallocarray(rules->patterns, size, sizeof(*patterns));

	if (!patterns)
		return -ENOMEM;
	rules->patterns = patterns;
	rules->patterns_size = size;
	return 0;
}

int rules_put(struct rules *rules, const char *pattern, struct rule *list)
{
	uint32_t *slot;
	int r;

	if (rules->n_patterns * 2 >= rules->index_size) {
		r = index_grow(rules);
		if (r < 0)
			return r;
	}
	if (rules->n_patterns == rules->patterns_size) {
		r = patterns_grow(rules);
		if (r < 0)
			return r;
	}
	slot = index_slot(rules, pattern);
	if (!*slot) {
		rules->patterns[rules->n_patterns++].text = pattern;
		*slot = rules->n_patterns;
	}
	rules->patterns[*slot - 1].list = list;
	return 0;
}

bool pattern_is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

/* The byte after a bracket expression that begins at p, or NULL when it is not closed. */
static const char *bracket_end(const char *p)
{
	p++;
	if (*p == '!' || *p == '^')
		p++;
	if (*p == ']')
		p++;
	p = strchr(p, ']');
	return p ? p + 1 : NULL;
}

size_t pattern_literal(const char *pattern)
{
	size_t literal = 0;

	for (const char *p = pattern; *p;) {
		const char *end = *p == '[' ? bracket_end(p) : NULL;

		if (end) {
			p = end;
			continue;
		}
		if (*p == '\\' && p[1])
			p++;
		if (*p != '*' && *p != '?')
			literal++;
		p++;
	}
	return literal;
}

bool pattern_match(const char *pattern, const char *name)
{
	if (!pattern_is_glob(pattern))
		return strcmp(pattern, name) == 0;
	return fnmatch(pattern, name, 0) == 0;
}

/* Later files first, then earlier lines. */
static int compare_sources(const struct source *a, const struct source *b)
{
	if (a->file != b->file)
		return a->file > b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->column > b->column) - (a->column < b->column);
}

static int compare_globs(const void *va, const void *vb)
{
	const struct glob *a = va, *b = vb;

	if (a->literal != b->literal)
		return a->literal > b->literal ? -1 : 1;
	return compare_sources(&a->list->source, &b->list->source);
}

static int compare_lists(const void *va, const void *vb)
{
	const struct rule *const *a = va, *const *b = vb;

	if ((*a)->source.file != (*b)->source.file)
		return (*a)->source.file < (*b)->source.file ? -1 : 1;
	return compare_sources(&(*a)->source, &(*b)->source);
}

static int compare_threads(const void *va, const void *vb)
{
	const struct thread_rule *a = va, *b = vb;
	size_t literal_a, literal_b;

	if (a->is_glob != b->is_glob)
		return a->is_glob ? 1 : -1;
	if (!a->is_glob)
		return strcmp(a->pattern, b->pattern);
	literal_a = pattern_literal(a->pattern);
	literal_b = pattern_literal(b->pattern);
	if (literal_a != literal_b)
		return literal_a > literal_b ? -1 : 1;
	return compare_sources(&a->source, &b->source);
}

/* The tag for a class at a period, made if it is new. TAG_NONE without memory. */
static uint16_t tag_for(struct rules *rules, const struct qos_class *classes, size_t n_classes,
			const char *name, uint64_t period_ns)
{
	struct tag *tags;
	uint16_t qos_class = 0;

	while (qos_class < n_classes && strcmp(classes[qos_class].name, name) != 0)
		qos_class++;
	if (qos_class == n_classes)
		return TAG_NONE;
	for (size_t i = 0; i < rules->n_tags; i++) {
		if (rules->tags[i].qos_class == qos_class && rules->tags[i].period_ns == period_ns)
			return i;
	}
	if (rules->n_tags == TAG_NONE)
		return TAG_NONE;
	tags = reallocarray(rules->tags, rules->n_tags + 1, sizeof(*tags));
	if (!tags)
		return TAG_NONE;
	rules->tags = tags;
	tags[rules->n_tags] = (struct tag){
		.qos_class = qos_class,
		.period_ns = period_ns,
		.attr = qos_attr_scale(&classes[qos_class].attr, period_ns),
	};
	return rules->n_tags++;
}

static int finish_rule(struct rules *rules, struct rule *rule, const struct qos_class *classes,
		       size_t n_classes)
{
	rule->tag = TAG_DEFAULT;
	if (rule->qos)
		rule->tag = tag_for(rules, classes, n_classes, rule->qos, rule->period_ns);
	if (rule->tag == TAG_NONE)
		return -ENOMEM;
	rule->n_exact_threads = 0;
	for (size_t i = 0; i < rule->n_threads; i++) {
		struct thread_rule *thread = &rule->threads[i];

		thread->is_glob = pattern_is_glob(thread->pattern);
		thread->tag = tag_for(rules, classes, n_classes, thread->qos, rule->period_ns);
		if (thread->tag == TAG_NONE)
			return -ENOMEM;
		rule->n_exact_threads += !thread->is_glob;
	}
	if (rule->n_threads)
		qsort(rule->threads, rule->n_threads, sizeof(*rule->threads), compare_threads);
	rule->id = ++rules->n_rules;
	return 0;
}

/* Collects what is not masked, in the order of files and lines, and numbers it. */
static int finish_lists(struct rules *rules, const struct qos_class *classes, size_t n_classes)
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
			int r = finish_rule(rules, (struct rule *)rule, classes, n_classes);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int finish_by_id(struct rules *rules)
{
	rules->by_id = calloc(rules->n_rules + 1, sizeof(struct rule *));
	if (!rules->by_id)
		return -ENOMEM;
	for (size_t i = 0; i < rules->n_lists; i++) {
		for (const struct rule *rule = rules->lists[i]; rule; rule = rule->next)
			rules->by_id[rule->id - 1] = rule;
	}
	return 0;
}

static int finish_globs(struct rules *rules)
{
	rules->globs = calloc(rules->n_lists + 1, sizeof(*rules->globs));
	if (!rules->globs)
		return -ENOMEM;
	for (size_t i = 0; i < rules->n_lists; i++) {
		const struct rule *list = rules->lists[i];

		if (!pattern_is_glob(list->pattern))
			continue;
		rules->globs[rules->n_globs++] = (struct glob){
			.list = list,
			.literal = pattern_literal(list->pattern),
			.is_path = strchr(list->pattern, '/') != NULL,
		};
	}
	qsort(rules->globs, rules->n_globs, sizeof(*rules->globs), compare_globs);
	return 0;
}

int rules_finish(struct rules *rules, const struct qos_class *classes, size_t n_classes)
{
	int r = 0;

	if (!rules->index)
		r = index_grow(rules);
	if (r == 0 && tag_for(rules, classes, n_classes, QOS_DEFAULT_NAME, 0) != TAG_DEFAULT)
		r = -ENOMEM;
	if (r == 0)
		r = finish_lists(rules, classes, n_classes);
	if (r == 0)
		r = finish_by_id(rules);
	if (r == 0)
		r = finish_globs(rules);
	return r;
}

size_t rules_count(const struct rules *rules)
{
	return rules->n_lists;
}

const struct tag *rules_tags(const struct rules *rules, size_t *ret_count)
{
	*ret_count = rules->n_tags;
	return rules->tags;
}

const struct rule *rules_by_id(const struct rules *rules, uint32_t id)
{
	return id && id <= rules->n_rules ? rules->by_id[id - 1] : NULL;
}

const struct rule *rules_nth(const struct rules *rules, size_t n)
{
	return n < rules->n_lists ? rules->lists[n] : NULL;
}

/* A process as patterns see it: its path, and its names in the order in which they are compared. */
struct names {
	const char *path;
	const char *name[NAMES_MAX];
	size_t count;
};

/* The next argument after arg, or NULL. */
static const char *argv_next(const struct facts *facts, const char *arg)
{
	const char *next = arg + strlen(arg) + 1;

	return next < facts->argv + facts->argv_size ? next : NULL;
}

/*
 * The script that an interpreter runs: exec names the task after the script, cut to 15 bytes, and puts
 * its path behind the interpreter and at most one option of it (binfmt_script.c). Away from exec a task may have
 * renamed itself, so there only a name that its arguments confirm counts.
 */
static const char *script_name(const struct facts *facts, const char *exe)
{
	const char *arg = facts->argv_size ? facts->argv : NULL;

	if (!facts->comm[0] || strncmp(facts->comm, exe, COMM_CHARS) == 0)
		return NULL;
	for (int i = 0; i < 2 && arg; i++) {
		const char *base;

		arg = argv_next(facts, arg);
		if (!arg)
			break;
		base = path_base(arg);
		if (strncmp(facts->comm, base, COMM_CHARS) == 0)
			return base;
	}
	return facts->at_exec ? facts->comm : NULL;
}

static int names_of(struct facts *facts, struct names *ret)
{
	static const enum fact needed[] = { FACT_EXE, FACT_ARGV, FACT_COMM };
	const char *exe, *script;

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		int r = facts_need(facts, needed[i]);

		if (r < 0)
			return r;
	}
	*ret = (struct names){ .path = facts->exe };
	exe = path_base(facts->exe);
	script = script_name(facts, exe);
	if (script)
		ret->name[ret->count++] = script;
	if (facts->argv_size)
		ret->name[ret->count++] = path_base(facts->argv);
	ret->name[ret->count++] = exe;
	return 0;
}

static bool names_match(const struct names *names, const char *pattern)
{
	if (strchr(pattern, '/'))
		return pattern_match(pattern, names->path);
	for (size_t i = 0; i < names->count; i++) {
		if (pattern_match(pattern, names->name[i]))
			return true;
	}
	return false;
}

static bool argv_match(const struct facts *facts, const char *pattern)
{
	const char *arg = facts->argv_size ? facts->argv : NULL;

	for (; arg; arg = argv_next(facts, arg)) {
		if (pattern_match(pattern, arg))
			return true;
	}
	return false;
}

/* 1 when the pattern is one of the parent's names, 0 when not (or there is no parent), or -errno. */
static int parent_match(struct facts *facts, const char *pattern)
{
	struct names names;
	int r = facts_need(facts, FACT_PARENT);

	if (r < 0)
		return r;
	if (!facts->parent)
		return 0;
	r = names_of(facts->parent, &names);
	if (r == -ESRCH)
		return 0;
	return r < 0 ? r : names_match(&names, pattern);
}

/* 1 when all of the conditions hold, 0 when not, or -errno. Cheap ones first. */
static int conditions_hold(const struct rule_match *match, struct facts *facts)
{
	int r;

	if (!match)
		return 1;
	if (match->exe && !pattern_match(match->exe, facts->exe))
		return 0;
	for (size_t i = 0; i < match->n_argv; i++) {
		if (!argv_match(facts, match->argv[i]))
			return 0;
	}
	if (match->user) {
		r = facts_need(facts, FACT_UID);
		if (r < 0 || match->uid == (uid_t)-1 || facts->uid != match->uid)
			return r < 0 ? r : 0;
	}
	if (match->cgroup) {
		r = facts_need(facts, FACT_CGROUP);
		if (r < 0 || !pattern_match(match->cgroup, facts->cgroup))
			return r < 0 ? r : 0;
	}
	return match->parent ? parent_match(facts, match->parent) : 1;
}

/* The first rule of the list whose conditions hold, or NULL. */
static const struct rule *list_match(const struct rule *list, struct facts *facts, int *error)
{
	for (; list; list = list->next) {
		int r = conditions_hold(list->match, facts);

		if (r > 0)
			return list;
		if (r < 0)
			*error = r;
	}
	return NULL;
}

static const struct rule *exact_match(const struct rules *rules, const char *name,
				      struct facts *facts, int *error)
{
	uint32_t slot = *index_slot(rules, name);

	if (!slot || pattern_is_glob(name))
		return NULL;
	return list_match(rules->patterns[slot - 1].list, facts, error);
}

static const struct rule *glob_match(const struct rules *rules, const struct names *names,
				     struct facts *facts, int *error)
{
	for (size_t i = 0; i < rules->n_globs; i++) {
		const struct glob *glob = &rules->globs[i];
		const struct rule *rule;

		if (!names_match(names, glob->list->pattern))
			continue;
		rule = list_match(glob->list, facts, error);
		if (rule)
			return rule;
	}
	return NULL;
}

const struct rule *rules_match(const struct rules *rules, struct facts *facts, int *ret_error)
{
	const struct rule *rule;
	struct names names;

	*ret_error = names_of(facts, &names);
	if (*ret_error < 0)
		return NULL;
	rule = exact_match(rules, names.path, facts, ret_error);
	for (size_t i = 0; i < names.count && !rule; i++)
		rule = exact_match(rules, names.name[i], facts, ret_error);
	if (!rule)
		rule = glob_match(rules, &names, facts, ret_error);
	if (rule)
		*ret_error = 0;
	return rule;
}

static int compare_thread_name(const void *name, const void *thread)
{
	return strcmp(name, ((const struct thread_rule *)thread)->pattern);
}

const struct thread_rule *rule_thread(const struct rule *rule, const char *comm)
{
	const struct thread_rule *exact;

	if (!rule->n_threads)
		return NULL;
	exact = bsearch(comm, rule->threads, rule->n_exact_threads, sizeof(*rule->threads),
			compare_thread_name);
	if (exact)
		return exact;
	for (size_t i = rule->n_exact_threads; i < rule->n_threads; i++) {
		if (pattern_match(rule->threads[i].pattern, comm))
			return &rule->threads[i];
	}
	return NULL;
}
