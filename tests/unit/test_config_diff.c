/* SPDX-License-Identifier: GPL-2.0-only */
/* In what two configurations differ, by what they say and not by how or where it is written. */
#include "config_case.h"

#include <schedqos/config/config_diff.h>

/* "+rule app {...}" for each difference, a line each. */
static void note(void *context, enum config_change change, const struct config_item *before,
		 const struct config_item *after)
{
	static const char signs[] = {
		[CONFIG_ADDED] = '+', [CONFIG_REMOVED] = '-', [CONFIG_CHANGED] = '~'
	};
	const struct config_item *item = after ? after : before;
	char *found = context;
	size_t len = strlen(found);

	snprintf(found + len, 2048 - len, "%c%s %s %s%s%s\n", signs[change], item->kind, item->name,
		 change == CONFIG_CHANGED ? before->text : "",
		 change == CONFIG_CHANGED ? " -> " : "", item->text);
}

/* Frees both. */
static struct config_diff diff(struct config *before, struct config *after, char found[2048])
{
	struct config_items a, b;
	struct config_diff counts;

	assert_int_equal(config_items_of(before, &a), 0);
	assert_int_equal(config_items_of(after, &b), 0);
	found[0] = '\0';
	counts = config_diff(&a, &b, note, found);
	config_items_clear(&a);
	config_items_clear(&b);
	config_free(before);
	config_free(after);
	return counts;
}

static void what_is_said_otherwise_is_the_same(void **state)
{
	char found[2048];
	struct config_diff counts =
		diff(GOOD(RULES("{\"a\": {\"qos\": \"QOS_UTILITY\"}, \"b\": {}, \"gone\": {}}"),
			  RULES("{\"gone\": null}")),
		     GOOD(RULES("{\n\n\"b\": {}, // a comment\n\"a\": {\"qos\": \"QOS_UTILITY\", "
				"\"inherit\": false},"
				"\"schedqos\": {\"mapping\": \"announcement\", \"default\": "
				"\"pristine\"}}")),
		     found);

	(void)state;
	assert_string_equal(found, "");
	assert_int_equal(counts.rules[CONFIG_ADDED] + counts.rules[CONFIG_REMOVED] +
				 counts.rules[CONFIG_CHANGED],
			 0);
	assert_int_equal(counts.others, 0);
}

static void every_difference_is_found(void **state)
{
	char found[2048];
	struct config_diff counts =
		diff(GOOD(RULES("{\"a\": {\"qos\": \"QOS_UTILITY\"}, \"b\": {}, \"z\": {}}")),
		     GOOD(RULES("{\"a\": [{\"qos\": \"QOS_UTILITY\", \"match\": {\"user\": 0}}, "
				"{\"period\": 5000}], \"b\": {},"
				"\"c\\n\": {}, \"schedqos\": {\"log\": \"debug\"}, "
				"\"QOS_UTILITY\": {\"sched_nice\": 3}}"),
			  PROFILES("{\"mine\": {\"debugfs\": {\"base_slice_ns\": 5}}}")),
		     found);

	(void)state;
	assert_string_equal(found,
			    "+setting log \"debug\"\n"
			    "~class QOS_UTILITY { \"sched_policy\": \"SCHED_BATCH\", "
			    "\"sched_nice\": 2, \"sched_runtime\": 16000000, "
			    "\"sched_util_max\": 512 } -> { \"sched_policy\": \"SCHED_BATCH\", "
			    "\"sched_nice\": 3, "
			    "\"sched_runtime\": 16000000, \"sched_util_max\": 512 }\n"
			    "+profile mine { \"debugfs\": { \"base_slice_ns\": [ \"5\" ] } }\n"
			    "~rule a { \"qos\": \"QOS_UTILITY\" } -> [ { \"qos\": \"QOS_UTILITY\", "
			    "\"match\": { \"user\": 0 } }, "
			    "{ \"period\": 5000 } ]\n"
			    "+rule c\\n {}\n"
			    "-rule z {}\n");
	assert_int_equal(counts.rules[CONFIG_ADDED], 1);
	assert_int_equal(counts.rules[CONFIG_REMOVED], 1);
	assert_int_equal(counts.rules[CONFIG_CHANGED], 1);
	assert_int_equal(counts.others, 3);
}

static void an_item_knows_its_place(void **state)
{
	struct config *config = GOOD(RULES("{\"schedqos\": {},\n \"app\": {}, \"QOS_X\": {}}"));
	struct config_items items;
	size_t seen = 0;

	(void)state;
	assert_int_equal(config_items_of(config, &items), 0);
	for (size_t i = 0; i < items.count; i++) {
		const struct config_item *item = &items.items[i];

		if (strcmp(item->name, "app") == 0)
			seen += strcmp(item->place, "rules.json:2:2") == 0;
		else if (strcmp(item->name, "QOS_X") == 0)
			seen += strcmp(item->place, "rules.json:2:13") == 0;
		else
			assert_string_equal(item->place, "");
	}
	assert_int_equal(seen, 2);
	config_items_clear(&items);
	config_free(config);
}

static void a_printed_rule_says_where_it_is_from(void **state)
{
	struct config *config = GOOD(RULES("{\n\"app\": [{\"match\": {\"user\": 0}}, {}]}")),
		      *again;
	char *text = config_print(config, true), *second;
	struct config_file printed = RULES(text);

	(void)state;
	assert_non_null(strstr(text, "\"from\": \"rules.json:2:9\",\n\t\t\t\"match\""));
	assert_non_null(strstr(text, "\"from\": \"rules.json:2:33\"\n"));
	/* Read again, it is still from there. */
	again = parse_good(&printed, 1);
	second = config_print(again, true);
	assert_string_equal(second, text);
	free(text);
	free(second);
	config_free(config);
	config_free(again);
}

static void items_can_be_read_again(void **state)
{
	struct config *config = GOOD(
		RULES("{\"a\\\"b\": {\"qos\": \"QOS_MINE\", \"inherit\": true}, \"/c/*\": "
		      "[{\"match\": "
		      "{\"user\": 0}}, {}], \"QOS_MINE\": {\"sched_nice\": 3}, \"schedqos\": "
		      "{\"default\": \"all\", \"log\": \"debug\", \"groups\": {\"x\": {\"max\": "
		      "\"QOS_MINE\"}}}}"),
		PROFILES("{\"mine\": {\"debugfs\": {\"base_slice_ns\": 5}}}"));
	struct config *again;
	struct config_items items;
	struct config_texts texts;
	char found[2048];

	(void)state;
	assert_int_equal(config_items_of(config, &items), 0);
	assert_int_equal(config_items_texts(&items, &texts), 0);
	assert_int_equal(texts.count, 1);
	again = parse_good(texts.files, texts.count);
	/* What says nothing of classes is left out. */
	assert_int_equal(diff(config, again, found).others, 2);
	assert_string_equal(found,
			    "-setting log \"debug\"\n"
			    "-profile mine { \"debugfs\": { \"base_slice_ns\": [ \"5\" ] } }\n");
	config_items_clear(&items);
	config_texts_clear(&texts);
}

/* A file has 1 MiB at most. */
static void many_items_take_several_files(void **state)
{
	struct config_items items = { 0 };
	struct config_texts texts;
	char name[32];

	(void)state;
	for (int i = 0; i < 40000; i++) {
		snprintf(name, sizeof(name), "program-%d", i);
		assert_int_equal(config_items_add(&items, "rule", name,
						  "{ \"qos\": \"QOS_UTILITY\" }", ""),
				 0);
	}
	assert_int_equal(config_items_texts(&items, &texts), 0);
	assert_in_range(texts.count, 2, FILES_MAX);
	for (size_t i = 0; i < texts.count; i++)
		assert_in_range(texts.files[i].size, 1, CONFIG_SIZE_MAX);
	config_items_clear(&items);
	config_texts_clear(&texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_said_otherwise_is_the_same),
		cmocka_unit_test(every_difference_is_found),
		cmocka_unit_test(an_item_knows_its_place),
		cmocka_unit_test(items_can_be_read_again),
		cmocka_unit_test(many_items_take_several_files),
		cmocka_unit_test(a_printed_rule_says_where_it_is_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
