# SPDX-License-Identifier: GPL-2.0-only
"""
QEMU, with a clock that counts instructions. All CPUs share one count, so a guest with n busy CPUs runs each of them at
1/n of the nominal speed: by SHIFTS a busy CPU needs 4 ns for an instruction in guests of up to four CPUs, and 8 ns in those of
eight.

QEMU runs the CPUs one after the other while the clock goes on. QEMU 7 runs a CPU until the next timer: with the guest's
timers alone its turns last up to 100 ms, so a timer of QEMU's own ends them. QEMU 10 divides the time until the next timer
between the CPUs, but unevenly: two of four CPUs run at 36 % of the speed of another, with and without that timer, and the
guest's scheduler does not know it. So one CPU does with any version; more need an old one, which is installed in a small
Debian of its own if the host's is newer.

QEMU 7 skips a CPU at some timers. With two CPUs, or while only two of four are busy, that may be the same one for 100 ms; while
four are busy it is each in its turn. So the machine of a guest with two CPUs has two more, which spin before the kernel starts and
of which it takes no notice (nr_cpus).
"""

import os
import re
import shutil
import subprocess

from .. import progress
from ..debian.packages import Unavailable, bootstrap
from ..process import Failure
from . import spinners
from .kernels import cache

# Nanoseconds of an instruction, as a power of two.
SHIFTS = {1: 2, 2: 0, 4: 0, 8: 0}
CPUS = tuple(SHIFTS)

# CPUs that spin, beside those of the guest.
_SPINNERS = {2: 2}

# Limits for the two percentages that bench-turns prints. A CPU may spend so much of the time in pauses of over 0.3 ms, in which
# the others have their turns.
STILL_MOST = 5
# The slowest CPU must have at least this speed, in percent of the fastest.
SPEED_LEAST = 90

# The length of a turn. Only one kind of QEMU's timers fires by itself and without work for the guest: that of a filter of
# packets, of which there are none.
_TURN_US = 20
_SHORT_TURNS = ("-netdev", "hubport,id=turns,hubid=0",
                "-object", f"filter-buffer,id=turn,netdev=turns,interval={_TURN_US}")

_SUITE, _PACKAGE, _PROGRAM = "bookworm", "qemu-system-x86", "qemu-system-x86_64"
_LAST_FOR_MANY = 7

# A fixed model: "max" is another one in each version, for which libc chooses other functions. No
# cmpxchg16b: with it Linux 6.1 (here, with two CPUs) and 6.12 (in tests/vm) have died in that instruction under QEMU 7.
_CPU = "Nehalem,+rdrand,-cx16"


def kernel_options(cpus):
    """What the kernel's command line needs for a guest of so many CPUs."""
    return [f"nr_cpus={cpus}"] if cpus in _SPINNERS else []


def _spinners(cpus, folder):
    """The options of QEMU for the CPUs that spin. Writes their program into the folder."""
    count = _SPINNERS.get(cpus, 0)
    if not count:
        return []
    (folder / "spinners").write_bytes(spinners.option_rom(cpus, cpus + count))
    return ["-option-rom", folder / "spinners"]


class Emulator:
    """A QEMU: the words that start it, and its version."""

    def __init__(self, words):
        self.words = words
        run = subprocess.run([*words, "--version"], capture_output=True, text=True, check=False)
        found = re.search(r"version (\d+)\.(\d+)\.(\d+)", run.stdout)
        if not found:
            raise Failure(f"{' '.join(words)} is no QEMU: {run.stderr.strip()[-500:]}")
        self.version = ".".join(found.groups())
        self.major = int(found[1])

    def command(self, cpus, memory, folder):
        """The command line of a deterministic machine without devices. The folder is for files that it needs."""
        return [*self.words, "-accel", "tcg,thread=single",
                "-icount", f"shift={SHIFTS[cpus]},sleep=off,align=off", "-seed", "1",
                "-rtc", "base=2026-01-01T00:00:00,clock=vm", "-smp", str(cpus + _SPINNERS.get(cpus, 0)), "-m", str(memory), "-cpu", _CPU,
                "-nodefaults", "-display", "none", "-no-reboot", *(_SHORT_TURNS if cpus > 1 else ()),
                *_spinners(cpus, folder)]


def _installed(tree):
    """A QEMU of another Debian, by that Debian's own dynamic linker, so that it needs neither chroot nor root."""
    library = tree / "usr/lib/x86_64-linux-gnu"
    # It looks for its modules beside the program that was executed, which is the dynamic linker.
    return ["env", f"QEMU_MODULE_DIR={library}/qemu", str(tree / "usr/lib64/ld-linux-x86-64.so.2"),
            "--library-path", str(library), str(tree / "usr/bin" / _PROGRAM),
            "-L", str(tree / "usr/share/qemu"), "-L", str(tree / "usr/share/seabios")]


def _install():
    tree = cache() / "lab" / f"qemu-{_SUITE}"
    if not tree.exists():
        if os.geteuid() != 0 or not shutil.which("debootstrap"):
            raise Failure(f"more than one CPU needs QEMU {_LAST_FOR_MANY}: name one in $QEMU, or run this once as root with "
                          "debootstrap, which installs it in a folder of its own")
        progress.log(f"installing QEMU of Debian {_SUITE} in {tree}")
        partial = tree.with_name(f"{tree.name}.{os.getpid()}")
        partial.parent.mkdir(parents=True, exist_ok=True)
        try:
            bootstrap(_SUITE, str(partial), [_PACKAGE])
            if not tree.exists():  # another run may have been quicker
                partial.rename(tree)
        except Unavailable as error:
            raise Failure(f"QEMU {_LAST_FOR_MANY}: {error}") from None
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return Emulator(_installed(tree))


def find(cpus):
    """A QEMU for a machine of so many CPUs: $QEMU, the host's, or one of our own."""
    chosen = os.environ.get("QEMU")
    if chosen:
        return Emulator(chosen.split())
    host = shutil.which(_PROGRAM)
    if not host and cpus == 1:
        raise Failure(f"the lab needs {_PROGRAM}: install {_PACKAGE}, or name one in $QEMU")
    if host:
        emulator = Emulator([host])
        if cpus == 1 or emulator.major <= _LAST_FOR_MANY:
            return emulator
    return _install()


def check_turns(emulator, still, speed):
    """Refuses a QEMU whose CPUs stand still for too long, or of which one is much slower than another."""
    if still > STILL_MOST:
        raise Failure(f"QEMU {emulator.version} has a CPU stand still for over 0.3 ms at once in {still} % of the time; a guest "
                      f"of several CPUs needs at most {STILL_MOST} % (QEMU {_LAST_FOR_MANY})")
    if speed < SPEED_LEAST:
        raise Failure(f"QEMU {emulator.version} runs a CPU at {speed} % of the speed of another; a guest of several CPUs needs "
                      f"at least {SPEED_LEAST} % (QEMU {_LAST_FOR_MANY})")
