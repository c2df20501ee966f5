# SPDX-License-Identifier: GPL-2.0-only
"""The variants that a scenario runs under: nothing, a reference, the daemon with some mapping, or any command."""

import contextlib
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from . import accounting, attr, daemon, settings
from .folders import CONFIGS
from .layouts import SESSION_WEIGHT, WEIGHT_MAX
from .process import Failure, Program, children, end_group, end_orphans, until
from .running import Group, Listener, NoListener
from .storms.rules import filled

REFERENCE = "schedqos"
ANNOUNCEMENT = "announcement"
BARE = "bare"
EXPECTED = ("default (no daemon), bare, schedqos (with the announcement's mapping), schedqos:PRESET, schedqos:FILE.json, "
            "build:NAME=DIR or cmd:NAME=COMMAND; schedqos and build also with +RULES; default, schedqos and build with +weights "
            f"or +weights=SESSION; all but cmd with +SETTING, or a SETTING alone: {settings.EXPECTED}")
_POLICIES = {"SCHED_NORMAL": attr.NORMAL, "SCHED_OTHER": attr.NORMAL, "SCHED_BATCH": attr.BATCH,
             "SCHED_IDLE": attr.IDLE}

# The daemon reads no file over 4 MiB.
RULES_PER_FILE = 5000

# A command cannot report that it is ready: it counts as ready when it has been asleep for so long.
CALM_SECONDS, CALM_TIMEOUT = 1.0, 60


def presets():
    """The names of the mappings that come with the program."""
    return sorted({ANNOUNCEMENT, *(path.stem for path in (CONFIGS / "mappings").glob("*.json"))})


def _write_rules(folder, rules):
    folder.mkdir(parents=True)
    names = list(rules)
    for start in range(0, max(1, len(names)), RULES_PER_FILE):
        part = {name: rules[name] for name in names[start:start + RULES_PER_FILE]}
        (folder / f"bench{start or ''}.json").write_text(json.dumps(part, indent="\t") + "\n", encoding="utf-8")


def write_configs(folder, rules, mapping=None):
    """
    Writes rules, with settings under "schedqos", as a configuration folder in the usual layout, and the mapping (NAME,
    path or None for the built-in one) into it. Returns the options that make schedqos read it and nothing else.
    """
    configs = Path(folder) / "configs"
    _write_rules(configs / "app_configs", {name: rule for name, rule in rules.items() if name != "schedqos"})
    settings = dict(rules.get("schedqos", {}))
    if mapping:
        (configs / "mappings").mkdir()
        shutil.copyfile(mapping, configs / "mappings" / f"{mapping.stem}.json")
        settings["mapping"] = mapping.stem
    own = Path(folder) / "bench.json"
    own.write_text(json.dumps({"schedqos": settings}, indent="\t") + "\n", encoding="utf-8")
    return ["--config", own, "--configs-path", configs]


@contextlib.contextmanager
def configuration(rules, mapping=None):
    """A context with such a folder; yields the options."""
    with tempfile.TemporaryDirectory(prefix="schedqos-bench-") as folder:
        yield write_configs(folder, rules, mapping)


class Nothing:
    """No daemon. weights: of a session's group, where groups are weighed as layouts.py has it; None: they are not."""

    kind = "none"
    weights = None
    settings = ()  # of the kernel, while it is measured

    def __init__(self, name):
        self.name = name

    def described(self):
        return {"kind": self.kind, **self._weighed()}

    def _weighed(self):
        weights = {"weights": self.weights} if self.weights else {}
        return {**weights, "settings": [each.text for each in self.settings]} if self.settings else weights

    def attrs(self):
        """{class: Attr} of what it gives to tasks, as far as that is known."""
        return {}

    def running(self, _):
        """
        A context in which it runs with these rules, or with what is configured on this machine where they are None; yields
        a listener as running.NoListener.
        """
        return NoListener()


class Reference(Nothing):
    """The minimum in the daemon's place, which receives all events and does nothing."""

    kind = "reference"

    def __init__(self, name, tools):
        super().__init__(name)
        self.tools = tools

    def running(self, _):
        return Listener(self.tools)


class Schedqos(Nothing):
    """
    The daemon; mapping is the path of a file of classes, or None for the built-in announcement. With a count there are
    so many rules, most of them made up.
    """

    kind = "schedqos"

    def __init__(self, name, executable, mapping=None, count=0):
        super().__init__(name)
        self.executable, self.mapping, self.count = executable, mapping, count

    def described(self):
        return {"kind": self.kind, "mapping": self.mapping.stem if self.mapping else ANNOUNCEMENT,
                "classes": self.classes(), **({"rules": self.count} if self.count else {}), **self._weighed()}

    @functools.lru_cache(maxsize=None)
    def attrs(self):
        """Of fair classes only. Where the kernel keeps no slices, none is looked at."""
        slices = attr.has_slices()
        return {name: attr.Attr(_POLICIES[each["sched_policy"]], each.get("sched_nice", 0),
                                (each.get("sched_runtime") or 0) if slices else 0)
                for name, each in self.classes().items() if each.get("sched_policy") in _POLICIES}

    def classes(self):
        """The full mapping, as the daemon understands it; a Failure with all that is wrong with it."""
        with configuration({}, self.mapping) as options:
            run = subprocess.run([self.executable, "check", "--print", *options], capture_output=True, text=True,
                                 check=False)
            # Of the copy that it was given: the user's file is the one to correct.
            told = run.stderr.strip().replace(f"{options[3]}/mappings/{self.mapping.name}", str(self.mapping)) \
                if self.mapping else run.stderr.strip()
        if run.returncode:
            raise Failure(f"variant {self.name}:\n{told}")
        return {name: value for name, value in json.loads(run.stdout).items() if name.startswith("QOS_")}

    def _options(self, rules):
        if rules is None and (self.mapping or self.count):
            raise Failure(f"{self.name}: here the daemon runs as it is configured: schedqos or build:NAME=DIR")
        if rules is None:
            return contextlib.nullcontext([])
        return configuration(filled(rules, self.count) if self.count else rules, self.mapping)

    @contextlib.contextmanager
    def running(self, rules):
        with self._options(rules) as options, \
                daemon.Daemon(self.executable, options, self.attrs()) as running:
            running.wait_until_idle()
            yield running
            if running.program.process.poll() is not None:
                raise Failure(f"{self.name}: the daemon has ended during the round:\n{running.log()[-2000:]}")


class Command(Nothing):
    """
    Any command that stays in the foreground until SIGTERM. The rules of the scenario are for it in the folder
    $SCHEDQOS_BENCH_CONFIGS, in upstream's layout with the announcement's mapping.
    """

    kind = "command"

    def __init__(self, name, command):
        super().__init__(name)
        self.command = command

    def described(self):
        return {"kind": self.kind, "command": self.command}

    @contextlib.contextmanager
    def running(self, rules):
        known = children()
        with tempfile.TemporaryDirectory(prefix="schedqos-bench-") as folder:
            write_configs(folder, rules or {})
            configs = Path(folder) / "configs"
            for name in ("qos_mappings.json", "sched_profiles.json"):
                shutil.copyfile(CONFIGS / name, configs / name)
            with open(Path(folder) / "log", "w+", encoding="utf-8", errors="replace") as log, \
                    Program(["sh", "-c", self.command], whole_group=True, stdin=subprocess.DEVNULL, stdout=log,
                            stderr=log, env={**os.environ, "SCHEDQOS_BENCH_CONFIGS": str(configs)}) as program:
                try:
                    self._await_calm(program, log)
                    yield Group(program.pid)
                    self._check(program, log, "has ended during the round")
                finally:
                    # To the whole group, because a shell does not pass it on.
                    end_group(program, signal.SIGTERM)
                    end_orphans(known)

    def _check(self, program, log, what):
        if program.process.poll() is not None:
            log.seek(0)
            raise Failure(f"{self.name}: {what} (status {program.process.returncode}):\n{log.read()[-2000:]}")

    def _await_calm(self, program, log):
        state = {"cpu": None, "since": time.monotonic()}

        def is_idle():
            self._check(program, log, "ends instead of staying in the foreground")
            used = accounting.group_cpu_seconds(program.pid)
            if used != state["cpu"]:
                state.update(cpu=used, since=time.monotonic())
            return time.monotonic() - state["since"] >= CALM_SECONDS
        until(is_idle, CALM_TIMEOUT, f"{self.name} has started and is idle", interval=0.1)


_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")


def _mapping(name, text):
    """The file that "schedqos:TEXT" means."""
    if text == ANNOUNCEMENT and not (CONFIGS / "mappings" / f"{text}.json").exists():
        return None
    path = Path(text) if text.endswith(".json") else CONFIGS / "mappings" / f"{text}.json"
    if not path.is_file():
        raise Failure(f"variant {name}: there is no {path}; the presets are: {', '.join(presets())}")
    return path.resolve()


def _built(name, build, executable):
    """The daemon of another build, copied beside ours: it stays the same even if somebody builds meanwhile."""
    program = Path(build) / "schedqos"
    if not program.is_file():
        raise Failure(f"variant {name}: there is no {program}")
    copy = Path(executable).with_name(f"of-{name}") / "schedqos"
    copy.parent.mkdir(exist_ok=True)
    return shutil.copy(program, copy)


def _schedqos(text, count, executable):
    """The daemon that a text means, without its count of rules; None if it means none."""
    kind, colon, rest = text.partition(":")
    more = f"+{count}" if count else ""
    if text == REFERENCE:
        return Schedqos(text + more, executable, None, count)
    if kind == REFERENCE and colon and rest:
        name = f"{REFERENCE}:{Path(rest).stem if rest.endswith('.json') else rest}"
        return Schedqos(name + more, executable, _mapping(text, rest), count)
    name, equals, build = rest.partition("=")
    if kind == "build" and equals and build and _NAME.match(name):
        return Schedqos(name + more, _built(name, build, executable), None, count)
    return None


_WEIGHTS = re.compile(r"^((?:default|schedqos|build:).*)\+weights(?:=([1-9][0-9]{0,4}))?$", re.DOTALL)


_SETTINGS = re.compile(rf"^(.*?)((?:(?:^|\+){settings.PATTERN})+)$", re.DOTALL)


def parse_one(text, executable):
    parts = None if text.startswith("cmd:") else _SETTINGS.match(text)
    if not parts:
        return _parse_weighed(text, executable)
    found = _parse_weighed(parts[1] or "default", executable)
    found.settings = tuple(map(settings.parse, re.findall(settings.PATTERN, parts[2])))
    found.name = found.name + parts[2] if parts[1] else parts[2]
    return found


def _parse_weighed(text, executable):
    weighed = _WEIGHTS.match(text)
    if not weighed:
        return _parse_plain(text, executable)
    found = _parse_plain(weighed[1], executable)
    found.weights = int(weighed[2] or SESSION_WEIGHT)
    if found.weights > WEIGHT_MAX:
        raise Failure(f"variant {text}: a weight is 1 to {WEIGHT_MAX}")
    found.name += text[len(weighed[1]):]
    return found


def _parse_plain(text, executable):
    if text == "default":
        return Nothing(text)
    if text == BARE:
        return Reference(text, Path(executable).parent / "bench")
    kind, _, rest = text.partition(":")
    name, equals, command = rest.partition("=")
    if kind == "cmd" and equals and command and _NAME.match(name):
        return Command(name, command)
    daemon_text, count = re.fullmatch(r"(.*?)(?:\+([1-9][0-9]*))?", text, re.DOTALL).groups()
    found = _schedqos(daemon_text, int(count or 0), executable)
    if not found:
        raise Failure(f"variant {text}: expected {EXPECTED}")
    return found


def split(texts):
    """
    The single variants of --variants, which may be given several times. Only a comma before something that begins as
    a variant does divides: commands have commas too.
    """
    return [part for text in texts
            for part in re.split(r",(?=(?:default|bare)(?:[,+]|$)|schedqos(?:[,:+]|$)|build:|cmd:|features:|slice:|"
                                 r"cgroup_mode:|sysctl:)", text) if part]


def parse(texts, executable):
    """The variants in the order given, each once."""
    found = {}
    for text in split(texts):
        variant = parse_one(text, executable)
        if variant.name in found:
            raise Failure(f"variant {variant.name} is there twice")
        found[variant.name] = variant
    if not found:
        raise Failure("--variants names none")
    return list(found.values())
