/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/rules.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 3
#define COMM_CHARS (TASK_COMM_LEN - 1)

/* A script's path is behind its interpreter and at most one option of that (binfmt_script.c). */
#define SCRIPT_ARGS 2

/* The first and the last bytes of a text, up to eight each, where the processor compares them at once. */
struct ends {
	uint64_t first, last;
};

/*
 * A glob with the literal text at its two ends, which most names fail to have. By their first byte, else by their
 * last one, globs fall into buckets; a name can only match what is in three of them. What refuses most names stands
 * here, in one cache line: the pattern's own text, far away, is looked at for the rest only.
 */
struct glob {
	struct ends ends, mask; /* of the literal text, as far as it goes */
	const struct rule *list;
	uint32_t rank; /* 0: the best */
	uint32_t literal;
	uint32_t prefix_length, suffix_length;
	bool is_path;
	bool is_simple; /* nothing but the prefix, one '*' and the suffix */
};
_Static_assert(sizeof(struct glob) <= 64, "a cache line");

enum {
	BUCKET_FIRST = 0,  /* + the first byte */
	BUCKET_LAST = 256, /* + the last byte */
	BUCKET_ANY = 512,
	BUCKET_COUNT = 513,
};

struct rules {
	/* One list for each pattern ever put, NULL where it is masked, in the order of the files. */
	struct pattern {
		const char *text;
		struct rule *list;
	} *patterns;
	size_t n_patterns, patterns_size;

	/* Open addressing; a power of two in size. */
	struct slot {
		uint32_t number; /* 1 + index into patterns, 0: free */
		uint32_t hash;	 /* what does not go into the place: saves looking at other texts */
	} *index;
	size_t index_size;

	struct glob *globs; /* by bucket, in a bucket the best rank first */
	size_t n_globs;
	uint32_t buckets[BUCKET_COUNT + 1]; /* where each begins */
	bool has_paths;			    /* some pattern is compared with the path */

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

/* The slot of the index that holds the pattern, or the free one where it belongs, with its hash filled in. */
static struct slot *index_slot(const struct rules *rules, const char *text)
{
	uint64_t hash = hash_text(text);
	uint32_t high = (uint32_t)(hash >> 32);
	struct slot *slot;

	for (size_t i = hash;; i++) {
		slot = &rules->index[i & (rules->index_size - 1)];
		if (!slot->number)
			break;
		if (slot->hash == high && strcmp(rules->patterns[slot->number - 1].text, text) == 0)
			break;
	}
	return slot;
}

static void index_set(struct rules *rules, struct slot *slot, size_t number)
{
	slot->number = (uint32_t)number;
	slot->hash = (uint32_t)(hash_text(rules->patterns[number - 1].text) >> 32);
}

static int index_grow(struct rules *rules)
{
	size_t size = rules->index_size ? rules->index_size * 2 : 64;
	struct slot *index = calloc(size, sizeof(*index));

	if (!index)
		return -ENOMEM;
	free(rules->index);
	rules->index = index;
	rules->index_size = size;
	for (size_t i = 0; i < rules->n_patterns; i++)
		index_set(rules, index_slot(rules, rules->patterns[i].text), i + 1);
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
	struct slot *slot;
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
	if (!slot->number) {
		rules->patterns[rules->n_patterns++].text = pattern;
		index_set(rules, slot, rules->n_patterns);
	}
	rules->patterns[slot->number - 1].list = list;
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

/* Longer literal text first. */
static int compare_ranks(const void *va, const void *vb)
{
	const struct glob *a = va, *b = vb;

	if (a->literal != b->literal)
		return a->literal > b->literal ? -1 : 1;
	return compare_sources(&a->list->source, &b->list->source);
}

/* Where the literal text at the pattern's end begins. */
static const char *suffix_of(const struct glob *glob)
{
	return strchr(glob->list->pattern, '\0') - glob->suffix_length;
}

static unsigned bucket_of(const struct glob *glob)
{
	if (glob->prefix_length)
		return BUCKET_FIRST + (unsigned char)glob->list->pattern[0];
	if (glob->suffix_length)
		return BUCKET_LAST + (unsigned char)suffix_of(glob)[glob->suffix_length - 1];
	return BUCKET_ANY;
}

static int compare_buckets(const void *va, const void *vb)
{
	const struct glob *a = va, *b = vb;
	unsigned bucket_a = bucket_of(a), bucket_b = bucket_of(b);

	if (bucket_a != bucket_b)
		return bucket_a < bucket_b ? -1 : 1;
	return a->rank < b->rank ? -1 : 1;
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

static struct ends ends_of(const char *first, size_t n_first, const char *last, size_t n_last)
{
	struct ends ends = { 0, 0 };

	n_first = n_first < 8 ? n_first : 8;
	memcpy(&ends.first, first, n_first);
	/* The last byte always in the same place. */
	if (n_last > 8) {
		last += n_last - 8;
		n_last = 8;
	}
	memcpy((char *)&ends.last + 8 - n_last, last, n_last);
	return ends;
}

static struct glob make_glob(const struct rule *list)
{
	static const char ones[8] = { -1, -1, -1, -1, -1, -1, -1, -1 };
	const char *pattern = list->pattern, *star = strrchr(pattern, '*');
	struct glob glob = {
		.list = list,
		.literal = (uint32_t)pattern_literal(pattern),
		.prefix_length = (uint32_t)strcspn(pattern, "*?[\\"),
		.is_path = strchr(pattern, '/') != NULL,
	};

	/* A '*' in brackets is none. */
	if (star && !strpbrk(star, "?[\\") && !strchr(pattern, '[')) {
		glob.suffix_length = (uint32_t)strlen(star + 1);
		glob.is_simple = star == pattern + glob.prefix_length;
	}
	glob.ends = ends_of(pattern, glob.prefix_length, suffix_of(&glob), glob.suffix_length);
	glob.mask = ends_of(ones, glob.prefix_length < 8 ? glob.prefix_length : 8, ones,
			    glob.suffix_length < 8 ? glob.suffix_length : 8);
	return glob;
}

static int finish_globs(struct rules *rules)
{
	size_t n = 0;

	rules->globs = calloc(rules->n_lists + 1, sizeof(*rules->globs));
	if (!rules->globs)
		return -ENOMEM;
	for (size_t i = 0; i < rules->n_lists; i++) {
		if (pattern_is_glob(rules->lists[i]->pattern))
			rules->globs[rules->n_globs++] = make_glob(rules->lists[i]);
		if (strchr(rules->lists[i]->pattern, '/'))
			rules->has_paths = true;
	}
	qsort(rules->globs, rules->n_globs, sizeof(*rules->globs), compare_ranks);
	for (size_t i = 0; i < rules->n_globs; i++)
		rules->globs[i].rank = (uint32_t)i;
	qsort(rules->globs, rules->n_globs, sizeof(*rules->globs), compare_buckets);
	for (unsigned bucket = 0; bucket <= BUCKET_COUNT; bucket++) {
		while (n < rules->n_globs && bucket_of(&rules->globs[n]) < bucket)
			n++;
		rules->buckets[bucket] = (uint32_t)n;
	}
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

/* A name that globs are compared with. */
struct candidate {
	const char *name;
	size_t length;
	struct ends ends;
	bool is_path;
};

static bool glob_matches(const struct glob *glob, const struct candidate *candidate)
{
	const char *name = candidate->name, *pattern = glob->list->pattern;
	size_t length = candidate->length;

	if (length < (size_t)glob->prefix_length + glob->suffix_length)
		return false;
	/* The rest of a prefix or suffix of more than eight bytes. */
	if (memcmp(name, pattern, glob->prefix_length) != 0 ||
	    memcmp(name + length - glob->suffix_length, suffix_of(glob), glob->suffix_length) != 0)
		return false;
	return glob->is_simple || fnmatch(pattern, name, 0) == 0;
}

/* The best of a bucket's globs from rank `from` on that matches, or NULL. */
static const struct glob *bucket_best(const struct rules *rules, unsigned bucket, uint32_t from,
				      const struct candidate *candidate)
{
	for (uint32_t i = rules->buckets[bucket]; i < rules->buckets[bucket + 1]; i++) {
		const struct glob *glob = &rules->globs[i];

		if (((candidate->ends.first & glob->mask.first) ^ glob->ends.first) |
		    ((candidate->ends.last & glob->mask.last) ^ glob->ends.last))
			continue;
		if (glob->rank >= from && glob->is_path == candidate->is_path &&
		    glob_matches(glob, candidate))
			return glob;
	}
	return NULL;
}

/* Of all globs from rank `from` on the best that matches the name, if better than `best`; else `best`. */
static const struct glob *best_glob(const struct rules *rules, uint32_t from, const char *name,
				    bool is_path, const struct glob *best)
{
	size_t length = strlen(name);
	const struct candidate candidate = {
		.name = name,
		.length = length,
		.ends = ends_of(name, length, name, length),
		.is_path = is_path,
	};
	const unsigned buckets[] = {
		BUCKET_FIRST + (unsigned char)name[0],
		BUCKET_LAST + (length ? (unsigned char)name[length - 1] : 0),
		BUCKET_ANY,
	};

	if (!rules->n_globs)
		return best;
	for (size_t i = 0; i < sizeof(buckets) / sizeof(buckets[0]); i++) {
		const struct glob *glob = bucket_best(rules, buckets[i], from, &candidate);

		if (glob && (!best || glob->rank < best->rank))
			best = glob;
	}
	return best;
}

/* Whether the name is of use: to the pattern, or without one, to any rule at all. */
static bool is_wanted_name(const struct rules *rules, const char *pattern, const char *name)
{
	uint32_t number;

	if (pattern)
		return pattern_match(pattern, name);
	number = index_slot(rules, name)->number;
	return (number && rules->patterns[number - 1].list) ||
	       best_glob(rules, 0, name, false, NULL) != NULL;
}

/*
 * The name of the script that an interpreter runs, or NULL. exec names the task after the script, cut to 15 bytes, so
 * comm confirms which argument it is. As reading comm costs more than all else here, it is read only if the name
 * would be of use. Returns 0 or -errno.
 */
static int find_script(const struct rules *rules, const char *pattern, struct facts *facts,
		       const char *exe, const char **ret)
{
	const char *arg = facts->argv_size ? argv_next(facts, facts->argv) : NULL;

	*ret = NULL;
	for (int i = 0; i < SCRIPT_ARGS && arg; i++, arg = argv_next(facts, arg)) {
		const char *base = path_base(arg);
		int r;

		if (!base[0] || !is_wanted_name(rules, pattern, base))
			continue;
		r = facts_need(facts, FACT_COMM);
		if (r < 0)
			return r;
		if (strncmp(facts->comm, base, COMM_CHARS) != 0 ||
		    strncmp(facts->comm, exe, COMM_CHARS) == 0)
			continue;
		*ret = base;
		return 0;
	}
	return 0;
}

/* A process's names, for one pattern or (NULL) for all rules. Returns 0 or -errno. */
static int names_of(const struct rules *rules, const char *pattern, struct facts *facts,
		    struct names *ret)
{
	const char *exe, *script;
	int r = facts_need(facts, FACT_EXE);

	if (r == 0)
		r = facts_need(facts, FACT_ARGV);
	if (r < 0)
		return r;
	*ret = (struct names){ .path = facts->exe };
	exe = path_base(facts->exe);
	r = find_script(rules, pattern, facts, exe, &script);
	if (r < 0)
		return r;
	if (script)
		ret->name[ret->count++] = script;
	if (facts->argv_size) {
		const char *base = path_base(facts->argv);

		/* A login shell's name has a dash before it (login(1)). */
		ret->name[ret->count++] = base[0] == '-' ? base + 1 : base;
	}
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
static int parent_match(const struct rules *rules, struct facts *facts, const char *pattern)
{
	struct names names;
	int r = facts_need(facts, FACT_PARENT);

	if (r < 0)
		return r;
	if (!facts->parent)
		return 0;
	r = names_of(rules, pattern, facts->parent, &names);
	if (r == -ESRCH)
		return 0;
	return r < 0 ? r : names_match(&names, pattern);
}

/* 1 when all of the conditions hold, 0 when not, or -errno. Cheap ones first. */
static int conditions_hold(const struct rules *rules, const struct rule_match *match,
			   struct facts *facts)
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
	return match->parent ? parent_match(rules, facts, match->parent) : 1;
}

/* The first rule of the list whose conditions hold, or NULL. */
static const struct rule *list_match(const struct rules *rules, const struct rule *list,
				     struct facts *facts, int *error)
{
	for (; list; list = list->next) {
		int r = conditions_hold(rules, list->match, facts);

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
	uint32_t number = index_slot(rules, name)->number;

	if (!number || pattern_is_glob(name))
		return NULL;
	return list_match(rules, rules->patterns[number - 1].list, facts, error);
}

static const struct rule *glob_match(const struct rules *rules, const struct names *names,
				     struct facts *facts, int *error)
{
	for (uint32_t from = 0; from < rules->n_globs;) {
		const struct glob *best = NULL;
		const struct rule *rule;

		for (size_t i = 0; i < names->count; i++)
			best = best_glob(rules, from, names->name[i], false, best);
		if (rules->has_paths)
			best = best_glob(rules, from, names->path, true, best);
		if (!best)
			return NULL;
		rule = list_match(rules, best->list, facts, error);
		if (rule)
			return rule;
		from = best->rank + 1;
	}
	return NULL;
}

const struct rule *rules_match(const struct rules *rules, struct facts *facts, int *ret_error)
{
	const struct rule *rule = NULL;
	struct names names;

	*ret_error = names_of(rules, NULL, facts, &names);
	if (*ret_error < 0)
		return NULL;
	if (rules->has_paths)
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
