/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints: what a format file says, and how fields are read from a record. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <schedqos/kernel/trace.h>

/* In the kernel's form. */
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

static void a_field_by_its_name(void **state)
{
	struct tracefs_field field;

	(void)state;
	assert_int_equal(tracefs_parse_field(format, "pid", &field), 0);
	assert_int_equal(field.offset, 24);
	assert_int_equal(field.size, 4);
	assert_true(field.is_signed);
	assert_int_equal(tracefs_parse_field(format, "common_type", &field), 0);
	assert_int_equal(field.offset, 0);
	assert_int_equal(field.size, 2);
	assert_false(field.is_signed);
	assert_int_equal(tracefs_parse_field(format, "dst_id", &field), 0);
	assert_int_equal(field.size, 8);
}

static void what_cannot_be_read(void **state)
{
	static const char *const formats[] = {
		"", "\n", "\tfield:int pid", "\tfield:int pid;\n", "\tfield:int pid;\toffset:x;\tsize:4;\tsigned:1;\n",
		"\tfield:int pid;\toffset:4;\tsize:3;\tsigned:1;\n", "\tfield:int pid;\toffset:4;\tsize:16;\tsigned:1;\n",
		"\tfield:int pid;\toffset:4000000;\tsize:4;\tsigned:1;\n", "\tfield:pid;\toffset:4;\tsize:4;\tsigned:1;\n",
		"field:int pid;\toffset:4;\tsize:4;\tsigned:1;\n",
	};
	struct tracefs_field field;

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		assert_int_equal(tracefs_parse_field(formats[i], "pid", &field), -EBADMSG);
	/* An array is no number. */
	assert_int_equal(tracefs_parse_field(format, "comm", &field), -EBADMSG);
	/* Nor is this a field, but the end of another one's name. */
	assert_int_equal(tracefs_parse_field(format, "id", &field), -EBADMSG);
}

static void values(void **state)
{
	const int8_t negative = -3;
	const uint32_t large = UINT32_MAX;
	unsigned char record[16] = { 0 };
	struct tracefs_field field = { .offset = 1, .size = 1, .is_signed = 1 };

	(void)state;
	memcpy(record + 1, &negative, 1);
	memcpy(record + 4, &large, 4);
	assert_int_equal(tracefs_read_field(&field, record, sizeof(record)), -3);
	field.is_signed = 0;
	assert_int_equal(tracefs_read_field(&field, record, sizeof(record)), 253);
	field = (struct tracefs_field){ .offset = 4, .size = 4 };
	assert_int_equal(tracefs_read_field(&field, record, sizeof(record)), UINT32_MAX);
	field.is_signed = 1;
	assert_int_equal(tracefs_read_field(&field, record, sizeof(record)), -1);
	/* Beyond the record. */
	assert_int_equal(tracefs_read_field(&field, record, 7), 0);
	assert_int_equal(tracefs_read_field(&field, record, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_field_by_its_name),
		cmocka_unit_test(what_cannot_be_read),
		cmocka_unit_test(values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
