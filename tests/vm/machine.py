# SPDX-License-Identifier: GPL-2.0-only
"""
A virtual machine without KVM: the console goes into a log, what the guest has to say through a port of its own.

Its processors take turns in one thread of QEMU's. Each in a thread of its own, some kernel or other dies of code that
the other processor has just patched, as a switch in the scheduler's features does: before QEMU 8.1 what is written
while it is being translated may be lost.
"""

import json
import os
import shlex
import socket
import subprocess
import threading
import time

QEMU = os.environ.get("QEMU", "qemu-system-x86_64")
# One of Intel's, as cpufreq.asl needs: of AMD's family 15, which is QEMU's own, Linux takes no ACPI frequencies, and
# with Intel's newer ones, or AMD's, the TSC is unstable as soon as one is set. Without cmpxchg16b: with it Linux 6.12
# has twice died under QEMU 7.2, of an address in the flags register, without it never.
CPU = "max,-cx16,vendor=GenuineIntel,family=6,model=58"


class Silent(Exception):
    """The guest ended, or had to be ended, without a word."""


def tail(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-40:])
    except OSError:
        return ""


def keep_awake(monitor):
    """Wakes a guest that has put itself to sleep, whenever it does, until QEMU ends."""
    with monitor, monitor.makefile("rw", encoding="utf-8") as lines:
        def say(word):
            lines.write('{"execute": "%s"}\n' % word)
            lines.flush()

        try:
            say("qmp_capabilities")
            for line in lines:
                if json.loads(line).get("event") == "SUSPEND":
                    say("system_wakeup")
        except OSError:
            pass


class Machine:
    """Boots a kernel on a disk, which stays as it is, with one ACPI table more."""

    def __init__(self, kernel, disk, table, log, arguments):
        self.log, self.answer = log, log[:-len(".log")] + ".answer"
        self.began = time.monotonic()
        monitor, theirs = socket.socketpair()
        self.popen = subprocess.Popen(
            [*shlex.split(QEMU), "-accel", "tcg,thread=single", "-cpu", CPU, "-smp", "2", "-m", "2048", "-nodefaults",
             "-display", "none", "-no-reboot", "-serial", "file:" + self.log, "-serial", "file:" + self.answer,
             "-chardev", "socket,id=monitor,fd=%d" % theirs.fileno(), "-mon", "chardev=monitor,mode=control",
             "-drive", "file=%s,format=raw,if=none,id=disk,snapshot=on" % disk,
             "-device", "nvme,serial=disk,drive=disk", "-acpitable", "file=" + table, "-kernel", kernel,
             # On a busy host the kernel finds that its timer does not tick, and panics.
             "-append", "no_timer_check root=/dev/nvme0n1 rootfstype=ext4 rw devtmpfs.mount=1 console=ttyS0 quiet panic=-1 "
                        "mitigations=off " + arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
            errors="replace", pass_fds=[theirs.fileno()])
        theirs.close()
        threading.Thread(target=keep_awake, args=[monitor], daemon=True).start()

    def seconds(self):
        return time.monotonic() - self.began

    def result(self, deadline):
        """What the guest's test wrote, as JSON, to ttyS1, before the machine was so many seconds old."""
        try:
            output = self.popen.communicate(timeout=max(0, deadline - self.seconds()))[0]
        except subprocess.TimeoutExpired:
            raise Silent("not done after %d s\n%s" % (deadline, tail(self.log))) from None
        finally:
            self.end()
        try:
            with open(self.answer, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            raise Silent("the guest ended without a result\n%s%s" % (output, tail(self.log))) from None

    def end(self):
        self.popen.kill()
        self.popen.wait()
        self.popen.stdout.close()
