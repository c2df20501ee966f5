# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of texts, symbols and packages share: what they read, and functions as tests, of which TAP is printed."""

import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
BUILD = Path(sys.argv[1] if len(sys.argv) > 1 else TOP / "build").resolve()
MAN5 = (TOP / "src/man/schedqos.json.5").read_text()
# What is written in Markdown for people who use it, and for those who work on it.
PAGES = [TOP / "README.md", TOP / "src/README.md", *sorted((TOP / "src/doc").glob("*.md")),
         TOP / ".github/CONTRIBUTING.md", TOP / ".packaging/README.md"]
MARKDOWN = "\n".join(page.read_text() for page in PAGES)


class Skip(Exception):
    """The test cannot be made here."""


def found(pattern, text):
    """All matches, of which there must be some: else the pattern has gone stale."""
    matches = re.findall(pattern, text, re.M)
    assert matches, f"nothing looks like {pattern}"
    return matches


def examples():
    """The JSON of all pages."""
    blocks = found(r"^\.Bd -literal[^\n]*\n(\{(?s:.*?))^\.Ed$", MAN5) + found(r"^```json\n((?s:.*?))^```$", MARKDOWN)
    return [block.replace("\\e", "\\") for block in blocks]


def keys():
    """Those that the program knows in a configuration."""
    sources = "".join(path.read_text() for path in (TOP / "src/config").glob("config_*.c"))
    named = found(r'(?:\{|strcmp\(value->key,) "(\w+)"(?:, (?:\.parse|KEY_|WORDS|NUMBER|NANO)|\) == 0)', sources)
    assert len(named) > 20, "the keys are not found in the source any more"
    return set(named)


def run(what, tests, *arguments):
    """Each fails by an exception. The exit status."""
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    for number, test in enumerate(tests, 1):
        name = f"{number} - {what}: {test.__name__.replace('_', ' ')}"
        try:
            test(*arguments)
            print(f"ok {name}", flush=True)
        except Skip as why:
            print(f"ok {name} # SKIP {why}", flush=True)
        except (AssertionError, OSError, subprocess.CalledProcessError, ValueError, KeyError) as why:
            failed = 1
            print(f"not ok {name}", *(f"# {line}" for line in str(why).splitlines()), sep="\n", flush=True)
    return failed
