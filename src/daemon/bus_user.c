/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks for which user a client of the control interface may act. */
#include "bus.h"

#include <errno.h>

int bus_check_user(sd_bus_message *message, uid_t uid, struct ucred *ret)
{
	socklen_t size = sizeof(*ret);

	if (getsockopt(sd_bus_get_fd(sd_bus_message_get_bus(message)), SOL_SOCKET, SO_PEERCRED, ret, &size) < 0)
		return -errno;
	return (uid == 0 && ret->uid != 0) || uid == (uid_t)-1 ? -EPERM : 0;
}
