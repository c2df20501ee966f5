/* SPDX-License-Identifier: GPL-2.0-only */
/* Wakes the daemon when CPUs come or go, through the kernel's uevents. */
#include <schedqos/kernel/host.h>

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/netlink.h>

#include <schedqos/util/cleanup.h>

/* The kernel's multicast group; udev sends its own events to another one. */
#define KERNEL_GROUP 1

/* Four bytes of a datagram, which begins with ACTION@PATH, as a filter loads them. */
#define WORD(a, b, c, d) ((__u32)(a) << 24 | (b) << 16 | (c) << 8 | (d))

/* Accepts the datagram if it has these bytes at the offset. A datagram that is too short is dropped. */
#define ACCEPT(offset, word)                                                                           \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (word), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, 0xffff)

int uevent_filter(int fd)
{
	/*
	 * "online@/devices/system/cpu/cpuN" comes once the CPU's frequency can be set (device_online in
	 * drivers/base/core.c, 6.18), "offline@..." once the CPU no longer runs, "remove@..." once it no longer
	 * exists.
	 *
	 * A suspend, even one that is given up halfway, takes all CPUs but one offline without these events. On x86 it
	 * causes "remove@/devices/system/machinecheck/machinecheckN" instead (mce_cpu_pre_down in
	 * arch/x86/kernel/cpu/mce/core.c).
	 *
	 * The filter drops all datagrams without these names at these offsets, so they do not wake us. A datagram that
	 * has them by chance is taken for such an event.
	 */
	static struct sock_filter code[] = {
		ACCEPT(23, WORD('c', 'p', 'u', '/')),
		ACCEPT(24, WORD('c', 'p', 'u', '/')),
		ACCEPT(23, WORD('m', 'a', 'c', 'h')),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = { array_size(code), code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno : 0;
}

int uevent_open(void)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	_cleanup_close_ int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	int r;

	if (fd < 0)
		return -errno;
	r = uevent_filter(fd);
	if (r < 0)
		return r;
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return take_fd(fd);
}

void uevent_drain(int fd)
{
	uint64_t discarded;

	/* A loss (ENOBUFS) counts as an event; contents do not matter. */
	while (read(fd, &discarded, sizeof(discarded)) >= 0 || errno == ENOBUFS || errno == EINTR)
		;
}
