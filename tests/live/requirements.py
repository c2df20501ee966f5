# SPDX-License-Identifier: GPL-2.0-only
"""What the live tests need of the machine."""

import contextlib
import errno
import os
import time

import proc_events
from attributes import set_attr
from daemon import SCHEDQOS, schedqos
from waiting import PATIENCE


def hears_of_a_fork(netlink, end):
    """Whether the kernel reports a child of ours before that time; or so much else that it did not fit."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    while time.monotonic() < end:
        try:
            message = netlink.recv(4096)
        except OSError as error:
            if error.errno == errno.ENOBUFS:
                return False
            raise
        if proc_events.forked_child(message) == child:
            return True
    return False


def proc_connector_fault():
    """Why the proc connector does not work here, or None: found out without the daemon."""
    with contextlib.closing(proc_events.open_socket()) as netlink:
        netlink.settimeout(PATIENCE)
        try:
            proc_events.listen(netlink)
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                if hears_of_a_fork(netlink, end):
                    return None
        except OSError as error:
            return str(error)
    return "no event within %d s" % PATIENCE


def why_not():
    """What keeps all live tests from running here, or None."""
    if os.geteuid() != 0:
        return "not root"
    if not os.access(SCHEDQOS, os.X_OK):
        return "no program %s" % SCHEDQOS
    try:
        set_attr()
    except OSError as error:
        return "cannot set scheduling attributes: %s" % error
    fault = proc_connector_fault()
    if fault:
        return "the proc connector does not work here: %s" % fault
    running = schedqos("status")
    if running.returncode == 0:
        return "a schedqos daemon runs already:\n" + running.stdout
    return None
