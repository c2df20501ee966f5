/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads facts about living tasks from /proc, and keeps track of the cost of each read and the cgroup of each process.
 */
#include "live_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/text.h>

static int fetch(struct facts *facts, enum fact fact);

struct live_facts *live_facts_new(int proc, struct applier *applier, struct arguments *arguments,
				  struct spending *spending)
{
	struct live_facts *live = calloc(2, sizeof(*live));

	if (!live)
		return NULL;
	for (int i = 0; i < 2; i++) {
		live[i].proc = proc;
		live[i].applier = applier;
		live[i].arguments = arguments;
		live[i].spending = spending;
	}
	live->parent = &live[1];
	live->last_cgroups = calloc(LAST_CGROUPS, sizeof(*live->last_cgroups));
	if (!live->last_cgroups) {
		free(live);
		return NULL;
	}
	return live;
}

void live_facts_free(struct live_facts *live)
{
	if (live)
		free(live->last_cgroups);
	free(live);
}

static int read_other(struct facts *facts, pid_t tid, struct task_attr *ret)
{
	return applier_read(((struct live_facts *)facts)->applier, tid, ret);
}

struct facts *live_facts_for(struct live_facts *live, pid_t tid, pid_t tgid)
{
	live->facts = (struct facts){ .fetch = fetch, .read_other = read_other, .tid = tid, .tgid = tgid };
	live->awaits = live->has_status = live->may_defer_argv = false;
	live->source = tgid;
	return &live->facts;
}

/* Treats a path longer than PATH_MAX as unknown: the kernel does not report it (d_path, kernfs_path_from_node). */
static ssize_t note_unknown(ssize_t n, bool *ret_is_unknown)
{
	*ret_is_unknown = n == -ENAMETOOLONG;
	return n == -ENAMETOOLONG ? 0 : n;
}

/*
 * Reads the executable through another thread, if the leader has ended before its threads: it is a zombie then, whose
 * files cannot be read.
 */
static ssize_t exe_of_threads(struct live_facts *live)
{
	_cleanup_closedir_ DIR *list = NULL;
	ssize_t n = procfs_threads(live->proc, live->facts.tgid);
	pid_t tid;

	/* Nearly always there is no other thread: the process ended before we looked. */
	if (n <= 1)
		return n < 0 ? n : 0;
	n = procfs_list(live->proc, live->facts.tgid, &list);
	if (n < 0)
		return n;
	while (n == 0 && (tid = procfs_next(list))) {
		if (tid == live->facts.tgid)
			continue;
		n = procfs_exe(live->proc, tid, live->exe, sizeof(live->exe));
		if (n > 0)
			live->source = tid;
	}
	return n;
}

static ssize_t fetch_exe(struct live_facts *live)
{
	ssize_t n = procfs_exe(live->proc, live->source, live->exe, sizeof(live->exe));

	if (n == 0)
		n = exe_of_threads(live);
	return note_unknown(n, &live->facts.exe_is_unknown);
}

/* ---- the cgroups of processes ---- */

static struct last_cgroup *last_cgroup_of(struct live_facts *live, pid_t tgid)
{
	return &live->last_cgroups[(uint32_t)tgid % LAST_CGROUPS];
}

/* Hashes a path (FNV-1a). */
static uint32_t hash_of(const char *path)
{
	uint32_t hash = 0x811c9dc5;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 0x01000193;
	return hash == CGROUP_GONE ? 1 : hash;
}

void live_facts_forget_cgroup(struct live_facts *live, pid_t tgid)
{
	struct last_cgroup *last = last_cgroup_of(live, tgid);

	/* Write only if needed: while nothing depends on cgroups, the table takes no memory. */
	if (last->tgid == tgid)
		last->tgid = 0;
}

bool live_facts_has_moved(struct live_facts *live, pid_t tgid, bool *ret_is_spared)
{
	struct last_cgroup *last = last_cgroup_of(live, tgid);
	const struct last_cgroup before = *last;
	struct facts *facts = live_facts_for(live, tgid, tgid);
	int r;

	*ret_is_spared = false;
	if (before.tgid == tgid && before.cgroup == CGROUP_GONE)
		return false;
	r = facts_need(facts, FACT_CGROUP);
	*ret_is_spared = facts->is_spared;
	if (r == -ESRCH)
		*last = (struct last_cgroup){ tgid, CGROUP_GONE };
	return r == 0 && !facts->is_spared && (before.tgid != tgid || before.cgroup != hash_of(live->cgroup));
}

/* The time to read a cgroup grows with the square of its depth: 600 levels, 1,200 bytes or more, take 1.1 ms. */
#define BYTES_PER_CGROUP_BYTE 8

static bool is_too_deep(const char *cgroup)
{
	size_t levels = 0;

	while ((cgroup = strchr(cgroup, '/'))) {
		cgroup++;
		levels++;
	}
	return levels > CGROUP_LEVELS_MAX;
}

static ssize_t fetch_cgroup(struct live_facts *live)
{
	size_t n_read;
	ssize_t n = procfs_cgroup(live->proc, live->facts.tgid, live->cgroup, sizeof(live->cgroup), &n_read);

	/* Some kernels truncate a long path instead of failing (6.18). */
	if (n >= PATH_MAX - 1 || (n > 0 && is_too_deep(live->cgroup)))
		n = -ENAMETOOLONG;
	if (n < 0)
		live->cgroup[0] = '\0';
	live->n_read = n == -ENAMETOOLONG ? SIZE_MAX : n_read * BYTES_PER_CGROUP_BYTE;
	return note_unknown(n, &live->facts.cgroup_is_unknown);
}

static int fetch_stat(struct live_facts *live)
{
	struct facts *facts = &live->facts;
	struct procfs_stat stat;
	int r = procfs_thread_stat(live->proc, facts->tgid, facts->tid, &stat);

	if (r < 0)
		return r;
	facts->start = stat.start;
	facts->ppid = stat.ppid;
	facts->tty = stat.tty;
	return 0;
}

static int fetch_parent(struct live_facts *live)
{
	int r = facts_need(&live->facts, FACT_STAT);

	if (r == 0 && live->parent && live->facts.ppid)
		live->facts.parent = live_facts_for(live->parent, live->facts.ppid, live->facts.ppid);
	return r;
}

/*
 * Returns whether the user has a session at a seat, by logind's files. Without logind nobody knows, so everybody has
 * one.
 */
static bool has_seat(uid_t uid)
{
	return host_has_seat(uid) || (access("/run/systemd/seats", F_OK) < 0 && errno == ENOENT);
}

/* Reads status, which holds three facts, once. */
static int need_status(struct live_facts *live)
{
	int r = live->has_status ? 0 : procfs_status(live->proc, live->facts.tgid, &live->status, &live->n_read);

	if (r < 0)
		return r;
	live->has_status = true;
	live->facts.uid = live->status.real;
	live->facts.owner = live->status.owner;
	live->facts.have |= FACT_UID | FACT_OWNER;
	return 0;
}

static int fetch_seat(struct live_facts *live)
{
	struct facts *facts = &live->facts;
	int r = need_status(live);

	if (r < 0)
		return r;
	facts->at_seat = live->status.may_nice;
	/* In a user namespace of their own, all users have all capabilities. */
	if (facts->at_seat) {
		r = facts_need(facts, FACT_USERNS);
		facts->at_seat = facts->initial_userns;
	}
	if (r == 0 && !facts->at_seat)
		facts->at_seat = has_seat(live->status.real);
	return r;
}

/* ---- arguments ---- */

/* Returns the hash of the program's path, with the lowest bit clear. */
static uint32_t program_hash(const struct live_facts *live)
{
	return hash_of(live->exe) & ~PROGRAM_NEEDS_ARGV;
}

/* Returns the program's place among those that were decided about. */
static uint32_t *program_place(struct live_facts *live, uint32_t hash)
{
	return &live->programs[(hash >> 1) % PROGRAMS];
}

/* Returns whether the arguments are read after the decision. */
static bool defer_argv(struct live_facts *live)
{
	const struct facts *facts = &live->facts;
	uint32_t hash;

	/* The program of a leader that has ended is read from another thread. */
	if (!live->may_defer_argv || facts->argv_matters || facts->exe_is_unknown || live->source != facts->tgid)
		return false;
	hash = program_hash(live);
	return *program_place(live, hash) == hash;
}

void live_facts_allow_deferral(struct live_facts *live)
{
	live->may_defer_argv = true;
}

void live_facts_learn(struct live_facts *live)
{
	const struct facts *facts = &live->facts;
	uint32_t hash, *place;

	if (facts->have & FACT_CGROUP && !facts->is_spared && !live->awaits)
		*last_cgroup_of(live, facts->tgid) = (struct last_cgroup){ facts->tgid, hash_of(live->cgroup) };
	if (!(facts->have & FACT_ARGV) || facts->argv_is_deferred || facts->argv_is_unread || facts->exe_is_unknown)
		return;
	hash = program_hash(live);
	place = program_place(live, hash);
	/* A program with many names, like gcc, keeps the mark after a run to which arguments did not matter. */
	if (facts->argv_matters)
		*place = hash | PROGRAM_NEEDS_ARGV;
	else if (*place != (hash | PROGRAM_NEEDS_ARGV))
		*place = hash;
}

void live_facts_unlearn(struct live_facts *live)
{
	memset(live->programs, 0, sizeof(live->programs));
}

static ssize_t fetch_argv(struct live_facts *live)
{
	struct facts *facts = &live->facts;
	ssize_t n;

	if (defer_argv(live)) {
		live->argv[0] = '\0';
		facts->argv = live->argv;
		facts->argv_size = 0;
		facts->argv_is_deferred = true;
		return 0;
	}
	n = arguments_read(live->arguments, live->source, facts->tgid, live->argv);

	if (n == -EINPROGRESS && live->is_patient) {
		arguments_exchange(live->arguments, false);
		n = arguments_read(live->arguments, live->source, facts->tgid, live->argv);
		if (n == -EINPROGRESS)
			n = -EAGAIN;
	}
	live->awaits = n == -EINPROGRESS;
	facts->argv = live->argv;
	facts->argv_is_unread = n == -EAGAIN;
	if (n == -EAGAIN)
		n = 0;
	facts->argv_size = n > 0 ? (size_t)n : 0;
	return n;
}

/* ---- facts whose cost the process's owner controls, and which a decision can do without ---- */

/* Leaves the fact unknown, so that a condition on it does not hold. */
static int spare(struct live_facts *live, enum fact fact)
{
	struct facts *facts = &live->facts;

	facts->is_spared = true;
	if (fact == FACT_CGROUP) {
		live->cgroup[0] = '\0';
		facts->cgroup_is_unknown = true;
	} else if (fact == FACT_SEAT) {
		facts->at_seat = false;
	} else {
		facts->uid = facts->owner = (uid_t)-1;
		facts->have |= FACT_UID | FACT_OWNER;
	}
	return 0;
}

static ssize_t fetch_dear_one(struct live_facts *live, enum fact fact)
{
	if (fact == FACT_CGROUP)
		return fetch_cgroup(live);
	return fact == FACT_SEAT ? fetch_seat(live) : need_status(live);
}

/*
 * Reads one of these facts and charges its cost. Measures CPU time, because waiting for a CPU is not the owner's fault.
 */
static ssize_t fetch_dear(struct live_facts *live, enum fact fact)
{
	struct spending *spending = live->spending;
	const pid_t tgid = live->facts.tgid;
	const uint32_t ms = clock_ms();
	uint64_t ns;
	ssize_t r;

	if (!spending_is_quiet(spending, ms) && !spending_allows(spending, procfs_payer(live->proc, tgid), ms))
		return spare(live, fact);
	live->n_read = 0;
	ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	r = fetch_dear_one(live, fact);
	ns = spending_cost(clock_ns(CLOCK_THREAD_CPUTIME_ID) - ns, live->n_read);
	if (spending_is_of_note(spending, ns, ms)) {
		/* A read without cost only shows that the user has cheap ones: finding out who pays would cost more. */
		const uid_t user = ns ? procfs_payer(live->proc, tgid) : procfs_user(live->proc, tgid);

		if (spending_note(spending, user, ns, ms)) {
			live->has_overspent = true;
			live->overspender = user;
			live->overspent_on = tgid;
		}
	}
	return r;
}

static ssize_t fetch_one(struct live_facts *live, enum fact fact)
{
	struct facts *facts = &live->facts;

	switch (fact) {
	case FACT_ATTR:
		return applier_read(live->applier, facts->tid, &facts->attr);
	case FACT_COMM:
		return procfs_comm(live->proc, facts->tid, facts->comm);
	case FACT_EXE:
		facts->exe = live->exe;
		return fetch_exe(live);
	case FACT_ARGV:
		return fetch_argv(live);
	case FACT_CGROUP:
		facts->cgroup = live->cgroup;
		return fetch_dear(live, fact);
	case FACT_UID:
	case FACT_OWNER:
	case FACT_SEAT:
		return fetch_dear(live, fact);
	case FACT_USERNS:
		return procfs_own_userns(live->proc, facts->tgid, &facts->initial_userns);
	case FACT_PARENT:
		return fetch_parent(live);
	case FACT_STAT:
		return fetch_stat(live);
	case FACT_BASE:
		return applier_refresh_base(live->applier);
	}
	return -EINVAL;
}

void live_facts_note(struct live_facts *live, int error)
{
	if (error == -EMFILE || error == -ENFILE || error == -ENOMEM)
		live->error = error;
}

static int fetch(struct facts *facts, enum fact fact)
{
	struct live_facts *live = (struct live_facts *)facts;
	const ssize_t r = fetch_one(live, fact);

	if (r < 0) {
		live_facts_note(live, (int)r);
		return (int)r;
	}
	facts->have |= fact;
	return 0;
}

int live_facts_take_error(struct live_facts *live)
{
	int error = live->error ? live->error : live->parent->error;

	live->error = live->parent->error = 0;
	return error;
}

bool live_facts_has_overspent(struct live_facts *live, uid_t *ret_user, pid_t *ret_tgid)
{
	const bool has = live->has_overspent;

	*ret_user = live->overspender;
	*ret_tgid = live->overspent_on;
	live->has_overspent = false;
	return has;
}

bool live_facts_is_put_off(const struct live_facts *live)
{
	return live->awaits || (live->facts.parent && live->parent->awaits);
}

void live_facts_be_patient(struct live_facts *live, bool patient)
{
	live->is_patient = live->parent->is_patient = patient;
}
