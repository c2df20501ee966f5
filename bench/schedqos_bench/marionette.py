# SPDX-License-Identifier: GPL-2.0-only
"""
A headless Firefox that is told what to do through Marionette: messages of JSON, each after its length and a colon. Firefox
offers that on a port to everybody who can connect, so it gets a network of its own, with nobody else in it.
"""

import array
import contextlib
import json
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .process import LOAD_STOP_TIMEOUT, Failure, Program, end_group

TIMEOUT = 120
PORT = 2828
FLAGS = ("--headless", "--no-remote", "--marionette")
PREFERENCES = {"marionette.port": PORT, "app.update.enabled": False, "toolkit.telemetry.enabled": False,
               "datareporting.policy.dataSubmissionEnabled": False, "network.captive-portal-service.enabled": False,
               "privacy.reduceTimerPrecision": False}

# Enters a network with only a loopback device, sends us a socket in it through the given descriptor, and becomes the program.
_ENTER = """
import array, ctypes, fcntl, os, socket, struct, sys
CLONE_NEWNET, SIOCSIFFLAGS, IFF_UP = 0x40000000, 0x8914, 1
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(CLONE_NEWNET):
    sys.exit("a network of its own: " + os.strerror(ctypes.get_errno()))
inside = socket.socket()
fcntl.ioctl(inside, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
to_us = socket.socket(fileno=int(sys.argv[1]))
to_us.sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [inside.fileno()]))])
to_us.close()
os.execvp(sys.argv[2], sys.argv[2:])
"""


def _received_socket(ours, output):
    """The socket that _ENTER has sent."""
    space = socket.CMSG_SPACE(array.array("i").itemsize)
    _, parts, _, _ = ours.recvmsg(1, space)
    if not parts:
        raise Failure(f"the browser has ended: see {output}")
    return socket.socket(fileno=array.array("i", parts[0][2])[0])


class Browser:
    """A context in which it shows a page, as devtools.Browser."""

    def __init__(self, program, page, output, prefix=()):
        self.stack, self.number, self.socket, self.stream = contextlib.ExitStack(), 0, None, None
        self.program, self.page, self.output, self.prefix = program, page, output, prefix

    def __enter__(self):
        with self.stack:
            folder = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="schedqos-bench-", ignore_cleanup_errors=True))
            Path(folder, "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
                                                       for name, value in PREFERENCES.items()), encoding="utf-8")
            log = self.stack.enter_context(open(self.output, "w", encoding="utf-8"))
            ours, theirs = socket.socketpair()
            with ours, theirs:
                ours.settimeout(TIMEOUT)
                argv = [sys.executable, "-c", _ENTER, str(theirs.fileno()), *self.prefix, self.program, *FLAGS, "--profile", folder]
                running = Program(argv, whole_group=True, stop_timeout=LOAD_STOP_TIMEOUT, stdin=subprocess.DEVNULL, stdout=log,
                                  stderr=log, pass_fds=(theirs.fileno(),))
                self.stack.callback(end_group, running)
                theirs.close()
                self.socket = self.stack.enter_context(_received_socket(ours, self.output))
            self._connect(running)
            self.call("WebDriver:NewSession", capabilities={})
            self.call("WebDriver:Navigate", url=self.page.as_uri())
            self.stack = self.stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def _connect(self, running):
        end = time.monotonic() + TIMEOUT
        while self.socket.connect_ex(("127.0.0.1", PORT)):
            if running.process.poll() is not None:
                raise Failure(f"the browser has ended: see {self.output}")
            if time.monotonic() > end:
                raise Failure(f"the browser does not listen: see {self.output}")
            time.sleep(0.1)
        self.socket.settimeout(TIMEOUT)
        self.stream = self.stack.enter_context(self.socket.makefile("rb"))
        self._receive()  # It introduces itself.

    def _receive(self):
        size = b""
        try:
            while not size.endswith(b":"):
                size += self.stream.read(1) or b":"
            return json.loads(self.stream.read(int(size[:-1])))
        except (ConnectionError, ValueError):
            raise Failure(f"the browser has ended: see {self.output}") from None
        except TimeoutError:
            raise Failure(f"the browser does not answer within {TIMEOUT} s: see {self.output}") from None

    def post(self, method, **parameters):
        """Sends a message without waiting for its answer. Returns its number."""
        self.number += 1
        message = json.dumps([0, self.number, method, parameters]).encode()
        try:
            self.socket.sendall(b"%d:%b" % (len(message), message))
        except ConnectionError:
            raise Failure(f"the browser has ended: see {self.output}") from None
        return self.number

    def call(self, method, **parameters):
        """Sends a message and returns the answer to it; other answers are passed over."""
        wanted = self.post(method, **parameters)
        while True:
            _, number, error, result = self._receive()
            if number == wanted:
                if error:
                    raise Failure(f"the browser refuses {method}: {error.get('message')}")
                return result

    def evaluate(self, expression):
        """Returns what an expression is in the page, in the scope of its scripts."""
        return self.call("WebDriver:ExecuteScript", script="return window.eval(arguments[0])", args=[expression],
                         sandbox=None)["value"]

    def press_key(self):
        """Presses a key and lets go of it, without waiting. Returns when, in ms since 1970."""
        now = time.time() * 1000
        self.post("WebDriver:PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": [
            {"type": "keyDown", "value": "a"}, {"type": "keyUp", "value": "a"}]}])
        return now
