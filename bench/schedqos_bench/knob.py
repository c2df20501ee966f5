# SPDX-License-Identifier: GPL-2.0-only
"""Files of the kernel that a run sets: put back when it ends, however that comes."""

import contextlib
import subprocess

# On a line of input it exits; if its input just ends, we have died, and it puts back what we could not.
_DEPUTY = 'trap "" HUP INT TERM; read -r _ || printf %s "$2" > "$1"'


def write(path, text):
    """In one write, without a line's end: what the kernel's files take."""
    with open(path, "wb", buffering=0) as file:
        file.write(text.encode())


@contextlib.contextmanager
def put_back(path, text):
    """A context after which the text is in the file again, also if we are killed in it."""
    with subprocess.Popen(["sh", "-c", _DEPUTY, "sh", str(path), text], stdin=subprocess.PIPE, cwd="/",
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as deputy:
        try:
            yield
        finally:
            write(path, text)
            with contextlib.suppress(BrokenPipeError):
                deputy.communicate(b"\n")
