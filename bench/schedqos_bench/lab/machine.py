# SPDX-License-Identifier: GPL-2.0-only
"""
One boot of a guest. Its console goes into one file; a second serial port carries what the guest has to say, one line
each: "tick" (a second of the guest's time has passed), "step TEXT", "lacks TEXT", "turn STILL SPEED", "result LABEL JSON",
"text LABEL LINE" (the lines of a label make one result) and "end".
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from .. import escape, progress
from ..process import Failure, Program
from . import emulator

# Without them the guest is not deterministic or does not boot, or spends its time on mitigations and on tests of its own.
_KERNEL_OPTIONS = ("console=ttyS0,115200 quiet panic=-1 nokaslr tsc=unstable clocksource=hpet no_timer_check "
                   "mitigations=off cryptomgr.notests")
_MEMORY = 512
# The kernel unpacks the initramfs while it is still in memory.
_INITRAMFS_MAX = _MEMORY * 2 ** 20 // 3
# Seconds without any output; and without a word of the guest, while its kernel still prints that nothing goes on.
_SILENCE, _STALLED = 60, 600
_TURNS = re.compile(r"[0-9]+ [0-9]+")
# A fault of the kernel, which may have ended a program of ours.
_FAULT = re.compile(r"^(\[.*\] )?(BUG:|Oops|.*general protection fault)", re.MULTILINE)
_CONSOLE_LINES = 25
_POLL = 0.1
_ENDED = object()
_TICKS = os.sysconf("SC_CLK_TCK")


class NoBoot(Failure):
    """The kernel does not come to the scenario: an answer for a bisection, which skips it."""


def _kernel_options(cpus, needs_events):
    """The kernel hands what it does not know, here lab_cpus and lab_events, to the first process."""
    words = [_KERNEL_OPTIONS, *emulator.kernel_options(cpus), f"lab_cpus={cpus}", f"lab_events={'yes' if needs_events else 'no'}"]
    return " ".join(words)


def last_lines(console):
    """The lines that tell why a guest died: those around a panic, without the trace below it, else the last ones."""
    lines = console.splitlines()
    panics = [number for number, line in enumerate(lines) if "Kernel panic" in line]
    end = panics[-1] + 1 if panics else len(lines)
    return lines[max(0, end - _CONSOLE_LINES):end]


class _Silence:
    """
    The seconds since the guest's last output. On a busy host, in which QEMU waits for a CPU, only the time counts in which
    it had one.
    """

    def __init__(self, pid):
        self.tasks = Path(f"/proc/{pid}/task")
        self.reset()

    def reset(self):
        self.seconds, self.clock, self.cpu = 0.0, time.monotonic(), self._cpu()[0]

    def _cpu(self):
        """Its CPU seconds so far, and whether one of its threads has or wants a CPU."""
        used, runs = 0, False
        for stat in self.tasks.glob("*/stat"):
            with contextlib.suppress(OSError):
                fields = stat.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
                used += int(fields[11]) + int(fields[12])
                runs = runs or fields[0] == "R"
        return used / _TICKS, runs

    def passed(self):
        clock, (cpu, runs) = time.monotonic(), self._cpu()
        self.seconds += cpu - self.cpu if runs else clock - self.clock
        self.clock, self.cpu = clock, cpu
        return self.seconds


class Machine:
    """
    A guest: a kernel with an initramfs. needs_events: a kernel without proc events is refused. patience: seconds of the
    guest's time after which one that only ticks hangs. results: [(label, value)], when it has ended.
    """

    def __init__(self, qemu, kernel, archive, cpus, title, needs_events=True, patience=1200):
        self.qemu, self.kernel, self.archive, self.cpus = qemu, kernel, archive, cpus
        self.title, self.needs_events, self.patience = title, needs_events, patience
        self.results, self.guest_seconds, self.said_at, self.began = [], 0, 0, 0.0
        self.printed = ""  # on its console, when it has ended

    def run(self):
        """A generator that boots the guest, yields while it runs, and is done when the guest has ended."""
        with tempfile.TemporaryDirectory(prefix="schedqos-lab-") as folder:
            folder = Path(folder)
            self.archive.write(folder / "initramfs")
            if (folder / "initramfs").stat().st_size > _INITRAMFS_MAX:
                raise Failure(f"the files for the guest take more than {_INITRAMFS_MAX >> 20} MiB: --carry fewer")
            for name in ("console", "words"):
                (folder / name).touch()
            command = [*self.qemu.command(self.cpus, _MEMORY, folder), "-serial", f"file:{folder}/console",
                       "-serial", f"file:{folder}/words", "-kernel", self.kernel, "-initrd", folder / "initramfs",
                       "-append", _kernel_options(self.cpus, self.needs_events)]
            self.began = time.monotonic()
            with Program(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         stop_timeout=5, death_signal=signal.SIGKILL) as program, \
                    open(folder / "words", encoding="utf-8", errors="replace") as words:
                yield from self._follow(program, words, folder / "console")

    def _follow(self, program, words, console):
        silence, stalled, rest, size = _Silence(program.pid), _Silence(program.pid), "", 0
        while True:
            ended = program.process.poll() is not None
            rest += words.read()
            *lines, rest = rest.split("\n")
            for line in lines:
                if self._take(line.rstrip("\r"), console):
                    self.printed = console.read_text(encoding="utf-8", errors="replace")
                    return
            if lines:
                stalled.reset()
            if lines or console.stat().st_size != size:
                silence.reset()
                size = console.stat().st_size
            if ended:
                said = program.process.stderr.read().strip()
                if program.process.returncode < 0:
                    raise Failure(f"{self.title}: QEMU was killed by signal {-program.process.returncode}")
                # If QEMU complains about the kernel, a bisection skips it. If QEMU lacks memory, the bisection ends.
                if program.process.returncode and "kernel" not in said:
                    raise Failure(f"{self.title}: QEMU fails: {said[-1000:] or program.process.returncode}")
                raise self._no_boot("ended without a result" + (f": {said[-1000:]}" if said else ""), console)
            if silence.passed() > _SILENCE:
                raise self._no_boot(f"silent for {_SILENCE} s", console)
            if stalled.passed() > _STALLED:
                raise self._no_boot(f"no task has run for {_STALLED} s, though the kernel prints", console)
            yield

    def _take(self, line, console):
        """Returns whether the guest is done."""
        word, _, text = line.partition(" ")
        if word == "result":
            label, _, value = text.partition(" ")
            try:
                self.results.append((label, json.loads(value)))
            except ValueError:
                self.printed = console.read_text(encoding="utf-8", errors="replace")
                raise self.broken(f"the guest has printed a broken result of {label}: {value[:500]}") from None
        elif word == "text":
            label, _, rest = text.partition(" ")
            if not self.results or self.results[-1][0] != label:
                self.results.append((label, ""))
            self.results[-1] = (label, self.results[-1][1] + rest + "\n")
        elif word == "tick":
            self.guest_seconds += 1
            if self.guest_seconds - self.said_at > self.patience:
                raise self._no_boot(f"nothing but ticks for {self.patience} s of the guest's time", console)
            return False
        elif word == "step":
            progress.log(f"{self.title}: {text} ({progress.span(time.monotonic() - self.began)}, "
                         f"{self.guest_seconds} s in the guest)")
        elif word == "turn":
            if not _TURNS.fullmatch(text):
                raise self._no_boot(f"bench-turns has printed {text or 'nothing'}", console, Failure)
            emulator.check_turns(self.qemu, *map(int, text.split()))
        elif word == "lacks":
            raise self._no_boot(f"the kernel lacks {text}", console)
        elif word == "failed":
            raise self._no_boot(text, console, Failure)
        self.said_at = self.guest_seconds
        return word == "end"

    def broken(self, what):
        """The error for results that are wrong or missing: a kernel that has printed a fault is to be skipped."""
        return self._error(what, self.printed, NoBoot if _FAULT.search(self.printed) else Failure)

    def _no_boot(self, what, console, kind=NoBoot):
        return self._error(what, console.read_text(encoding="utf-8", errors="replace"), kind)

    def _error(self, what, printed, kind):
        lines = last_lines(printed)
        shown = "\n".join("  " + escape.visible(line) for line in lines)
        return kind(f"{self.title}: {what}. Kernel: {self.kernel}. "
                    + (f"The last lines of its console:\n{shown}" if shown else "It printed nothing on its console."))


def run_all(machines, at_once):
    """Runs guests, up to at_once of them at the same time. The results of one do not depend on the others."""
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(contextlib.closing(machine.run())) for machine in machines]
        running = []
        while waiting or running:
            starting = waiting[:at_once - len(running)]
            del waiting[:len(starting)]
            running = [each for each in running + starting if next(each, _ENDED) is not _ENDED]
            time.sleep(_POLL)
