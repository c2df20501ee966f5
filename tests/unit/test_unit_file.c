/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "../../src/bridge/classes.h"

TEST(the_last_class_in_the_section_counts)
{
	static const struct {
		const char *text;
		unsigned line; /* 0: the text names no class */
		const char *qos;
	} cases[] = {
		{ "", 0, "" },
		{ "[Service]\nClass=QOS_A\n", 0, "" },
		{ "Class=QOS_A\n", 0, "" },
		{ "[X-SchedQoS]\nClass=QOS_A\n", 2, "QOS_A" },
		{ "[X-SchedQoS]\nClass=QOS_A", 2, "QOS_A" },
		{ " [X-SchedQoS] \r\n\t Class =  QOS_A \r\n", 2, "QOS_A" },
		{ "[X-SchedQoS]\nClasses=QOS_A\nclass=QOS_A\nClass\n", 0, "" },
		{ "[X-SchedQoS]\n#Class=QOS_A\n  ; Class=QOS_A\n", 0, "" },
		{ "[X-SchedQoS]\nClass=QOS_A\nClass=QOS_B\n", 3, "QOS_B" },
		{ "[X-SchedQoS]\nClass=QOS_A\n[Unit]\nClass=QOS_B\n[X-SchedQoS]\nClass=\n", 6, "" },
		{ "[X-SchedQoS]\nClass=QOS_A\n[X-SchedQoS2]\nClass=QOS_B\n", 2, "QOS_A" },
		{ "[X-SchedQoS]\nX=\\\n# between\nClass=QOS_A\n", 0, "" },
		{ "[Unit]\nDescription=a \\\n[X-SchedQoS] \\\nb\nClass=QOS_A\n", 0, "" },
		{ "[Unit]\nDescription=a\\\\\n[X-SchedQoS]\nClass=QOS_A\n", 4, "QOS_A" },
		{ "[X-SchedQoS]\nClass=\033[2J\n", 2, "\\x1b[2J" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unit_said said;
		char *text = strdup(cases[i].text);

		unit_file_parse(text, &said);
		free(text);
		if (said.line != cases[i].line || strcmp(said.qos, cases[i].qos) != 0)
			fail_msg("%zu: %u \"%s\"", i, said.line, said.qos);
	}
}

TEST(only_regular_files_are_read)
{
	char name[] = "/tmp/schedqos-unit-XXXXXX", pipe[64];
	struct unit_said said;
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	snprintf(pipe, sizeof(pipe), "%s-pipe", name);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(unit_file_read(pipe, &said), 0);
	assert_int_equal(said.line, 0);
	assert_int_equal(unit_file_read("/dev/null", &said), 0);
	assert_int_equal(unlink(pipe), 0);
	assert_int_equal(unit_file_read(pipe, &said), -2);
	assert_int_equal(write(fd, "[X-SchedQoS]\nClass=QOS_A\n", 25), 25);
	assert_int_equal(unit_file_read(name, &said), 0);
	assert_string_equal(said.qos, "QOS_A");
	assert_int_equal(ftruncate(fd, 1024 * 1024 + 1), 0);
	assert_int_equal(unit_file_read(name, &said), -27);
	assert_int_equal(unlink(name), 0);
	close(fd);
}
