/* SPDX-License-Identifier: GPL-2.0-only */
/* Applying profiles to a made-up machine, being killed over it, and putting everything back. */
#include "made_up_tree.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>

#include <schedqos/daemon/system_profile.h>

#define AUTOGROUP "sys/kernel/sched_autogroup_enabled"
#define GOVERNOR0 "cpufreq/policy0/scaling_governor"
#define GOVERNOR1 "cpufreq/policy1/scaling_governor"
#define STATE	  "run/knobs.json"

/* ---- what the kernel and the power do ---- */

/* Kills this process, as a power cut would, at the nth thing it does to a file. 0: never. */
static unsigned fuse;

static void burn(void)
{
	if (fuse && --fuse == 0)
		kill(getpid(), SIGKILL);
}

static unsigned n_writes; /* knobs opened to be written */
static const char
	*depth_of_new_queue; /* with another scheduler the kernel sets this; NULL: no such kernel */

/* Instead of the C library's, which they call: knobs are opened by the first, states come into force by the second. */
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
	burn();
	fd = next(folder, path, flags, mode);
	if (fd >= 0 && flags & O_WRONLY && !(flags & O_CREAT)) {
		n_writes++;
		if (depth_of_new_queue && strcmp(path, "scheduler") == 0)
			put("devices/vda/queue/nr_requests", depth_of_new_queue);
	}
	return fd;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	static int (*next)(int from_folder, const char *from, int to_folder, const char *to);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "renameat");
	burn();
	return next(from_folder, from, to_folder, to);
}

/* ---- the machine ---- */

#define VALUES(...) ((const char *const[]){ __VA_ARGS__ })
#define KNOB(t, f, ...)                                                  \
	{                                                                \
		.tree = (t), .file = (f), .values = VALUES(__VA_ARGS__), \
		.n_values = COUNT(VALUES(__VA_ARGS__))                   \
	}
#define BLOCK(d, f, v)                                                                \
	{                                                                             \
		.tree = KNOB_BLOCK, .devices = (d), .file = (f), .values = VALUES(v), \
		.n_values = 1                                                         \
	}

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

static struct system_profile *machine;
static struct profile_result result;

static void start(int want)
{
	struct knobs knobs = open_trees();

	assert_int_equal(system_profile_new_at(&knobs, open_folder("run"), &machine), want);
	assert_non_null(machine);
}

/* What SIGKILL leaves: the files. */
static void end(void)
{
	system_profile_free(machine);
	machine = NULL;
}

static int set_up(void **state)
{
	if (make_trees(state) < 0)
		return -1;
	put("sched/base_slice_ns", "3000000\n");
	put(GOVERNOR0, "performance\n");
	put(GOVERNOR1, "powersave\n");
	put(AUTOGROUP, "1\n");
	put("sys/kernel/sched_rr_timeslice_ms", "100\n");
	put("devices/vda/queue/nr_requests", "256\n");
	put("devices/vda/queue/scheduler", "none\n");
	make_link("../devices/vda", "block/vda");
	put("devices/sda/queue/nr_requests", "32\n");
	make_link("../devices/sda", "block/sda");
	fuse = n_writes = 0;
	depth_of_new_queue = NULL;
	start(0);
	return 0;
}

static int tear_down(void **state)
{
	end();
	return remove_trees(state);
}

static void apply(const struct sched_profile *profile)
{
	assert_int_equal(system_profile_apply(machine, profile, false, &result), 0);
}

static void results_are(size_t set, size_t already, size_t put_back, size_t refused)
{
	assert_int_equal(result.set, set);
	assert_int_equal(result.already, already);
	assert_int_equal(result.put_back, put_back);
	assert_int_equal(result.refused, refused);
}

/* The only refusal. */
static void refusal_is(const char *text)
{
	size_t count;
	const struct refusal *refusals = system_profile_refusals(machine, &count);

	assert_int_equal(count, 1);
	assert_string_equal(refusals[0].text, text);
}

static void all_is_as_before(void)
{
	assert_string_equal(get("sched/base_slice_ns"), "3000000\n");
	assert_string_equal(get(GOVERNOR0), "performance\n");
	assert_string_equal(get(GOVERNOR1), "powersave\n");
	assert_string_equal(get(AUTOGROUP), "1\n");
	assert_string_equal(get("sys/kernel/sched_rr_timeslice_ms"), "100\n");
	assert_string_equal(get("devices/vda/queue/nr_requests"), "256\n");
	assert_string_equal(get("devices/sda/queue/nr_requests"), "32\n");
	assert_null(get(STATE));
}

static void a_profile_is_applied_and_put_back(void **state)
{
	(void)state;
	apply(&fast);
	results_are(5, 0, 0, 0);
	assert_true(result.base_slice);
	assert_string_equal(get("sched/base_slice_ns"), "16000000\n");
	assert_string_equal(get(GOVERNOR0), "schedutil\n");
	assert_string_equal(get(GOVERNOR1), "schedutil\n");
	assert_string_equal(get("sys/kernel/sched_rr_timeslice_ms"), "50\n");
	assert_string_equal(get("devices/vda/queue/nr_requests"), "64\n");
	assert_string_equal(get("devices/sda/queue/nr_requests"), "32\n");
	assert_string_equal(system_profile_name(machine), "fast");
	assert_int_equal(system_profile_count(machine), 5);
	apply(NULL);
	results_are(0, 0, 5, 0);
	assert_true(result.base_slice);
	assert_null(system_profile_name(machine));
	all_is_as_before();
}

static struct timespec written_at(const char *path)
{
	char whole[512];
	struct stat stat_buf;

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	assert_int_equal(stat(whole, &stat_buf), 0);
	return stat_buf.st_mtim;
}

static void what_is_so_already_is_not_written(void **state)
{
	struct timespec before, after;

	(void)state;
	before = written_at(GOVERNOR0);
	apply(&other);
	results_are(2, 1, 0, 0);
	after = written_at(GOVERNOR0);
	assert_memory_equal(&before, &after, sizeof(before));
	before = written_at(GOVERNOR1);
	apply(&other);
	results_are(0, 3, 0, 0);
	assert_false(result.base_slice);
	after = written_at(GOVERNOR1);
	assert_memory_equal(&before, &after, sizeof(before));
	/* It was so before us and is not ours to put back. */
	put(GOVERNOR0, "ondemand\n");
	apply(NULL);
	results_are(0, 0, 2, 0);
	assert_string_equal(get(GOVERNOR0), "ondemand\n");
}

static void another_profile_keeps_what_was_before_the_first(void **state)
{
	(void)state;
	apply(&fast);
	apply(&other);
	/* performance is what policy0 had: it is put back, and wanted. */
	results_are(3, 0, 2, 0);
	assert_string_equal(get("sched/base_slice_ns"), "4000000\n");
	assert_string_equal(get(GOVERNOR1), "performance\n");
	assert_string_equal(get("sys/kernel/sched_rr_timeslice_ms"), "100\n");
	assert_string_equal(get("devices/vda/queue/nr_requests"), "256\n");
	assert_string_equal(system_profile_name(machine), "other");
	apply(NULL);
	all_is_as_before();
}

static void what_others_have_changed_since_is_theirs(void **state)
{
	(void)state;
	apply(&fast);
	put(GOVERNOR0, "ondemand\n");
	put("sched/base_slice_ns", "5000000\n");
	apply(NULL);
	results_are(0, 0, 3, 0);
	assert_string_equal(get(GOVERNOR0), "ondemand\n");
	assert_string_equal(get(GOVERNOR1), "powersave\n");
	assert_string_equal(get("sched/base_slice_ns"), "5000000\n");
	assert_null(get(STATE));
}

static void after_others_a_new_profile_begins_anew(void **state)
{
	(void)state;
	apply(&fast);
	put("sched/base_slice_ns", "5000000\n");
	apply(&other);
	assert_string_equal(get("sched/base_slice_ns"), "4000000\n");
	apply(NULL);
	assert_string_equal(get("sched/base_slice_ns"), "5000000\n");
}

static void a_killed_run_is_taken_over(void **state)
{
	(void)state;
	apply(&fast);
	end();
	start(0);
	assert_string_equal(system_profile_name(machine), "fast");
	assert_int_equal(system_profile_count(machine), 5);
	apply(NULL);
	results_are(0, 0, 5, 0);
	all_is_as_before();
}

static void a_taken_over_profile_is_exchanged(void **state)
{
	(void)state;
	apply(&fast);
	end();
	start(0);
	apply(&other);
	assert_string_equal(get("sys/kernel/sched_rr_timeslice_ms"), "100\n");
	end();
	start(0);
	apply(NULL);
	all_is_as_before();
}

static char *boot_id(void)
{
	static char id[64];
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	assert_non_null(file);
	assert_non_null(fgets(id, sizeof(id), file));
	fclose(file);
	id[strcspn(id, "\n")] = '\0';
	return id;
}

static void put_state(const char *knobs, const char *boot)
{
	char text[2048], path[128];

	snprintf(text, sizeof(text), "{\"version\":1,\"boot_id\":\"%s\",\"knobs\":[%s]}", boot,
		 knobs);
	put(STATE, text);
	snprintf(path, sizeof(path), "%s/" STATE, top);
	assert_int_equal(chmod(path, 0600), 0);
}

static void killed_in_the_midst_of_writing(void **state)
{
	(void)state;
	end();
	/* Recorded and not written; written, and made something else of by the kernel; changed a second time. */
	put_state("{\"tree\":\"cpufreq\",\"path\":\"policy0/scaling_governor\",\"before\":"
		  "\"performance\",\"writing\":true},"
		  "{\"tree\":\"debugfs\",\"path\":\"base_slice_ns\",\"before\":\"3000000\","
		  "\"writing\":true},"
		  "{\"tree\":\"cpufreq\",\"path\":\"policy1/scaling_governor\",\"before\":"
		  "\"powersave\",\"set\":\"schedutil\",\"writing\":true}",
		  boot_id());
	put("sched/base_slice_ns", "2999999\n");
	put(GOVERNOR1, "ondemand\n");
	start(0);
	apply(NULL);
	all_is_as_before();
}

static void a_state_file_of_others_is_refused(void **state)
{
	static const char knob[] = "{\"tree\":\"debugfs\",\"path\":\"base_slice_ns\",\"before\":"
				   "\"1\",\"set\":\"3000000\"}";
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"null",
		"{\"version\":1,\"knobs\":[]}",
		"{\"version\":1,\"boot_id\":1,\"knobs\":[]}",
	};
	static const char *const bad_knobs[] = {
		"1",
		"{}",
		"{\"tree\":\"debugfs\",\"path\":\"\",\"before\":\"1\"}",
		"{\"tree\":\"proc\",\"path\":\"x\",\"before\":\"1\"}",
		"{\"tree\":\"debugfs\",\"path\":\"x\"}",
		"{\"tree\":\"debugfs\",\"path\":\"x\",\"before\":1}",
		"{\"tree\":\"debugfs\",\"path\":7,\"before\":\"1\"}",
	};
	char path[128], link_path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/" STATE, top);
	snprintf(link_path, sizeof(link_path), "%s/run/second", top);
	for (size_t i = 0; i < COUNT(bad); i++) {
		end();
		put(STATE, bad[i]);
		assert_int_equal(chmod(path, 0600), 0);
		start(-EBADMSG);
		assert_int_equal(system_profile_count(machine), 0);
	}
	for (size_t i = 0; i < COUNT(bad_knobs); i++) {
		end();
		put_state(bad_knobs[i], boot_id());
		start(-EBADMSG);
		assert_int_equal(system_profile_count(machine), 0);
	}
	end();
	put_state(knob, boot_id());
	assert_int_equal(chmod(path, 0660), 0);
	start(-EPERM);
	end();
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(link(path, link_path), 0);
	start(-EPERM);
	end();
	assert_int_equal(remove(path), 0);
	make_link("second", STATE);
	start(-EPERM);
	apply(NULL);
	assert_string_equal(get("sched/base_slice_ns"), "3000000\n");
}

static void a_state_file_of_another_boot_has_nothing_to_put_back(void **state)
{
	(void)state;
	end();
	put_state("{\"tree\":\"debugfs\",\"path\":\"base_slice_ns\",\"before\":\"1\",\"set\":"
		  "\"3000000\"}",
		  "another");
	start(0);
	assert_int_equal(system_profile_count(machine), 0);
	apply(NULL);
	all_is_as_before();
}

static void paths_of_a_state_file_stay_in_their_tree(void **state)
{
	(void)state;
	end();
	put("secret", "B\n");
	put_state("{\"tree\":\"debugfs\",\"path\":\"../secret\",\"before\":\"A\",\"set\":\"B\"}",
		  boot_id());
	start(0);
	apply(NULL);
	assert_string_equal(get("secret"), "B\n");
}

static void nothing_is_written_that_cannot_be_recorded(void **state)
{
	struct knobs knobs = open_trees();

	(void)state;
	end();
	assert_int_equal(system_profile_new_at(&knobs, -EROFS, &machine), -EROFS);
	assert_int_equal(system_profile_apply(machine, &fast, true, &result), -EROFS);
	all_is_as_before();
}

/* In a process of its own. Returns whether it lived. */
static bool use_profiles_until(unsigned when)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		fuse = when;
		system_profile_apply(machine, &fast, true, &result);
		system_profile_apply(machine, &other, true, &result);
		system_profile_apply(machine, &deep, true, &result);
		system_profile_apply(machine, NULL, true, &result);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status);
}

static void killed_at_any_moment_everything_is_put_back(void **state)
{
	unsigned when = 1;

	(void)state;
	depth_of_new_queue = "111\n";
	while (!use_profiles_until(when)) {
		end();
		start(0);
		apply(NULL);
		assert_int_equal(result.refused, 0);
		all_is_as_before();
		end();
		start(0);
		when++;
	}
	/* Three profiles, of two to seven knobs each: it has indeed been killed in many places. */
	assert_true(when > 60);
	assert_string_equal(get(AUTOGROUP), "0\n");
}

static void missing_knobs_are_refused_and_the_rest_goes_on(void **state)
{
	(void)state;
	take_away("sched/base_slice_ns");
	apply(&fast);
	results_are(4, 0, 0, 1);
	assert_false(result.base_slice);
	refusal_is("/sys/kernel/debug/sched/base_slice_ns: No such file or directory (this kernel "
		   "has no such knob there)");
	assert_string_equal(get(GOVERNOR1), "schedutil\n");
}

static void a_refusal_is_new_once(void **state)
{
	const struct refusal *refusals;
	size_t count;

	(void)state;
	take_away("sched/base_slice_ns");
	apply(&fast);
	refusals = system_profile_refusals(machine, &count);
	assert_true(count == 1 && refusals[0].is_new);
	apply(&fast);
	refusals = system_profile_refusals(machine, &count);
	assert_true(count == 1 && !refusals[0].is_new);
	apply(NULL);
	system_profile_refusals(machine, &count);
	assert_int_equal(count, 0);
}

static void refusals_of_one_reason_are_one_line(void **state)
{
	struct knob many[] = { KNOB(KNOB_CPUFREQ, "boost", "1") };
	const struct sched_profile profile = { "many", many, 1, { 0 } };

	(void)state;
	make_folder("cpufreq/policy2");
	make_folder("cpufreq/policy3");
	make_folder("cpufreq/policy4");
	make_folder("cpufreq/policy5");
	apply(&profile);
	results_are(0, 0, 0, 6);
	refusal_is("/sys/devices/system/cpu/cpufreq: policy0/boost, policy1/boost, policy2/boost, "
		   "policy3/boost and 2 more: No such file or directory (this machine has no "
		   "frequency scaling)");
}

static void a_tree_that_cannot_be_had_is_one_refusal(void **state)
{
	struct knobs knobs = open_trees();

	(void)state;
	end();
	close(knobs.tree[KNOBS_CPUFREQ]);
	knobs.tree[KNOBS_CPUFREQ] = -ENOENT;
	assert_int_equal(system_profile_new_at(&knobs, open_folder("run"), &machine), 0);
	apply(&fast);
	results_are(3, 0, 0, 1);
	refusal_is("/sys/devices/system/cpu/cpufreq/scaling_governor: No such file or directory "
		   "(this machine has no frequency scaling)");
}

static void a_glob_may_match_nothing_and_a_name_may_not(void **state)
{
	struct knob knobs[] = { BLOCK("nvme*", "scheduler", "none"),
				BLOCK("nvme0n1", "scheduler", "none") };
	const struct sched_profile profile = { "nvme", knobs, 2, { 0 } };

	(void)state;
	apply(&profile);
	results_are(0, 0, 0, 1);
	refusal_is("/sys/block/nvme0n1/queue/scheduler: No such file or directory");
}

static void the_later_of_two_wishes_counts(void **state)
{
	struct knob knobs[] = { BLOCK("*", "nr_requests", "10"),
				BLOCK("vda", "nr_requests", "20") };
	const struct sched_profile profile = { "two", knobs, 2, { 0 } };

	(void)state;
	apply(&profile);
	results_are(2, 0, 0, 0);
	assert_string_equal(get("devices/sda/queue/nr_requests"), "10\n");
	assert_string_equal(get("devices/vda/queue/nr_requests"), "20\n");
	apply(NULL);
	all_is_as_before();
}

static void autogroup_is_one_more_knob(void **state)
{
	struct knob knobs[] = { KNOB(KNOB_SYSCTL, "kernel/sched_autogroup_enabled", "1") };
	const struct sched_profile wants_it = { "wants", knobs, 1, { 0 } };
	size_t count;

	(void)state;
	assert_int_equal(system_profile_apply(machine, NULL, true, &result), 0);
	results_are(1, 0, 0, 0);
	assert_string_equal(get(AUTOGROUP), "0\n");
	/* A profile that names it decides. */
	assert_int_equal(system_profile_apply(machine, &wants_it, true, &result), 0);
	assert_string_equal(get(AUTOGROUP), "1\n");
	assert_int_equal(system_profile_apply(machine, NULL, true, &result), 0);
	apply(NULL);
	all_is_as_before();
	/* A kernel without it: no fault, but where a profile wants it. */
	take_away(AUTOGROUP);
	assert_int_equal(system_profile_apply(machine, &wants_it, true, &result), 0);
	results_are(0, 0, 0, 1);
	assert_int_equal(system_profile_apply(machine, NULL, true, &result), 0);
	results_are(0, 0, 0, 0);
	system_profile_refusals(machine, &count);
	assert_int_equal(count, 0);
}

static void a_device_that_is_gone_is_forgotten(void **state)
{
	size_t count;

	(void)state;
	apply(&fast);
	take_away("block/vda");
	apply(NULL);
	results_are(0, 0, 4, 0);
	system_profile_refusals(machine, &count);
	assert_int_equal(count, 0);
	assert_null(get(STATE));
}

static void what_a_scheduler_loses_is_put_back(void **state)
{
	struct knob knobs[] = { BLOCK("vda", "scheduler", "bfq") };
	const struct sched_profile profile = { "bfq", knobs, 1, { 0 } };

	(void)state;
	put("devices/vda/queue/iosched/read_expire", "77\n");
	put("devices/vda/queue/wbt_lat_usec", "75000\n");
	put("devices/vda/queue/nr_requests", "100\n");
	apply(&profile);
	results_are(1, 0, 0, 0);
	assert_int_equal(system_profile_count(machine), 4);
	/* What was not there cannot be lost, and does not spoil the record. */
	apply(NULL);
	take_away("devices/vda/queue/wbt_lat_usec");
	apply(&profile);
	end();
	start(0);
	assert_int_equal(system_profile_count(machine), 3);
	put("devices/vda/queue/wbt_lat_usec", "75000\n");
	/* As if the kernel had done it in answer to our write, when we were killed over it. */
	end();
	put_state("{\"tree\":\"block\",\"path\":\"vda/"
		  "scheduler\",\"before\":\"none\",\"set\":\"bfq\"},"
		  "{\"tree\":\"block\",\"path\":\"vda/nr_requests\",\"cause\":\"vda/scheduler\","
		  "\"before\":\"100\",\"set\":\"64\"},"
		  "{\"tree\":\"block\",\"path\":\"vda/wbt_lat_usec\",\"cause\":\"vda/scheduler\","
		  "\"before\":\"75000\",\"writing\":true},"
		  "{\"tree\":\"block\",\"path\":\"vda/iosched/read_expire\",\"cause\":"
		  "\"vda/scheduler\",\"before\":\"77\"}",
		  boot_id());
	put("devices/vda/queue/nr_requests", "64\n");
	put("devices/vda/queue/wbt_lat_usec", "0\n");
	take_away("devices/vda/queue/iosched/read_expire");
	start(0);
	apply(NULL);
	results_are(0, 0, 3, 0);
	assert_string_equal(get("devices/vda/queue/scheduler"), "none\n");
	assert_string_equal(get("devices/vda/queue/nr_requests"), "100\n");
	assert_string_equal(get("devices/vda/queue/wbt_lat_usec"), "75000\n");
	assert_null(get(STATE));
}

static void a_queues_depth_is_set_after_its_scheduler(void **state)
{
	(void)state;
	depth_of_new_queue = "111\n";
	apply(&deep);
	results_are(2, 0, 0, 0);
	assert_string_equal(get("devices/vda/queue/nr_requests"), "64\n");
	end();
	start(0);
	apply(NULL);
	results_are(0, 0, 2, 0);
	all_is_as_before();
}

static void a_queues_depth_is_kept_though_nobody_asked(void **state)
{
	struct knob knobs[] = { BLOCK("vda", "scheduler", "bfq") };
	const struct sched_profile profile = { "bfq", knobs, 1, { 0 } };

	(void)state;
	depth_of_new_queue = "111\n";
	apply(&profile);
	assert_string_equal(get("devices/vda/queue/nr_requests"), "111\n");
	/* Also by way of a third scheduler. */
	knobs[0].values = VALUES("kyber");
	depth_of_new_queue = "112\n";
	apply(&profile);
	assert_string_equal(get("devices/vda/queue/nr_requests"), "112\n");
	n_writes = 0;
	/* What comes back by itself is not written. */
	depth_of_new_queue = "256\n";
	apply(NULL);
	assert_int_equal(n_writes, 1);
	all_is_as_before();
}

static void a_depth_that_was_right_survives_its_scheduler(void **state)
{
	(void)state;
	put("devices/vda/queue/nr_requests", "64\n");
	depth_of_new_queue = "111\n";
	apply(&deep);
	assert_string_equal(get("devices/vda/queue/nr_requests"), "64\n");
	/* Another scheduler, the same depth. */
	deep_knobs[1].values = VALUES("kyber");
	apply(&deep);
	deep_knobs[1].values = VALUES("bfq");
	assert_string_equal(get("devices/vda/queue/scheduler"), "kyber\n");
	assert_string_equal(get("devices/vda/queue/nr_requests"), "64\n");
	end();
	start(0);
	apply(NULL);
	results_are(0, 0, 2, 0);
	assert_string_equal(get("devices/vda/queue/nr_requests"), "64\n");
	assert_null(get(STATE));
}

static void each_feature_is_a_knob(void **state)
{
	struct knob knobs[] = { KNOB(KNOB_DEBUGFS, "features", "NO_HRTICK", "WA_X") };
	const struct sched_profile profile = { "features", knobs, 1, { 0 } };

	(void)state;
	put("sched/features", "HRTICK WA_X\n");
	apply(&profile);
	/* Unlike the kernel's, this file holds just what was written last. */
	results_are(1, 1, 0, 0);
	assert_string_equal(get("sched/features"), "NO_HRTICK\n");
	assert_int_equal(system_profile_count(machine), 1);
	apply(NULL);
	assert_string_equal(get("sched/features"), "HRTICK\n");
}

static void what_others_do_to_a_scheduler_is_theirs_with_all_it_loses(void **state)
{
	struct knob knobs[] = { BLOCK("vda", "scheduler", "bfq") };
	const struct sched_profile profile = { "bfq", knobs, 1, { 0 } };

	(void)state;
	apply(&profile);
	put("devices/vda/queue/scheduler", "kyber\n");
	apply(NULL);
	results_are(0, 0, 0, 0);
	assert_string_equal(get("devices/vda/queue/scheduler"), "kyber\n");
	assert_null(get(STATE));
}

static void lists_are_written_in_order(void **state)
{
	struct knob knobs[] = { KNOB(KNOB_DEBUGFS, "base_slice_ns", "1", "2", "5") };
	const struct sched_profile profile = { "list", knobs, 1, { 0 } };

	(void)state;
	apply(&profile);
	results_are(1, 0, 0, 0);
	assert_string_equal(get("sched/base_slice_ns"), "5\n");
	apply(NULL);
	all_is_as_before();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_profile_is_applied_and_put_back),
		TEST(what_is_so_already_is_not_written),
		TEST(another_profile_keeps_what_was_before_the_first),
		TEST(what_others_have_changed_since_is_theirs),
		TEST(after_others_a_new_profile_begins_anew),
		TEST(a_killed_run_is_taken_over),
		TEST(a_taken_over_profile_is_exchanged),
		TEST(killed_in_the_midst_of_writing),
		TEST(a_state_file_of_others_is_refused),
		TEST(a_state_file_of_another_boot_has_nothing_to_put_back),
		TEST(paths_of_a_state_file_stay_in_their_tree),
		TEST(nothing_is_written_that_cannot_be_recorded),
		TEST(killed_at_any_moment_everything_is_put_back),
		TEST(missing_knobs_are_refused_and_the_rest_goes_on),
		TEST(a_refusal_is_new_once),
		TEST(refusals_of_one_reason_are_one_line),
		TEST(a_tree_that_cannot_be_had_is_one_refusal),
		TEST(a_glob_may_match_nothing_and_a_name_may_not),
		TEST(the_later_of_two_wishes_counts),
		TEST(autogroup_is_one_more_knob),
		TEST(a_device_that_is_gone_is_forgotten),
		TEST(what_a_scheduler_loses_is_put_back),
		TEST(a_queues_depth_is_set_after_its_scheduler),
		TEST(a_queues_depth_is_kept_though_nobody_asked),
		TEST(a_depth_that_was_right_survives_its_scheduler),
		TEST(each_feature_is_a_knob),
		TEST(what_others_do_to_a_scheduler_is_theirs_with_all_it_loses),
		TEST(lists_are_written_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
