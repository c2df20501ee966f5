# SPDX-License-Identifier: GPL-2.0-only
"""What --variants may say, and what the daemon is given for it."""

import json
import os
from pathlib import Path

from case import Folder
from schedqos_bench import variants
from schedqos_bench.process import Failure, adopt_orphans, children, until

CLASSES = {"QOS_BACKGROUND": {"sched_policy": "SCHED_IDLE"}}


class Parse(Folder):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.folder, "mine.json")
        Path(self.file).write_text(json.dumps(CLASSES), encoding="utf-8")

    def test_all_kinds(self):
        found = variants.parse([f"default,schedqos,schedqos:{self.file},cmd:other=prog -a 1,2 -b=x"], "schedqos")
        self.assertEqual([each.name for each in found], ["default", "schedqos", "schedqos:mine", "other"])
        self.assertEqual([each.kind for each in found], ["none", "schedqos", "schedqos", "command"])
        self.assertEqual(found[2].mapping, Path(self.file).resolve())
        self.assertEqual(found[3].described(), {"kind": "command", "command": "prog -a 1,2 -b=x"})

    def test_references_and_counts_of_rules(self):
        text = f"default,bare,schedqos+15000,schedqos:{self.file}+100,cmd:a+5=x,y"
        found = variants.parse([text], "build/schedqos")
        self.assertEqual([each.name for each in found],
                         ["default", "bare", "schedqos+15000", "schedqos:mine+100", "a+5"])
        self.assertEqual([each.count for each in found[2:4]], [15000, 100])
        self.assertEqual(found[4].command, "x,y")

    def test_weights_go_with_any_mapping(self):
        text = f"default,default+weights,schedqos+weights=500,schedqos:{self.file}+100+weights,cmd:a=b+weights"
        found = variants.parse([text], "build/schedqos")
        self.assertEqual([each.name for each in found], ["default", "default+weights", "schedqos+weights=500",
                                                         "schedqos:mine+100+weights", "a"])
        self.assertEqual([each.weights for each in found], [None, 125, 500, 125, None])
        self.assertEqual(found[1].described(), {"kind": "none", "weights": 125})

    def test_the_daemon_of_another_build_is_copied(self):
        build, ours = (Path(self.file).with_name(name) for name in ("other", "ours"))
        for folder in build, ours:
            folder.mkdir()
        (build / "schedqos").write_text("then", encoding="ascii")
        one, more = variants.parse([f"build:old={build},build:older={build}+10"], ours / "schedqos")
        (build / "schedqos").write_text("now", encoding="ascii")
        self.assertEqual((one.name, more.name, more.count), ("old", "older+10", 10))
        self.assertEqual(one.executable.read_text(encoding="ascii"), "then")
        with self.assertRaises(Failure):
            variants.parse([f"build:old={build}/none"], ours / "schedqos")

    def test_what_is_wrong_is_said(self):
        for text in ("", "Default", "schedqos:", "schedqos:no-such-preset", "schedqos:/no/such.json", "cmd:x", "cmd:=y",
                     "cmd:../x=y", "default,default", "schedqos+", "schedqos+0", "bare+5", "bare+weights",
                     "schedqos+weights=0", "default+weights=10001", "schedqos+weights+5", "+weights", "build:x", "build:../x=y",
                     f"schedqos:{self.file},schedqos:{self.file}"):
            with self.assertRaises(Failure, msg=text):
                variants.parse([text], "schedqos")


class Configuration(Folder):
    def test_what_is_wrong_with_a_mapping_is_said_of_that_file(self):
        program = os.path.join(os.path.dirname(variants.__file__), "..", "..", "build", "schedqos")
        if not os.path.exists(program):
            self.skipTest("needs the daemon: make")
        mapping = self.folder / "mine.json"
        mapping.write_text("{,}", encoding="utf-8")
        with self.assertRaises(Failure) as caught:
            variants.parse_one(f"schedqos:{mapping}", program).classes()
        self.assertIn(f"\n{mapping.resolve()}:1:2: ", str(caught.exception))

    def test_the_mapping_is_asked_for_by_its_name(self):
        mapping = self.folder / "quick.json"
        mapping.write_text(json.dumps(CLASSES), encoding="utf-8")
        with variants.configuration({"make": {"qos": "QOS_BACKGROUND"}}, mapping) as options:
            own, configs = Path(options[1]), Path(options[3])
            self.assertEqual(json.loads(own.read_text()), {"schedqos": {"mapping": "quick"}})
            self.assertEqual(json.loads((configs / "mappings" / "quick.json").read_text()), CLASSES)
            self.assertEqual(json.loads((configs / "app_configs" / "bench.json").read_text()),
                             {"make": {"qos": "QOS_BACKGROUND"}})
        self.assertFalse(own.exists())


class Running(Folder):
    def test_another_daemon_that_ends_during_a_round_is_no_result(self):
        adopt_orphans()
        go = self.folder / "go"
        os.mkfifo(go)
        command = variants.parse_one(f"cmd:other=cat {go}; echo out of memory; exit 3", "schedqos")
        before = children()
        with self.assertRaisesRegex(Failure, r"(?s)ended during the round \(status 3\).*out of memory"), \
                command.running({}) as running:
            self.assertIsNotNone(running.cpu_seconds())
            child, = children() - before
            go.write_text("", encoding="ascii")
            os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)

    def test_what_leaves_the_process_group_ends_with_the_variant_as_well(self):
        adopt_orphans()
        before = children()
        pids = [self.folder / name for name in ("polite", "deaf")]
        command = variants.parse_one(
            f"cmd:other=setsid sh -c 'echo $$ > {pids[0]}; exec sleep 1000' & "
            f"setsid sh -c 'trap \"\" TERM; echo $$ > {pids[1]}; exec sleep 1000' & exec sleep 1000", "schedqos")
        with command.running({}):
            until(lambda: all(path.exists() and path.read_text(encoding="ascii") for path in pids), 30, "daemons")
        for path in pids:
            self.assertFalse(Path("/proc", path.read_text(encoding="ascii").strip()).exists())
        self.assertEqual(children(), before)
