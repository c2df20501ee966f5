/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads /proc through a directory descriptor, so that tests can pass a folder of their own. Readers and parsers are
 * separate.
 */
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
	int32_t tty;	    /* the process's terminal; 0 if it has none */
	uint32_t flags;	    /* PF_* */
	uint64_t start;	    /* ticks since boot */
	uint64_t rss_pages;
};
#define PROCFS_PF_EXITING 0x00000004
#define PROCFS_PF_KTHREAD 0x00200000

/*
 * A task's CPU time, the time that it was ready to run but waited for a CPU, and the number of times that it got one.
 */
struct procfs_schedstat {
	uint64_t run_ns, delay_ns, waits;
};

struct procfs_status {
	/* the user who runs the task; unlike the effective user, it stays the same when a set-user-ID program runs */
	uid_t real;
	uid_t effective;
	/*
	 * The only user whose rights the task has: real, effective and saved user are the same, and it has no
	 * capability. (uid_t)-1 if there is no such user.
	 */
	uid_t owner;
	/* the task may lower its nice value (CAP_SYS_NICE), and is no set-user-ID program */
	bool may_nice;
};

/* Returns a descriptor of the mounted /proc, or -errno: -ENODEV if something else is mounted there. */
int procfs_open(void);

/*
 * Each function below returns -errno on failure, and -ESRCH if the task is gone. tid may be that of any thread.
 * Functions that fill buf write at most size - 1 bytes and a NUL, and return the length.
 *
 * Reads the file of that name in /proc/TID.
 */
ssize_t procfs_read(int proc, pid_t tid, const char *name, char *buf, size_t size);

/*
 * Reads the path of the executable, without the kernel's " (deleted)". The path is empty if the task has none (kernel
 * threads, zombies) or is gone.
 */
ssize_t procfs_exe(int proc, pid_t tid, char *buf, size_t size);

/* Reads the arguments, each with its NUL, into at most size - 1 bytes. Returns 0 if there are none. */
ssize_t procfs_argv(int proc, pid_t tid, char *buf, size_t size);

int procfs_comm(int proc, pid_t tid, char comm[16]);
int procfs_stat(int proc, pid_t tid, struct procfs_stat *ret);

/*
 * Reads the same for one thread, from /proc/TGID/task/TID. For /proc/TID/stat the kernel would add up the times of all
 * threads of the process, which takes 2 ms for each of 20,000 threads (do_task_stat in fs/proc/array.c).
 */
int procfs_thread_stat(int proc, pid_t tgid, pid_t tid, struct procfs_stat *ret);

/*
 * Reads the times of this one thread; for a process those of its leader. Returns -ESRCH also if the kernel has no
 * CONFIG_SCHED_INFO.
 */
int procfs_schedstat(int proc, pid_t tid, struct procfs_schedstat *ret);

/*
 * Reads the CPU time that the whole machine has used since boot: user, nice and system of /proc/stat. Returns 0 or
 * -errno.
 */
int procfs_busy(int proc, uint64_t *ret_ns);

/*
 * Reads the task's cgroup path in the unified hierarchy; if that is the root, the path in systemd's named hierarchy.
 * *ret_read, if not NULL, gets the number of bytes that were read for that; 0 on failure. The same goes for
 * procfs_status.
 */
ssize_t procfs_cgroup(int proc, pid_t tid, char *buf, size_t size, size_t *ret_read);

int procfs_status(int proc, pid_t tid, struct procfs_status *ret, size_t *ret_read);

/* Stores the owner of the folder /proc/PID: the effective uid. */
int procfs_owner(int proc, pid_t tid, uid_t *ret);

/*
 * Stores the owner of the task's private files in /proc: the effective uid, or root while the kernel protects the task
 * from its user (task_dump_owner in fs/proc/base.c).
 */
int procfs_files_owner(int proc, pid_t tid, uid_t *ret);

/*
 * Stores whether the task is in our own user namespace, which is the initial one if the proc connector works. On a
 * kernel without user namespaces every task is.
 */
int procfs_own_userns(int proc, pid_t tid, bool *ret);

/* Stands for all users of processes in other user namespaces, where anybody may have many ids. */
#define PROCFS_OTHERS ((uid_t)-1)

/*
 * Returns the process's effective user; PROCFS_OTHERS if the process is in another user namespace or gone. Uses the
 * owner of /proc/PID, because looking that up does not take a reference to the process's memory (task_dump_owner in
 * fs/proc/base.c), while reading status does.
 */
uid_t procfs_user(int proc, pid_t pid);

/*
 * Returns the user who is charged for reading about the process. This is its effective user. If that is root, it is
 * the real user, because everybody can start a set-user-ID program of root's. PROCFS_OTHERS as above.
 */
uid_t procfs_payer(int proc, pid_t pid);

/* The parsers behind the readers: text is that of the /proc file, NUL-terminated. Return 0 or -EBADMSG. */
int procfs_parse_stat(const char *text, struct procfs_stat *ret);
int procfs_parse_busy(const char *text, uint64_t *ret_ticks);
int procfs_parse_status(const char *text, struct procfs_status *ret);

/* Returns the number of threads of a process, including a leader that has ended, or -errno. */
int procfs_threads(int proc, pid_t tgid);

/* Opens the list of processes (tgid 0) or of a process's threads. Returns 0 or -errno. */
int procfs_list(int proc, pid_t tgid, DIR **ret);

/* Returns the next id of a list, or 0 at its end. */
pid_t procfs_next(DIR *list);

/*
 * Finds a path in the text of /proc/PID/cgroup, whose lines are "ID:CONTROLLERS:PATH": in the unified hierarchy
 * (controller ""), or in the one with this controller or name. Returns the start of the path, or NULL if there is no
 * such line. No path holds a newline (cgroup_mkdir in cgroup.c).
 */
const char *procfs_parse_cgroup(const char *text, const char *controller, size_t *ret_length);
