/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc, read from a directory descriptor so that a test can pass a made-up one. Readers and parsers are separate. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct procfs_stat {
	char comm[64]; /* raw, not escaped */
	char state;
	pid_t ppid;
	int32_t tty;	    /* of the process; 0: none */
	uint32_t flags;	    /* PF_* */
	uint64_t start;	    /* ticks since boot */
	uint64_t rss_pages;
};
#define PROCFS_PF_KTHREAD 0x00200000

/* A task's CPU time, its time ready to run but waiting for a CPU, and how often it got one. */
struct procfs_schedstat {
	uint64_t run_ns, delay_ns, waits;
};

struct procfs_status {
	uid_t real; /* who runs it: nobody becomes another by running a set-user-ID program, as with the effective user
		     */
	uid_t effective;
	/*
	 * As whom alone it runs: real, effective and saved user are the same, and it has no capability. (uid_t)-1:
	 * there is none.
	 */
	uid_t owner;
	bool may_nice; /* it may lower its nice value (CAP_SYS_NICE) without being a set-user-ID program */
};

/* A descriptor of the mounted /proc, or -errno: -ENODEV if something else is mounted there. */
int procfs_open(void);

/*
 * Each of the following returns -ESRCH when the task is gone. tid may be any thread's. The readers fill buf with
 * at most size - 1 bytes and a NUL, and return the length.
 */
ssize_t procfs_read(int proc, pid_t tid, const char *name, char *buf, size_t size);

/*
 * The executable's path without the kernel's " (deleted)"; empty if there is none (kernel threads, zombies) or the
 * task is gone.
 */
ssize_t procfs_exe(int proc, pid_t tid, char *buf, size_t size);

/* The arguments, each with its NUL, in at most size - 1 bytes; 0 when there are none. */
ssize_t procfs_argv(int proc, pid_t tid, char *buf, size_t size);

int procfs_comm(int proc, pid_t tid, char comm[16]);
int procfs_stat(int proc, pid_t tid, struct procfs_stat *ret);

/*
 * The same for a thread, read from /proc/TGID/task/TID. For /proc/TID/stat the kernel adds up the times of all
 * threads of the process, which takes 2 ms for each of 20,000 threads (do_task_stat in fs/proc/array.c).
 */
int procfs_thread_stat(int proc, pid_t tgid, pid_t tid, struct procfs_stat *ret);

/* Of this one thread, the leader's for a process. A kernel without CONFIG_SCHED_INFO has none: -ESRCH. */
int procfs_schedstat(int proc, pid_t tid, struct procfs_schedstat *ret);

/* The CPU time that all of the machine has used since its boot: /proc/stat's user, nice and system. 0 or -errno. */
int procfs_busy(int proc, uint64_t *ret_ns);

/* The path in the unified hierarchy, or if that is just the root, in systemd's named one. */
ssize_t procfs_cgroup(int proc, pid_t tid, char *buf, size_t size);

int procfs_status(int proc, pid_t tid, struct procfs_status *ret);

/* Stores the owner of /proc/PID: the effective uid, or root while the kernel protects the task from its user. */
int procfs_owner(int proc, pid_t tid, uid_t *ret);

/*
 * Whether the task is in our own user namespace, which is the initial one if the proc connector works. On a
 * kernel without user namespaces every task is.
 */
int procfs_own_userns(int proc, pid_t tid, bool *ret);

/* Stands for all users of processes in other user namespaces, where anybody may have many ids. */
#define PROCFS_OTHERS ((uid_t)-1)

/*
 * Returns the process's effective user, PROCFS_OTHERS if it is in another user namespace or gone. That is the owner of
 * its folder, whose lookup does not take the process's memory (task_dump_owner in fs/proc/base.c), as status does.
 */
uid_t procfs_user(int proc, pid_t pid);

/* The parsers behind the readers: NUL-terminated text of a /proc file. Return 0 or -EBADMSG. */
int procfs_parse_stat(const char *text, struct procfs_stat *ret);
int procfs_parse_busy(const char *text, uint64_t *ret_ticks);
int procfs_parse_status(const char *text, struct procfs_status *ret);

/* How many threads a process has, a leader that has ended included. Or -errno. */
int procfs_threads(int proc, pid_t tgid);

/* Opens the list of processes (tgid 0) or of a process's threads. Returns 0 or -errno. */
int procfs_list(int proc, pid_t tgid, DIR **ret);

/* The next id of a list, or 0 at its end. */
pid_t procfs_next(DIR *list);

/*
 * In the text of /proc/PID/cgroup, the path in the unified hierarchy (""), or in that with this controller or name:
 * "ID:CONTROLLERS:PATH". NULL if there is none. No path holds a newline (cgroup_mkdir in cgroup.c).
 */
const char *procfs_parse_cgroup(const char *text, const char *controller, size_t *ret_length);
