# SPDX-License-Identifier: GPL-2.0-only
"""Configurations: the ten rules of the bench's own programs, among any number of made-up ones."""

import fnmatch
import json
import random
from pathlib import Path

from ..attr import CLASSES

# A file is limited to 1 MiB.
RULES_PER_FILE = 5000

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


def generate(count, globs, seed):
    """A dictionary of count rules, our own among them, so many of which are globs."""
    chance = random.Random(seed)
    own = [*OWN, WITHOUT_RULE]
    taken = set(own)
    patterns = [pattern for pattern in _unique(chance, _glob, globs, taken)
                if not any(fnmatch.fnmatchcase(name, pattern) for name in own)]
    patterns += _unique(chance, _exact_name, count - len(OWN) - len(patterns), taken)
    chance.shuffle(patterns)
    rules = {pattern: _rule(chance) for pattern in patterns}
    rules.update(OWN)
    return rules


def write(folder, rules):
    """Writes rules as configuration files. Returns the options that make schedqos read them, and only them."""
    folder = Path(folder)
    (folder / "configs" / "app_configs").mkdir(parents=True)
    made_up = [name for name in rules if name not in OWN]
    for start in range(0, len(made_up), RULES_PER_FILE):
        part = {name: rules[name] for name in made_up[start:start + RULES_PER_FILE]}
        lines = ",\n".join(f"\t{json.dumps(name)}: {json.dumps(rule)}" for name, rule in part.items())
        path = folder / "configs" / "app_configs" / f"{start:07}.json"
        path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    own = {"schedqos": {"autogroup": "keep"}, **OWN}
    (folder / "own.json").write_text(json.dumps(own, indent="\t"), encoding="utf-8")
    return ["--config", folder / "own.json", "--configs-path", folder / "configs"]


def expected(program, thread=None):
    """The attributes of a task of our own programs, by its program and, if it has one, its thread name."""
    rule = OWN.get(program, {})
    for pattern, qos in rule.get("thread_qos", {}).items():
        if thread is not None and fnmatch.fnmatchcase(thread, pattern):
            return CLASSES[qos]
    return CLASSES[rule.get("qos", "QOS_DEFAULT")]
