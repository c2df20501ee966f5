# SPDX-License-Identifier: GPL-2.0-only
"""Kernels by series: Debian's newest cloud kernel of it."""

import glob
import lzma
import os
import re
import shutil
import tempfile

from .packages import Unavailable

# What Debian builds as modules: a governor to choose, and schedulers of a block device.
MODULES = ("acpi-cpufreq", "bfq", "kyber-iosched", "mq-deadline")


def release(package):
    """What the kernel in a package calls itself."""
    return package.split("-", 2)[2]


class Kernels:
    """Kernel images and a few modules in a folder, those of each release in one of its name."""

    def __init__(self, folder, packages):
        self.folder, self.packages = folder, packages
        os.makedirs(folder, exist_ok=True)

    def image(self, series):
        """The path of a kernel image: "7" is the newest 7.x, None the newest of all."""
        # Since 6.19 linux-image-RELEASE only asks for the parts, linux-binary-RELEASE and linux-modules-RELEASE. For
        # some days there may be newer ones of the latter than of the former, which must be signed.
        pattern = r"^linux-%s-" + (re.escape(series) if series else "[0-9]+") + r"\.[^-]*(-[0-9]+)?-cloud-amd64$"
        try:
            kind = "binary" if self.packages.newest(pattern % "binary") else "image"
            package = self.packages.newest(pattern % kind)
            if package is None:
                raise Unavailable("no Linux %s" % (series or ""))
            path = self._path(release(package))
            if not os.path.exists(path):
                path = self._fetch(pattern % kind, has_modules=kind == "image")
        except Unavailable:
            # Offline, what is there will do.
            found = sorted(glob.glob(self._path((series or "*") + ".*-cloud-amd64")), key=os.path.getmtime)
            if not found:
                raise
            path = found[-1]
        return path

    def _path(self, release):
        return os.path.join(self.folder, release, "vmlinuz")

    def _fetch(self, pattern, has_modules):
        """The image comes last: where it is, all is. Returns its path."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            name = release(self.packages.fetch_newest(pattern, folder))
            if not has_modules:
                self.packages.fetch_newest("^linux-modules-%s$" % re.escape(name), folder)
            path = self._path(name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            for module in MODULES:
                for packed in glob.glob("%s/**/%s.ko*" % (folder, module), recursive=True):
                    with (lzma.open if packed.endswith(".xz") else open)(packed, "rb") as source, \
                            open(os.path.join(os.path.dirname(path), module + ".ko"), "wb") as file:
                        shutil.copyfileobj(source, file)
            image = glob.glob(folder + "/boot/vmlinuz-*") + glob.glob(folder + "/usr/lib/modules/*/vmlinuz")
            shutil.move(image[0], path)
            return path
