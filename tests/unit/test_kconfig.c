/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of a kernel, from a file like /proc/config.gz or /boot/config-RELEASE. */
#include "made_up_tree.h"

#include <schedqos/kernel/kconfig.h>

#define OPTION "CONFIG_SCHED_CACHE"

/* gzip's of "# Linux", CONFIG_SMP=y and CONFIG_SCHED_CACHE=y. */
static const unsigned char compressed[] = {
	0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0x53, 0x56,
	0xf0, 0xc9, 0xcc, 0x2b, 0xad, 0xe0, 0x72, 0xf6, 0xf7, 0x73, 0xf3, 0x74,
	0x8f, 0x0f, 0xf6, 0x0d, 0xb0, 0xad, 0x84, 0x73, 0x9c, 0x3d, 0x5c, 0x5d,
	0xe2, 0x9d, 0x1d, 0x81, 0x14, 0x50, 0x10, 0x00, 0x6e, 0x1a, 0x75, 0xb5,
	0x2a, 0x00, 0x00, 0x00,
};

static const char *in_top(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static void put_bytes(const char *name, const unsigned char *bytes, size_t size)
{
	FILE *file = fopen(in_top(name), "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void options_are_set_or_not(void **state)
{
	(void)state;
	assert_int_equal(kconfig_parse(OPTION "=y\n", OPTION), 1);
	assert_int_equal(kconfig_parse("\n# Linux\n\nCONFIG_SMP=y\n" OPTION "=m", OPTION), 1);
	assert_int_equal(kconfig_parse("CONFIG_SMP=y\n# " OPTION " is not set\n", OPTION), 0);
	assert_int_equal(kconfig_parse("CONFIG_SMP=y\n", OPTION), 0);
	assert_int_equal(kconfig_parse(OPTION "=n\n", OPTION), 0);
	/* Others, of which it is a part. */
	assert_int_equal(kconfig_parse(OPTION "_y=y\nX" OPTION "=y\n", OPTION), 0);
	assert_int_equal(kconfig_parse(OPTION "_DEBUG=n\n" OPTION "=y\n", OPTION), 1);
	/* No kernel's configuration. */
	assert_int_equal(kconfig_parse("", OPTION), -EBADMSG);
	assert_int_equal(kconfig_parse("\n\n", OPTION), -EBADMSG);
	assert_int_equal(kconfig_parse("# " OPTION " is not set\n", OPTION), -EBADMSG);
	assert_int_equal(kconfig_parse("[menu]\n", OPTION), -EBADMSG);
}

static void plain_files(void **state)
{
	(void)state;
	put("config", "CONFIG_SMP=y\n" OPTION "=y\n");
	assert_int_equal(kconfig_has(in_top("config"), OPTION), 1);
	assert_int_equal(kconfig_has(in_top("config"), "CONFIG_X"), 0);
	put("config", "");
	assert_int_equal(kconfig_has(in_top("config"), OPTION), -EBADMSG);
	assert_int_equal(kconfig_has(in_top("none"), OPTION), -ENOENT);
	assert_int_equal(kconfig_has(top, OPTION), -EBADMSG);
	/* Nobody writes into it: opening must not wait. */
	assert_int_equal(mkfifo(in_top("fifo"), 0600), 0);
	assert_int_equal(kconfig_has(in_top("fifo"), OPTION), -EBADMSG);
}

static void compressed_files(void **state)
{
	(void)state;
	put_bytes("config.gz", compressed, sizeof(compressed));
	if (kconfig_has(in_top("config.gz"), OPTION) == -EOPNOTSUPP)
		skip(); /* no zlib on this machine */
	assert_int_equal(kconfig_has(in_top("config.gz"), OPTION), 1);
	assert_int_equal(kconfig_has(in_top("config.gz"), "CONFIG_X"), 0);
	/* Those that end too early, and nonsense. */
	for (size_t size = 2; size < sizeof(compressed); size++) {
		put_bytes("config.gz", compressed, size);
		assert_int_equal(kconfig_has(in_top("config.gz"), "CONFIG_X"), -EBADMSG);
	}
	put("config.gz", "\x1f\x8bnonsense");
	assert_int_equal(kconfig_has(in_top("config.gz"), OPTION), -EBADMSG);
}

static void huge_files_are_refused(void **state)
{
	(void)state;
	put("config", OPTION "=y\n");
	assert_int_equal(truncate(in_top("config"), 64 * 1024 * 1024), 0);
	assert_int_equal(kconfig_has(in_top("config"), OPTION), -EFBIG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_trees, remove_trees)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(options_are_set_or_not),
		TEST(plain_files),
		TEST(compressed_files),
		TEST(huge_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
