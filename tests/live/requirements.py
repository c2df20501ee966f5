# SPDX-License-Identifier: GPL-2.0-only
"""Checks whether live tests can run on this machine."""

import contextlib
import errno
import os
import time

import proc_events
from attributes import set_attr
from daemon import SCHEDQOS, schedqos
from waiting import PATIENCE


def proc_connector_fault():
    """
    Returns the reason why the proc connector does not work here, or None. Finds out without the daemon, by children of
    ours.
    """
    children, end = set(), time.monotonic() + PATIENCE
    with contextlib.closing(proc_events.open_socket()) as netlink:
        netlink.settimeout(PATIENCE)
        try:
            proc_events.listen(netlink)
            while time.monotonic() < end:
                # Start one more for each message: so many other events may come that some are dropped.
                child = os.posix_spawnp("true", ["true"], os.environ)
                children.add(child)
                os.waitpid(child, 0)
                try:
                    if proc_events.forked_child(netlink.recv(4096)) in children:
                        return None
                except OSError as error:
                    if error.errno != errno.ENOBUFS:
                        raise
        except OSError as error:
            return str(error)
    return "no event within %d s" % PATIENCE


def why_not():
    """Returns the reason why no live test can run here, or None."""
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
