# SPDX-License-Identifier: GPL-2.0-only
"""Kernels by series: Debian's newest cloud kernel of it, or one built here of Debian's source."""

import glob
import lzma
import os
import re
import shutil
import subprocess
import tempfile

from packages import Unavailable

HERE = os.path.dirname(os.path.abspath(__file__))
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
        """The path of a kernel image: "7" is the newest 7.x; "6.12-uclamp" is built, of uclamp.config."""
        base, _, variant = series.partition("-")
        return self._built(base, variant) if variant else self._packaged(base)

    def _packaged(self, series):
        # Since 6.19 linux-image-RELEASE only asks for the parts, linux-binary-RELEASE and linux-modules-RELEASE. For
        # some days there may be newer ones of the latter than of the former, which must be signed.
        pattern = r"^linux-%s-" + re.escape(series) + r"\.[^-]*(-[0-9]+)?-cloud-amd64$"
        try:
            kind = "binary" if self.packages.newest(pattern % "binary") else "image"
            package = self.packages.newest(pattern % kind)
            if package is None:
                raise Unavailable("no Linux %s" % series)
            path = self._path(release(package))
            if not os.path.exists(path):
                path = self._fetch(pattern % kind, has_modules=kind == "image")
        except Unavailable:
            # Offline, what is there will do.
            found = sorted(glob.glob(self._path(series + ".*-cloud-amd64")), key=os.path.getmtime)
            if not found:
                raise
            path = found[-1]
        return path

    def _path(self, release):
        return os.path.join(self.folder, release, "vmlinuz")

    def _keep(self, image, name, modules=()):
        """The image comes last: where it is, all is. Returns its new path."""
        path = self._path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        for module in modules:
            unpacked = os.path.join(os.path.dirname(path), os.path.basename(module).split(".")[0] + ".ko")
            with (lzma.open if module.endswith(".xz") else open)(module, "rb") as source, open(unpacked, "wb") as file:
                shutil.copyfileobj(source, file)
        shutil.move(image, path)
        return path

    def _fetch(self, pattern, has_modules):
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            name = release(self.packages.fetch_newest(pattern, folder))
            if not has_modules:
                self.packages.fetch_newest("^linux-modules-%s$" % re.escape(name), folder)
            image = glob.glob(folder + "/boot/vmlinuz-*") + glob.glob(folder + "/usr/lib/modules/*/vmlinuz")
            modules = [path for module in MODULES
                       for path in glob.glob("%s/**/%s.ko*" % (folder, module), recursive=True)]
            return self._keep(image[0], name, modules)

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
