# SPDX-License-Identifier: GPL-2.0-only
"""
Disk images: a small Debian of the machine's own release or a newer one, on whose libraries what is built here runs, with
what is to be tested. Debian's cloud kernels have NVMe and ext4 built in, and so need no initrd.
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
# Each release after it has the same library by another name.
PIPEWIRE = {"bookworm": "libpipewire-0.3-0"}
# It is not read in the guest.
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
    """The path of the small Debian; made anew when its list of packages has changed."""
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
    """Makes a disk image of the small Debian and of what fill(TREE) adds; returns its path."""
    path = os.path.join(folder, name + ".ext4")
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        tree = os.path.join(temporary, "tree")
        # By hard links: what is added must take the place of files, not write into them.
        _run("cp", "-al", debian(folder, release), tree)
        fill(tree)
        if os.path.exists(path):
            os.unlink(path)
        _run("mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-d", tree, path, SIZE)
    return path


def acpi_table(folder):
    """Frequencies for the guest's processors."""
    name = os.path.join(folder, "cpufreq")
    _run("iasl", "-p", name, os.path.join(HERE, "cpufreq.asl"))
    return name + ".aml"


def add_tests(build, kernels):
    """What the live tests need, under /schedqos as it is here, and the modules of all kernels, but of one that another run is fetching."""
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
    """Has systemd run that test of the guest's at boot."""
    with open(os.path.join(HERE, "guest/boot.service"), encoding="ascii") as file:
        text = file.read().replace("boot.py", test)
    with open(os.path.join(tree, "etc/systemd/system/schedqos-boot-test.service"), "w", encoding="ascii") as file:
        file.write(text)


def add_installation(build, kernels):
    """The program as `make install` installs it, and the check that runs at boot."""
    def fill(tree):
        add_tests(build, kernels)(tree)
        _run("make", "-C", TOP, "install", "B=" + os.path.abspath(build), "DESTDIR=" + tree)
        # Nothing of install-desktop is there at first; the guest adds it.
        desktop = os.path.join(tree, "schedqos/desktop")
        _run("make", "-C", TOP, "install-desktop", "B=" + os.path.abspath(build), "DESTDIR=" + desktop)
        _add_service(tree, "boot.py")

    return fill


def add_packages(build, kernels):
    """The Debian packages, not installed, and what installs and tests them at boot."""
    def fill(tree):
        add_tests(build, kernels)(tree)
        add_debs(os.path.join(os.path.dirname(kernels), "debs"), os.path.join(tree, "schedqos/debs"))
        _add_service(tree, "packages.py")

    return fill
