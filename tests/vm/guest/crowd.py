# SPDX-License-Identifier: GPL-2.0-only
"""
A user with many subordinate uids, each of which calls the bridge from a connection of its own. The bus sees only the
uids, so this process takes one after another, as newuidmap(1) would for the user. dbus-daemon accepts only uids with a
name, so each of these gets one.
"""

import ctypes
import os
import threading

FIRST = 100000  # the first that useradd writes to /etc/subuid
PASSWD = "/etc/passwd"
NAME, PATH = b"org.schedqos1", b"/org/schedqos1"
SD_BUS = ctypes.CDLL("libsystemd.so.0")


class Error(ctypes.Structure):
    """Struct sd_bus_error."""

    _fields_ = [("name", ctypes.c_char_p), ("message", ctypes.c_char_p), ("need_free", ctypes.c_int)]


def connect(uid):
    bus = ctypes.c_void_p()
    os.seteuid(uid)
    try:
        result = SD_BUS.sd_bus_open_system(ctypes.byref(bus))
    finally:
        os.seteuid(0)
    if result >= 0:
        # Wait for the bus, which accepts no more connections while too many have not authenticated yet.
        result = SD_BUS.sd_bus_get_unique_name(bus, ctypes.byref(ctypes.c_char_p()))
    if result < 0:
        raise OSError(-result, "uid %d, the system bus: %s" % (uid, os.strerror(-result)))
    return bus


def status(bus):
    """Calls Status. Returns the name of the error, or None."""
    error, reply = Error(), ctypes.c_void_p()
    result = SD_BUS.sd_bus_call_method(bus, NAME, PATH, NAME, b"Status", ctypes.byref(error), ctypes.byref(reply), b"")
    name = error.name.decode() if error.name else os.strerror(-result)
    SD_BUS.sd_bus_message_unref(reply)
    SD_BUS.sd_bus_error_free(ctypes.byref(error))
    return None if result >= 0 else name


class Crowd:
    """Calls until end() is called. `answers` counts the answers by name of the error; None stands for success."""

    THREADS = 8

    def __init__(self, size):
        self.answers, self._end, self._lock = {}, threading.Event(), threading.Lock()
        with open(PASSWD, "r+", encoding="utf-8") as file:
            self._passwd = file.read()
            file.writelines("sub%d:x:%d:%d::/:/bin/false\n" % (number, FIRST + number, FIRST + number) for number in range(size))
        self._buses = [connect(FIRST + number) for number in range(size)]
        self._threads = [threading.Thread(target=self._call, args=[number]) for number in range(self.THREADS)]
        for thread in self._threads:
            thread.start()

    def _call(self, number):
        while not self._end.is_set():
            for bus in self._buses[number::self.THREADS]:
                answer = status(bus)
                with self._lock:
                    self.answers[answer] = self.answers.get(answer, 0) + 1
                if self._end.is_set():
                    break

    def end(self):
        self._end.set()
        for thread in self._threads:
            thread.join()
        for bus in self._buses:
            SD_BUS.sd_bus_flush_close_unref(bus)
        with open(PASSWD, "w", encoding="utf-8") as file:
            file.write(self._passwd)
