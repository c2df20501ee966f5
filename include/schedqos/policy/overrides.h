/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overrides: requests made at run time. There are three types: a class for a process, which replaces its rule's; a
 * limit for a process tree or a cgroup, like an entry of "groups"; and the visibility of an app. The record of a
 * process has the numbers of the overrides that cover it, one per slot; 0 stands for none.
 *
 * Root may request anything. A user's override applies to a process only while that runs with the user's privileges
 * alone: not to a set-user-ID program or one with capabilities, even if it is the user's child. Root's overrides and
 * users' have slots of their own: root's class comes before a user's, and of the limits that apply, the lowest counts.
 */
#pragma once

#include <sys/types.h>

#include <schedqos/policy/config.h>
#include <schedqos/policy/tasks.h>

enum override_kind {
	OVERRIDE_CLASS,
	OVERRIDE_LIMIT,
	OVERRIDE_SHOWN,
};

/* The holder of an override: a connection of the daemon's, which is only compared; with a name, a caller of the bridge.
 */
struct holder {
	void *bus; /* NULL: nobody */
	const char *name;
};

/* Gives a process a class. */
struct class_request {
	const char *class;
	bool is_tree; /* children inherit it */
	bool may_exceed_rules; /* its class may be higher than the one that the rules give */
};

/* Limits the class of a process and its children, or of all processes in a cgroup and below it. */
struct limit {
	const char *class;  /* the highest class that is allowed */
	const char *cgroup; /* path; NULL for a process */
};

/* Tells how much of an app its user sees. Children inherit it. Only users have these. */
struct visibility {
	enum shown shown;
	const char *app; /* cgroup that holds only the app; NULL if the app is the process's descendants */
	int32_t tty;	 /* the process's terminal, 0 for none: processes with another one do not belong to the app */
};

struct override {
	enum override_kind kind;
	uid_t uid; /* the user who made the request; 0: root */
	struct holder holder;
	void *end;	/* the daemon's event source that reports the end of the process or cgroup */
	pid_t pid;	/* 0 if it is for a cgroup */
	uint64_t start; /* of the process, in ticks since boot */
	union {
		struct class_request request;
		struct limit limit;
		struct visibility visibility;
	};
};

/* Returns the path of the limited cgroup; NULL if the override is for a process. */
static inline const char *override_cgroup(const struct override *override)
{
	return override->kind == OVERRIDE_LIMIT ? override->limit.cgroup : NULL;
}

/* Returns the name of the class that is requested, or that is the limit; NULL for a visibility. */
static inline const char *override_class(const struct override *override)
{
	switch (override->kind) {
	case OVERRIDE_CLASS:
		return override->request.class;
	case OVERRIDE_LIMIT:
		return override->limit.class;
	case OVERRIDE_SHOWN:
		break;
	}
	return NULL;
}

/* Returns whether the override tells this of an app. */
static inline bool override_shows(const struct override *override, enum shown shown)
{
	return override->kind == OVERRIDE_SHOWN && override->visibility.shown == shown;
}

struct overrides;

/* Returns NULL if out of memory. */
struct overrides *overrides_new(void);
void overrides_free(struct overrides *overrides);

/*
 * Follows another configuration, which must live until the next call. An override whose class it lacks has no effect
 * from then on.
 */
void overrides_follow(struct overrides *overrides, const struct config *config);

/*
 * Adds a copy. Returns 0 and its number, -ENOENT if there is no such class, -ENOMEM, or -ENOSPC if there are too many.
 */
int overrides_add(struct overrides *overrides, const struct override *override, uint16_t *ret_number);

/* Ends its effect. Its number stays taken until overrides_remove_ended, which is called when no record has it. */
void overrides_end(struct overrides *overrides, uint16_t number);

/* Removes those that have ended. Returns whether any of them was for a cgroup. */
bool overrides_remove_ended(struct overrides *overrides);

const struct override *overrides_get(const struct overrides *overrides, uint16_t number);

/*
 * Returns the next override after *number (0: the first) that has not ended, and stores its number; NULL after the
 * last.
 */
const struct override *overrides_next(const struct overrides *overrides, uint16_t *number);

/* Returns whether any of them is for a cgroup. */
bool overrides_need_cgroup(const struct overrides *overrides);

/* Returns whether another override than this one tells the visibility of the process's own app. */
bool overrides_is_other_app(const struct overrides *overrides, uint16_t number, pid_t pid);

/* Returns whether the cgroup is `top` or lies below it. */
bool overrides_is_below(const char *cgroup, const char *top);

/*
 * Returns the number of the next limit for processes after this one (0: the first) that may have been masked by one
 * that has ended, because both belong to the same user; 0 if there is none.
 */
uint16_t overrides_next_masked(const struct overrides *overrides, uint16_t number);

/* ---- for one process, by its leader's record ---- */

/* Returns the slot that holds overrides of this one's type and owner. */
enum override_slot overrides_slot(const struct overrides *overrides, uint16_t number);

/* Returns whether the override is in the record or, for a limit, one of the same user that is at least as low. */
bool overrides_cover(const struct overrides *overrides, const struct task *leader, uint16_t number);

/* Gives a child, whose record has no overrides, those that children of its parent's process inherit. */
void overrides_hand_on(const struct overrides *overrides, const struct task *leader, struct task *child);

/* Removes overrides that have ended from the record. Returns whether there were any. */
bool overrides_leave(const struct overrides *overrides, struct task *leader);

/*
 * Updates the parts of the record that depend on facts: TASK_OWNERS, whether the user's class applies; and the app's
 * visibility. A process with another terminal leaves the app, with its children. Returns 0 or -errno; after an error,
 * and if the owner could not be read (is_spared), the record is as before.
 */
int overrides_update(const struct overrides *overrides, struct task *leader, struct facts *facts);

/*
 * Returns the tag of the requested class, unscaled; TAG_NONE if there is none. Stores whether the class may exceed the
 * rules.
 */
uint16_t overrides_class(const struct overrides *overrides, const struct task *leader, bool *ret_may_exceed_rules);

/*
 * Returns the tag of the class that tasks with this reason have at least while their app has the focus; TAG_NONE if
 * none. The process with the window is raised except for threads that a rule names; of the app's other processes, only
 * those without a rule.
 */
uint16_t overrides_focus(const struct overrides *overrides, const struct task *leader, enum reason by);

/*
 * Returns the highest class that is allowed; NULL if there is no limit. facts has the cgroup and owner if these matter.
 * is_hidden: the app is hidden, and its rule does not keep the class.
 */
const struct qos_class *overrides_max(const struct overrides *overrides, const struct task *leader,
				      const struct facts *facts, bool is_hidden);
