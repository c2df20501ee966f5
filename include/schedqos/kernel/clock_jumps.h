/* SPDX-License-Identifier: GPL-2.0-only */
/* Jumps of the real-time clock: somebody has set it, or the machine has woken from a suspend. */
#pragma once

/*
 * Returns a descriptor that becomes readable with each jump, or -errno. Nothing else wakes it.
 * After a suspend to memory all processors that were there are online again before any process runs
 * (suspend_enter in kernel/power/suspend.c and timerfd_resume in fs/timerfd.c, 6.18), and no uevent
 * tells of them.
 */
int clock_jumps_open(void);

/* Waits for the next one. */
void clock_jumps_drain(int fd);
