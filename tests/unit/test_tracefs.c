/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how the format files of tracepoints are parsed. */
#include "test.h"

#include <errno.h>

#include <schedqos/kernel/events.h>

/* A format file as the kernel writes it. */
static const char format[] = "name: cgroup_attach_task\n"
			     "ID: 512\n"
			     "format:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
			     "\n"
			     "\tfield:int dst_root;\toffset:8;\tsize:4;\tsigned:1;\n"
			     "\tfield:u64 dst_id;\toffset:16;\tsize:8;\tsigned:0;\n"
			     "\tfield:int pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			     "\tfield:__data_loc char[] dst_path;\toffset:28;\tsize:4;\tsigned:1;\n"
			     "\tfield:char comm[16];\toffset:32;\tsize:16;\tsigned:0;\n"
			     "\n"
			     "print fmt: \"pid=%d\", REC->pid\n";

TEST(a_field_is_found_by_its_name)
{
	size_t offset;

	assert_int_equal(tracefs_parse_offset(format, "pid", &offset), 0);
	assert_int_equal(offset, 24);
	assert_int_equal(tracefs_parse_offset(format, "common_pid", &offset), 0);
	assert_int_equal(offset, 4);
}

TEST(other_fields_and_texts_are_refused)
{
	static const char *const formats[] = {
		"", "\tfield:int pid", "\tfield:int pid;\toffset:x;\tsize:4;\tsigned:1;\n",
		"\tfield:int pid;\toffset:4;\tsize:16;\tsigned:1;\n", "\tfield:int pid;\toffset:4000000;\tsize:4;\tsigned:1;\n",
		"\tfield:pid;\toffset:4;\tsize:4;\tsigned:1;\n", "\tfield:int pid;\toffset:4;\tsize:4;\tsigned:0;\n",
	};
	size_t offset;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		assert_int_equal(tracefs_parse_offset(formats[i], "pid", &offset), -EBADMSG);
	/* These are another type of number, an array, and the end of another field's name. */
	assert_int_equal(tracefs_parse_offset(format, "dst_id", &offset), -EBADMSG);
	assert_int_equal(tracefs_parse_offset(format, "comm", &offset), -EBADMSG);
	assert_int_equal(tracefs_parse_offset(format, "id", &offset), -EBADMSG);
}
