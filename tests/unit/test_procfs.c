/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how files of /proc are parsed, also hostile ones, and how they are read, from a made-up folder. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>

/* ---- stat ---- */

#define FIELDS                                                                        \
	"S 17 100 100 0 -1 4194560 5 6 7 8 9 10 11 12 20 -4 1 0 987654 1000000 4321 " \
	"184467440737095516"

/* The task chooses its name; that of a kernel worker may be long. */
TEST(a_stat_line_is_parsed_whatever_the_name_is)
{
	static const char *const names[] = { "vi", ") (", "x) S 1 1 1", "(((", ")))", "a\nb", "", "1 (x) R 2 ",
					     "a-kernel-worker-with-a-name-that-is-longer-than-there-is-room-for" };
	struct procfs_stat stat;
	char line[512];

	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(line, sizeof(line), "42 (%s) " FIELDS " 1 2\n", names[i]);
		assert_int_equal(procfs_parse_stat(line, &stat), 0);
		assert_int_equal(strncmp(stat.comm, names[i], sizeof(stat.comm) - 1), 0);
		assert_true(strlen(stat.comm) < sizeof(stat.comm));
		assert_int_equal(stat.state, 'S');
		assert_int_equal(stat.ppid, 17);
		assert_int_equal(stat.flags, 4194560);
		assert_int_equal(stat.start, 987654);
		assert_int_equal(stat.rss_pages, 4321);
	}
}

TEST(a_stat_line_that_is_cut_is_malformed)
{
	const char *line = "42 (v i) " FIELDS;
	/* The text ends with the last field that is used. */
	size_t enough = (size_t)(strstr(line, " 4321") - line) + 2;
	struct procfs_stat stat;

	for (size_t length = 0; length < enough; length++) {
		char *text = strndup(line, length);

		assert_int_equal(procfs_parse_stat(text, &stat), -EBADMSG);
		free(text);
	}
}

TEST(other_text_is_no_stat_line)
{
	static const char *const lines[] = {
		"42 vi S 17",
		"42 )vi( " FIELDS,
		"42 (vi)S 17 1",
		"42 (vi) S x 100 100 0 -1 4194560 5 6 7 8 9 10 11 12 20 -4 1 0 987654 1 4321",
		"42 (vi) S -1 100 100 0 -1 4194560 5 6 7 8 9 10 11 12 20 -4 1 0 987654 1 4321",
		"42 (vi) S 4294967296 1 1 0 -1 4194560 5 6 7 8 9 10 11 12 20 -4 1 0 987654 1 4321",
		"42 (vi) S 17,100 100 0 -1 4194560 5 6 7 8 9 10 11 12 20 -4 1 0 987654 1 4321",
	};
	struct procfs_stat stat;

	for (size_t i = 0; i < COUNT(lines); i++)
		assert_int_equal(procfs_parse_stat(lines[i], &stat), -EBADMSG);
}

/* ---- status ---- */

#define NOBODY ((uid_t)-1)

TEST(users_and_capabilities_of_a_task_are_parsed)
{
	static const struct {
		const char *text;
		int r;
		struct procfs_status want;
	} cases[] = {
		{ "Name:\tvi\nUid:\t7\t7\t7\t7\nGroups:\t1 2\nCapPrm:\t0000000000000000\n", 0, { 7, 7, 7, false } },
		/* The file system uid does not matter. */
		{ "Name:\tvi\nUid:\t7\t7\t7\t0\nCapPrm:\t0000000000000000\n", 0, { 7, 7, 7, false } },
		{ "Name:\tsu\nUid:\t7\t0\t0\t0\nCapPrm:\t000001ffffffffff\n", 0, { 7, 0, NOBODY, false } },
		{ "Name:\tx\nUid:\t8\t7\t7\t7\nCapPrm:\t0000000000000000\n", 0, { 8, 7, NOBODY, false } },
		{ "Name:\tx\nUid:\t7\t7\t8\t7\nCapPrm:\t0000000000000000\n", 0, { 7, 7, NOBODY, false } },
		{ "Name:\tping\nUid:\t7\t7\t7\t7\nCapPrm:\t0000000000002000\n", 0, { 7, 7, NOBODY, false } },
		{ "Name:\tx\nUid:\t0\t0\t0\t0\nCapPrm:\t000001ffffffffff\n", 0, { 0, 0, NOBODY, true } },
		{ "Name:\trtkit-daemon\nUid:\t7\t7\t7\t7\nCapPrm:\t0000000000800000\n", 0, { 7, 7, NOBODY, true } },
		/* All capabilities but this one. */
		{ "Name:\tvi\nUid:\t0\t0\t0\t0\nCapPrm:\t000001ffff7fffff\n", 0, { 0, 0, NOBODY, false } },
		/* A name may look like a line, but the kernel escapes a newline in it. */
		{ "Name:\tUid:\t0\t0\nState:\tS\nUid:\t5\t6\t7\t8\n", 0, { 5, 6, NOBODY, false } },
		{ "Name:\t\\nUid:\t0\t0\nUid:\t5\t6\t7\t8\n", 0, { 5, 6, NOBODY, false } },
		{ "Name:\t\\nCapPrm:\t0\nUid:\t7\t7\t7\t7\nCapPrm:\t8000000000000000\n", 0, { 7, 7, NOBODY, false } },
		/* Cut off. */
		{ "Name:\tvi\nUid:\t7\t7\t7\t7\nGroups:\t1 2", 0, { 7, 7, NOBODY, false } },
		{ "", -EBADMSG, { 0 } },
		{ "Uid:\t1\t2\t3\n", -EBADMSG, { 0 } },
		{ "Name:\tvi\nCapPrm:\t0000000000000000\n", -EBADMSG, { 0 } },
		{ "Name:\tvi\nUid:", -EBADMSG, { 0 } },
		{ "Name:\tvi\nUid:\t1\t2\n", -EBADMSG, { 0 } },
		{ "Name:\tvi\nUid:\tx\ty\tz\n", -EBADMSG, { 0 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct procfs_status status = { 0 };

		assert_int_equal(procfs_parse_status(cases[i].text, &status), cases[i].r);
		assert_int_equal(status.real, cases[i].want.real);
		assert_int_equal(status.effective, cases[i].want.effective);
		assert_int_equal(status.owner, cases[i].want.owner);
		assert_int_equal(status.may_nice, cases[i].want.may_nice);
	}
}

/* ---- the readers, on a made-up folder ---- */

#define PID 42

static int proc_on(void **state)
{
	static char folder[] = "/tmp/schedqos-test-XXXXXX";

	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	*state = folder;
	return chdir(folder) < 0 || mkdir("42", 0700) < 0 || mkdir("42/task", 0700) < 0 ? -1 : 0;
}

static int proc_off(void **state)
{
	static const char *const names[] = {
		"42/exe",     "42/cmdline",   "42/comm",      "42/stat",
		"42/cgroup",  "42/status",    "42/ns/user",   "42/ns",
		"42/task/42", "42/task/43",   "42/task/self", "42/task",
		"42",	      "self/ns/user", "self/ns",      "self",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove(names[i]);
	return chdir("/") < 0 || rmdir(*state) < 0 ? -1 : 0;
}

static int open_proc(void)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void put(const char *name, const char *text, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), size);
	close(fd);
}

#define TEST_PROCFS_TEST(name) TEST_IN(name, proc_on, proc_off)

TEST_PROCFS_TEST(reading_about_a_task_that_is_gone_returns_esrch)
{
	int proc = open_proc();
	struct procfs_stat stat;
	struct procfs_status status;
	char buf[64], comm[16];
	DIR *list;

	assert_int_equal(procfs_read(proc, 7, "stat", buf, sizeof(buf)), -ESRCH);
	assert_int_equal(procfs_argv(proc, 7, buf, sizeof(buf)), -ESRCH);
	assert_int_equal(procfs_comm(proc, 7, comm), -ESRCH);
	assert_int_equal(procfs_stat(proc, 7, &stat), -ESRCH);
	assert_int_equal(procfs_cgroup(proc, 7, buf, sizeof(buf), NULL), -ESRCH);
	assert_int_equal(procfs_status(proc, 7, &status, NULL), -ESRCH);
	assert_int_equal(procfs_list(proc, 7, &list), -ESRCH);
	assert_int_equal(procfs_threads(proc, 7), -ESRCH);
	assert_int_equal(procfs_exe(proc, 7, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
	close(proc);
}

TEST_PROCFS_TEST(an_executable_that_was_deleted_keeps_its_path)
{
	int proc = open_proc();
	char buf[64], tiny[8];

	assert_int_equal(symlink("/usr/bin/vi (deleted)", "42/exe"), 0);
	assert_int_equal(procfs_exe(proc, PID, buf, sizeof(buf)), 11);
	assert_string_equal(buf, "/usr/bin/vi");
	assert_int_equal(procfs_exe(proc, PID, tiny, sizeof(tiny)), 7);
	assert_string_equal(tiny, "/usr/bi");
	unlink("42/exe");
	assert_int_equal(symlink("/opt/(deleted)", "42/exe"), 0);
	assert_int_equal(procfs_exe(proc, PID, buf, sizeof(buf)), 14);
	assert_string_equal(buf, "/opt/(deleted)");
	close(proc);
}

TEST_PROCFS_TEST(arguments_end_with_a_nul)
{
	int proc = open_proc();
	char buf[64], tiny[5];

	put("42/cmdline", "vi\0a b", 7);
	assert_int_equal(procfs_argv(proc, PID, buf, sizeof(buf)), 7);
	assert_memory_equal(buf, "vi\0a b", 7);
	/* A task may overwrite its own arguments. */
	put("42/cmdline", "vi a b", 6);
	assert_int_equal(procfs_argv(proc, PID, buf, sizeof(buf)), 7);
	assert_memory_equal(buf, "vi a b", 7);
	assert_int_equal(procfs_argv(proc, PID, tiny, sizeof(tiny)), 5);
	assert_memory_equal(tiny, "vi a", 5);
	put("42/cmdline", "", 0);
	assert_int_equal(procfs_argv(proc, PID, buf, sizeof(buf)), 0);
	close(proc);
}

TEST_PROCFS_TEST(a_long_file_is_read_completely)
{
	int proc = open_proc();
	static char text[10000], buf[sizeof(text) + 1];

	memset(text, 'a', sizeof(text));
	put("42/cmdline", text, sizeof(text));
	assert_int_equal(procfs_read(proc, PID, "cmdline", buf, sizeof(buf)), sizeof(text));
	assert_int_equal(procfs_read(proc, PID, "cmdline", buf, 2000), 1999);
	assert_int_equal(strlen(buf), 1999);
	close(proc);
}

TEST_PROCFS_TEST(comm_has_no_newline_and_at_most_15_bytes)
{
	int proc = open_proc();
	char comm[16];

	put("42/comm", "a\nb\n", 4);
	assert_int_equal(procfs_comm(proc, PID, comm), 0);
	assert_string_equal(comm, "a\nb");
	put("42/comm", "\n", 1);
	assert_int_equal(procfs_comm(proc, PID, comm), 0);
	assert_string_equal(comm, "");
	put("42/comm", "kworker/u8:1-events_unbound\n", 28);
	assert_int_equal(procfs_comm(proc, PID, comm), 0);
	assert_string_equal(comm, "kworker/u8:1-ev");
	close(proc);
}

/* The path in the unified hierarchy counts; if that is the root, the path in systemd's. */
TEST_PROCFS_TEST(a_cgroup_is_found_among_all_hierarchies)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "0::/user.slice/a.scope\n", "/user.slice/a.scope" },
		{ "0::/", "/" },
		{ "4:cpu,cpuacct:/c\n1:name=systemd:/s\n0::/u\n", "/u" },
		{ "4:cpu:/c\n1:name=systemd:/s/t\n0::/\n", "/s/t" },
		{ "0::/\n1:name=systemd:/s/t\n4:cpu:/c\n", "/s/t" },
		{ "4:cpu:/c\n1:name=systemd:/s\n", "/s" },
		{ "1:name=systemd:/\n0::/\n", "/" },
		/* The name of a cgroup may look like another line. */
		{ "0::/a:name=systemd:/b\n", "/a:name=systemd:/b" },
		{ "0::/a b:c\\n\n", "/a b:c\\n" },
		{ "5:cpu:/x:name=systemd:/evil\n1:name=systemd:/good\n0::/\n", "/good" },
		{ "5:cpu:/x:name=systemd:/evil\n0::/\n", "/" },
		{ "5:cpu:/x,name=systemd:/evil\n1:name=systemd:/good\n0::/\n", "/good" },
		/* A kernel without cgroups. */
		{ "", "" },
		{ "\n\n", "" },
		{ "4:cpu:/c\n", "" },
		{ "0:", "" },
	};
	int proc = open_proc();
	char buf[64];

	for (size_t i = 0; i < COUNT(cases); i++) {
		put("42/cgroup", cases[i].text, strlen(cases[i].text));
		assert_int_equal(procfs_cgroup(proc, PID, buf, sizeof(buf), NULL), strlen(cases[i].want));
		assert_string_equal(buf, cases[i].want);
	}
	close(proc);
}

/* A part of a path could be taken for another cgroup. */
TEST_PROCFS_TEST(a_cgroup_with_a_path_that_is_cut_is_unknown)
{
	const char text[] = "1:name=systemd:/\n0::/a/b/c\n";
	int proc = open_proc();
	char buf[sizeof(text)];
	size_t n_read;

	put("42/cgroup", text, strlen(text));
	assert_int_equal(procfs_cgroup(proc, PID, buf, sizeof(buf), &n_read), strlen("/a/b/c"));
	assert_int_equal(n_read, sizeof(buf) - 1);
	assert_int_equal(procfs_cgroup(proc, PID, buf, sizeof(buf) - 1, NULL), -ENAMETOOLONG);
	assert_int_equal(procfs_cgroup(proc, PID, buf, sizeof(buf) - 4, NULL), -ENAMETOOLONG);
	/* Also where the line that counts is cut off as a whole. */
	assert_int_equal(procfs_cgroup(proc, PID, buf, 16, NULL), -ENAMETOOLONG);
	close(proc);
}

/* Two names of one file stand for the same namespace. */
TEST_PROCFS_TEST(user_namespaces_are_told_apart_by_their_inodes)
{
	int proc = open_proc();
	bool own;

	assert_int_equal(procfs_own_userns(proc, PID, &own), 0);
	assert_true(own); /* the kernel has no user namespaces */
	assert_int_equal(mkdir("self", 0700), 0);
	assert_int_equal(mkdir("self/ns", 0700), 0);
	assert_int_equal(mkdir("42/ns", 0700), 0);
	put("self/ns/user", "", 0);
	assert_int_equal(procfs_own_userns(proc, PID, &own), -ESRCH);
	assert_int_equal(link("self/ns/user", "42/ns/user"), 0);
	assert_int_equal(procfs_own_userns(proc, PID, &own), 0);
	assert_true(own);
	unlink("42/ns/user");
	put("42/ns/user", "", 0);
	assert_int_equal(procfs_own_userns(proc, PID, &own), 0);
	assert_false(own);
	close(proc);
}

TEST_PROCFS_TEST(a_list_returns_only_names_that_are_numbers)
{
	int proc = open_proc(), sum = 0;
	DIR *list;
	pid_t id;

	assert_int_equal(mkdir("42/task/42", 0700), 0);
	assert_int_equal(mkdir("42/task/43", 0700), 0);
	assert_int_equal(procfs_threads(proc, PID), 2);
	assert_int_equal(mkdir("42/task/self", 0700), 0);
	assert_int_equal(procfs_list(proc, PID, &list), 0);
	while ((id = procfs_next(list)))
		sum += id;
	assert_int_equal(sum, 85);
	cleanup_closedir(&list);
	assert_int_equal(procfs_list(proc, 0, &list), 0);
	assert_int_equal(procfs_next(list), PID);
	assert_int_equal(procfs_next(list), 0);
	cleanup_closedir(&list);
	close(proc);
}
