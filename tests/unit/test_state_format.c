/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies that a state file is accepted only if it is complete, was written by schedqos, and is of this boot. */
#include "test.h"

#include <errno.h>

#include "../../src/tagging/state.h"

#define BOOT_ID	   "01234567-89ab-cdef-0123-456789abcdef"
#define FILE_BYTES (STATE_HEADER_BYTES + TASKS_CHUNK_BYTES)

struct file {
	struct state_header *header;
	struct task *records;
	struct state_legacy legacy;
};

static int set_up(void **state)
{
	struct file *file = calloc(1, sizeof(*file));

	if (!file)
		return -1;
	file->header = calloc(1, FILE_BYTES);
	*file->header = (struct state_header){
		.version = STATE_VERSION,
		.record_bytes = sizeof(struct task),
		.chunk_records = TASKS_CHUNK,
		.start = 1000,
		.boot_id = BOOT_ID,
	};
	memcpy(file->header->magic, STATE_MAGIC, sizeof(file->header->magic));
	given_init(&file->header->given);
	given_add(&file->header->given, &qos_builtin[0].attr);
	file->records = (struct task *)((char *)file->header + STATE_HEADER_BYTES);
	file->records[7] = (struct task){
		.tid = 10,
		.tgid = 10,
		.had = task_attr_pristine,
		.known = task_attr_pristine,
		.prev = task_attr_pristine,
		.theirs = TASK_ATTR_SLICE,
	};
	file->records[7].known.nice = 4;
	*state = file;
	return 0;
}

static int tear_down(void **state)
{
	struct file *file = *state;

	free(file->header);
	free(file);
	return 0;
}

static int parse(struct file *file, size_t size)
{
	return state_parse(file->header, size, BOOT_ID, &file->legacy);
}

#define TEST_STATE_FORMAT_TEST(name) TEST_OF(name, struct file *file, set_up, tear_down)

TEST_STATE_FORMAT_TEST(a_valid_file_is_accepted)
{
	assert_int_equal(parse(file, FILE_BYTES), 0);
	assert_int_equal(file->legacy.n_records, 1);
	assert_int_equal(file->legacy.records[0].tid, 10);
	assert_int_equal(file->legacy.given->lowest_nice, -4);
	assert_int_equal(file->legacy.start, 1000);
}

TEST_STATE_FORMAT_TEST(a_wrong_size_is_refused)
{
	assert_int_equal(parse(file, FILE_BYTES - 1), -EBADMSG);
	assert_int_equal(parse(file, STATE_HEADER_BYTES - 1), -EBADMSG);
	assert_int_equal(parse(file, 0), -EBADMSG);
	assert_int_equal(parse(file, STATE_HEADER_BYTES), 0);
	assert_int_equal(file->legacy.n_records, 0);
}

/* Makes a change in the header or a record, checks that the file is refused, and undoes the change. */
#define assert_refused(part, change)                                   \
	do {                                                           \
		const __typeof__(part) good_ = (part);                 \
		change;                                                \
		assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);   \
		(part) = good_;                                        \
	} while (0)

TEST_STATE_FORMAT_TEST(a_wrong_header_is_refused)
{
	struct state_header *header = file->header;

	assert_refused(*header, header->magic[0] = 'S');
	assert_refused(*header, header->record_bytes--);
	assert_refused(*header, header->chunk_records *= 2);
	assert_refused(*header, header->given.lowest_nice = 21);
	assert_refused(*header, header->given.raised_nice = 20);
	assert_refused(*header, header->given.highest_rank = 101);
	assert_int_equal(parse(file, FILE_BYTES), 0);
}

TEST_STATE_FORMAT_TEST(a_file_of_another_boot_is_ignored)
{
	file->header->boot_id[0]++;
	assert_int_equal(parse(file, FILE_BYTES), 0);
	assert_int_equal(file->legacy.n_records, 0);
	assert_null(file->legacy.given);
}

TEST_STATE_FORMAT_TEST(records_are_unchanged)
{
	/* A record without a class still has the rule that its children inherit. */
	file->records[8] = (struct task){
		.tid = 11,
		.tgid = 11,
		.had = { .nice = 7, .util_max = UTIL_FULL },
		.known = { .nice = 7, .util_max = UTIL_FULL },
		.prev = { .nice = 7, .util_max = UTIL_FULL },
		.theirs = TASK_ATTR_NICE,
	};
	assert_int_equal(parse(file, FILE_BYTES), 0);
	assert_int_equal(file->legacy.n_records, 2);
	assert_int_equal(file->legacy.n_changed, 1);
	assert_memory_equal(&file->legacy.records[0], &file->records[7], sizeof(struct task));
	assert_memory_equal(&file->legacy.records[1], &file->records[8], sizeof(struct task));
}

TEST_STATE_FORMAT_TEST(impossible_attributes_are_refused)
{
	struct task *task = &file->records[7];

	assert_refused(*task, task->had.nice = 20);
	assert_refused(*task, task->had.reset_on_fork = 2);
	assert_refused(*task, task->known.policy = 15);
	assert_refused(*task, task->known.util_max = UTIL_FULL + 1);
	assert_refused(*task, task->had.io_priority = IO_PRIORITY(IO_CLASS_NONE, 4));
	assert_refused(*task, task->known.rt_priority = 100);
	assert_refused(*task, task->state = TASK_UNDONE + 1);
	assert_refused(*task, task->tid = -1);
	assert_refused(*task, task->tgid = 0);
	assert_int_equal(parse(file, FILE_BYTES), 0);
}

TEST_STATE_FORMAT_TEST(an_unfinished_record_is_skipped)
{
	file->records[7].tid = 0;
	file->records[7].known.policy = 15;
	assert_int_equal(parse(file, FILE_BYTES), 0);
	assert_int_equal(file->legacy.n_records, 0);
}

/* The file is not reported as damaged, because the version that wrote it can read it. */
TEST_STATE_FORMAT_TEST(a_file_of_another_version_is_not_damaged)
{
	file->header->version = STATE_VERSION + 1;
	assert_int_equal(parse(file, FILE_BYTES), -EPROTONOSUPPORT);
	file->header->version = STATE_VERSION - 1;
	assert_int_equal(parse(file, FILE_BYTES), -EPROTONOSUPPORT);
	file->header->magic[0]++;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
}
