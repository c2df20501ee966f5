# SPDX-License-Identifier: GPL-2.0-only
"""A virtual machine without KVM: the console goes into a log, what the guest has to say through a port of its own."""

import json
import os
import shlex
import subprocess

QEMU = os.environ.get("QEMU", "qemu-system-x86_64")
# Without cmpxchg16b: under QEMU 7.2 Linux 6.12 once died of a double fault right behind that instruction, in its memory
# allocator, with an address in the flags register.
CPU = "max,-cx16"


class Silent(Exception):
    """The guest ended, or had to be ended, without a word."""


def tail(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-40:])
    except OSError:
        return ""


def boot(kernel, disk, log, arguments, deadline):
    """Boots a kernel on a disk, which stays as it is, and returns what the guest's test wrote, as JSON, to ttyS1."""
    answer = log[:-len(".log")] + ".answer"
    command = [
        *shlex.split(QEMU), "-accel", "tcg,thread=multi", "-cpu", CPU, "-smp", "2", "-m", "2048", "-nodefaults",
        "-display", "none", "-no-reboot", "-serial", "file:" + log, "-serial", "file:" + answer,
        "-drive", "file=%s,format=raw,if=none,id=disk,snapshot=on" % disk, "-device", "nvme,serial=disk,drive=disk",
        "-kernel", kernel,
        "-append", "root=/dev/nvme0n1 rootfstype=ext4 rw devtmpfs.mount=1 console=ttyS0 quiet panic=-1 "
                   "mitigations=off " + arguments]
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                encoding="utf-8", errors="replace", timeout=deadline, check=False)
    except subprocess.TimeoutExpired:
        raise Silent("not done after %d s\n%s" % (deadline, tail(log))) from None
    try:
        with open(answer, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        raise Silent("the guest ended without a result\n%s%s" % (result.stdout, tail(log))) from None
