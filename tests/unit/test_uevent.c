/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the kernel's datagrams about devices wake the daemon. */
#include "test.h"

#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>

static int ends[2];

static int set_up(void **state)
{
	(void)state;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends) < 0)
		return -1;
	return uevent_filter(ends[0]);
}

static int tear_down(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static bool passes(const char *text)
{
	char byte;

	assert_int_equal(send(ends[1], text, strlen(text), 0), strlen(text));
	return recv(ends[0], &byte, sizeof(byte), MSG_DONTWAIT) == 1;
}

static void a_processor_that_comes_or_goes(void **state)
{
	(void)state;
	assert_true(passes("online@/devices/system/cpu/cpu1"));
	assert_true(passes("online@/devices/system/cpu/cpu1023"));
	assert_true(passes("remove@/devices/system/cpu/cpu2"));
	assert_true(passes("offline@/devices/system/cpu/cpu1"));
}

static void nothing_else(void **state)
{
	static const char *const others[] = {
		"offline@/devices/system/memory/memory1",
		"online@/devices/system/container/x",
		"add@/devices/system/cpu/cpu1",
		"change@/devices/platform/battery/power_supply/BAT0",
		"remove@/devices/virtual/cpuid/cpu1",
		"remove@/devices/system/node/node1",
		"remove@/block/sda",
		"libudev",
		"on",
		"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(passes(others[i]));
}

static void all_is_taken_at_once(void **state)
{
	char byte;

	(void)state;
	for (int i = 0; i < 5; i++)
		assert_true(send(ends[1], "online@/devices/system/cpu/cpu1", 31, 0) == 31);
	uevent_drain(ends[0]);
	assert_int_equal(recv(ends[0], &byte, sizeof(byte), MSG_DONTWAIT), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_processor_that_comes_or_goes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_else, set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_is_taken_at_once, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
