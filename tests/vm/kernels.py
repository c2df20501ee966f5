# SPDX-License-Identifier: GPL-2.0-only
"""Kernels by series: Debian's newest cloud kernel of it, or one built here of Debian's source."""

import glob
import os
import re
import shutil
import subprocess
import tempfile

from packages import Unavailable

HERE = os.path.dirname(os.path.abspath(__file__))


class Kernels:
    """Kernel images in a folder, each in one of its release's name."""

    def __init__(self, folder, packages):
        self.folder, self.packages = folder, packages
        os.makedirs(folder, exist_ok=True)

    def image(self, series):
        """The path of a kernel image: "7" is the newest 7.x; "6.12-uclamp" is built, of uclamp.config."""
        base, _, variant = series.partition("-")
        return self._built(base, variant) if variant else self._packaged(base)

    def _packaged(self, series):
        # Since 6.19 the image is in linux-binary-RELEASE, and linux-image-RELEASE only asks for the parts.
        pattern = r"^linux-%s-" + re.escape(series) + r"\.[^-]*(-[0-9]+)?-cloud-amd64$"
        try:
            kind = "binary" if self.packages.newest(pattern % "binary") else "image"
            release = self.packages.newest(pattern % kind)
            if release is None:
                raise Unavailable("no Linux %s" % series)
            path = self._path(release.split("-", 2)[2])
            if not os.path.exists(path):
                self._fetch(pattern % kind)
        except Unavailable:
            # Offline, what is there will do.
            found = sorted(glob.glob(self._path(series + ".*-cloud-amd64")), key=os.path.getmtime)
            if not found:
                raise
            path = found[-1]
        return path

    def _path(self, release):
        return os.path.join(self.folder, release, "vmlinuz")

    def _keep(self, image, release):
        os.makedirs(os.path.join(self.folder, release), exist_ok=True)
        shutil.move(image, self._path(release))

    def _fetch(self, pattern):
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            release = self.packages.fetch_newest(pattern, folder).split("-", 2)[2]
            image = glob.glob(folder + "/boot/vmlinuz-*") + glob.glob(folder + "/usr/lib/modules/*/vmlinuz")
            self._keep(image[0], release)

    def _built(self, base, variant):
        fragment = os.path.join(HERE, variant + ".config")
        path = self._path("%s-%s" % (base, variant))
        if not os.path.exists(fragment):
            raise Unavailable("no %s" % fragment)
        if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(fragment):
            self._build(base, variant, fragment)
        return path

    def _build(self, base, variant, fragment):
        print("  building Linux %s with %s" % (base, os.path.basename(fragment)), flush=True)
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            self.packages.fetch_newest("^linux-source-%s$" % re.escape(base), folder)
            tree = os.path.join(folder, "linux")
            os.mkdir(tree)
            archive = glob.glob(folder + "/usr/src/linux-source-*.tar.xz")[0]
            log = os.path.join(self.folder, "%s-%s.log" % (base, variant))
            with open(log, "w", encoding="utf-8") as output:
                for command in (["tar", "-xf", archive, "--strip-components=1"],
                                ["make", "tinyconfig"],
                                ["scripts/kconfig/merge_config.sh", "-m", ".config", fragment],
                                ["make", "olddefconfig"],
                                ["make", "-j%d" % len(os.sched_getaffinity(0)), "LOCALVERSION=-" + variant, "bzImage"]):
                    # Flags and job slots of a make that started us are not the kernel's.
                    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
                    if subprocess.run(command, cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                      stderr=output, check=False).returncode != 0:
                        raise Unavailable("%s failed, see %s" % (" ".join(command), log))
            self._keep(os.path.join(tree, "arch/x86/boot/bzImage"), "%s-%s" % (base, variant))
