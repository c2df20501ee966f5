# SPDX-License-Identifier: GPL-2.0-only
"""
Processes that cannot be inspected without blocking.

  stuck.py serve FOLDER [COUNT PROGRAM]  mounts a file system there, says "ready", and never finishes a read of the one
                                         file in it, "file"; with COUNT, runs that many of the following
  PROGRAM stuck.py hang FILE [ARGUMENT ...]
                                         sleeps in mmap(), holding the lock of its own memory
  PROGRAM stuck.py fork FILE             after a line of input, does the same in another thread; meanwhile it forks, which
                                         has to wait for that lock, and then prints the pid of the child

On SIGUSR1 the server answers; then all of these processes go on, and stay idle. When the server ends, the kernel removes
its file system, so they go on as well. The structs that are packed here are in linux/fuse.h.
"""

import _thread
import ctypes
import errno
import mmap
import os
import signal
import stat
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1
MS_NOSUID, MS_NODEV = 2, 4
LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH, INIT, INTERRUPT, BATCH_FORGET = 1, 2, 3, 14, 15, 18, 25, 26, 36, 42
DIRECT_IO, KEEP_CACHE = 1, 2
ASYNC_READ, ASYNC_DIO = 1, 1 << 15
FILE_NODE, FILE_BYTES, READS_MAX, HOUR_S = 2, 65536, 64, 3600

# A file opened with this flag is not cached, so mmap has to empty the cache that the other descriptors filled.
UNCACHED = os.O_NONBLOCK


def attributes(node):
    mode, links, size = (stat.S_IFREG | 0o644, 1, FILE_BYTES) if node == FILE_NODE else (stat.S_IFDIR | 0o755, 2, 0)
    return struct.pack("=6Q10I", node, size, 0, 0, 0, 0, 0, 0, 0, mode, links, 0, 0, 0, 0, 0)


class Server:
    def __init__(self, folder, programs):
        self.file, self.programs = folder + "/file", programs
        self.answers, self.reads, self.is_ready = False, [], False  # reads wait for their answer
        self.device = os.open(os.environ.get("FUSE", "/dev/fuse"), os.O_RDWR)
        options = "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % self.device
        if LIBC.mount(b"stuck", folder.encode(), b"fuse", MS_NOSUID | MS_NODEV, options.encode()):
            sys.exit("mount: " + os.strerror(ctypes.get_errno()))
        signal.signal(signal.SIGUSR1, self.go_on)

    def reply(self, unique, body=b"", error=0):
        try:
            os.write(self.device, struct.pack("=IiQ", 16 + len(body), -error, unique) + body)
        except FileNotFoundError:
            pass  # the process that asked is gone

    def go_on(self, *_):
        self.answers = True
        reads, self.reads = self.reads, []
        for unique, size in reads:
            self.reply(unique, bytes(size))

    def read(self, unique, size):
        self.reads.append((unique, size))
        # Check this last, because the signal may come at any time.
        if self.answers:
            self.go_on()

    def handle(self, code, unique, node, body):
        if code == INIT:
            minor = min(struct.unpack_from("=2I", body)[1], 31)
            self.reply(unique, struct.pack("=4I2H11I", 7, minor, 0, ASYNC_READ | ASYNC_DIO, READS_MAX, READS_MAX, FILE_BYTES,
                                           *[0] * 10))
        elif code == LOOKUP:
            self.reply(unique, struct.pack("=4Q2I", FILE_NODE, 0, HOUR_S, HOUR_S, 0, 0) + attributes(FILE_NODE))
        elif code == GETATTR:
            self.reply(unique, struct.pack("=Q2I", HOUR_S, 0, 0) + attributes(node))
        elif code == OPEN:
            uncached = struct.unpack_from("=I", body)[0] & UNCACHED
            self.reply(unique, struct.pack("=Q2I", 0, KEEP_CACHE | (DIRECT_IO if uncached else 0), 0))
        elif code == READ:
            self.read(unique, struct.unpack_from("=2QI", body)[2])
        elif code in (RELEASE, FLUSH):
            self.reply(unique)
        elif code not in (FORGET, BATCH_FORGET, INTERRUPT):
            self.reply(unique, error=errno.ENOSYS)

    def child(self, run, *args):
        if os.fork() == 0:
            os.close(self.device)
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            run(*args)

    def read_first_page(self):
        """Keeps the first page locked: the kernel is reading it for this process."""
        os.pread(os.open(self.file, os.O_RDONLY), 1, 0)
        pause()

    def serve(self):
        self.child(self.read_first_page)
        while True:
            request = os.read(self.device, FILE_BYTES * 2)
            _, code, unique, node = struct.unpack_from("=IIQQ", request)
            self.handle(code, unique, node, request[40:])
            if self.reads and not self.is_ready:
                self.is_ready = True
                for program in self.programs:
                    self.child(os.execv, program, [program, __file__, "hang", self.file])
                print("ready", flush=True)


def pause():
    while True:
        signal.pause()


def hang(file, *_):
    # Do not use Python's mmap, which does not let other threads run.
    LIBC.mmap(None, ctypes.c_size_t(4096), mmap.PROT_READ, mmap.MAP_PRIVATE, os.open(file, os.O_RDONLY | UNCACHED),
              ctypes.c_long(0))
    pause()


def fork(file):
    sys.stdin.readline()
    _thread.start_new_thread(hang, (file,))
    # The lock is held as soon as the thread waits for the server.
    tid, = set(os.listdir("/proc/self/task")) - {str(os.getpid())}
    while open("/proc/self/task/%s/stat" % tid, encoding="latin-1").read().rsplit(")", 1)[1].split()[0] != "D":
        pass
    child = os.fork()
    if child:
        print(child, flush=True)
    pause()


def serve(folder, count=0, program=None):
    Server(folder, [program] * int(count)).serve()


if __name__ == "__main__":
    {"serve": serve, "hang": hang, "fork": fork}[sys.argv[1]](*sys.argv[2:])
