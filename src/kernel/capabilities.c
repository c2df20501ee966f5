/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/capabilities.h>

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

static int put(struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3], uint64_t effective)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	data[0].effective = (uint32_t)effective & data[0].permitted;
	data[1].effective = (uint32_t)(effective >> 32) & data[1].permitted;
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

static int get(struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capget, &header, data) < 0 ? -errno : 0;
}

int capabilities_narrow(uint64_t allowed, uint64_t *ret_before)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	int r = get(data);

	if (r < 0)
		return r;
	*ret_before = (uint64_t)data[1].effective << 32 | data[0].effective;
	return put(data, *ret_before & allowed);
}

int capabilities_restore(uint64_t before)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	int r = get(data);

	return r < 0 ? r : put(data, before);
}
