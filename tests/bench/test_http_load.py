# SPDX-License-Identifier: GPL-2.0-only
"""The load generator: what its latencies count from, where responses end, and how exact its histogram is."""

import ctypes
import json
import os
import random
import selectors
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from math import ceil

from case import SANITIZED, compile_tool

PARTS = ["histogram.c", "http_response.c"]

DONE = 7
STEP = 1 / 128

folder = library = None


def setUpModule():
    global folder, library
    folder = tempfile.mkdtemp(prefix="schedqos-test-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    compile_tool(os.path.join(folder, "load"), ["http_load.c", "bench.c", *PARTS], SANITIZED)
    parts = os.path.join(folder, "parts.so")
    compile_tool(parts, PARTS, ["-shared", "-fPIC"])
    library = ctypes.CDLL(parts)
    library.http_response_take.restype = ctypes.c_size_t
    library.http_response_take.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    library.histogram_add.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    library.histogram_percentile.restype = ctypes.c_uint64
    library.histogram_percentile.argtypes = [ctypes.c_void_p, ctypes.c_uint]


def load(port, *options, paths=("/",)):
    return subprocess.run([os.path.join(folder, "load"), "--port", str(port), *map(str, options), *paths],
                          capture_output=True, text=True, timeout=60, check=False)


class Server(threading.Thread):
    """Answers each request with what answer(number of the request, path) returns; None: never."""

    def __init__(self, answer):
        super().__init__(daemon=True)
        self.answer, self.asked = answer, []
        self.stopped = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)

    def run(self):
        while not self.stopped.is_set():
            for key, _ in self.selector.select(timeout=0.1):
                if key.fileobj is self.listener:
                    self.selector.register(self.listener.accept()[0], selectors.EVENT_READ)
                else:
                    self.serve(key.fileobj)

    def serve(self, connection):
        try:
            request = connection.recv(4096)
            if not request:
                raise ConnectionError
            self.asked.append(request.split()[1].decode())
            answer = self.answer(len(self.asked), self.asked[-1])
            if answer is not None:
                connection.sendall(answer)
        except ConnectionError:
            self.selector.unregister(connection)
            connection.close()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()


SHORT = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CHUNKED = (b"HTTP/1.1 200 OK\r\nServer: x\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n"
           b"5\r\n0\r\n\r\n\r\n1a;ext=1\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nTrailer: y\r\n\r\n")


class Latency(unittest.TestCase):
    def test_a_stall_counts_for_all_that_was_due_meanwhile(self):
        """
        The server stands still for half a second: at 1000 requests/s at least 250 of them wait for more than a
        quarter, though only four connections can have one under way.
        """
        def answer(number, _):
            if number == 100:
                time.sleep(0.5)
            return SHORT

        with Server(answer) as server:
            run = load(server.port, "--rate", 1000, "--seconds", 2, "--warm-up", 0, "--connections", 4)
        self.assertEqual(run.stderr, "")
        found = json.loads(run.stdout)
        self.assertEqual((found["requests"], found["unanswered"], found["latency"]["samples"]), (2000, 0, 2000))
        late = sum(count for edge, count in found["latency"]["bins"] if edge >= 250000)
        self.assertGreaterEqual(late, 240)
        self.assertGreaterEqual(found["latency"]["max"], 500000 - 4000)
        self.assertGreaterEqual(found["latency"]["p90"], 250000)

    def test_the_warm_up_is_not_counted(self):
        with Server(lambda *_: SHORT) as server:
            run = load(server.port, "--rate", 200, "--seconds", 1, "--warm-up", 1)
            self.assertEqual(len(server.asked), 400)
        found = json.loads(run.stdout)
        self.assertEqual((found["requests"], found["latency"]["samples"]), (400, 200))


class Requests(unittest.TestCase):
    def test_no_more_than_were_asked_for_and_not_before_they_are_due(self):
        with Server(lambda *_: CHUNKED) as server:
            began = time.monotonic()
            run = load(server.port, "--rate", 300, "--seconds", 1, "--warm-up", 0)
            took = time.monotonic() - began
            self.assertEqual(len(server.asked), 300)
        self.assertEqual(json.loads(run.stdout)["bytes"], 300 * len(CHUNKED))
        self.assertGreaterEqual(took, 299 / 300)

    def test_a_server_that_does_not_do_its_part(self):
        cases = ((b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "status 404"),
                 (b"HTTP/1.1 200 OK\r\n\r\nuntil the end", "no HTTP/1.1 response"),
                 (b"220 smtp\r\n", "no HTTP/1.1 response"),
                 (SHORT + b"more", "no HTTP/1.1 response"))
        for answer, said in cases:
            with Server(lambda *_, answer=answer: answer) as server:
                run = load(server.port, "--seconds", 1)
            self.assertEqual((run.returncode, run.stdout), (1, ""), answer)
            self.assertIn(said, run.stderr)

        def hang_up(*_):
            raise ConnectionError
        with Server(hang_up) as server:
            self.assertIn("closed a connection", load(server.port, "--seconds", 1).stderr)
        self.assertIn("connect", load(server.port, "--seconds", 1).stderr)


class Response(unittest.TestCase):
    def take(self, *pieces):
        """The state at the end, the status, and how much of each piece was taken."""
        response = ctypes.create_string_buffer(4096)
        taken = [library.http_response_take(response, piece, len(piece)) for piece in pieces]
        state, status = (int.from_bytes(response.raw[at:at + 4], "little") for at in (0, 4))
        return state, status, taken

    def test_wherever_it_is_cut(self):
        for whole in (SHORT, CHUNKED):
            for cut in range(1, len(whole)):
                state, status, taken = self.take(whole[:cut], whole[cut:] + b"next")
                self.assertEqual((state, status, taken), (DONE, 200, [cut, len(whole) - cut]), (whole, cut))
            state, _, _ = self.take(*[bytes([byte]) for byte in whole])
            self.assertEqual(state, DONE)
            self.assertLess(self.take(whole[:-1])[0], DONE)


class Histogram(unittest.TestCase):
    def filled(self, values):
        histogram = (ctypes.c_uint64 * 8192)()
        for value in values:
            library.histogram_add(histogram, value)
        return histogram

    def percentile(self, values, hundredths):
        return library.histogram_percentile(self.filled(values), hundredths)

    def test_no_value_is_more_than_its_bin_off(self):
        chance = random.Random(2)
        edges = [(1 << bits) + offset for bits in range(1, 40) for offset in (-1, 0, 1)]
        for value in edges + [int(2 ** chance.uniform(0, 40)) for _ in range(2000)]:
            # With a larger one beside it, it is not the greatest, which is known exactly.
            found = self.percentile([value, 1 << 62], 5000)
            self.assertTrue(value <= found <= value * (1 + STEP), (value, found))

    def test_percentiles_by_nearest_rank(self):
        values = [int(1.002 ** n) for n in range(5000)]
        for hundredths in (0, 1, 5000, 9000, 9900, 9990, 9999, 10000):
            exact = values[max(0, ceil(len(values) * hundredths / 10000) - 1)]
            found = self.percentile(values, hundredths)
            self.assertTrue(exact <= found <= exact * (1 + STEP), (hundredths, exact, found))
        self.assertEqual(self.percentile(values, 10000), values[-1])
