/* SPDX-License-Identifier: GPL-2.0-only */
/* Stores the overrides in force, and tells which of them apply to a process. */
#include <schedqos/policy/overrides.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	bool is_used, has_ended;
	struct override override;      /* owns its strings */
	const struct qos_class *class; /* NULL: it has none, the configuration lacks it, or the override has ended */
};

struct overrides {
	struct entry *entries; /* the first one is number 1 */
	size_t n_entries;
	size_t n_cgroups; /* number of overrides for cgroups */
	const struct config *config;
	const struct qos_class *focus;	/* lowest class of an app with the focus; NULL: off */
	const struct qos_class *hidden; /* highest class of a hidden app; NULL: the configuration lacks it */
};

struct overrides *overrides_new(void)
{
	return calloc(1, sizeof(struct overrides));
}

/* Returns the places of its strings, of which some may be NULL. */
static size_t list_texts(struct override *override, const char **ret[3])
{
	size_t n = 0;

	ret[n++] = &override->holder.name;
	switch (override->kind) {
	case OVERRIDE_CLASS:
		ret[n++] = &override->request.class;
		break;
	case OVERRIDE_LIMIT:
		ret[n++] = &override->limit.class;
		ret[n++] = &override->limit.cgroup;
		break;
	case OVERRIDE_SHOWN:
		ret[n++] = &override->visibility.app;
		break;
	}
	return n;
}

static void clear_entry(struct entry *entry)
{
	const char **texts[3];
	const size_t n = list_texts(&entry->override, texts);

	for (size_t i = 0; i < n; i++)
		free((char *)*texts[i]);
	*entry = (struct entry){ 0 };
}

void overrides_free(struct overrides *overrides)
{
	if (!overrides)
		return;
	for (size_t i = 0; i < overrides->n_entries; i++)
		clear_entry(&overrides->entries[i]);
	free(overrides->entries);
	free(overrides);
}

/* Returns NULL for number 0. */
static struct entry *entry_of(const struct overrides *overrides, uint16_t number)
{
	return number ? &overrides->entries[number - 1] : NULL;
}

/* Returns NULL if there is no such class; name may be NULL. */
static const struct qos_class *class_named(const struct overrides *overrides, const char *name)
{
	return name ? qos_class_find(overrides->config->classes, overrides->config->n_classes, name) : NULL;
}

void overrides_follow(struct overrides *overrides, const struct config *config)
{
	overrides->config = config;
	overrides->focus = class_named(overrides, config->settings.focus);
	overrides->hidden = class_named(overrides, config->settings.hidden);
	for (size_t i = 0; i < overrides->n_entries; i++) {
		struct entry *entry = &overrides->entries[i];

		if (entry->is_used && !entry->has_ended)
			entry->class = class_named(overrides, override_class(&entry->override));
	}
}

/* Returns a free entry, or adds one. NULL if out of memory. */
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

/* Copies its strings. Returns whether there was memory; if not, some are NULL. */
static bool copy_texts(struct override *override)
{
	const char **texts[3];
	const size_t n = list_texts(override, texts);
	bool done = true;

	for (size_t i = 0; i < n; i++) {
		if (!*texts[i])
			continue;
		*texts[i] = strdup(*texts[i]);
		done &= *texts[i] != NULL;
	}
	return done;
}

int overrides_add(struct overrides *overrides, const struct override *override, uint16_t *ret_number)
{
	struct entry *entry;
	const struct qos_class *class = class_named(overrides, override_class(override));

	if (!class && override->kind != OVERRIDE_SHOWN)
		return -ENOENT;
	entry = take_entry(overrides);
	if (!entry)
		return -ENOMEM;
	if (entry - overrides->entries >= UINT16_MAX)
		return -ENOSPC;
	entry->override = *override;
	if (!copy_texts(&entry->override)) {
		clear_entry(entry);
		return -ENOMEM;
	}
	entry->is_used = true;
	entry->class = class;
	overrides->n_cgroups += override_cgroup(override) != NULL;
	*ret_number = (uint16_t)(entry - overrides->entries + 1);
	return 0;
}

void overrides_end(struct overrides *overrides, uint16_t number)
{
	struct entry *entry = entry_of(overrides, number);

	entry->class = NULL;
	entry->has_ended = true;
}

bool overrides_remove_ended(struct overrides *overrides)
{
	bool any_of_cgroup = false;

	for (size_t i = 0; i < overrides->n_entries; i++) {
		struct entry *entry = &overrides->entries[i];
		const bool is_of_cgroup = override_cgroup(&entry->override);

		if (!entry->has_ended)
			continue;
		overrides->n_cgroups -= is_of_cgroup;
		any_of_cgroup |= is_of_cgroup;
		clear_entry(entry);
	}
	return any_of_cgroup;
}

const struct override *overrides_get(const struct overrides *overrides, uint16_t number)
{
	return &entry_of(overrides, number)->override;
}

const struct override *overrides_next(const struct overrides *overrides, uint16_t *number)
{
	for (size_t i = *number; i < overrides->n_entries; i++) {
		const struct entry *entry = &overrides->entries[i];

		*number = (uint16_t)(i + 1);
		if (entry->is_used && !entry->has_ended)
			return &entry->override;
	}
	return NULL;
}

bool overrides_need_cgroup(const struct overrides *overrides)
{
	return overrides->n_cgroups;
}

/* ---- apps ---- */

bool overrides_is_other_app(const struct overrides *overrides, uint16_t number, pid_t pid)
{
	for (size_t i = 0; i < overrides->n_entries; i++) {
		const struct entry *entry = &overrides->entries[i];

		if (entry->is_used && entry->override.kind == OVERRIDE_SHOWN && entry->override.pid == pid &&
		    i + 1 != number)
			return true;
	}
	return false;
}

/* ---- for one process ---- */

enum override_slot overrides_slot(const struct overrides *overrides, uint16_t number)
{
	const struct override *override = overrides_get(overrides, number);

	if (override->kind == OVERRIDE_SHOWN)
		return SLOT_SHOWN;
	if (override->kind == OVERRIDE_CLASS)
		return override->uid ? SLOT_USERS_CLASS : SLOT_CLASS;
	return override->uid ? SLOT_USERS_LIMIT : SLOT_LIMIT;
}

bool overrides_cover(const struct overrides *overrides, const struct task *leader, uint16_t number)
{
	const uint16_t joined = leader->joined[overrides_slot(overrides, number)];
	const struct entry *has = entry_of(overrides, joined), *entry = entry_of(overrides, number);

	if (!has || entry->override.kind != OVERRIDE_LIMIT)
		return joined == number;
	if (has->override.uid != entry->override.uid)
		return false;
	return !entry->class || (has->class && class_compare(has->class, entry->class) >= 0);
}

void overrides_hand_on(const struct overrides *overrides, const struct task *leader, struct task *child)
{
	for (int slot = 0; slot < OVERRIDE_SLOTS; slot++) {
		const struct entry *entry = entry_of(overrides, leader->joined[slot]);

		if (entry && (entry->override.kind != OVERRIDE_CLASS || entry->override.request.is_tree))
			child->joined[slot] = leader->joined[slot];
	}
}

bool overrides_leave(const struct overrides *overrides, struct task *leader)
{
	bool any = false;

	for (int slot = 0; slot < OVERRIDE_SLOTS; slot++) {
		if (!leader->joined[slot] || !entry_of(overrides, leader->joined[slot])->has_ended)
			continue;
		leader->joined[slot] = 0;
		any = true;
	}
	return any;
}

/* Returns whether the override applies to a process of this owner: a user's applies to that user's only. */
static bool counts(const struct entry *entry, uid_t owner)
{
	return entry && (!entry->override.uid || entry->override.uid == owner);
}

int overrides_update(const struct overrides *overrides, struct task *leader, struct facts *facts)
{
	const struct entry *app = entry_of(overrides, leader->joined[SLOT_SHOWN]);
	const struct entry *class = entry_of(overrides, leader->joined[SLOT_USERS_CLASS]);
	int r = 0;

	if (app || class || leader->joined[SLOT_USERS_LIMIT] || overrides->n_cgroups)
		r = facts_need(facts, FACT_OWNER);
	if (r == 0 && app)
		r = facts_need(facts, FACT_STAT);
	if (r < 0 || facts->is_spared)
		return r;
	if (app && facts->tty && facts->tty != app->override.visibility.tty) {
		leader->joined[SLOT_SHOWN] = 0;
		app = NULL;
	}
	leader->shown = overrides->focus && counts(app, facts->owner) ? app->override.visibility.shown : SHOWN_VISIBLE;
	leader->flags &= ~TASK_OWNERS;
	if (counts(class, facts->owner))
		leader->flags |= TASK_OWNERS;
	return 0;
}

/* Root's class comes before a user's. */
uint16_t overrides_class(const struct overrides *overrides, const struct task *leader, bool *ret_may_exceed_rules)
{
	const struct entry *entry = entry_of(overrides, leader->joined[SLOT_CLASS]);

	if ((!entry || !entry->class) && (leader->flags & TASK_OWNERS))
		entry = entry_of(overrides, leader->joined[SLOT_USERS_CLASS]);
	*ret_may_exceed_rules = entry && entry->class &&
				(!entry->override.uid || entry->override.request.may_exceed_rules);
	return entry ? rules_tag_of(overrides->config->rules, entry->class, 0) : TAG_NONE;
}

uint16_t overrides_focus(const struct overrides *overrides, const struct task *leader, enum reason by)
{
	const struct entry *app = entry_of(overrides, leader->joined[SLOT_SHOWN]);
	const bool has_window = app && app->override.pid == leader->tgid;

	/* The override may have ended while the record still says "focused", until the process is matched again. */
	if (!app || leader->shown != SHOWN_FOCUSED)
		return TAG_NONE;
	if (by != REASON_DEFAULT && !(has_window && (by == REASON_RULE || by == REASON_INHERITED || by == REASON_UNIT)))
		return TAG_NONE;
	return rules_tag_of(overrides->config->rules, overrides->focus, 0);
}

/* ---- limits ---- */

/* Returns whether another limit of the same user has ended, which may have been lower. */
static bool may_be_masked(const struct overrides *overrides, const struct override *limit)
{
	for (size_t i = 0; i < overrides->n_entries; i++) {
		const struct entry *entry = &overrides->entries[i];

		if (entry->has_ended && entry->override.kind == OVERRIDE_LIMIT && !entry->override.limit.cgroup &&
		    entry->override.uid == limit->uid)
			return true;
	}
	return false;
}

uint16_t overrides_next_masked(const struct overrides *overrides, uint16_t number)
{
	const struct override *limit;

	while ((limit = overrides_next(overrides, &number))) {
		if (limit->kind == OVERRIDE_LIMIT && !limit->limit.cgroup && may_be_masked(overrides, limit))
			return number;
	}
	return 0;
}

bool overrides_is_below(const char *cgroup, const char *top)
{
	const size_t length = strlen(top);

	return strncmp(cgroup, top, length) == 0 && (length == 1 || cgroup[length] == '/' || cgroup[length] == '\0');
}

static void lower(const struct qos_class **max, const struct qos_class *class)
{
	if (class && (!*max || class_compare(class, *max) > 0))
		*max = class;
}

const struct qos_class *overrides_max(const struct overrides *overrides, const struct task *leader,
				      const struct facts *facts, bool is_hidden)
{
	const struct entry *users = entry_of(overrides, leader->joined[SLOT_USERS_LIMIT]);
	const struct qos_class *max = is_hidden ? overrides->hidden : NULL;

	if (leader->joined[SLOT_LIMIT])
		lower(&max, entry_of(overrides, leader->joined[SLOT_LIMIT])->class);
	if (counts(users, facts->owner))
		lower(&max, users->class);
	for (size_t i = 0; i < overrides->n_entries; i++) {
		const struct entry *entry = &overrides->entries[i];

		const char *cgroup = override_cgroup(&entry->override);

		if (cgroup && counts(entry, facts->owner) && overrides_is_below(facts->cgroup, cgroup))
			lower(&max, entry->class);
	}
	return max;
}
