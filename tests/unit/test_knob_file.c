/* SPDX-License-Identifier: GPL-2.0-only */
/* The record of knobs that a killed daemon left is used only if it is whole and of this boot. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/machine/knob_file.h"

#define BOOT_ID "01234567-89ab-cdef-0123-456789abcdef"
#define EMPTY	"\"version\": 1, \"knobs\": []"
#define KNOB	"\"tree\": \"debugfs\", \"path\": \"base_slice_ns\""

static int parse_text(const char *text, size_t size)
{
	struct knob_records records = { 0 };
	int r = knob_file_parse(text, size, BOOT_ID, &records);

	assert_true(r == 0 || (!records.items && !records.profile));
	knob_records_clear(&records);
	return r;
}

#define parse_literal(text) parse_text(text, sizeof(text) - 1)

static void only_a_whole_file_of_this_boot_is_read(void **state)
{
	(void)state;
	assert_int_equal(parse_literal("{\"boot_id\": \"" BOOT_ID "\", " EMPTY "}"), 0);
	assert_int_equal(parse_literal("{\"boot_id\": \"another\", " EMPTY "}"), -ESTALE);
	assert_int_equal(parse_literal("{\"boot_id\": \"" BOOT_ID "\", " EMPTY), -EBADMSG);
	assert_int_equal(parse_literal("{\"boot_id\": \"" BOOT_ID "\", " EMPTY "} {"), -EBADMSG);
	assert_int_equal(parse_literal("{\"boot_id\": 1, " EMPTY "}"), -EBADMSG);
	assert_int_equal(parse_literal("[\"boot_id\"]"), -EBADMSG);
	assert_int_equal(parse_literal(""), -EBADMSG);
}

/* cJSON would take the NUL for the end. */
static void embedded_nul_is_refused(void **state)
{
	(void)state;
	assert_int_equal(parse_literal("{\"boot_id\": \"" BOOT_ID "\", " EMPTY "}\0"), -EBADMSG);
	assert_int_equal(parse_literal("{\"boot_id\": \"" BOOT_ID "\", " EMPTY "}\0{}"), -EBADMSG);
}

static void other_version_is_not_damage(void **state)
{
	(void)state;
	assert_int_equal(parse_literal("{\"boot_id\": \"" BOOT_ID "\", \"version\": 2, \"knobs\": []}"),
			 -EPROTONOSUPPORT);
	assert_int_equal(parse_literal("{\"boot_id\": \"" BOOT_ID "\", \"knobs\": []}"), -EBADMSG);
	assert_int_equal(parse_literal("{\"boot_id\": \"" BOOT_ID "\", \"version\": 1, \"knobs\": [{" KNOB "}]}"),
			 -EBADMSG);
}

static void written_records_read_back(void **state)
{
	char path[] = "features", word[] = "HRTICK", before[] = "NO_HRTICK", profile[] = "fast";
	struct knob_record record = {
		.tree = KNOB_DEBUGFS, .path = path, .word = word, .before = before, .writing = true,
	};
	struct knob_records records = { .items = &record, .count = 1, .profile = profile }, again = { 0 };
	char *text = knob_file_text(&records, BOOT_ID);

	(void)state;
	assert_non_null(text);
	assert_int_equal(knob_file_parse(text, strlen(text), BOOT_ID, &again), 0);
	assert_int_equal(again.count, 1);
	assert_string_equal(again.profile, "fast");
	assert_string_equal(again.items[0].path, "features");
	assert_string_equal(again.items[0].word, "HRTICK");
	assert_string_equal(again.items[0].before, "NO_HRTICK");
	assert_null(again.items[0].set);
	assert_null(again.items[0].cause);
	assert_true(again.items[0].writing);
	knob_records_clear(&again);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_whole_file_of_this_boot_is_read),
		cmocka_unit_test(embedded_nul_is_refused),
		cmocka_unit_test(other_version_is_not_damage),
		cmocka_unit_test(written_records_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
