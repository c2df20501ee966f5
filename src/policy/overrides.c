/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/overrides.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of one process: see collect(). */
#define MEMBERS_MAX 256

struct entry {
	bool is_used;
	struct override override; /* owns its strings */
	uint64_t turn;		  /* the higher, the later it was asked for */
	const struct qos_class *class; /* NULL: the configuration lacks it */
	uint16_t tag;
};

/* In ascending order; n is 0 for one that is free. */
struct set {
	uint16_t *members;
	size_t n;
};

struct overrides {
	struct entry *entries; /* the first one is number 1 */
	size_t n_entries;
	struct set *sets; /* likewise */
	size_t n_sets;
	size_t n_cgroups; /* overrides for cgroups */
	uint64_t turns;
	const struct qos_class *classes;
	size_t n_classes;
	const struct tag *tags;
	size_t n_tags;
};

struct overrides *overrides_new(void)
{
	return calloc(1, sizeof(struct overrides));
}

static void clear_entry(struct entry *entry)
{
	free((char *)entry->override.cgroup);
	free((char *)entry->override.qos);
	*entry = (struct entry){ 0 };
}

void overrides_free(struct overrides *overrides)
{
	if (!overrides)
		return;
	for (size_t i = 0; i < overrides->n_entries; i++)
		clear_entry(&overrides->entries[i]);
	for (size_t i = 0; i < overrides->n_sets; i++)
		free(overrides->sets[i].members);
	free(overrides->entries);
	free(overrides->sets);
	free(overrides);
}

/* ---- the overrides ---- */

static struct entry *entry_of(const struct overrides *overrides, uint16_t number)
{
	return &overrides->entries[number - 1];
}

/* The tag without a period, which there is for each class (see rules_finish). */
static void resolve(const struct overrides *overrides, struct entry *entry)
{
	entry->class = qos_class_find(overrides->classes, overrides->n_classes, entry->override.qos);
	entry->tag = TAG_NONE;
	for (size_t i = 0; entry->class && i < overrides->n_tags; i++) {
		if (overrides->tags[i].period_ns == 0 &&
		    &overrides->classes[overrides->tags[i].qos_class] == entry->class)
			entry->tag = (uint16_t)i;
	}
}

void overrides_follow(struct overrides *overrides, const struct qos_class *classes, size_t n_classes,
		      const struct rules *rules)
{
	overrides->classes = classes;
	overrides->n_classes = n_classes;
	overrides->tags = rules_tags(rules, &overrides->n_tags);
	for (size_t i = 0; i < overrides->n_entries; i++) {
		if (overrides->entries[i].is_used)
			resolve(overrides, &overrides->entries[i]);
	}
}

/* A free place, or one more. NULL without memory. */
static struct entry *take_entry(struct overrides *overrides)
{
	struct entry *entries;

	for (size_t i = 0; i < overrides->n_entries; i++) {
		if (!overrides->entries[i].is_used)
			return &overrides->entries[i];
	}
	entries = reallocarray(overrides->entries, overrides->n_entries + 1, sizeof(*entries));
	if (!entries)
		return NULL;
	overrides->entries = entries;
	entries[overrides->n_entries] = (struct entry){ 0 };
	return &entries[overrides->n_entries++];
}

int overrides_add(struct overrides *overrides, const struct override *override, uint16_t *ret_number)
{
	struct entry *entry;

	if (!qos_class_find(overrides->classes, overrides->n_classes, override->qos))
		return -ENOENT;
	entry = take_entry(overrides);
	if (!entry)
		return -ENOMEM;
	if (entry - overrides->entries >= UINT16_MAX)
		return -ENOSPC;
	entry->override = *override;
	entry->override.qos = strdup(override->qos);
	entry->override.cgroup = override->cgroup ? strdup(override->cgroup) : NULL;
	if (!entry->override.qos || (override->cgroup && !entry->override.cgroup)) {
		clear_entry(entry);
		return -ENOMEM;
	}
	entry->is_used = true;
	entry->turn = ++overrides->turns;
	overrides->n_cgroups += override->cgroup != NULL;
	resolve(overrides, entry);
	*ret_number = (uint16_t)(entry - overrides->entries + 1);
	return 0;
}

int overrides_change(struct overrides *overrides, uint16_t number, const char *qos)
{
	struct entry *entry = entry_of(overrides, number);
	char *copy;

	if (!qos_class_find(overrides->classes, overrides->n_classes, qos))
		return -ENOENT;
	copy = strdup(qos);
	if (!copy)
		return -ENOMEM;
	free((char *)entry->override.qos);
	entry->override.qos = copy;
	entry->turn = ++overrides->turns;
	resolve(overrides, entry);
	return 0;
}

const struct override *overrides_get(const struct overrides *overrides, uint16_t number)
{
	return &entry_of(overrides, number)->override;
}

bool overrides_need_cgroup(const struct overrides *overrides)
{
	return overrides->n_cgroups;
}

/* ---- sets ---- */

static const struct set *set_of(const struct overrides *overrides, uint16_t number)
{
	static const struct set empty = { 0 };

	return number ? &overrides->sets[number - 1] : &empty;
}

bool overrides_has(const struct overrides *overrides, uint16_t set, uint16_t number)
{
	const struct set *members = set_of(overrides, set);

	for (size_t i = 0; i < members->n; i++) {
		if (members->members[i] == number)
			return true;
	}
	return false;
}

/* A free place, or one more. NULL without memory, or if there are too many. */
static struct set *take_set(struct overrides *overrides)
{
	struct set *sets;

	for (size_t i = 0; i < overrides->n_sets; i++) {
		if (!overrides->sets[i].n)
			return &overrides->sets[i];
	}
	if (overrides->n_sets == UINT16_MAX)
		return NULL;
	sets = reallocarray(overrides->sets, overrides->n_sets + 1, sizeof(*sets));
	if (!sets)
		return NULL;
	overrides->sets = sets;
	sets[overrides->n_sets] = (struct set){ 0 };
	return &sets[overrides->n_sets++];
}

/* The number of the set with these members, which is made if there is none. */
static int find_set(struct overrides *overrides, const uint16_t *members, size_t n, uint16_t *ret)
{
	struct set *set;

	for (size_t i = 0; n && i < overrides->n_sets; i++) {
		set = &overrides->sets[i];
		if (set->n == n && memcmp(set->members, members, n * sizeof(*members)) == 0) {
			*ret = (uint16_t)(i + 1);
			return 0;
		}
	}
	set = n ? take_set(overrides) : NULL;
	if (n && !set)
		return -ENOMEM;
	if (n) {
		set->members = calloc(n, sizeof(*members));
		if (!set->members)
			return -ENOMEM;
		memcpy(set->members, members, n * sizeof(*members));
		set->n = n;
	}
	*ret = n ? (uint16_t)(set - overrides->sets + 1) : 0;
	return 0;
}

/* Whether the set is like this one but for the number. */
static bool is_twin(const struct set *set, const struct set *of, uint16_t number)
{
	size_t at = 0;

	if (!set->n || set->n + 1 != of->n)
		return false;
	for (size_t i = 0; i < of->n; i++) {
		if (of->members[i] != number && (at == set->n || set->members[at++] != of->members[i]))
			return false;
	}
	return true;
}

uint16_t overrides_without(const struct overrides *overrides, uint16_t set, uint16_t number)
{
	if (set_of(overrides, set)->n == 1)
		return 0;
	for (size_t i = 0; i < overrides->n_sets; i++) {
		if (is_twin(&overrides->sets[i], set_of(overrides, set), number))
			return (uint16_t)(i + 1);
	}
	return set;
}

/* is_gone: nobody refers to the set any more. */
static void remove_member(struct set *set, uint16_t number, bool is_gone)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->n; i++) {
		if (set->members[i] != number)
			set->members[kept++] = set->members[i];
	}
	set->n = is_gone ? 0 : kept;
	if (!set->n) {
		free(set->members);
		set->members = NULL;
	}
}

void overrides_remove(struct overrides *overrides, uint16_t number)
{
	struct entry *entry = entry_of(overrides, number);

	for (size_t i = 0; i < overrides->n_sets; i++) {
		const uint16_t set = (uint16_t)(i + 1);

		if (overrides_has(overrides, set, number))
			remove_member(&overrides->sets[i], number, overrides_without(overrides, set, number) != set);
	}
	overrides->n_cgroups -= entry->override.cgroup != NULL;
	clear_entry(entry);
}

/* Whether the cgroup is this one or lies below it. */
static bool is_within(const char *cgroup, const char *top)
{
	size_t len = strlen(top);

	while (len && top[len - 1] == '/')
		len--;
	return strncmp(cgroup, top, len) == 0 && (!cgroup[len] || cgroup[len] == '/');
}

/* Which members a new set is to have, of all overrides. */
struct choice {
	const struct overrides *overrides;
	uint16_t set;	    /* those of this set ... */
	uint16_t also;	    /* ... and this one; or 0 */
	const char *cgroup; /* ... but of those for cgroups just those that hold here; or NULL */
	bool is_child;	    /* ... as far as they are handed on */
};

static bool is_chosen(const struct choice *choice, uint16_t number)
{
	const struct override *override = overrides_get(choice->overrides, number);

	if (choice->cgroup && override->cgroup)
		return is_within(choice->cgroup, override->cgroup);
	if (number == choice->also)
		return true;
	return overrides_has(choice->overrides, choice->set, number) &&
	       (!choice->is_child || override->is_tree || override->cgroup);
}

static int choose(struct overrides *overrides, const struct choice *choice, uint16_t *ret)
{
	uint16_t members[MEMBERS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < overrides->n_entries; i++) {
		const uint16_t number = (uint16_t)(i + 1);

		if (!overrides->entries[i].is_used || !is_chosen(choice, number))
			continue;
		if (n == MEMBERS_MAX)
			return -ENOSPC;
		members[n++] = number;
	}
	return find_set(overrides, members, n, ret);
}

int overrides_join(struct overrides *overrides, uint16_t set, uint16_t number, uint16_t *ret)
{
	return choose(overrides, &(struct choice){ .overrides = overrides, .set = set, .also = number }, ret);
}

int overrides_in_cgroup(struct overrides *overrides, uint16_t set, const char *cgroup, uint16_t *ret)
{
	if (!overrides->n_cgroups)
		return 0;
	return choose(overrides, &(struct choice){ .overrides = overrides, .set = set, .cgroup = cgroup }, ret);
}

int overrides_handed_on(struct overrides *overrides, uint16_t set, uint16_t *ret)
{
	bool is_whole = true;

	for (size_t i = 0; i < set_of(overrides, set)->n; i++) {
		const struct override *override = overrides_get(overrides, set_of(overrides, set)->members[i]);

		is_whole &= override->is_tree || override->cgroup;
	}
	if (is_whole) {
		*ret = set;
		return 0;
	}
	return choose(overrides, &(struct choice){ .overrides = overrides, .set = set, .is_child = true }, ret);
}

/* Root's goes first, whenever he asked. */
static bool goes_before(const struct entry *entry, const struct entry *other)
{
	if (!entry->override.uid != !other->override.uid)
		return !entry->override.uid;
	return entry->turn > other->turn;
}

uint16_t overrides_tag(const struct overrides *overrides, uint16_t set, uid_t *ret_uid)
{
	const struct set *members = set_of(overrides, set);
	const struct entry *first = NULL;

	for (size_t i = 0; i < members->n; i++) {
		const struct entry *entry = entry_of(overrides, members->members[i]);

		if (entry->override.kind == OVERRIDE_CLASS && entry->class && (!first || goes_before(entry, first)))
			first = entry;
	}
	*ret_uid = first ? first->override.uid : 0;
	return first ? first->tag : TAG_NONE;
}

const struct qos_class *overrides_max(const struct overrides *overrides, uint16_t set)
{
	const struct set *members = set_of(overrides, set);
	const struct qos_class *max = NULL;

	for (size_t i = 0; i < members->n; i++) {
		const struct entry *entry = entry_of(overrides, members->members[i]);

		if (entry->override.kind == OVERRIDE_LIMIT && entry->class &&
		    (!max || class_compare(entry->class, max) > 0))
			max = entry->class;
	}
	return max;
}
