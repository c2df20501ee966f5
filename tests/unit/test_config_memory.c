/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies that a configuration is refused as a whole, without a leak, whichever allocation fails. Replaces malloc, so
 * it cannot run under a sanitizer that does the same.
 */
#include <errno.h>

#include "config_case.h"

static long countdown = -1; /* allocations until one fails; below 0: none fails */
static long live;

#if defined(__SANITIZE_ADDRESS__)
#define REPLACES_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REPLACES_MALLOC 0
#endif
#endif
#ifndef REPLACES_MALLOC
#define REPLACES_MALLOC 1
#endif

#if REPLACES_MALLOC
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

/* Returns whether this allocation fails. After the first failure, all fail. */
static bool runs_out(void)
{
	if (countdown > 0)
		countdown--;
	return countdown == 0;
}

void *malloc(size_t size)
{
	void *p = runs_out() ? NULL : __libc_malloc(size);

	if (!p)
		errno = ENOMEM;
	live += p != NULL;
	return p;
}

void *calloc(size_t n, size_t size)
{
	void *p = runs_out() ? NULL : __libc_calloc(n, size);

	live += p != NULL;
	return p;
}

void *realloc(void *old, size_t size)
{
	void *p = runs_out() ? NULL : __libc_realloc(old, size);

	live += p && !old;
	return p;
}

void *reallocarray(void *old, size_t n, size_t size)
{
	return realloc(old, n * size);
}

void free(void *p)
{
	live -= p != NULL;
	__libc_free(p);
}
#endif

static const struct config_file good_files[] = {
	PRESET("p", "{\"QOS_UTILITY\": {\"sched_nice\": 9}, \"QOS_P\": {}}"),
	MAPPING("{\"QOS_UTILITY\": {\"sched_nice\": 3}}"),
	PROFILES("{\"mine\": {\"debugfs\": {\"a\": 1, \"b\": [\"x\", 2]}, \"cpufreq\": {\"c\": "
		 "\"d\"}, \"sysctl\": {\"e.f\": 1}, \"block\": {\"g*\": {\"h\": 2}}}}"),
	RULES("{\"schedqos\": {\"mapping\": \"p\", \"sched_profile\": \"mine\"}, \"QOS_N\": {},\n"
	      "\"a\": {\"qos\": \"QOS_N\", \"version\": \"\\u0031\", \"period\": 5000,\n"
	      "\"thread_qos\": {\"0123456789abcdefg\": \"QOS_P\", \"u\": \"QOS_DEFAULT\"}},\n"
	      "\"b\": [{\"match\": {\"user\": \"bob\", \"argv\": [\"x\"], \"exe\": \"/x\"}},\n"
	      "{\"match\": {\"user\": 7}}], \"c*\": {}, \"d\": null, \"e\": {}, \"f\": {},\n"
	      "\"g\": {}, \"h\": {}, \"i\": {}, \"j\": {}}"),
};

static const struct config_file bad_files[] = {
	PRESET("p", "{\"make\": {}}"),
	RULES("{\"a\": {\"qos\": \"QOS_N\", \"x\": 1}, \"a\": 1, \"schedqos\": {\"mapping\": "
	      "\"q\"}}"),
	RULES("{\"a\" 1}"),
	PROFILES("{\"x\": {\"debugfs\": {\"../b\": 1, \"/sys/kernel/debug/sched/b\": 1},\n"
		 "\"cpufreq\": {\"a/b\": 1}, \"sysctl\": {\"a/b\": 1}}}"),
};

/* Parses with more and more memory until there is enough. Returns that result. */
static int starve(const struct config_file *files, size_t n)
{
	int r = -ENOMEM;

	for (long allocations = 1; r == -ENOMEM; allocations++) {
		struct config_errors errors = { 0 };
		struct config *config = NULL;
		long before = live;

		countdown = allocations;
		r = parse(files, n, &config, &errors);
		countdown = -1;
		assert_true((r == 0) == (config != NULL));
		assert_true(r != -EINVAL || errors.n_errors > 0);
		config_free(config);
		config_errors_clear(&errors);
		assert_int_equal(live, before);
	}
	return r;
}

TEST(a_good_configuration_is_complete_or_refused)
{
	if (!REPLACES_MALLOC)
		skip();
	assert_int_equal(starve(good_files, COUNT(good_files)), 0);
	assert_int_equal(starve(NULL, 0), 0);
}

TEST(a_bad_configuration_never_passes)
{
	if (!REPLACES_MALLOC)
		skip();
	assert_int_equal(starve(bad_files, COUNT(bad_files)), -EINVAL);
}

TEST(an_error_without_memory_still_counts)
{
	struct config_errors errors = { 0 };

	if (!REPLACES_MALLOC)
		skip();
	countdown = 1;
	config_error_add(&errors, "f", "x");
	countdown = -1;
	assert_int_equal(errors.count, 0);
	assert_int_equal(errors.n_errors, 1);
	config_errors_clear(&errors);
}
