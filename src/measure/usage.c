/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/measure/usage.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>

struct usage {
	struct taskstats_source *stats; /* NULL: from /proc */
	bool hears_exits;
	int proc;
};

int usage_open(bool with_exits, struct usage **ret)
{
	struct usage *usage = calloc(1, sizeof(*usage));
	int r;

	if (!usage)
		return -ENOMEM;
	usage->proc = -1;
	r = taskstats_open(&usage->stats);
	if (r == 0 && with_exits)
		usage->hears_exits = taskstats_listen(usage->stats) == 0;
	if (r < 0) {
		usage->stats = NULL;
		usage->proc = r = procfs_open();
	}
	if (r < 0) {
		usage_free(usage);
		return r;
	}
	*ret = usage;
	return 0;
}

void usage_free(struct usage *usage)
{
	if (!usage)
		return;
	taskstats_free(usage->stats);
	if (usage->proc >= 0)
		close(usage->proc);
	free(usage);
}

bool usage_hears_exits(const struct usage *usage)
{
	return usage->hears_exits;
}

static int read_task(int proc, struct task_usage *task)
{
	struct procfs_schedstat times = { 0 };
	struct procfs_stat stat;
	int r = procfs_stat(proc, task->tid, &stat);

	if (r == 0)
		r = procfs_euid(proc, task->tid, &task->uid);
	if (r < 0)
		return r;
	procfs_schedstat(proc, task->tid, &times);
	task->run_ns = times.run_ns;
	task->delay_ns = times.delay_ns;
	task->waits = times.waits;
	task->ppid = stat.ppid;
	memcpy(task->comm, stat.comm, sizeof(task->comm) - 1);
	task->comm[sizeof(task->comm) - 1] = '\0';
	return 0;
}

static int read_process(int proc, struct task_usage *process)
{
	_cleanup_closedir_ DIR *threads = NULL;
	struct procfs_schedstat times;
	int r = procfs_list(proc, process->tid, &threads);
	pid_t tid;

	while (r == 0 && (tid = procfs_next(threads))) {
		if (procfs_schedstat(proc, tid, &times) < 0)
			continue;
		process->run_ns += times.run_ns;
		process->delay_ns += times.delay_ns;
		process->waits += times.waits;
	}
	return r;
}

int usage_read(struct usage *usage, bool process, struct task_usage *all, size_t n)
{
	if (usage->stats)
		return taskstats_read(usage->stats, process, all, n);
	for (size_t i = 0; i < n; i++) {
		struct task_usage *one = &all[i];
		int r;

		*one = (struct task_usage){ .tid = one->tid };
		r = process ? read_process(usage->proc, one) : read_task(usage->proc, one);
		if (r == -ESRCH)
			one->tid = 0;
		else if (r < 0)
			return r;
	}
	return 0;
}

int usage_next_exit(struct usage *usage, struct task_usage *ret)
{
	return usage->hears_exits ? taskstats_next_exit(usage->stats, ret) : 0;
}
