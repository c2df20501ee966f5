# SPDX-License-Identifier: GPL-2.0-only
"""The ten rules of the bench's own programs, and any number of made-up ones beside those of a scenario."""

import fnmatch
import random

from ..attr import CLASSES

# How many of the rules are globs: one in so many.
GLOBS = 30

OWN = {
    "bench-forks": {"qos": "QOS_UTILITY"},
    "bench-execs": {"qos": "QOS_UTILITY"},
    "bench-threads": {
        "qos": "QOS_UTILITY",
        "thread_qos": {"render": "QOS_USER_INTERACTIVE", "io-*": "QOS_BACKGROUND"},
    },
    "bench-tiny": {"qos": "QOS_BACKGROUND"},
    "bench-probe": {
        "qos": "QOS_USER_INTERACTIVE",
        "thread_qos": {"probe-a": "QOS_USER_INTERACTIVE", "probe-b": "QOS_USER_INITIATED"},
    },
    "bench-probed": {"qos": "QOS_USER_INITIATED"},
    "make": {"qos": "QOS_BACKGROUND"},
    "cc": {"qos": "QOS_BACKGROUND"},
    "cc1": {"qos": "QOS_BACKGROUND"},
    "as": {"qos": "QOS_BACKGROUND"},
}

# A program for which there is no rule, so that every glob has to be tried for it, or known not to match.
WITHOUT_RULE = "bench-other"

_FIRST = """accounts alacritty ardour audacity avahi baloo blender bluetooth caja chrome clamav cmus code colord
cups darktable dbus deluge digikam discord dolphin dropbox eclipse element emacs ethminer evolution falkon firefox
ffmpeg flatpak freecad gamescope geary ghc gimp git gnome godot gparted gradle gvfs handbrake haskell htop idea
inkscape java jellyfin kate kde kdenlive keepassxc kodi konsole krita kwin libre lightdm lutris mariadb mate mpd mpv
mutter mysql nautilus neovim nextcloud nginx node obs okular packagekit pacman pipewire plasma plex podman polkit
postgres proton pulse python qbittorrent qemu rclone redis restic retro rsync ruby rust sddm signal slack snap
spotify steam syncthing telegram thunar tracker transmission unity upower virt vlc vscode waydroid wine wire xfce
xorg yuzu zoom zypper""".split()
_SECOND = """agent applet backend bin broker cache cli compositor control core crash daemon desktop disk editor
engine extract files game gpu gtk gui handler helper host index init launcher loader manager media menu miner
monitor net notify panel player plugin portal power preview print proxy qt queue remote render runner scan search
server service session settings shell store sync sys tool tray tumbler ui update utility view volume watch web
window worker wrapper""".split()
_ENDS = ("", "", "", "", "d", "-bin", ".exe", "-64", ".bin", "2", "3", "_main")
_QOS = [name for name in CLASSES if name != "QOS_DEFAULT"]


def _exact_name(chance):
    name = chance.choice(_FIRST) + chance.choice("---_.") + chance.choice(_SECOND)
    if chance.random() < 0.5:
        name += chance.choice("-_") + chance.choice(_SECOND)
    return name + chance.choice(_ENDS)


def _glob(chance):
    first, second = chance.choice(_FIRST), chance.choice(_SECOND)
    return chance.choice((
        f"{first}-{second}-*", f"{first}*{second}", f"*-{first}-{second}", f"{first}[0-9]*{second}",
        f"{first}?{second}", f"{first}-{second}*.exe", f"/opt/{first}/*/{second}",
    ))


def _unique(chance, make, count, taken):
    """So many new names; where chance runs out of them, they are numbered."""
    names, misses = [], 0
    while len(names) < count:
        name = make(chance)
        if name in taken:
            misses += 1
            if misses < 10:
                continue
            name = f"{name}{len(names)}"
        if name in taken:
            continue
        misses = 0
        taken.add(name)
        names.append(name)
    return names


def _rule(chance):
    rule = {"qos": chance.choice(_QOS)}
    if chance.random() < 0.02:
        threads = chance.sample(_SECOND, 2)
        rule["thread_qos"] = {thread: chance.choice(_QOS) for thread in threads}
    return rule


def filled(own, count):
    """A scenario's rules among made-up ones, always the same, of which none matches its programs: count in all."""
    chance = random.Random(1)
    names = [*own, WITHOUT_RULE]
    taken = set(names)
    patterns = [pattern for pattern in _unique(chance, _glob, count // GLOBS, taken)
                if not any(fnmatch.fnmatchcase(name, pattern) for name in names)]
    rules = [name for name in own if name != "schedqos"]
    patterns += _unique(chance, _exact_name, count - len(rules) - len(patterns), taken)
    chance.shuffle(patterns)
    return {**{pattern: _rule(chance) for pattern in patterns}, **own}


def config(_):
    """Settings of a scenario: autogroup has to be the same with a listener and without."""
    return {"schedqos": {"autogroup": "keep"}, **OWN}


def expected(classes, program, thread=None):
    """The attributes of a task of our own programs, by its program and, if it has one, its thread name."""
    rule = OWN.get(program, {})
    for pattern, qos in rule.get("thread_qos", {}).items():
        if thread is not None and fnmatch.fnmatchcase(thread, pattern):
            return classes[qos]
    return classes[rule.get("qos", "QOS_DEFAULT")]
