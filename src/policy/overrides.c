/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/overrides.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	bool has_ended;
	struct override override; /* owns its strings; without a class's name the place is free */
	const struct qos_class *class; /* NULL: the configuration lacks it, or it is to have no effect */
};

struct overrides {
	struct entry *entries; /* the first one is number 1 */
	size_t n_entries;
	size_t n_cgroups; /* those for cgroups */
	const struct config *config;
	const struct qos_class *focus;	/* NULL: off */
	const struct qos_class *hidden; /* the highest class of what is hidden */
};

struct overrides *overrides_new(void)
{
	return calloc(1, sizeof(struct overrides));
}

static void clear_entry(struct entry *entry)
{
	free((char *)entry->override.cgroup);
	free((char *)entry->override.qos);
	free((char *)entry->override.app);
	free((char *)entry->override.holder.name);
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

/* NULL for number 0. */
static struct entry *entry_of(const struct overrides *overrides, uint16_t number)
{
	return number ? &overrides->entries[number - 1] : NULL;
}

static const struct qos_class *class_named(const struct overrides *overrides, const char *name)
{
	return qos_class_find(overrides->config->classes, overrides->config->n_classes, name);
}

void overrides_follow(struct overrides *overrides, const struct config *config)
{
	overrides->config = config;
	overrides->focus = config->settings.focus ? class_named(overrides, config->settings.focus) : NULL;
	overrides->hidden = class_named(overrides, "QOS_UTILITY");
	for (size_t i = 0; i < overrides->n_entries; i++) {
		struct entry *entry = &overrides->entries[i];

		if (entry->override.qos)
			entry->class = class_named(overrides, entry->override.qos);
	}
}

/* A free place, or one more. NULL without memory. */
static struct entry *take_entry(struct overrides *overrides)
{
	struct entry *entries;

	for (size_t i = 0; i < overrides->n_entries; i++) {
		if (!overrides->entries[i].override.qos)
			return &overrides->entries[i];
	}
	entries = reallocarray(overrides->entries, overrides->n_entries + 1, sizeof(*entries));
	if (!entries)
		return NULL;
	overrides->entries = entries;
	entries[overrides->n_entries] = (struct entry){ 0 };
	return &entries[overrides->n_entries++];
}

/* Whether there was memory for it; if there was none for one of them, that is NULL. */
static bool copy_texts(struct override *override)
{
	const char **const texts[] = { &override->qos, &override->cgroup, &override->app, &override->holder.name };
	bool done = true;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
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

	if (override->kind != OVERRIDE_SHOWN && !class_named(overrides, override->qos))
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
	entry->class = class_named(overrides, override->qos);
	overrides->n_cgroups += override->cgroup != NULL;
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
		const bool is_of_cgroup = entry->override.cgroup;

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
		if (entry->override.qos && !entry->has_ended)
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
		const struct override *override = &overrides->entries[i].override;

		if (override->kind == OVERRIDE_SHOWN && override->pid == pid && i + 1 != number)
			return true;
	}
	return false;
}

/* Whether the name, of that length, begins and ends so. */
static bool is_named(const char *name, size_t length, const char *begin, const char *end)
{
	const size_t n = strlen(begin), tail = strlen(end);

	return length >= n + tail && strncmp(name, begin, n) == 0 && strncmp(name + length - tail, end, tail) == 0;
}

/* systemd has each app in a unit below app.slice, or a slice app-NAME.slice; but not what the bus itself starts. */
int overrides_app(const char *cgroup)
{
	bool is_user = false, is_app = false;

	for (const char *name = cgroup, *end; *name == '/'; name = end) {
		const size_t length = strcspn(++name, "/");

		end = name + length;
		if (is_user &&
		    (is_named(name, length, "session", ".slice") || is_named(name, length, "init", ".scope")))
			return -ENOENT;
		if (is_app && (is_named(name, length, "", ".scope") || is_named(name, length, "", ".service")))
			return is_named(name, length, "dbus", ".service") && !memchr(name, '@', length)
				       ? 0
				       : (int)(end - cgroup);
		is_app |= is_user && is_named(name, length, "app", ".slice") && (name[3] == '.' || name[3] == '-');
		is_user |= is_named(name, length, "user@", ".service");
	}
	return 0;
}

/* ---- what a process has ---- */

enum override_slot overrides_slot(const struct overrides *overrides, uint16_t number)
{
	const struct override *override = overrides_get(overrides, number);

	if (override->kind == OVERRIDE_SHOWN)
		return SLOT_SHOWN;
	if (override->kind == OVERRIDE_CLASS)
		return override->uid ? SLOT_USERS_CLASS : SLOT_CLASS;
	return override->uid ? SLOT_USERS_LIMIT : SLOT_LIMIT;
}

bool overrides_hold(const struct overrides *overrides, const struct task *leader, uint16_t number)
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

		if (entry && (entry->override.kind != OVERRIDE_CLASS || entry->override.is_tree))
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

/* Of root's all count, of a user's those for what runs as nobody but him. */
static bool counts(const struct entry *entry, uid_t owner)
{
	return entry && (!entry->override.uid || entry->override.uid == owner);
}

int overrides_look(const struct overrides *overrides, struct task *leader, struct facts *facts)
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
	if (app && facts->tty && facts->tty != app->override.tty) {
		leader->joined[SLOT_SHOWN] = 0;
		app = NULL;
	}
	leader->shown = overrides->focus && counts(app, facts->owner) ? app->override.shown : SHOWN_VISIBLE;
	leader->flags &= ~TASK_OWNERS;
	if (counts(class, facts->owner))
		leader->flags |= TASK_OWNERS;
	return 0;
}

/* Root's goes before a user's. */
uint16_t overrides_class(const struct overrides *overrides, const struct task *leader, bool *ret_raises)
{
	const struct entry *entry = entry_of(overrides, leader->joined[SLOT_CLASS]);

	if ((!entry || !entry->class) && (leader->flags & TASK_OWNERS))
		entry = entry_of(overrides, leader->joined[SLOT_USERS_CLASS]);
	*ret_raises = entry && entry->class && (!entry->override.uid || entry->override.raises);
	return entry ? rules_tag_of(overrides->config->rules, entry->class, 0) : TAG_NONE;
}

uint16_t overrides_focus(const struct overrides *overrides, const struct task *leader, enum reason by)
{
	const struct entry *app = entry_of(overrides, leader->joined[SLOT_SHOWN]);
	const bool has_window = app && app->override.pid == leader->tgid;

	/* If that has ended, and the process could not be matched since, its record still says so. */
	if (!app || leader->shown != SHOWN_FOCUSED)
		return TAG_NONE;
	if (by != REASON_DEFAULT &&
	    !(has_window && (by == REASON_RULE || by == REASON_INHERITED || by == REASON_UNIT)))
		return TAG_NONE;
	return rules_tag_of(overrides->config->rules, overrides->focus, 0);
}

/* ---- limits ---- */

/* Whether one of the same user's has ended, which may have been lower. */
static bool may_be_covered(const struct overrides *overrides, const struct override *limit)
{
	for (size_t i = 0; i < overrides->n_entries; i++) {
		const struct entry *entry = &overrides->entries[i];

		if (entry->has_ended && entry->override.kind == OVERRIDE_LIMIT && !entry->override.cgroup &&
		    entry->override.uid == limit->uid)
			return true;
	}
	return false;
}

uint16_t overrides_next_covered(const struct overrides *overrides, uint16_t number)
{
	const struct override *limit;

	while ((limit = overrides_next(overrides, &number))) {
		if (limit->kind == OVERRIDE_LIMIT && !limit->cgroup && may_be_covered(overrides, limit))
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

		if (entry->override.cgroup && counts(entry, facts->owner) &&
		    overrides_is_below(facts->cgroup, entry->override.cgroup))
			lower(&max, entry->class);
	}
	return max;
}
