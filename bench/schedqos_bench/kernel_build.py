# SPDX-License-Identifier: GPL-2.0-only
"""A kernel build as a background load: the same one in every round."""

import glob
import os
import re
import shutil
import subprocess
from pathlib import Path

from . import progress
from .process import Failure, Program, until
from .programs import Background
from .scenarios import Missing, positive

PACKAGED_SOURCES = "/usr/src/linux-source-*.tar.*"

# Command or header, and Debian's package.
_TOOLS = (("make", "make"), ("gcc", "gcc"), ("flex", "flex"), ("bison", "bison"), ("bc", "bc"), ("tar", "tar"),
          ("xz", "xz-utils"))
_HEADERS = (("gelf.h", "libelf-dev"), ("openssl/ssl.h", "libssl-dev"))

FIRST_OBJECT_TIMEOUT = 120

# Folders beside the one that is built, for builds that end within a round.
SPARES = 2


def add_options(group):
    group.add_argument("--kernel-src", metavar="DIR", type=Path,
                       help="a clean kernel tree (default: the newest of " + PACKAGED_SOURCES.replace("%", "%%") + ")")
    group.add_argument("--kernel-config", metavar="TARGET", default="defconfig", help="make target (%(default)s)")
    group.add_argument("--kernel-jobs", metavar="N", type=positive, default=2 * os.cpu_count(),
                       help="make -j (2 x CPUs: %(default)s)")


def _version(path):
    return [int(number) for number in re.findall(r"\d+", os.path.basename(path))]


def packaged_source():
    """The newest source package that is installed, or None."""
    return max(glob.glob(PACKAGED_SOURCES), key=_version, default=None)


def _has_header(name):
    run = subprocess.run(["gcc", "-E", "-x", "c", "-include", name, os.devnull], capture_output=True, check=False)
    return run.returncode == 0


def needs(options):
    missing = [Missing(name, f"package {package}") for name, package in _TOOLS if not shutil.which(name)]
    if shutil.which("gcc"):
        missing += [Missing(name, f"package {package}") for name, package in _HEADERS if not _has_header(name)]
    if options.kernel_src and not (options.kernel_src / "Kbuild").exists():
        missing.append(Missing(f"{options.kernel_src}/Kbuild", "--kernel-src names no kernel tree"))
    if not options.kernel_src and not packaged_source():
        missing.append(Missing("a kernel tree", "package linux-source (Debian, Ubuntu), or --kernel-src DIR"))
    return missing


def make_environment():
    """Without the variables that make has set for us; and a compiler cache would make rounds differ."""
    return {**{name: value for name, value in os.environ.items()
               if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "V", "O", "ARCH")},
            "CCACHE_DISABLE": "1", "LC_ALL": "C"}


def _run(what, argv):
    """A slow step of preparing. A Failure holds the end of its output."""
    progress.log(what)
    with Program(argv, whole_group=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                 env=make_environment(), errors="replace") as program:
        output = program.process.stdout.read()
        status = program.process.wait()
    if status:
        raise Failure(f"{what}: {program.name} fails (status {status}):\n{output[-2000:]}")


def command(options):
    """Returns the command line of the build."""
    if not (options.kernel_src or packaged_source()):
        return ["make", f"-j{options.kernel_jobs}"]
    return list(map(str, Kernel(options, options.work_dir / "kernel").make()))


def tree(options):
    """Returns which kernel is built, with which configuration; None if there is none."""
    if not (options.kernel_src or packaged_source()):
        return None
    kernel = Kernel(options, options.work_dir / "kernel")
    try:
        text = (kernel.source / "Makefile").read_text(encoding="utf-8")
    except OSError:
        text = ""
    numbers = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION) *= *(.*)$", text, re.MULTILINE))
    version = ".".join(numbers[each] for each in ("VERSION", "PATCHLEVEL", "SUBLEVEL") if each in numbers)
    commit = subprocess.run(["git", "-C", str(kernel.source), "describe", "--always", "--dirty"], capture_output=True,
                            text=True, check=False).stdout.strip() if (kernel.source / ".git").exists() else ""
    return (f"Linux {version}{numbers.get('EXTRAVERSION', '')}, {f'git {commit}, ' if commit else ''}"
            f"{kernel.archive or kernel.source}; configured by make {options.kernel_config}, tools built by modules_prepare; "
            "the target is make's default")


class Kernel:
    """A source tree and two build folders: the one that make uses, and what it is before each round."""

    def __init__(self, options, work):
        self.options = options
        archive = None if options.kernel_src else packaged_source()
        name = os.path.basename(archive).partition(".tar")[0] if archive else None
        self.archive = archive
        self.source = (options.kernel_src or work / name).resolve()
        folder = work / f"{name or _flat(self.source)}-{options.kernel_config}"
        # make notes the path of the build folder in what it builds, so it is always the same one that it sees.
        folder = folder.resolve()
        self.out, self.prepared = folder / "out", folder / "prepared"
        self.spares = [folder / f"spare-{number}" for number in range(SPARES)]
        self.used = [folder / f"used-{number}" for number in range(SPARES)]

    def make(self, *targets):
        return ["make", "-C", str(self.source), f"O={self.out}", f"-j{self.options.kernel_jobs}", *targets]

    def prepare(self):
        """Once: unpacks and configures it, and builds the tools, which are another kind of load."""
        if self.prepared.exists():
            return
        if not self.source.exists():
            self._unpack()
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        _run(f"configuring {self.source.name}", self.make(self.options.kernel_config))
        _run("building what the kernel's build needs", self.make("modules_prepare"))
        self.out.rename(self.prepared)

    def _unpack(self):
        part = self.source.with_name(self.source.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        _run(f"unpacking {self.archive}", ["tar", "-xf", self.archive, "-C", part, "--strip-components=1"])
        part.rename(self.source)

    def reset(self):
        """What earlier rounds have built is gone. For between the rounds: it copies and deletes a lot."""
        for folder in (self.out, *self.spares, *self.used):
            shutil.rmtree(folder, ignore_errors=True)
        for folder in (self.out, *self.spares):
            subprocess.run(["cp", "-a", "--reflink=auto", self.prepared, folder], check=True)
        os.sync()  # or the first seconds of the round would write it to disk

    def begin_again(self):
        """Puts a spare folder into the place of one that is built, within a round and for next to nothing."""
        number = next((number for number, spare in enumerate(self.spares) if spare.exists()), None)
        if number is None:
            raise Failure(f"the kernel is built {SPARES + 1} times within a round: a --kernel-config that takes longer, "
                          "such as allmodconfig, or a smaller --duration")
        self.out.rename(self.used[number])
        self.spares[number].rename(self.out)

    def objects_since(self, began):
        """How many object files have been written since that time."""
        count = 0
        for folder, _, names in (each for top in (self.out, *self.used) for each in os.walk(top)):
            for name in names:
                if name.endswith(".o") and not name.startswith(".tmp_"):
                    count += os.stat(os.path.join(folder, name)).st_mtime >= began
        return count

    def build(self, output, prefix=()):
        """The build as a Background, over and over; the prefix is of its command line."""
        self.reset()
        return Background([*prefix, *self.make()], output, before_restart=self.begin_again, env=make_environment())


def _flat(path):
    return str(path).strip("/").replace("/", "-")


def await_compiler(output, beside):
    """Waits until make has read its makefiles and compiles."""
    def compiles():
        if beside.program.process.poll() is not None:
            raise Failure(f"make ends before it compiles anything: see {output}")
        with open(output, encoding="utf-8", errors="replace") as file:
            return "\n  CC " in file.read()
    until(compiles, FIRST_OBJECT_TIMEOUT, "the kernel's build compiles", interval=0.1)
