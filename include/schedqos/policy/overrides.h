/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overrides: what is asked for at run time. One gives a process a class, over its rule, or limits the class that it has;
 * or limits what is in a cgroup, as an entry of "groups" does. A process's record has the number of the one that gives
 * it its class, and of the lowest that limits it; 0: none.
 *
 * Root may ask for anything. What a user asks for counts for a process as long as that runs as nobody but him: not for
 * what runs set-user-ID or with capabilities, though it be a child of his. So both have numbers of their own in a record:
 * root's class goes before a user's, and of limits the lowest that counts holds.
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

/* Adds a copy, with a number of its own. 0, -ENOENT if there is no such class, -ENOMEM, -ENOSPC if there are too many. */
int overrides_add(struct overrides *overrides, const struct override *override, uint16_t *ret_number);

/* Takes its effect away; it stays until it is removed. */
void overrides_end(struct overrides *overrides, uint16_t number);

/* No record may have its number any more. */
void overrides_remove(struct overrides *overrides, uint16_t number);

const struct override *overrides_get(const struct overrides *overrides, uint16_t number);

/* The next one after that number (0: the first) that has not ended, whose number takes its place. NULL: there is none. */
const struct override *overrides_next(const struct overrides *overrides, uint16_t *number);

/* The number of one that has ended, or 0. */
uint16_t overrides_ended(const struct overrides *overrides);

/* Whether any of them is for a cgroup. */
bool overrides_need_cgroup(const struct overrides *overrides);

/* What its number is kept as in the record of a process. */
enum override_slot overrides_slot(const struct overrides *overrides, uint16_t number);

/* Whether it counts for a process; owner: see struct facts. */
bool overrides_count(const struct overrides *overrides, uint16_t number, uid_t owner);

/* Whether that has to be known for a process with these numbers, in any cgroup. */
bool overrides_need_owner(const struct overrides *overrides, const uint16_t joined[OVERRIDE_SLOTS]);

/* Whether its class may be higher than what rules give; number 0: no. */
bool overrides_raises(const struct overrides *overrides, uint16_t number);

/*
 * What counts of SLOT_SHOWN's number for a process with this owner. VISIBLE for 0, and if the setting "focus" is
 * off.
 */
enum shown overrides_shown(const struct overrides *overrides, uint16_t number, uid_t owner);

/* The tag of a focused app. TAG_NONE: the setting is off. */
uint16_t overrides_focus_tag(const struct overrides *overrides);

/* Whether the process is one of which another override than this says what is seen of it. */
bool overrides_is_other_app(const struct overrides *overrides, uint16_t number, pid_t pid);

/*
 * What the cgroup of a process with a window is: the length of the path of the unit that holds just the app, 0: none does, so
 * the app is what descends from the process; -ENOENT: the process is the session's, and no app.
 */
int overrides_app(const char *cgroup);

/* Whether the cgroup is this one, or lies below it. */
bool overrides_is_below(const char *cgroup, const char *top);

/* Whether a process with this number hands it on to its children. */
bool overrides_is_handed_on(const struct overrides *overrides, uint16_t number);

/* The tag of its class, without a period. TAG_NONE if the number is 0, or its class is unknown. */
uint16_t overrides_tag(const struct overrides *overrides, uint16_t number);

/* Whether the limit a leaves b, in the same slot, nothing to do. */
bool overrides_covers(const struct overrides *overrides, uint16_t a, uint16_t b);

/*
 * The next limit of processes after this one (0: the first) that one which has ended may have covered: so both are the same
 * user's, or root's. 0: there is none.
 */
uint16_t overrides_next_covered(const struct overrides *overrides, uint16_t number);

/*
 * The highest class that is allowed to a process with these numbers in this cgroup. NULL: there is no limit. is_hidden: nothing
 * is seen of it, and its rule does not mind.
 */
const struct qos_class *overrides_max(const struct overrides *overrides, const uint16_t joined[OVERRIDE_SLOTS],
				      const char *cgroup, uid_t owner, bool is_hidden);
