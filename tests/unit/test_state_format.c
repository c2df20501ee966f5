/* SPDX-License-Identifier: GPL-2.0-only */
/* What a killed daemon left behind is believed only if it is whole, ours, and of this boot. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/tagging/state_private.h"

#define BOOT_ID	   "01234567-89ab-cdef-0123-456789abcdef"
#define FILE_BYTES (STATE_HEADER_BYTES + TASKS_CHUNK_BYTES)

struct file {
	struct state_header *header;
	struct task *records;
	struct state_legacy legacy;
};

static uint64_t sum_of(const struct state_tags *tags)
{
	return state_tags_sum(tags, sizeof(*tags));
}

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
	file->header->tags[0].head.count = 1;
	file->header->tags[0].tags[0] = qos_builtin[0].attr;
	file->header->tags[0].head.sum = sum_of(&file->header->tags[0]);
	file->records = (struct task *)((char *)file->header + STATE_HEADER_BYTES);
	file->records[7] = (struct task){
		.tid = 10,
		.tgid = 10,
		.had = task_attr_pristine,
		.known = task_attr_pristine,
		.before = task_attr_pristine,
		.theirs = TASK_ATTR_SLICE,
	};
	file->records[7].known.nice = 4;
	*state = file;
	return 0;
}

static int tear_down(void **state)
{
	struct file *file = *state;

	state_legacy_clear(&file->legacy);
	free(file->header);
	free(file);
	return 0;
}

static int parse(struct file *file, size_t size)
{
	state_legacy_clear(&file->legacy);
	return state_parse(file->header, size, BOOT_ID, &file->legacy);
}

static void a_valid_file_is_accepted(void **state)
{
	struct file *file = *state;

	assert_int_equal(parse(file, FILE_BYTES), 0);
	assert_int_equal(file->legacy.n_records, 1);
	assert_int_equal(file->legacy.records[0].tid, 10);
	assert_int_equal(file->legacy.n_tags, 1);
	assert_int_equal(file->legacy.start, 1000);
}

static void a_wrong_size_is_refused(void **state)
{
	struct file *file = *state;

	assert_int_equal(parse(file, FILE_BYTES - 1), -EBADMSG);
	assert_int_equal(parse(file, STATE_HEADER_BYTES - 1), -EBADMSG);
	assert_int_equal(parse(file, 0), -EBADMSG);
	assert_int_equal(parse(file, STATE_HEADER_BYTES), 0);
	assert_int_equal(file->legacy.n_records, 0);
}

static void a_wrong_header_is_refused(void **state)
{
	struct file *file = *state;
	struct state_header good = *file->header;

	file->header->magic[0] = 'S';
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	*file->header = good;
	file->header->record_bytes--;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	*file->header = good;
	file->header->chunk_records *= 2;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
}

static void a_file_of_another_boot_is_ignored(void **state)
{
	struct file *file = *state;

	file->header->boot_id[0]++;
	assert_int_equal(parse(file, FILE_BYTES), 0);
	assert_int_equal(file->legacy.n_records + file->legacy.n_tags, 0);
}

static void a_complete_list_of_tags_is_used(void **state)
{
	struct file *file = *state;
	struct state_tags *tags = file->header->tags;

	tags[1] = tags[0];
	tags[1].head.sequence = 1;
	tags[1].head.count = 2;
	assert_int_equal(parse(file, FILE_BYTES), 0);
	assert_int_equal(file->legacy.n_tags, 1);
	tags[1].head.sum = sum_of(&tags[1]);
	assert_int_equal(parse(file, FILE_BYTES), 0);
	assert_int_equal(file->legacy.n_tags, 2);
	tags[0].head.sum = tags[1].head.sum = 0;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
}

static void too_many_tags_are_refused(void **state)
{
	struct file *file = *state;
	struct state_tags *tags = file->header->tags;

	tags->head.count = STATE_TAGS_MAX + 1;
	tags->head.sum = sum_of(tags);
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	tags->head.count = UINT32_MAX;
	tags->head.sum = sum_of(tags);
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
}

static void records_are_copied_unchanged(void **state)
{
	struct file *file = *state;

	/* A record without anything of ours still shows what its children have inherited. */
	file->records[8] = (struct task){
		.tid = 11,
		.tgid = 11,
		.had = { .nice = 7, .util_max = UTIL_FULL },
		.known = { .nice = 7, .util_max = UTIL_FULL },
		.before = task_attr_pristine,
		.theirs = TASK_ATTR_NICE,
	};
	assert_int_equal(parse(file, FILE_BYTES), 0);
	assert_int_equal(file->legacy.n_records, 2);
	assert_int_equal(file->legacy.n_changed, 1);
	assert_memory_equal(&file->legacy.records[0], &file->records[7], sizeof(struct task));
	assert_memory_equal(&file->legacy.records[1], &file->records[8], sizeof(struct task));
}

static void impossible_attributes_are_refused(void **state)
{
	struct file *file = *state;
	struct task *task = &file->records[7], good = *task;

	task->had.nice = 20;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	*task = good;
	task->had.reset_on_fork = 2;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	*task = good;
	task->known.policy = 15;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	*task = good;
	task->known.util_max = UTIL_FULL + 1;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	*task = good;
	task->had.io_priority = IO_PRIORITY(IO_CLASS_NONE, 4);
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	*task = good;
	task->before.rt_priority = 100;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	*task = good;
	task->state = TASK_UNDONE + 1;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	*task = good;
	task->due = DUE_ENDED + 1;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	*task = good;
	task->tid = -1;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	*task = good;
	task->tgid = 0;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
}

static void an_unfinished_record_is_skipped(void **state)
{
	struct file *file = *state;

	file->records[7].tid = 0;
	file->records[7].known.policy = 15;
	assert_int_equal(parse(file, FILE_BYTES), 0);
	assert_int_equal(file->legacy.n_records, 0);
}

/* ---- earlier versions of the format ---- */

static void version_3_is_converted(void **state)
{
	const size_t size = STATE_HEADER_BYTES + TASKS_CHUNK * STATE_RECORD_3_BYTES;
	struct task task = { .tid = 12, .tgid = 10, .state = TASK_TAGGED, .scan = 9, .had = task_attr_pristine };
	struct file *file = *state;
	char *records = (char *)file->header + STATE_HEADER_BYTES;

	task.known = task.before = task.had;
	memset(records, 0, TASKS_CHUNK * STATE_RECORD_3_BYTES);
	memcpy(records + 5 * STATE_RECORD_3_BYTES, &task, STATE_RECORD_3_BYTES);
	file->header->version = STATE_VERSION_3;
	assert_int_equal(parse(file, size), -EBADMSG);
	file->header->record_bytes = STATE_RECORD_3_BYTES;
	assert_int_equal(parse(file, size), 0);
	assert_int_equal(file->legacy.n_records, 1);
	assert_memory_equal(&file->legacy.records[0], &task, sizeof(task));
}

#define FILE_BYTES_2 (STATE_HEADER_BYTES_2 + TASKS_CHUNK * sizeof(struct state_record_2))

/* Turns the file into one of that version, and returns its records. */
static struct state_record_2 *as_version_2(struct file *file)
{
	struct state_tags_2 *tags = (struct state_tags_2 *)file->header->tags;
	struct state_record_2 *records = (struct state_record_2 *)((char *)file->header + STATE_HEADER_BYTES_2);

	memset(tags, 0, FILE_BYTES_2 - offsetof(struct state_header, tags));
	file->header->version = STATE_VERSION_2;
	file->header->record_bytes = sizeof(*records);
	tags[1].head.count = 1;
	tags[1].tags[0] = (struct state_tag_2){
		.has = QOS_HAS_POLICY | QOS_HAS_NICE | QOS_HAS_RUNTIME | QOS_HAS_UTIL_MAX,
		.policy = POLICY_BATCH,
		.nice = 4,
		.util_max = 256,
		.runtime = 20000000,
	};
	tags[1].head.sum = state_tags_sum(&tags[1], sizeof(tags[1]));
	records[5] = (struct state_record_2){
		.tid = 12,
		.tgid = 10,
		.start = 900,
		.changed_ms = 7000,
		.matched_ms = 6000,
		.unused = { 1, 2, 3, 4, 5, 6 },
		.had = { .nice = 3, .reset_on_fork = 1, .util_max = UTIL_FULL },
		.known = { .policy = POLICY_BATCH, .nice = 4, .slice_ns = 20000000, .util_max = 256 },
		.before = { .policy = POLICY_FIFO, .rt_priority = 9, .util_min = 5, .util_max = 6 },
		.tag = 1,
		.assigned_by = ASSIGNED_BY_RULE,
		.state = TASK_TAGGED,
		.theirs = TASK_ATTR_NICE,
		.flags = TASK_UNCERTAIN,
		.due = 4, /* DUE_EXEC */
		.scan = 3,
	};
	return records;
}

static void version_2_is_converted(void **state)
{
	static const struct task_attr had = { .nice = 3, .reset_on_fork = 1, .util_max = UTIL_FULL };
	static const struct task_attr known = {
		.policy = POLICY_BATCH, .nice = 4, .slice_ns = 20000000, .util_max = 256
	};
	static const struct task_attr before = { .policy = POLICY_FIFO, .rt_priority = 9, .util_min = 5, .util_max = 6 };
	struct file *file = *state;
	const struct task *task;

	as_version_2(file);
	assert_int_equal(parse(file, FILE_BYTES_2), 0);
	assert_int_equal(file->legacy.n_records, 1);
	assert_int_equal(file->legacy.n_changed, 1);
	assert_int_equal(file->legacy.start, 1000);
	assert_int_equal(file->legacy.n_tags, 1);
	assert_true(qos_attr_equal(&file->legacy.tags[0], &qos_builtin[3].attr));
	task = &file->legacy.records[0];
	assert_int_equal(task->tid, 12);
	assert_int_equal(task->tgid, 10);
	assert_int_equal(task->start, 900);
	assert_int_equal(task->changed_ms, 7000);
	assert_int_equal(task->matched_ms, 6000);
	assert_memory_equal(&task->had, &had, sizeof(had));
	assert_memory_equal(&task->known, &known, sizeof(known));
	assert_memory_equal(&task->before, &before, sizeof(before));
	assert_int_equal(task->tag, TAG_NONE);
	assert_int_equal(task->state, TASK_TAGGED);
	assert_int_equal(task->theirs, TASK_ATTR_NICE);
	assert_int_equal(task->flags, TASK_UNCERTAIN);
	assert_int_equal(task->due, DUE_EXEC);
}

static void version_2_is_checked_all_the_same(void **state)
{
	struct file *file = *state;
	struct state_record_2 *record = &as_version_2(file)[5], good = *record;

	record->had.nice = 77;
	assert_int_equal(parse(file, FILE_BYTES_2), -EBADMSG);
	*record = good;
	record->known.policy = 16 + POLICY_BATCH;
	assert_int_equal(parse(file, FILE_BYTES_2), -EBADMSG);
	*record = good;
	record->known.reset_on_fork = 16 + 1;
	assert_int_equal(parse(file, FILE_BYTES_2), -EBADMSG);
	*record = good;
	((struct state_tags_2 *)file->header->tags)[1].head.sum++;
	assert_int_equal(parse(file, FILE_BYTES_2), -EBADMSG);
}

static void sizes_must_match_the_version(void **state)
{
	struct file *file = *state;

	as_version_2(file);
	file->header->record_bytes = sizeof(struct task) + 4;
	assert_int_equal(parse(file, FILE_BYTES_2), -EBADMSG);
	file->header->record_bytes = sizeof(struct state_record_2);
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
	assert_int_equal(parse(file, STATE_FILE_MIN), -EBADMSG);
	file->header->version = STATE_VERSION;
	assert_int_equal(parse(file, FILE_BYTES_2), -EBADMSG);
}

/* It is not reported as damaged: the program that wrote it can read it. */
static void an_unknown_version_is_not_damage(void **state)
{
	struct file *file = *state;

	file->header->version = STATE_VERSION + 1;
	assert_int_equal(parse(file, FILE_BYTES), -EPROTONOSUPPORT);
	file->header->version = 1;
	assert_int_equal(parse(file, FILE_BYTES), -EPROTONOSUPPORT);
	file->header->magic[0]++;
	assert_int_equal(parse(file, FILE_BYTES), -EBADMSG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_valid_file_is_accepted),
		TEST(a_wrong_size_is_refused),
		TEST(a_wrong_header_is_refused),
		TEST(a_file_of_another_boot_is_ignored),
		TEST(a_complete_list_of_tags_is_used),
		TEST(too_many_tags_are_refused),
		TEST(records_are_copied_unchanged),
		TEST(impossible_attributes_are_refused),
		TEST(an_unfinished_record_is_skipped),
		TEST(version_3_is_converted),
		TEST(version_2_is_converted),
		TEST(version_2_is_checked_all_the_same),
		TEST(sizes_must_match_the_version),
		TEST(an_unknown_version_is_not_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
