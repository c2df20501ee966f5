# SPDX-License-Identifier: GPL-2.0-only
"""Messages of the proc connector as the kernel packs them: a struct nlmsghdr, a struct cn_msg and a body."""

import socket
import struct
import time

FORK, COMM = 0x1, 0x200

_NETLINK_CONNECTOR, _NLMSG_DONE = 11, 3
_CN_IDX_PROC, _CN_VAL_PROC = 1, 1
_LISTEN = 1
_HEAD = struct.Struct("=IHHIIIIIIHH")


def open_socket():
    """Opens a socket without a subscription."""
    return socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, _NETLINK_CONNECTOR)


def _message(body):
    return _HEAD.pack(_HEAD.size + len(body), _NLMSG_DONE, 0, 0, 0, _CN_IDX_PROC, _CN_VAL_PROC, 0, 0, len(body), 0) + body


def listen(netlink):
    """Subscribes to all events."""
    netlink.bind((0, _CN_IDX_PROC))
    netlink.send(_message(struct.pack("=I", _LISTEN)))


def rename(pid, name):
    """Returns a message which says that this process has renamed itself."""
    return _message(struct.pack("=IIQii16s", COMM, 0, time.monotonic_ns(), pid, pid, name))


def forked_child(message):
    """Returns the tid of the new task if the message reports a fork, else None."""
    # The fields: event, cpu and timestamp, then the ids of the parent and of the child.
    if len(message) < _HEAD.size + 32 or struct.unpack_from("=I", message, _HEAD.size)[0] != FORK:
        return None
    return struct.unpack_from("=I", message, _HEAD.size + 24)[0]
