/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/host.h>

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/netlink.h>

#include <schedqos/util/cleanup.h>

/* The kernel's group; udev sends its own events to another one. */
#define KERNEL_GROUP 1

/* A datagram begins with ACTION@PATH. Four of its bytes, as a filter loads them. */
#define WORD(a, b, c, d) ((__u32)(a) << 24 | (b) << 16 | (c) << 8 | (d))

/* If these are the bytes at the offset; what ends before is dropped. */
#define ACCEPT(offset, word)                                                                           \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (word), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, 0xffff)

int uevent_filter(int fd)
{
	/*
	 * "online@/devices/system/cpu/cpuN" comes when the processor's frequency can be set (device_online in core.c of
	 * drivers/base, 6.18), "offline@..." when it does not run any more, "remove@..." when it is no longer there. A
	 * suspend, even one that is given up halfway, takes all but one offline without these, but x86 then has
	 * "remove@/devices/system/machinecheck/machinecheckN" (mce_cpu_pre_down in core.c of arch/x86/kernel/cpu/mce).
	 * All that does not have these names at these places is dropped without waking us; what has them by chance is
	 * taken for such an event.
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

	/* A loss (ENOBUFS) counts as an event; the contents do not matter. */
	while (read(fd, &discarded, sizeof(discarded)) >= 0 || errno == ENOBUFS || errno == EINTR)
		;
}
