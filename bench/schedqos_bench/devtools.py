# SPDX-License-Identifier: GPL-2.0-only
"""A headless Chromium that is told what to do through its debugging pipe: messages of JSON, each ended by a zero byte."""

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time

from .process import LOAD_STOP_TIMEOUT, Failure, Program, end_group

TIMEOUT = 120

# Without a network, without a profile, and never slowed down for being in the background.
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-background-timer-throttling",
         "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows", "--remote-debugging-pipe")

# It takes its descriptors 3 and 4 for the pipe. A shell may know single digits only.
_ENTER = """
import fcntl, os, sys
for number, descriptor in zip((3, 4), [fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3]]):
    os.dup2(descriptor, number)
    os.close(descriptor)
os.execvp(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """A context in which it shows a page; prefix puts its command line into a group."""

    def __init__(self, program, page, output, prefix=()):
        self.stack, self.number, self.session, self.rest = contextlib.ExitStack(), 0, None, b""
        self.program, self.page, self.output, self.prefix = program, page, output, prefix

    def __enter__(self):
        with self.stack:
            folder = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="schedqos-bench-", ignore_cleanup_errors=True))
            log = self.stack.enter_context(open(self.output, "w", encoding="utf-8"))
            (their_in, self.send_to), (self.read_from, their_out) = os.pipe(), os.pipe()
            for descriptor in (self.send_to, self.read_from):
                self.stack.callback(os.close, descriptor)
            argv = [sys.executable, "-c", _ENTER, str(their_in), str(their_out), *self.prefix, self.program, *FLAGS, f"--user-data-dir={folder}",
                    self.page.as_uri()]
            try:
                running = Program(argv, whole_group=True, stop_timeout=LOAD_STOP_TIMEOUT, stdin=subprocess.DEVNULL, stdout=log,
                                  stderr=log, pass_fds=(their_in, their_out))
            finally:
                os.close(their_in)
                os.close(their_out)
            self.stack.callback(end_group, running)
            self._attach()
            self.stack = self.stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def _attach(self):
        end = time.monotonic() + TIMEOUT
        while True:
            pages = [each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page"]
            if pages:
                break
            if time.monotonic() > end:
                raise Failure(f"the browser shows no page: see {self.output}")
            time.sleep(0.1)
        self.session = self.call("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        # Until then it may show the empty page that it begins with.
        while self.evaluate("document.readyState + location.protocol") != "completefile:":
            if time.monotonic() > end:
                raise Failure(f"the browser does not load its page: see {self.output}")
            time.sleep(0.1)

    def post(self, method, **parameters):
        """Sends a message without waiting for its answer. Returns its number."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        try:
            os.write(self.send_to, json.dumps(message).encode() + b"\0")
        except BrokenPipeError:
            raise Failure(f"the browser has ended: see {self.output}") from None
        return self.number

    def call(self, method, **parameters):
        """Sends a message and returns the answer to it; events and other answers are passed over."""
        wanted, end = self.post(method, **parameters), time.monotonic() + TIMEOUT
        while True:
            while b"\0" not in self.rest:
                if not select.select([self.read_from], [], [], max(0, end - time.monotonic()))[0]:
                    raise Failure(f"the browser does not answer {method} within {TIMEOUT} s: see {self.output}")
                part = os.read(self.read_from, 1 << 20)
                if not part:
                    raise Failure(f"the browser has ended: see {self.output}")
                self.rest += part
            text, _, self.rest = self.rest.partition(b"\0")
            found = json.loads(text)
            if found.get("id") == wanted:
                if "error" in found:
                    raise Failure(f"the browser refuses {method}: {found['error'].get('message')}")
                return found["result"]

    def evaluate(self, expression):
        """Returns what an expression is in the page."""
        found = self.call("Runtime.evaluate", expression=expression)
        if "exceptionDetails" in found:
            raise Failure(f"the page fails at {expression}: {found['exceptionDetails'].get('exception', {}).get('description')}")
        return found["result"].get("value")

    def press_key(self):
        """Presses a key and lets go of it, without waiting. Returns when, in ms since 1970."""
        now = time.time() * 1000
        self.post("Input.dispatchKeyEvent", type="keyDown", key="a", text="a")
        self.post("Input.dispatchKeyEvent", type="keyUp", key="a")
        return now
