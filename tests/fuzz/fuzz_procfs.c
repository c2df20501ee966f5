/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as files of /proc and /sys: through the readers, from a folder that has them as
 * /proc/7, and through the parsers of the machine's files. What is read lies within its buffer,
 * numbers are within their bounds; the names that a task chose match a rule or none, and are safe to print once
 * escaped.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>
#include <schedqos/kernel/knobs.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/policy/rules.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "fuzz.h"

#define TASK 7

/* As small as the readers allow, so that the end of a buffer is reached. */
#define SMALL 96

static const char rules[] =
	"{ \"a*\": { \"qos\": \"QOS_UTILITY\", \"thread_qos\": { \"?b*\": \"QOS_BACKGROUND\" } },"
	"  \"*/x[0-9]\": { \"qos\": \"QOS_BACKGROUND\" },"
	"  \"c\": [ { \"match\": { \"argv\": [\"*y*z*\"] }, \"qos\": \"QOS_UTILITY\" },"
	"           { \"match\": { \"cgroup\": \"/u*.slice\", \"exe\": \"*q*\" }, \"qos\": "
	"\"QOS_UTILITY\" } ] }";

static const char *const names[] = { "7/stat", "7/status", "7/cgroup", "7/cmdline", "7/comm" };

static int proc = -1;

static const struct config *parse_rules(void)
{
	static struct config *config;
	const struct config_file file = { .path = "rules.json",
					  .text = rules,
					  .size = strlen(rules) };
	struct config_errors errors = { 0 };

	if (!config)
		check(config_parse(&file, 1, NULL, NULL, &config, &errors) == 0);
	return config;
}

/* A /proc of one task in memory, gone with the fuzzer. */
static void make_proc(void)
{
	char folder[64];

	make_folder(folder);
	proc = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	check(proc >= 0 && mkdirat(proc, "7", 0700) == 0);
}

static void remove_proc(void)
{
	char link[32], folder[64] = "";

	for (size_t i = 0; i < array_size(names); i++)
		unlinkat(proc, names[i], 0);
	unlinkat(proc, "7", AT_REMOVEDIR);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", proc);
	if (readlink(link, folder, sizeof(folder) - 1) > 0)
		rmdir(folder);
}

static void put(const char *name, const uint8_t *bytes, size_t size)
{
	int fd = openat(proc, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	check(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

static void check_escaped(const char *text, size_t len)
{
	char cut[8], *whole = text_escape(text, len);

	check(whole);
	check_printable(whole);
	check_printable(text_escape_to(cut, sizeof(cut), text, len));
	check(strncmp(cut, whole, strlen(cut)) == 0);
	free(whole);
}

static void read_stat(void)
{
	struct procfs_stat stat;
	int r = procfs_stat(proc, TASK, &stat);

	check(r == 0 || r == -EBADMSG);
	if (r < 0)
		return;
	check(stat.ppid >= 0 && stat.state);
	check(memchr(stat.comm, '\0', sizeof(stat.comm)));
	check_escaped(stat.comm, strlen(stat.comm));
}

static void read_cgroup(size_t room)
{
	char *buf = malloc(room);
	ssize_t n = procfs_cgroup(proc, TASK, buf, room);

	check(n >= 0 && (size_t)n < room && buf[n] == '\0');
	check_escaped(buf, n);
	free(buf);
}

static void read_argv(size_t room)
{
	char *buf = malloc(room);
	ssize_t n = procfs_argv(proc, TASK, buf, room);

	check(n >= 0 && (size_t)n <= room);
	check(n == 0 || buf[n - 1] == '\0');
	check_escaped(buf, n);
	free(buf);
}

static void read_comm(void)
{
	char *comm = malloc(TASK_COMM_LEN);

	check(procfs_comm(proc, TASK, comm) == 0);
	check(memchr(comm, '\0', TASK_COMM_LEN));
	check_escaped(comm, strlen(comm));
	free(comm);
}

/* One file, as whatever it may be, in a buffer that is large enough and in one that is not. */
static void read_file(struct input *input)
{
	uint8_t which = take_byte(input) % array_size(names);
	struct procfs_status status;
	int r;

	put(names[which], input->at, input->left);
	switch (which) {
	case 0:
		read_stat();
		break;
	case 1:
		r = procfs_status(proc, TASK, &status);
		check(r == 0 || r == -EBADMSG);
		break;
	case 2:
		read_cgroup(PATH_MAX);
		read_cgroup(SMALL);
		break;
	case 3:
		read_argv(PATH_MAX);
		read_argv(SMALL);
		break;
	case 4:
		read_comm();
		break;
	}
}

/* It is a part of an argument, and no path. */
static void find_script(const struct facts *facts)
{
	const char *script = interpreter_script(facts);

	check(!script || (script > facts->argv && script < facts->argv + facts->argv_size));
	check(!script || (*script && path_base(script) == script));
}

static void match(struct input *input)
{
	const struct config *config = parse_rules();
	struct facts facts = {
		.have = FACT_EXE | FACT_ARGV | FACT_CGROUP | FACT_COMM | FACT_USERNS | FACT_SEAT,
		.initial_userns = true,
	};
	char *comm = take_text(input, TASK_COMM_LEN - 1), *exe = take_text(input, 64);
	char *cgroup = take_text(input, 64), *argv;
	const struct rule *rule;
	size_t size;
	int r;

	/* With a NUL at the end, or empty, as it is read. */
	argv = (char *)take_bytes(input, 256, &size);
	if (size)
		argv[size - 1] = '\0';
	strcpy(facts.comm, comm);
	facts.exe = exe;
	facts.cgroup = cgroup;
	facts.argv = size ? argv : "";
	facts.argv_size = size;
	find_script(&facts);
	rule = rules_match(config->rules, &facts, &r);
	check(r == 0 && (!rule || rules_by_id(config->rules, rule->id) == rule));
	if (rule)
		rule_thread(rule, comm);
	free(comm);
	free(exe);
	free(cgroup);
	free(argv);
}

static void parse_machine(struct input *input, uint8_t which)
{
	static const char *const paths[] = { "vda/scheduler", "preempt", "features", "x" };
	struct cgroup_mount mounts[3];
	char *word = which & 8 ? take_text(input, 16) : NULL;
	char *text = take_text(input, SIZE_MAX);
	size_t len = strlen(text);
	char path[64];

	snprintf(path, sizeof(path), "%s%s%s", paths[which >> 4 & 3], word ? " " : "", word ? word : "");
	if (which & 7) {
		check(knobs_parse(which % KNOB_TREES, path, text) < 0 || strlen(text) <= len);
	} else {
		len = host_parse_cgroups(text, mounts, 3);
		check(len <= 3);
		for (size_t i = 0; i < len; i++)
			check((mounts[i].version == 1 || mounts[i].version == 2) && *mounts[i].path);
	}
	free(word);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = { bytes, size };
	uint8_t what = take_byte(&input);

	if (proc < 0) {
		make_proc();
		atexit(remove_proc);
	}
	if (what < 0x80)
		read_file(&input);
	else if (what < 0xc0)
		match(&input);
	else
		parse_machine(&input, what & 0x3f);
	return 0;
}
