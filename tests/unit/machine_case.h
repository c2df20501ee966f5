/* SPDX-License-Identifier: GPL-2.0-only */
/* A made-up machine for tests of profiles: its knobs, its kernel, and power cuts. */
#pragma once

#include "made_up_tree.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>

#include <schedqos/kernel/host.h>
#include <schedqos/machine/machine.h>

#define SCHED	    "sys/kernel/debug/sched/"
#define BASE_SLICE  SCHED "base_slice_ns"
#define CPUFREQ	    "sys/devices/system/cpu/cpufreq/"
#define GOVERNOR0   CPUFREQ "policy0/scaling_governor"
#define GOVERNOR1   CPUFREQ "policy1/scaling_governor"
#define GOVERNOR2   CPUFREQ "policy2/scaling_governor"
#define SYSCTL	    "proc/sys/kernel/"
#define AUTOGROUP   SYSCTL "sched_autogroup_enabled"
#define VDA	    "sys/block/vda/queue/"
#define STATE	    "run/knobs.json"

/* ---- the kernel and power cuts ---- */

/* Kills this process, as a power cut would, at its nth operation on a file. 0: never. */
static unsigned fuse;

static inline void count_down(void)
{
	if (fuse && --fuse == 0)
		kill(getpid(), SIGKILL);
}

static unsigned n_writes; /* knobs opened to be written */
/* The end of the path of a knob that cannot be opened, and the reason; NULL for none. */
static const char *closed;
static int why_closed;
/* Queue depth that the kernel sets when the scheduler changes; NULL: it changes nothing. */
static const char *depth_of_new_queue;

/* Wrap functions of the C library: knobs are opened by openat, state files are replaced by renameat. */
int openat(int folder, const char *path, int flags, ...)
{
	static int (*next)(int folder, const char *path, int flags, ...);
	mode_t mode;
	va_list args;
	int fd;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "openat");
	count_down();
	if (closed && strlen(path) >= strlen(closed) && strcmp(path + strlen(path) - strlen(closed), closed) == 0) {
		errno = why_closed;
		return -1;
	}
	fd = next(folder, path, flags, mode);
	if (fd >= 0 && flags & O_WRONLY && !(flags & O_CREAT)) {
		n_writes++;
		if (depth_of_new_queue && strcmp(path, "vda/queue/scheduler") == 0)
			put(VDA "nr_requests", depth_of_new_queue);
	}
	return fd;
}

/* With _FORTIFY_SOURCE, as in packages, openat with variable flags becomes this function. */
int __openat_2(int folder, const char *path, int flags); /* NOLINT(bugprone-reserved-identifier) */
int __openat_2(int folder, const char *path, int flags)	 /* NOLINT(bugprone-reserved-identifier) */
{
	return openat(folder, path, flags);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	static int (*next)(int from_folder, const char *from, int to_folder, const char *to);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "renameat");
	count_down();
	return next(from_folder, from, to_folder, to);
}

/* ---- the machine ---- */

#define VALUES(...) ((const char *const[]){ __VA_ARGS__ })
#define KNOB(t, f, ...) \
	{ .tree = (t), .file = (f), .values = VALUES(__VA_ARGS__), .n_values = COUNT(VALUES(__VA_ARGS__)) }
#define BLOCK(d, f, v) { .tree = KNOB_BLOCK, .devices = (d), .file = (f), .values = VALUES(v), .n_values = 1 }

static struct knob fast_knobs[] = {
	KNOB(KNOB_DEBUGFS, "base_slice_ns", "16000000"),
	KNOB(KNOB_CPUFREQ, "scaling_governor", "schedutil"),
	KNOB(KNOB_SYSCTL, "kernel/sched_rr_timeslice_ms", "50"),
	BLOCK("vd*", "nr_requests", "64"),
};
static const struct sched_profile fast = { "fast", fast_knobs, COUNT(fast_knobs), { 0 } };

static struct knob other_knobs[] = {
	KNOB(KNOB_DEBUGFS, "base_slice_ns", "4000000"),
	KNOB(KNOB_CPUFREQ, "scaling_governor", "performance"),
};
static const struct sched_profile other = { "other", other_knobs, COUNT(other_knobs), { 0 } };

static struct knob deep_knobs[] = {
	BLOCK("vda", "nr_requests", "64"),
	BLOCK("vda", "scheduler", "bfq"),
};
static const struct sched_profile deep = { "deep", deep_knobs, COUNT(deep_knobs), { 0 } };

static struct machine *machine;
static struct profile_result result;

static inline void start(int want)
{
	machine = NULL;
	assert_int_equal(machine_new_at(open_folder(""), open_folder("run"), false, &machine), want);
	assert_int_equal(machine != NULL, want == 0);
}

/* Like SIGKILL, leaves only the files. */
static inline void close_machine(void)
{
	machine_free(machine);
	machine = NULL;
}

static inline int set_up(void **state)
{
	if (make_trees(state) < 0)
		return -1;
	put(BASE_SLICE, "3000000\n");
	put(GOVERNOR0, "performance\n");
	put(GOVERNOR1, "powersave\n");
	put(AUTOGROUP, "1\n");
	put(SYSCTL "sched_rr_timeslice_ms", "100\n");
	put(VDA "nr_requests", "256\n");
	put(VDA "scheduler", "none\n");
	put("sys/block/sda/queue/nr_requests", "32\n");
	fuse = n_writes = 0;
	depth_of_new_queue = closed = NULL;
	start(0);
	return 0;
}

static inline int tear_down(void **state)
{
	close_machine();
	return remove_trees(state);
}

#define PROFILE_TEST(name) TEST_IN(name, set_up, tear_down)

static inline void apply(const struct sched_profile *profile)
{
	assert_int_equal(machine_apply(machine, profile, false, &result), 0);
}

/* Writes a record, as another run would have left it. */
static inline void put_record(const char *text)
{
	put(STATE, text);
	assert_int_equal(chmod(whole(STATE), 0600), 0);
}

/* Writes a record of this boot with these knobs. */
static inline void put_state(const char *knobs)
{
	char text[2048], boot[BOOT_ID_SIZE];

	assert_int_equal(host_boot_id(boot), 0);
	snprintf(text, sizeof(text), "{\"version\":3,\"boot_id\":\"%s\",\"knobs\":[%s]}", boot, knobs);
	put_record(text);
}

/* ---- assertions ---- */

static inline void assert_results(size_t set, size_t already, size_t put_back, size_t refused)
{
	assert_int_equal(result.set, set);
	assert_int_equal(result.already, already);
	assert_int_equal(result.put_back, put_back);
	assert_int_equal(result.refused, refused);
}

static inline void assert_all_put_back(void)
{
	assert_string_equal(get(BASE_SLICE), "3000000\n");
	assert_string_equal(get(GOVERNOR0), "performance\n");
	assert_string_equal(get(GOVERNOR1), "powersave\n");
	assert_string_equal(get(AUTOGROUP), "1\n");
	assert_string_equal(get(SYSCTL "sched_rr_timeslice_ms"), "100\n");
	assert_string_equal(get(VDA "nr_requests"), "256\n");
	assert_string_equal(get("sys/block/sda/queue/nr_requests"), "32\n");
	assert_null(get(STATE));
}
