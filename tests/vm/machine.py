# SPDX-License-Identifier: GPL-2.0-only
"""
A virtual machine without KVM. Its console goes into a log, and the result of its test through a port of its own.

Its processors take turns in one thread of QEMU. With a thread for each processor, some kernels die when they execute code
that the other processor has just patched, as a switch of a scheduler feature does: before QEMU 8.1, a write to code that is
being translated may be lost.
"""

import json
import os
import shlex
import socket
import subprocess
import threading
import time

QEMU = os.environ.get("QEMU", "qemu-system-x86_64")
# An Intel processor, as cpufreq.asl needs. Linux accepts no ACPI frequencies from AMD's family 15, which is QEMU's
# default, and with newer processors of Intel or AMD the TSC becomes unstable as soon as a frequency is set. No
# cmpxchg16b: with it Linux 6.12 has died twice under QEMU 7.2, with an address in the flags register, and never without
# it.
CPU = "max,-cx16,vendor=GenuineIntel,family=6,model=58"


class Silent(Exception):
    """The guest ended, or had to be ended, without a result."""


def tail(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-40:])
    except OSError:
        return ""


def keep_awake(monitor):
    """Wakes the guest whenever it has put itself to sleep, until QEMU ends."""
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
    """Boots a kernel with an additional ACPI table. The disk image stays as it is."""

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
             # On a busy host the kernel would find that its timer does not tick, and panic.
             "-append", "no_timer_check root=/dev/nvme0n1 rootfstype=ext4 rw devtmpfs.mount=1 console=ttyS0 quiet panic=-1 "
                        "mitigations=off " + arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
            errors="replace", pass_fds=[theirs.fileno()])
        theirs.close()
        threading.Thread(target=keep_awake, args=[monitor], daemon=True).start()

    def seconds(self):
        return time.monotonic() - self.began

    def result(self, deadline):
        """
        Returns the JSON that the guest's test wrote to ttyS1. Raises Silent if the machine is `deadline` seconds old
        before that.
        """
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
