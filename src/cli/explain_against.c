/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints what ranks two tasks, and their shares of a CPU. Uses only facts that the kernel shows to everybody; asks no
 * daemon.
 */
#include "explain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>
#include <schedqos/kernel/knobs.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/kernel/sched_attr.h>
#include <schedqos/machine/doctor.h>
#include <schedqos/policy/config.h>
#include <schedqos/policy/cpu_share.h>
#include <schedqos/policy/qos_class.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "words.h"

struct side {
	pid_t tid;
	char name[64]; /* escaped */
	struct task_attr attr;
	/* directly below the nearest common ancestor; "" if the task is in the ancestor itself */
	struct cpu_group group;
	double share;
};

struct pair {
	struct cpu_hierarchies where;
	struct side sides[2];
	/* whether weights rank the two; whether only a sched_ext scheduler knows */
	bool by_weights, is_untold;
	const char *why;
};

/* Reads one task. Returns 0; or -errno after logging the reason. */
static int read_side(const struct pair *pair, int proc, struct side *side)
{
	struct ksched_attr attr;
	char comm[16];
	int r = ksched_get(side->tid, &attr);

	if (r == 0)
		r = procfs_comm(proc, side->tid, comm);
	if (r == 0)
		r = cpu_group_of(&pair->where, proc, side->tid, &side->group);
	if (r == -ESRCH)
		log_error("there is no task %d: it may have ended", (int)side->tid);
	else if (r < 0)
		log_error("task %d: %s", (int)side->tid, strerror(-r));
	if (r < 0)
		return r;
	text_escape_to(side->name, sizeof(side->name), comm, strlen(comm));
	side->attr = task_attr_pristine;
	side->attr.policy = attr.policy & 0xf;
	side->attr.nice = (int8_t)attr.nice;
	side->attr.rt_priority = (uint8_t)attr.priority;
	side->attr.slice_ns = attr.policy == POLICY_DEADLINE ? 0 : (uint32_t)attr.runtime;
	return 0;
}

static void find_why(struct pair *pair)
{
	const struct task_attr *a = &pair->sides[0].attr, *b = &pair->sides[1].attr;
	char name[64];

	pair->by_weights = pair->sides[0].group.path[0] || pair->sides[1].group.path[0];
	if (attr_rank(a->policy, a->rt_priority) || attr_rank(b->policy, b->rt_priority)) {
		pair->by_weights = false;
		pair->why = "real-time priorities come before fair tasks, and deadlines before both";
	} else if (host_sched_ext(AT_FDCWD, name, sizeof(name))) {
		pair->is_untold = true;
		pair->why = "a sched_ext scheduler is loaded, and it alone decides";
	} else if (pair->by_weights) {
		pair->why = DOCTOR_BORDER_WORDS;
	} else {
		pair->why = "one cpu cgroup: policy and nice value divide the CPU, and the shorter slice waits less";
	}
}

/*
 * Multiplies the weight of a cgroup beside a task by the number of CPUs if the cgroup_mode of Linux 7.3 is "max".
 * Between two cgroups that would make no difference. Only root can read the mode.
 */
static void look_at_cgroup_mode(struct pair *pair)
{
	struct side *a = &pair->sides[0], *b = &pair->sides[1];
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char mode[KNOBS_VALUE_MAX];

	if (!pair->by_weights || pair->is_untold || (a->group.path[0] && b->group.path[0]) || cpus < 1)
		return;
	if (knobs_read(AT_FDCWD, KNOB_DEBUGFS, "cgroup_mode", mode) < 0 || strcmp(mode, "max") != 0)
		return;
	(a->group.path[0] ? a : b)->group.load *= (unsigned)cpus;
	pair->why = "cgroup_mode is max: beside a task, the weight of a cgroup counts once for each CPU";
}

/* Finds out what ranks the two, and their shares. Returns 0; or -errno after logging the reason. */
static int compare_pair(struct pair *pair)
{
	struct side *a = &pair->sides[0], *b = &pair->sides[1];
	_cleanup_close_ int proc = procfs_open();
	int r = proc < 0 ? proc : 0;

	pair->where = cpu_hierarchies_find(AT_FDCWD);
	for (size_t i = 0; i < 2 && r == 0; i++)
		r = read_side(pair, proc, &pair->sides[i]);
	if (proc < 0)
		log_error("cannot read /proc: %s", strerror(-proc));
	if (r < 0)
		return r;
	cpu_groups_part(&pair->where, &a->group, &b->group);
	find_why(pair);
	look_at_cgroup_mode(pair);
	a->share = cpu_share(&(struct cpu_rival){ a->group.load, a->attr },
			     &(struct cpu_rival){ b->group.load, b->attr });
	b->share = 1 - a->share;
	if (a->share < 0) {
		pair->is_untold = true;
		pair->why = "a deadline, or two equal real-time priorities that are not both SCHED_RR: no weight divides the CPU";
	}
	return 0;
}

char *border_text(char *buf, size_t size, const struct cpu_group *group)
{
	char path[PATH_MAX];

	snprintf(buf, size, "cpu cgroup %s (weight %s)",
		 text_escape_to(path, sizeof(path), group->path, strlen(group->path)), group->weight);
	return buf;
}

static void print_side(const struct pair *pair, const struct side *side)
{
	char text[PATH_MAX + 64], attr[TASK_ATTR_TEXT_MAX];

	printf("%d %s: ", (int)side->tid, side->name);
	if (pair->is_untold)
		printf("unknown");
	else
		printf("%.*f %% of one CPU", side->share > 0 && side->share < .1 ? 1 : 0, side->share * 100);
	printf("%s\n" LABEL "%s\n", side == pair->sides ? ", if both want all of it and no other task does" : "",
	       "ranked by",
	       pair->by_weights && side->group.path[0] ? border_text(text, sizeof(text), &side->group)
						       : task_attr_text(&side->attr, attr));
}

int explain_against(pid_t one, pid_t other)
{
	struct pair pair = { .sides = { { .tid = one }, { .tid = other } } };

	if (compare_pair(&pair) < 0)
		return EXIT_FAILURE;
	print_side(&pair, &pair.sides[0]);
	print_side(&pair, &pair.sides[1]);
	printf(LABEL "%s\n", "why", pair.why);
	return 0;
}
