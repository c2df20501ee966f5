# SPDX-License-Identifier: GPL-2.0-only
"""Builds the Debian packages of this tree, and of the version before it, from the history of the repository."""

import glob
import os
import re
import shutil
import subprocess
import tempfile

from schedqos_bench.debian.packages import Unavailable

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHANGELOG = ".debian/changelog"


def _git(*args, **options):
    return subprocess.run(["git", "--git-dir=" + os.path.join(TOP, ".git"), *args], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, **options).stdout


def _build(tree, folder):
    """Has `make deb` build the tree in the folder. Returns the packages."""
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS")}
    result = subprocess.run(["make", "-C", tree, "deb", "B=" + folder], stdin=subprocess.DEVNULL, encoding="utf-8",
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, check=False)
    if result.returncode != 0:
        raise Unavailable("make deb failed:\n%s" % result.stdout[-4000:])
    return glob.glob(folder + "/deb/*.deb")


def _commit_before(version):
    """Returns the last commit of the version before; None if the history does not go back that far."""
    try:
        added = _git("log", "--format=%H", "-S(%s)" % version, "HEAD", "--", CHANGELOG, encoding="ascii").split()
        return _git("rev-parse", "--verify", added[-1] + "^", encoding="ascii").strip() if added else None
    except (OSError, subprocess.CalledProcessError):
        return None


def _add_older(folder, target):
    """
    Puts the package of the version before into the target. Keeps it in the folder from run to run, because it does not
    change.
    """
    with open(os.path.join(TOP, CHANGELOG), encoding="utf-8") as file:
        version = re.match(r"\S+ \((.*?)\)", file.readline()).group(1)
    commit = _commit_before(version)
    if commit is None:
        print("  note: no version before %s in this repository: no upgrade from it" % version, flush=True)
        return
    kept = os.path.join(folder, "%s.deb" % commit)
    if not os.path.exists(kept):
        print("  building the version before %s" % version, flush=True)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            subprocess.run(["tar", "-x", "-C", temporary], input=_git("archive", commit), check=True)
            debs = _build(temporary, os.path.join(temporary, "build"))
            shutil.copy(next(deb for deb in debs if "/schedqos_" in deb), kept)
    shutil.copy(kept, os.path.join(target, "older.deb"))


def add_debs(folder, target):
    """Puts into the target the packages, that of the version before, and the tests that autopkgtest would run."""
    if not shutil.which("dpkg-buildpackage") or not shutil.which("dh"):
        raise Unavailable("no dpkg-buildpackage or dh (.ci/deps --deb installs what is needed)")
    os.makedirs(folder, exist_ok=True)
    os.makedirs(target)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        for deb in _build(TOP, temporary):
            name = os.path.basename(deb).partition("_")[0]
            if "dbgsym" not in name:
                shutil.copy(deb, os.path.join(target, name + ".deb"))
    _add_older(folder, target)
    shutil.copytree(os.path.join(TOP, ".debian/tests"), os.path.join(target, "tests"))
