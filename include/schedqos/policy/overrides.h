/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overrides: what is asked for at run time. One gives a process a class, over its rule, or limits the class that it
 * has; or limits what is in a cgroup, as an entry of "groups" does. A process's record has the number of the one that
 * gives it its class, and of the lowest that limits it; 0: none.
 *
 * Root may ask for anything. What a user asks for counts for a process as long as that runs as nobody but him: not for
 * what runs set-user-ID or with capabilities, though it be a child of his. So both have numbers of their own in a
 * record: root's class goes before a user's, and of limits the lowest that counts holds.
 */
#pragma once

#include <sys/types.h>

#include <schedqos/policy/config.h>
#include <schedqos/policy/tasks.h>

enum override_kind {
	OVERRIDE_LIMIT, /* qos is the highest class that is allowed; handed on to children */
	OVERRIDE_CLASS, /* qos is the class */
	OVERRIDE_SHOWN, /* a user's: what is seen of an app; handed on to children */
};

/* Who asks: a connection of the daemon's, which we only compare, and if that is the bridge for whom. */
struct holder {
	void *bus; /* NULL: nobody */
	const char *name;
};

struct override {
	enum override_kind kind;
	bool is_tree;	    /* a class: it is handed on to children as well */
	const char *cgroup; /* path, for a limit of every process in it or below it; NULL: for a process */
	pid_t pid;
	uint64_t start; /* of the process, in ticks since boot */
	const char *qos; /* name of the class */
	uid_t uid;	 /* whose it is; 0: root's */
	struct holder holder;
	void *end; /* the daemon's: tells of the end of the process or cgroup */
	bool raises;	 /* a user's class: it may be higher than what rules give */
	enum shown shown;
	const char *app; /* cgroup that holds just the app; NULL: it is what descends from the process */
	int32_t tty;	 /* the process's, 0: none; what has another is somebody else's: a terminal's child */
};

struct overrides;

/* NULL without memory. */
struct overrides *overrides_new(void);
void overrides_free(struct overrides *overrides);

/*
 * Follows another configuration, which must live until the next call. An override whose class it lacks has no effect
 * from then on.
 */
void overrides_follow(struct overrides *overrides, const struct config *config);

/*
 * Adds a copy, with a number of its own. 0, -ENOENT if there is no such class, -ENOMEM, -ENOSPC if there are too many.
 */
int overrides_add(struct overrides *overrides, const struct override *override, uint16_t *ret_number);

/* Takes its effect away; it stays until no record has its number any more, and overrides_remove_ended is called. */
void overrides_end(struct overrides *overrides, uint16_t number);

/* Whether any of them was for a cgroup. */
bool overrides_remove_ended(struct overrides *overrides);

const struct override *overrides_get(const struct overrides *overrides, uint16_t number);

/*
 * The next one after that number (0: the first) that has not ended, whose number takes its place. NULL: there is none.
 */
const struct override *overrides_next(const struct overrides *overrides, uint16_t *number);

/* Whether any of them is for a cgroup. */
bool overrides_need_cgroup(const struct overrides *overrides);

/* Whether the process is one of which another override than this says what is seen of it. */
bool overrides_is_other_app(const struct overrides *overrides, uint16_t number, pid_t pid);

/*
 * What the cgroup of a process with a window is: the length of the path of the unit that holds just the app, 0: none
 * does, so the app is what descends from the process; -ENOENT: the process is the session's, and no app.
 */
int overrides_app(const char *cgroup);

/* Whether the cgroup is this one, or lies below it. */
bool overrides_is_below(const char *cgroup, const char *top);

/*
 * The next limit of processes after this one (0: the first) that one which has ended may have covered: so both are the
 * same user's, or root's. 0: there is none.
 */
uint16_t overrides_next_covered(const struct overrides *overrides, uint16_t number);

/* ---- of a process, by its leader's record ---- */

/* Where the record has the number of this one, if that holds for the process. */
enum override_slot overrides_slot(const struct overrides *overrides, uint16_t number);

/* Whether it holds; or, of limits, a lower one of the same user, so that this one has nothing to do. */
bool overrides_hold(const struct overrides *overrides, const struct task *leader, uint16_t number);

/* Gives a child, whose record has none, what its parent's process hands on. */
void overrides_hand_on(const struct overrides *overrides, const struct task *leader, struct task *child);

/* Takes what has ended out of the record. Whether there was any. */
bool overrides_leave(const struct overrides *overrides, struct task *leader);

/*
 * Finds out what of a user's counts: TASK_OWNERS, and what is shown of the app. What has another terminal than the
 * app's own process is not of that app, and neither are its children. 0 or -errno; then, and if the owner could not be
 * read (is_spared), all is as before.
 */
int overrides_look(const struct overrides *overrides, struct task *leader, struct facts *facts);

/* The class that is asked for, without a period; TAG_NONE: none. *ret_raises: it may be higher than what rules give. */
uint16_t overrides_class(const struct overrides *overrides, const struct task *leader, bool *ret_raises);

/*
 * The class that the focus gives at least to those of its tasks that have theirs by this; TAG_NONE: none. That is: the
 * process that has the window, but for threads that a rule names; of the app's other processes only what no rule names.
 */
uint16_t overrides_focus(const struct overrides *overrides, const struct task *leader, enum reason by);

/*
 * The highest class that is allowed, with facts->cgroup and owner filled in as far as they count. NULL: there is no
 * limit. is_hidden: nothing is seen of it, and its rule does not mind.
 */
const struct qos_class *overrides_max(const struct overrides *overrides, const struct task *leader,
				      const struct facts *facts, bool is_hidden);
