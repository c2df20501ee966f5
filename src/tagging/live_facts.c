/* SPDX-License-Identifier: GPL-2.0-only */
#include "live_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <systemd/sd-login.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>

static int fetch(struct facts *facts, enum fact fact);

struct live_facts *live_facts_new(int proc, struct applier *applier, struct arguments *arguments)
{
	struct live_facts *live = calloc(2, sizeof(*live));

	if (!live)
		return NULL;
	for (int i = 0; i < 2; i++) {
		live[i].proc = proc;
		live[i].applier = applier;
		live[i].arguments = arguments;
	}
	live->parent = &live[1];
	return live;
}

void live_facts_free(struct live_facts *live)
{
	free(live);
}

static int look(struct facts *facts, pid_t tid, struct task_attr *ret)
{
	return applier_look(((struct live_facts *)facts)->applier, tid, ret);
}

struct facts *live_facts_for(struct live_facts *live, pid_t tid, pid_t tgid)
{
	live->facts = (struct facts){ .fetch = fetch, .look = look, .tid = tid, .tgid = tgid };
	live->awaits = false;
	live->source = tgid;
	return &live->facts;
}

/* A path longer than PATH_MAX is not told (d_path, kernfs_path_from_node): that is as good as none. */
static ssize_t note_unknown(ssize_t n, bool *ret_is_unknown)
{
	*ret_is_unknown = n == -ENAMETOOLONG;
	return n == -ENAMETOOLONG ? 0 : n;
}

/* A leader that ended before its threads is a zombie, whose files cannot be read: use those of another thread. */
static ssize_t exe_of_threads(struct live_facts *live)
{
	_cleanup_closedir_ DIR *list = NULL;
	ssize_t n = procfs_threads(live->proc, live->facts.tgid);
	pid_t tid;

	/* Nearly always it has none, but ended before we looked. */
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

static ssize_t fetch_cgroup(struct live_facts *live)
{
	ssize_t n = procfs_cgroup(live->proc, live->facts.tgid, live->cgroup, sizeof(live->cgroup));

	/* Some kernels cut it off instead (6.18). */
	if (n >= PATH_MAX - 1)
		n = -ENAMETOOLONG;
	if (n < 0)
		live->cgroup[0] = '\0';
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

/* By the files that logind keeps. Without logind there is nobody who would know: then everybody has one. */
static bool has_seat(uid_t uid)
{
	return sd_uid_get_seats(uid, 0, NULL) > 0 || (access("/run/systemd/seats", F_OK) < 0 && errno == ENOENT);
}

/* One file tells of both. */
static int fetch_users(struct live_facts *live)
{
	struct procfs_status status;
	int r = procfs_status(live->proc, live->facts.tgid, &status);

	if (r < 0)
		return r;
	live->facts.uid = status.real;
	live->facts.owner = status.owner;
	live->facts.have |= FACT_UID | FACT_OWNER;
	return 0;
}

static int fetch_seat(struct live_facts *live)
{
	struct facts *facts = &live->facts;
	struct procfs_status status;
	int r = procfs_status(live->proc, facts->tgid, &status);

	if (r < 0)
		return r;
	facts->at_seat = status.may_nice;
	/* In a user namespace of his own anybody has all capabilities. */
	if (facts->at_seat) {
		r = facts_need(facts, FACT_USERNS);
		facts->at_seat = facts->initial_userns;
	}
	if (r == 0 && !facts->at_seat)
		facts->at_seat = has_seat(status.real);
	return r;
}

static ssize_t fetch_argv(struct live_facts *live)
{
	struct facts *facts = &live->facts;
	ssize_t n = arguments_read(live->arguments, live->source, facts->tgid, live->argv);

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

static ssize_t fetch_one(struct live_facts *live, enum fact fact)
{
	struct facts *facts = &live->facts;

	switch (fact) {
	case FACT_ATTR:
		return applier_look(live->applier, facts->tid, &facts->attr);
	case FACT_COMM:
		return procfs_comm(live->proc, facts->tid, facts->comm);
	case FACT_EXE:
		facts->exe = live->exe;
		return fetch_exe(live);
	case FACT_ARGV:
		return fetch_argv(live);
	case FACT_CGROUP:
		facts->cgroup = live->cgroup;
		return fetch_cgroup(live);
	case FACT_UID:
	case FACT_OWNER:
		return fetch_users(live);
	case FACT_USERNS:
		return procfs_own_userns(live->proc, facts->tgid, &facts->initial_userns);
	case FACT_SEAT:
		return fetch_seat(live);
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

	facts->fetched_ms = clock_ms();
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

bool live_facts_await(const struct live_facts *live)
{
	return live->awaits || (live->facts.parent && live->parent->awaits);
}

void live_facts_be_patient(struct live_facts *live, bool patient)
{
	live->is_patient = live->parent->is_patient = patient;
}
