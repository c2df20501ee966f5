/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which of the kernel's datagrams about devices wake the daemon. */
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

#define TEST_UEVENT_TEST(name) TEST_IN(name, set_up, tear_down)

TEST_UEVENT_TEST(events_of_processors_pass)
{
	assert_true(passes("online@/devices/system/cpu/cpu1"));
	assert_true(passes("online@/devices/system/cpu/cpu1023"));
	assert_true(passes("remove@/devices/system/cpu/cpu2"));
	assert_true(passes("offline@/devices/system/cpu/cpu1"));
	/* The kernel sends this in a suspend. */
	assert_true(passes("remove@/devices/system/machinecheck/machinecheck1"));
}

TEST_UEVENT_TEST(all_other_events_are_dropped)
{
	static const char *const others[] = {
		"offline@/devices/system/memory/memory1",
		"online@/devices/system/container/x",
		"add@/devices/system/cpu/cpu1",
		"change@/devices/platform/battery/power_supply/BAT0",
		"add@/devices/system/machinecheck/machinecheck1",
		"remove@/devices/virtual/cpuid/cpu1",
		"libudev",
		"",
	};

	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(passes(others[i]));
}

TEST_UEVENT_TEST(all_queued_events_are_drained_at_once)
{
	char byte;

	for (int i = 0; i < 5; i++)
		assert_true(send(ends[1], "online@/devices/system/cpu/cpu1", 31, 0) == 31);
	uevent_drain(ends[0]);
	assert_int_equal(recv(ends[0], &byte, sizeof(byte), MSG_DONTWAIT), -1);
}
