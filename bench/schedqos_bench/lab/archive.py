# SPDX-License-Identifier: GPL-2.0-only
"""An initramfs: a cpio archive whose bytes depend on nothing but its content."""

import os
import stat
import subprocess
import tempfile
from pathlib import Path, PurePosixPath

from ..process import Failure

_FILE, _FOLDER, _LINK = stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK


def libraries(program):
    """The shared libraries of a program, the dynamic linker included, as {path: file}; none for a static one."""
    # Not those that our caller preloads, or has the linker find.
    env = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    run = subprocess.run(["ldd", program], capture_output=True, text=True, check=False, env=env)
    found = {}
    for line in run.stdout.splitlines():
        name, arrow, target = line.strip().partition(" => ")
        path = (target if arrow else name).rsplit(" (", 1)[0]
        if path == "not found":
            raise Failure(f"{program} needs the library {name}, which is not here")
        if path.startswith("/"):
            found[path] = os.path.realpath(path)
    return found


def stripped(program):
    """The bytes of a program without symbols and build ID, which depend on the folder in which it was built."""
    with tempfile.TemporaryDirectory(prefix="schedqos-lab-") as folder:
        result = Path(folder, "stripped")
        try:
            done = subprocess.run(["strip", "--remove-section=.note.gnu.build-id", "-o", result, program],
                                  stderr=subprocess.DEVNULL, check=False)
        except FileNotFoundError:
            raise Failure("there is no strip (package binutils), so the result would depend on the folder") from None
        return (Path(program) if done.returncode else result).read_bytes()  # a script cannot be stripped


class Archive:
    """The files of a guest, added one by one."""

    def __init__(self):
        self.entries = {}

    def _add(self, path, mode, content):
        path = PurePosixPath(path)
        for folder in reversed(path.parents[:-1]):
            self.entries.setdefault(str(folder).lstrip("/"), (_FOLDER | 0o755, b""))
        self.entries[str(path).lstrip("/")] = (mode, content)

    def add_text(self, path, text, executable=False):
        self._add(path, _FILE | (0o755 if executable else 0o644), text.encode("utf-8"))

    def add_file(self, path, file, content=None):
        mode = 0o755 if os.access(file, os.X_OK) else 0o644
        self._add(path, _FILE | mode, Path(file).read_bytes() if content is None else content)

    def add_link(self, path, target):
        self._add(path, _LINK | 0o777, target.encode("ascii"))

    def add_folder(self, path, folder):
        """Adds a folder of the host with all files in it."""
        for file in sorted(Path(folder).rglob("*")):
            if file.is_file():
                self.add_file(PurePosixPath(path) / file.relative_to(folder), file)

    def add_program(self, path, program):
        """Adds a program, and its libraries where the dynamic linker finds them."""
        self.add_file(path, program, stripped(program))
        for name, file in libraries(program).items():
            self.add_file(name, file)
            # The guest has no cache of other folders.
            if not name.startswith(("/lib", "/usr/lib")):
                self.add_file(f"/lib/{PurePosixPath(name).name}", file)

    def write(self, path):
        """Writes the archive in the kernel's "newc" format: no owners, no times."""
        with open(path, "wb") as file:
            for number, name in enumerate(sorted(self.entries), 1):
                mode, content = self.entries[name]
                _write_entry(file, name, number, mode, content)
            _write_entry(file, "TRAILER!!!", 0, 0, b"")


def _write_entry(file, name, number, mode, content):
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    header = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode("utf-8") + b"\0"
    for part in header, content:
        file.write(part + b"\0" * (-len(part) % 4))
