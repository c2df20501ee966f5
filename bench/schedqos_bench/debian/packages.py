# SPDX-License-Identifier: GPL-2.0-only
"""
Debian packages of any release, got through the machine's own source of packages but with an apt state of our own:
neither the machine's lists nor its sources are touched.
"""

import glob
import os
import re
import subprocess
import time

# Where the newest of each kernel is.
SUITES = ("bookworm", "bookworm-backports", "trixie", "trixie-backports", "sid")
LISTS_LAST = 24 * 3600
# Whatever is fetched must be here by then: a slow network is no reason to wait forever.
FETCHED_BY = time.monotonic() + 900
# The environment of commands in a small Debian, whatever the machine's own is.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}


class Unavailable(Exception):
    """What keeps the machines from running here: no failure of what they test."""


def seconds_left():
    return max(1, FETCHED_BY - time.monotonic())


def release():
    """The code name of the machine's own Debian release: what is built here runs on its libraries."""
    with open("/etc/os-release", encoding="utf-8") as file:
        fields = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', file.read(), re.MULTILINE))
    if fields.get("ID") != "debian" or "VERSION_CODENAME" not in fields:
        raise Unavailable("not a Debian release: %s" % fields.get("PRETTY_NAME"))
    return fields["VERSION_CODENAME"]


def _paragraphs(text):
    """The sources of a file in deb822 format, each as its fields."""
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n", text):
        yield dict(re.findall(r"^([\w-]+):[ \t]*(.*(?:\n[ \t].*)*)", paragraph, re.MULTILINE))


def _lines(text):
    """The sources of a file in the one-line format, each as the same fields."""
    for line in re.finditer(r"^deb\s+(?:\[(.*?)\]\s+)?(\S+)\s+(\S+)\s+(.*)", text, re.MULTILINE):
        options, uri, suite, components = line.groups()
        fields = {"Types": "deb", "URIs": uri, "Suites": suite, "Components": components}
        for name, value in re.findall(r"(\S+)=(\S+)", options or ""):
            fields[{"signed-by": "Signed-By", "trusted": "Trusted"}.get(name, name.title())] = value.replace(",", " ")
        yield fields


def own_source():
    """The fields of the source from which this machine gets its release."""
    suite = release()
    for path in ["/etc/apt/sources.list", *sorted(glob.glob("/etc/apt/sources.list.d/*"))]:
        if not os.path.isfile(path) or not path.endswith((".list", ".sources")):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for fields in _paragraphs(text) if path.endswith(".sources") else _lines(text):
            if "deb" in fields.get("Types", "").split() and suite in fields.get("Suites", "").split() and \
                    "main" in fields.get("Components", "").split() and fields.get("Enabled", "yes") != "no":
                return fields
    raise Unavailable("no source of packages for %s" % suite)


def own_mirror():
    """An address from which a release can be installed."""
    uri = own_source()["URIs"].split()[0]
    if uri.startswith("mirror+file:"):
        with open(uri[len("mirror+file:"):], encoding="utf-8") as file:
            uri = file.read().split()[0]
    return uri


def bootstrap(suite, tree, packages=(), within=None, mirror=None, options=(), script=None):
    """
    A small Debian in the folder `tree`. What is mounted meanwhile is gone with debootstrap, however that ends. mirror: in
    place of the machine's own; script: which of debootstrap's own, if it has none for the suite.
    """
    command = ["unshare", "-m", "debootstrap", "--variant=minbase", *options,
               *(["--include=" + ",".join(packages)] if packages else []), suite, tree, mirror or own_mirror(),
               *([script] if script else [])]
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                encoding="utf-8", errors="replace", check=False, timeout=within or seconds_left())
    except subprocess.TimeoutExpired:
        raise Unavailable("debootstrap takes too long") from None
    if result.returncode != 0:
        raise Unavailable("debootstrap of %s failed:\n%s" % (suite, result.stdout[-4000:]))


class Packages:
    """All suites of the machine's source, with their lists in a folder of our own."""

    def __init__(self, folder):
        self.folder = folder
        self.sources = os.path.join(folder, "debian.sources")
        self.fresh = False

    def _apt(self, command, *args, **options):
        settings = {
            "Dir::Etc::sourcelist": self.sources, "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferences": "/dev/null", "Dir::Etc::preferencesparts": "/dev/null",
            "Dir::State::lists": os.path.join(self.folder, "lists"), "Dir::State::status": "/dev/null",
            "Dir::Cache": os.path.join(self.folder, "cache"), "APT::Default-Release": "",
            "APT::Sandbox::User": "root", "Acquire::Languages": "none", "Acquire::Retries": "3",
        }
        argv = [command, "-qq"]
        for item in settings.items():
            argv += ["-o", "%s=%s" % item]
        try:
            return subprocess.run([*argv, *args], check=True, encoding="utf-8", timeout=seconds_left(), **options)
        except subprocess.TimeoutExpired:
            raise Unavailable("the source of packages is too slow") from None

    def _write_sources(self):
        fields = dict(own_source(), Types="deb", Suites=" ".join(SUITES), Components="main",
                      Architectures="amd64", Targets="Packages")
        for folder in ("lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(self.folder, folder), exist_ok=True)
        with open(self.sources, "w", encoding="utf-8") as file:
            file.writelines("%s: %s\n" % field for field in fields.items())

    def _update(self):
        """Fetches the lists. Without a network, older ones do."""
        self._write_sources()
        try:
            self._apt("apt-get", "update", stderr=subprocess.PIPE)
        except subprocess.CalledProcessError as error:
            if not glob.glob(os.path.join(self.folder, "lists", "*_Packages*")):
                raise Unavailable("no lists of packages: %s" % error.stderr.strip()) from None
        self.fresh = True

    def _names(self, pattern):
        stamp = os.path.join(self.folder, "lists", "lock")
        if not os.path.exists(stamp) or not os.path.exists(self.sources) or \
                time.time() - os.path.getmtime(self.sources) > LISTS_LAST:
            self._update()
        try:
            found = self._apt("apt-cache", "search", "--names-only", pattern, stdout=subprocess.PIPE)
        except subprocess.CalledProcessError as error:
            raise Unavailable("the lists of packages cannot be read: %s" % error) from None
        return [line.split()[0] for line in found.stdout.splitlines()]

    def newest(self, pattern):
        """The package with the highest numbers in its name among those that match, or None."""
        def numbers(name):
            return [int(number) for number in re.findall(r"\d+", name)]

        return max(self._names(pattern), key=numbers, default=None)

    def fetch_newest(self, pattern, target):
        """Unpacks the newest package that matches into the folder `target`, which is empty. Returns its name."""
        for attempt in "first", "with new lists":
            name = self.newest(pattern)
            try:
                if name:
                    self._fetch(name, target)
                    return name
            except subprocess.CalledProcessError:
                if attempt != "first" or self.fresh:
                    raise Unavailable("cannot fetch %s" % name) from None
            self._update()
        raise Unavailable("no package like %s" % pattern)

    def _fetch(self, name, target):
        self._apt("apt-get", "download", name, cwd=target)
        package = glob.glob(os.path.join(target, "*.deb"))[0]
        subprocess.run(["dpkg-deb", "-x", package, target], check=True)
        os.unlink(package)
