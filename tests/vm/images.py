# SPDX-License-Identifier: GPL-2.0-only
"""
Makes disk images: a small Debian, of the machine's own release or a newer one, with the programs built here and their
tests. Debian's cloud kernels have NVMe and ext4 built in, so they need no initrd.
"""

import os
import shutil
import subprocess
import tempfile

from debs import add_debs
from schedqos_bench.debian.packages import Unavailable, bootstrap

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))

PACKAGES = """
    dbus dbus-user-session iproute2 kmod libcjson1 libcmocka0 libnl-3-200 libnl-genl-3-200 libpam-systemd libsystemd0 libxcb-res0 libxcb1
    login polkitd procps python3 rt-tests systemd-sysv udev util-linux
""".split()
# Later releases have the same library by another name.
PIPEWIRE = {"bookworm": "libpipewire-0.3-0"}
# Folders that the guest does not read.
BALLAST = """
    boot usr/share/doc usr/share/man usr/share/locale usr/share/i18n usr/share/info var/cache var/lib/apt/lists
""".split()
SIZE = "2G"  # sparse


def _run(*argv):
    result = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            encoding="utf-8", errors="replace", check=False)
    if result.returncode != 0:
        raise Unavailable("%s failed:\n%s" % (" ".join(argv), result.stdout[-4000:]))


def debian(folder, release):
    """Returns the path of the small Debian. Makes it again if its list of packages has changed."""
    tree, stamp = os.path.join(folder, release), os.path.join(folder, release + ".packages")
    packages = [*PACKAGES, PIPEWIRE.get(release, "libpipewire-0.3-0t64")]
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read().split() == packages:
                return tree
        os.unlink(stamp)
    print("  installing a small Debian: %s" % release, flush=True)
    shutil.rmtree(tree, ignore_errors=True)
    bootstrap(release, tree, packages)
    for path in BALLAST:
        shutil.rmtree(os.path.join(tree, path), ignore_errors=True)
        os.mkdir(os.path.join(tree, path))
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(" ".join(packages))
    return tree


def image(folder, release, name, fill):
    """Makes a disk image of the small Debian and of the files that fill(TREE) adds. Returns its path."""
    path = os.path.join(folder, name + ".ext4")
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        tree = os.path.join(temporary, "tree")
        # Copy by hard links: fill must replace files, not write into them.
        _run("cp", "-al", debian(folder, release), tree)
        fill(tree)
        if os.path.exists(path):
            os.unlink(path)
        _run("mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-d", tree, path, SIZE)
    return path


def acpi_table(folder):
    """Compiles the ACPI table that gives the guest's processors frequencies. Returns its path."""
    name = os.path.join(folder, "cpufreq")
    _run("iasl", "-p", name, os.path.join(HERE, "cpufreq.asl"))
    return name + ".aml"


def add_tests(build, kernels):
    """
    Returns a function that adds everything the live tests need, under /schedqos as in this tree, and the modules of all
    kernels, except of one that another run is fetching.
    """
    def fill(tree):
        top = os.path.join(tree, "schedqos")
        ignored = shutil.ignore_patterns("*.o", "*.d", "__pycache__")
        os.makedirs(os.path.join(top, "build"))
        shutil.copy(os.path.join(build, "schedqos"), os.path.join(top, "build"))
        for source, target in ((os.path.join(build, "tests/unit"), "build/tests/unit"),
                               (os.path.join(build, "tests/live"), "build/tests/live"),
                               (os.path.join(build, "tests/desktop"), "build/tests/desktop"),
                               (os.path.join(TOP, "tests/live"), "tests/live"),
                               (os.path.join(TOP, "tests/vm/guest"), "tests/vm/guest"),
                               (os.path.join(TOP, ".packaging"), ".packaging"),
                               (os.path.join(TOP, "bench"), "bench"),
                               (os.path.join(TOP, "configs"), "configs"),
                               (os.path.join(TOP, "src/man"), "src/man"),
                               (os.path.join(TOP, "systemd"), "systemd")):
            shutil.copytree(source, os.path.join(top, target), ignore=ignored)
        shutil.copytree(kernels, os.path.join(top, "modules"), ignore=shutil.ignore_patterns("vmlinuz", "tmp*"))

    return fill


def _add_service(tree, test):
    """Has systemd run this test of the guest at boot."""
    with open(os.path.join(HERE, "guest/boot.service"), encoding="ascii") as file:
        text = file.read().replace("boot.py", test)
    with open(os.path.join(tree, "etc/systemd/system/schedqos-boot-test.service"), "w", encoding="ascii") as file:
        file.write(text)


def add_installation(build, kernels):
    """Returns a function that adds the program as `make install` installs it, and the test that runs at boot."""
    def fill(tree):
        add_tests(build, kernels)(tree)
        _run("make", "-C", TOP, "install", "B=" + os.path.abspath(build), "DESTDIR=" + tree)
        # At first the guest has nothing of install-desktop; it installs that itself.
        desktop = os.path.join(tree, "schedqos/desktop")
        _run("make", "-C", TOP, "install-desktop", "B=" + os.path.abspath(build), "DESTDIR=" + desktop)
        _add_service(tree, "boot.py")

    return fill


def add_packages(build, kernels):
    """Returns a function that adds the Debian packages, not installed, and the test at boot that installs them."""
    def fill(tree):
        add_tests(build, kernels)(tree)
        add_debs(os.path.join(os.path.dirname(kernels), "debs"), os.path.join(tree, "schedqos/debs"))
        _add_service(tree, "packages.py")

    return fill
