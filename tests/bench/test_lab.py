# SPDX-License-Identifier: GPL-2.0-only
"""The lab without a virtual machine: its archive, its variants, and what it reads from a guest."""

import contextlib
import io
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from case import Folder
from schedqos_bench import cli, marked
from schedqos_bench.folders import ROOT
from schedqos_bench.lab import command, emulator, expect, kernels, machine, overview, values, variants
from schedqos_bench.lab.archive import Archive
from schedqos_bench.lab.scenarios import costs, frames, shares
from schedqos_bench.process import Failure


class Initramfs(Folder):
    def write(self, name):
        archive = Archive()
        archive.add_text("/b/init", "echo\n", executable=True)
        archive.add_link("/bin/sh", "busybox")
        archive.add_program("/bin/true", "/bin/true")
        archive.write(self.folder / name)
        return (self.folder / name).read_bytes()

    def test_same_content_gives_the_same_bytes(self):
        first = self.write("first")
        self.assertEqual(first, self.write("second"))
        self.assertTrue(first.startswith(b"070701"))
        self.assertEqual(len(first) % 4, 0)

    def test_a_script_is_brought_as_it_is(self):
        script = self.folder / "script"
        script.write_text("#!/bin/sh\n", encoding="ascii")
        archive = Archive()
        archive.add_program("/script", script)
        self.assertEqual(archive.entries["script"][1], b"#!/bin/sh\n")

    def test_brings_libraries_and_folders(self):
        names = set()
        data, at = self.write("all"), 0
        while at < len(data):
            name_size, size = int(data[at + 94:at + 102], 16), int(data[at + 54:at + 62], 16)
            names.add(data[at + 110:at + 109 + name_size].decode())
            at += -(-(110 + name_size) // 4) * 4 + -(-size // 4) * 4
        self.assertLessEqual({"b", "b/init", "bin", "bin/sh", "bin/true", "TRAILER!!!"}, names)
        self.assertTrue(any("libc.so" in name for name in names))


class Variants(Folder):
    def setUp(self):
        super().setUp()
        (self.folder / "schedqos").touch()

    def parse(self, *texts):
        return variants.parse(texts, self.folder)

    def test_all_parts(self):
        found = self.parse("none,schedqos:balanced+weights=300,none+slice:0.5+features:NO_RUN_TO_PARITY+cgroup_mode:smp",
                           "cgroup_mode:up", f"build:old={self.folder}+weights", "cmd:x=run a,b+c")
        self.assertEqual([each.name for each in found],
                         ["none", "balanced+weights=300", "none+slice:0.5+features:NO_RUN_TO_PARITY+cgroup_mode:smp",
                          "cgroup_mode:up", "old+weights", "x"])
        self.assertEqual([each.kind for each in found],
                         ["none", "schedqos", "none", "none", "schedqos", "command"])
        self.assertEqual(found[1].weights, 300)
        self.assertEqual(found[1].mapping.name, "balanced.json")
        self.assertEqual((found[2].slice_ns, found[2].features, found[2].cgroup_mode),
                         (500000, ("NO_RUN_TO_PARITY",), "smp"))
        self.assertEqual(found[5].command, "run a,b+c")

    def test_wrong_ones_are_refused(self):
        for text in ("nothing", "schedqos:no-such", "none+slice:0", "none+slice:x", "none+features:x", "none,none",
                     "build:x=/no/such", "none+weights=0", "none+weights=0.5", "none+slice:0.00001", "cgroup_mode:", ""):
            with self.subTest(text), self.assertRaises(Failure):
                self.parse(text)


class Scripts(Folder):
    def test_settings_stand_around_the_measurement(self):
        """Features are set again after the start of a daemon, whose profile may change them."""
        (self.folder / "schedqos").touch()
        args = SimpleNamespace(layouts="flat", cpus=1, seconds=1, trace=None)
        chosen, bare = variants.parse(["schedqos+features:NO_HRTICK,none+slice:2"], self.folder)
        lines = command._script(frames, chosen, [1], args).splitlines()
        tune = [at for at, line in enumerate(lines) if line == "tune features NO_HRTICK"]
        start, = [at for at, line in enumerate(lines) if line.startswith("start_daemon")]
        self.assertEqual((len(tune), tune[0] < start < tune[1]), (2, True))
        line, = [line for line in command._script(frames, bare, [1], args).splitlines() if line.startswith("changed=")]
        words = subprocess.run(["sh", "-c", line + "; echo $changed"], stdout=subprocess.PIPE, encoding="ascii", check=True)
        self.assertEqual(words.stdout, "bench-attr 0:0:2000000\n")


class Words(unittest.TestCase):
    def guest(self):
        found = machine.Machine(SimpleNamespace(version="7.2.0"), "vmlinuz", None, 4, "none, seed 1")
        found.began = 0
        return found

    def take(self, *lines):
        guest = self.guest()
        for line in lines:
            if guest._take(line, SimpleNamespace(read_text=lambda **_: "panic\n")):
                return guest
        raise AssertionError("not at its end")

    def test_results_ticks_and_the_end(self):
        guest = self.take("tick", 'result a/b {"x": 1}', "tick", "turn 5 90", "end", "result not json")
        self.assertEqual((guest.results, guest.guest_seconds), ([("a/b", {"x": 1})], 2))

    def test_lines_of_a_text_are_one_result(self):
        guest = self.take("text a 1", "text a 2 3", "text b 4", "end")
        self.assertEqual(guest.results, [("a", "1\n2 3\n"), ("b", "4\n")])

    def test_what_a_kernel_lacks_is_told_by_name(self):
        with self.assertRaisesRegex(machine.NoBoot, "the kernel lacks proc events"):
            self.take("lacks proc events")

    def test_one_that_only_ticks_hangs(self):
        self.take(*["tick"] * 1200, "result a {}", *["tick"] * 1200, "end")
        with self.assertRaisesRegex(machine.NoBoot, "nothing but ticks for 1200 s"):
            self.take(*["tick"] * 1201, "end")

    def test_long_and_unequal_turns_and_broken_results_are_refused(self):
        with self.assertRaisesRegex(Failure, "QEMU 7.2.0 has a CPU stand still for over 0.3 ms at once in 60 %"):
            self.take("turn 60 99")
        with self.assertRaisesRegex(Failure, "QEMU 7.2.0 runs a CPU at 36 % of the speed of another"):
            self.take("turn 2 36")
        with self.assertRaisesRegex(Failure, "bench-turns has printed nothing"):
            self.take("turn ")
        with self.assertRaisesRegex(Failure, "broken result of a.*last lines of its console:\n  panic") as raised:
            self.take("result a {")
        self.assertNotIsInstance(raised.exception, machine.NoBoot)

    def test_a_kernel_with_a_fault_is_skipped(self):
        guest = self.guest()
        guest.printed = "[    3.1] BUG: kernel NULL pointer dereference\n"
        self.assertIsInstance(guest.broken("no result"), machine.NoBoot)
        guest.printed = "[    3.1] debug: fine\n"
        self.assertNotIsInstance(guest.broken("no result"), machine.NoBoot)

    def test_a_kernel_that_prints_but_runs_nothing_hangs(self):
        guest, lines = self.guest(), iter(range(10 ** 6))
        with tempfile.TemporaryDirectory() as folder:
            console = Path(folder, "console")
            console.touch()

            def passes(silence):
                with open(console, "a", encoding="ascii") as file:
                    file.write("rcu: INFO: rcu_sched self-detected stall on CPU\n")
                silence.seconds += 59
                return silence.seconds

            program = SimpleNamespace(pid=os.getpid(), process=SimpleNamespace(poll=lambda: None))
            with mock.patch.object(machine._Silence, "passed", passes), \
                    self.assertRaisesRegex(machine.NoBoot, "no task has run for 600 s, though the kernel prints"):
                for _ in guest._follow(program, io.StringIO(), console):
                    self.assertLess(next(lines), 100)

    def test_the_lines_around_a_panic_are_shown(self):
        console = "\n".join([*map(str, range(40)), "Kernel panic - not syncing: x", *["trace"] * 40])
        found = machine.last_lines(console)
        self.assertEqual((found[-1], found[-2]), ("Kernel panic - not syncing: x", "39"))
        self.assertEqual(machine.last_lines("a\nb"), ["a", "b"])


class Guests(unittest.TestCase):
    """Guests in whose place generators run."""

    def setUp(self):
        self.running, self.most, self.ended = set(), 0, []

    def guest(self, name, steps, failure=None):
        def run():
            self.running.add(name)
            self.most = max(self.most, len(self.running))
            try:
                for _ in range(steps):
                    yield
                if failure:
                    raise failure
            finally:
                self.running.remove(name)
                self.ended.append(name)
        return SimpleNamespace(run=run)

    def run_all(self, *guests, at_once):
        with mock.patch.object(machine, "_POLL", 0):
            machine.run_all(guests, at_once)

    def test_so_many_at_once(self):
        self.run_all(self.guest("a", 9), self.guest("b", 1), self.guest("c", 2), self.guest("d", 1), at_once=2)
        self.assertEqual((self.most, self.ended), (2, ["b", "c", "d", "a"]))

    def test_one_that_fails_ends_the_others(self):
        with self.assertRaises(machine.NoBoot):
            self.run_all(self.guest("a", 9), self.guest("b", 1, machine.NoBoot()), self.guest("c", 1), at_once=2)
        self.assertEqual((self.running, self.ended), (set(), ["b", "a"]))


class Numbers(unittest.TestCase):
    def test_table_has_median_least_and_greatest(self):
        found = values.table({"none": {"p99": [1.0, 3.0, 2.0]}, "x": {"p99": [2.0], "late": [None]}}, {"p99": "ms"})
        self.assertEqual(found.splitlines()[2:], ["| p99, ms | 2 (1 - 3) | 2 |", "| late | - | - |"])
        self.assertEqual(values.cell([None, 0.2, None]), "0.2 of 1 seeds")
        self.assertEqual([values.number(each) for each in (0.0625, 99.96, 999.4, 999.6, 1000.4)],
                         ["0.0625", "100", "999", "1000", "1000"])

    def test_worse_is_a_p99_or_a_count_above_the_ratio(self):
        found = {"none": {"a_p99": [1.0, 2.0, 3.0], "a_max": [1.0], "a_late": [0], "b_p99": [2.0], "c_p99": [None]},
                 "x": {"a_p99": [2.2], "a_max": [9.0], "a_late": [1], "b_p99": [2.1], "c_p99": [1.0]}}
        self.assertEqual(values.worse(found, "x", "none", 1.05), {"a_p99": (2.0, 2.2, False), "a_late": (0, 1, True)})

    def test_the_promise_compares_with_no_daemon_and_the_same_settings(self):
        found = {"none+slice:3": {"a_p99": [2.0, 2.0]}, "x+slice:3": {"a_p99": [3.0, 1.5]}, "y+weights+slice:3": {"a_p99": [2.1]},
                 "none": {"a_p99": [1.0]}, "x+slice:4": {"a_p99": [2.0]}}
        self.assertEqual(list(command._promise(found)), [
            "Above 1.05 x no daemon with x+slice:3: a_p99 (2.25 for 2, 1.12 x).",
            "With y+weights+slice:3 no p99 and no count of late ones is above 1.05 x no daemon.",
            "Above 1.05 x no daemon with x+slice:4: a_p99 (2 for 1, 2.00 x, in every seed)."])
        found = {"cgroup_mode:up": {"a_p99": [2.0]}, "x+cgroup_mode:up": {"a_p99": [2.0]}, "none": {"a_p99": [1.0]}}
        self.assertEqual(list(command._promise(found)),
                         ["With x+cgroup_mode:up no p99 and no count of late ones is above 1.05 x no daemon."])
        self.assertEqual(list(command._promise({"x": {"a_p99": [1.0]}})), [])

    def test_the_overview_has_ratios_to_no_daemon(self):
        metrics = {f"{layout} {metric}": [value] for layout in ("flat", "session", "services", "apps") for metric, value in
                   (("frame_done_p99", 8.0), ("sound_done_p99", 2.0), ("key_done_p99", 4.0), ("frame_missed", 3), ("sound_late", 0))}
        found = {"none": metrics, "schedqos": {**metrics, "flat frame_done_p99": [4.0], "apps frame_missed": [1]},
                 "schedqos+weights": {**metrics, "apps key_done_p99": [5.0]}}
        marks = "lab: frames 7.3 2 none,schedqos,schedqos+weights -->"
        page = f"<!-- {marks}\n{values.table(found, {'flat frame_done_p99': 'ms'})}\n<!-- end of {marks}\n"
        rows = [line for line in overview.text(page).splitlines() if line.startswith("| 7.3 ")]
        self.assertEqual(rows, [
            "| 7.3 | 2 |" + " 1.00 |" * 11 + " **1.25** | 12 for 12 | 0 for 0 |",
            "| 7.3 | 2 | 0.50 |" + " 1.00 |" * 11 + " 10 for 12 | 0 for 0 |"])

    def test_the_overview_is_what_the_tables_say(self):
        page = (ROOT / "src/doc/lab.md").read_text(encoding="utf-8")
        self.assertEqual(marked.replaced(page, "overview", overview.text(page), "lab"), page, "make lab-figures")

    def test_costs_are_for_each_operation(self):
        found = costs.values([("10/idle/fork", {"ops": 200, "main": 2_000_000, "helper": 200_000}),
                              ("probe", {"exec": [1000, 3000], "exec_main": [900, 1000], "rename": []})], None)
        self.assertEqual(found["fork, idle, 10 rules: main"], 10)
        self.assertEqual(found["fork, idle, 10 rules: helper"], 1)
        self.assertEqual(found["class at first look in main"], 100)
        self.assertLessEqual(set(found), set(costs.units(SimpleNamespace(rules="10"))))

    def test_shares_are_compared_with_what_is_predicted(self):
        found = shares.values([("two-groups", {"work": [300, 100], "predicted": [71, 29]}),
                               ("deep", {"work": [100, 100], "predicted": []})], None)
        self.assertEqual(found, {"two groups: share": 75, "two groups: difference": 4,
                                 "deep: share": 50, "deep: difference": None})
        self.assertLessEqual(set(found), set(shares.units(None)))

    def test_numbers_of_rules_that_cannot_be_are_refused(self):
        self.assertEqual(costs.counts(SimpleNamespace(rules="0,10,15000")), [0, 10, 15000])
        for text in "3", "-5", "x", "":
            with self.subTest(text), self.assertRaises(Failure):
                costs.counts(SimpleNamespace(rules=text))

    def test_a_seed_makes_the_same_hierarchies_each_time(self):
        first, again = (shares.script(None, [1], SimpleNamespace(seconds=None)) for _ in range(2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, shares.script(None, [2], SimpleNamespace(seconds=None)))


class Expectations(unittest.TestCase):
    UNITS = {"session frame_done_p99": "ms", "session sound_late": ""}

    def parse(self, text):
        return expect.parse(text, self.UNITS, ["none", "none+features:NO_X"])

    def test_holds_for_medians_of_all_variants_or_of_one(self):
        found = {"none": {"session frame_done_p99": [4.0, 9.0, 5.0]},
                 "none+features:NO_X": {"session frame_done_p99": [6.0]}}
        self.assertEqual(list(self.parse("none: session frame_done_p99 <= 5.0 ms").failures(found)), [])
        self.assertEqual(len(list(self.parse("session frame_done_p99<=5").failures(found))), 1)
        self.assertEqual(list(self.parse("none+features:NO_X: session frame_done_p99 > 5.9 ms").failures(found)), [])
        found["none"]["session sound_late"] = [0, 0, 2]
        self.assertEqual(self.parse("session sound_late < 1").failures(found), [])
        self.assertEqual(len(self.parse("session sound_late > 1").failures(found)), 1)
        found["none"]["session sound_late"] = [0, None, 2]
        with self.assertRaisesRegex(expect.Wrong, "not measured in all seeds of none"):
            self.parse("session sound_late < 5").failures(found)

    def test_what_was_not_measured_says_nothing_about_a_kernel(self):
        found = {"none": {"session sound_late": [0]}, "none+features:NO_X": {"session sound_late": [None]}}
        for text in "session frame_done_p99 <= 5", "none+features:NO_X: session sound_late < 1":
            with self.subTest(text), self.assertRaisesRegex(expect.Wrong, "it was not measured in none"):
                self.parse(text).failures(found)

    def test_names_of_metrics_may_hold_a_colon(self):
        units = {"exec, idle, 10 rules: main": "us"}
        for text, variant in ("exec, idle, 10 rules: main <= 50 us", None), ("none: exec, idle, 10 rules: main < 5", "none"):
            found = expect.parse(text, units, ["none"])
            self.assertEqual((found.variant, found.metric), (variant, "exec, idle, 10 rules: main"))

    def test_wrong_ones_list_what_there_is(self):
        for text in ("frame_done_p99 <= 5", "session frame_done_p99 = 5", "session frame_done_p99 <= 5 us",
                     "other: session frame_done_p99 <= 5", "session frame_done_p99 <= 1.2.3", ""):
            with self.subTest(text), self.assertRaises(expect.Wrong):
                self.parse(text)
        with self.assertRaisesRegex(expect.Wrong, "session frame_done_p99\nsession sound_late"):
            self.parse("frame <= 5")

    def test_a_wrong_one_ends_a_bisection(self):
        wrong = ["lab", "frames", "--variants", "none", "--expect", "frame <= 5"]
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(cli.main(wrong), command.EXIT_FAILED)

    def test_so_does_what_a_scenario_ignores(self):
        for words in (["wakeups", "--variants", "none+weights", "--expect", "wakeup_p99 <= 5"],
                      ["wakeups", "--variants", "none,schedqos+slice:3", "--expect", "wakeup_p99 <= 5"],
                      ["costs", "--variants", "none+features:NO_X", "--expect", "fork, idle: main <= 5"],
                      ["costs", "--seconds", "3", "--expect", "fork, idle: main <= 5"]):
            with self.subTest(words), contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(cli.main(["lab", *words]), command.EXIT_FAILED)
            self.assertRegex(said.getvalue(), "has no use for|slice: is for none|which counts operations")

    def test_so_does_a_fault_of_ours(self):
        with mock.patch.object(command, "measure", side_effect=ZeroDivisionError), \
                mock.patch.object(command.kernels, "find", return_value=Path("vmlinuz")), \
                contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(cli.main(["lab", "frames", "--variants", "none", "--expect", "flat frame_done_p99 <= 5"]),
                             command.EXIT_FAILED)
        self.assertIn("ZeroDivisionError", said.getvalue())

    def test_a_qemu_that_fails_ends_a_bisection(self):
        with tempfile.TemporaryDirectory() as folder:
            qemu = Path(folder, "qemu")
            qemu.write_text("#!/bin/sh\n[ \"$1\" != --version ] || exec echo QEMU emulator version 7.2.22\n"
                            "echo Cannot allocate memory >&2\nexit 1\n", encoding="ascii")
            qemu.chmod(0o755)
            kernel = Path(folder, "bzImage")
            kernel.touch()
            guest = machine.Machine(emulator.Emulator([str(qemu)]), kernel, Archive(), 1, "none")
            with self.assertRaisesRegex(Failure, "QEMU fails: Cannot allocate memory") as raised:
                machine.run_all([guest], 1)
            self.assertNotIsInstance(raised.exception, machine.NoBoot)
            qemu.write_text(qemu.read_text(encoding="ascii").replace("Cannot allocate memory", "linux kernel too old"), encoding="ascii")
            with self.assertRaisesRegex(machine.NoBoot, "linux kernel too old"):
                machine.run_all([machine.Machine(emulator.Emulator([str(qemu)]), kernel, Archive(), 1, "none")], 1)

    def test_a_table_keeps_its_rows(self):
        marks, part = "<!-- lab: frames 6.1 1 none -->", "`schedqos-bench lab frames --layouts flat`: Linux"
        args = SimpleNamespace(scenario="frames", kernel="6.1", cpus=1, variants=["none"], layouts="flat", trace=None)
        with tempfile.TemporaryDirectory() as folder:
            args.figures = Path(folder, "page.md")
            args.figures.write_text(f"{marks}\n{part}\n{marks.replace('lab:', 'end of lab:')}\n", encoding="utf-8")
            command._check_figures(args, frames)
            for layouts in "session", "flat,session,services,apps":
                args.layouts = layouts
                with self.assertRaisesRegex(Failure, "other rows"):
                    command._check_figures(args, frames)
            args.layouts, args.trace = "flat", Path("trace")
            with self.assertRaisesRegex(Failure, "--trace changes the results"):
                command._check_figures(args, frames)

    def test_so_does_what_cannot_be_run(self):
        good = ["lab", "frames", "--variants", "none", "--expect", "flat frame_done_p99 <= 5"]
        for words in ["--cpus", "3"], ["--seeds", "0"], ["--seeds", "3-2"], ["--seeds", "0-2"], ["--seeds", "x"], \
                ["--carry", "/no/such"], ["--out", "/no/such/file"], ["--figures", "/dev/null"], ["--layouts", "round"], ["--rules", "10"], ["--exp", "x"]:
            with self.subTest(words), contextlib.redirect_stderr(io.StringIO()):
                try:
                    status = cli.main(good + words)
                except SystemExit as end:
                    status = end.code
                self.assertEqual(status, command.EXIT_FAILED)
        with mock.patch.dict(os.environ, {"QEMU": "/no/such"}), contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(cli.main(good), command.EXIT_FAILED)


class Kernels(Folder):
    def test_what_was_found_today_is_taken_again(self):
        image = self.folder / "vmlinuz"
        image.touch()
        (self.folder / "7.3.is").write_text(str(image), encoding="utf-8")
        self.assertEqual(kernels._known(self.folder, "7.3"), image)
        self.assertIsNone(kernels._known(self.folder, "6.1"))
        os.utime(self.folder / "7.3.is", (0, 0))
        self.assertIsNone(kernels._known(self.folder, "7.3"))

    def test_a_file_that_is_no_kernel_is_refused(self):
        (self.folder / "README").write_text("x" * 1000, encoding="ascii")
        with self.assertRaisesRegex(Failure, "no image of a kernel"):
            kernels.find(str(self.folder / "README"))
        image = self.folder / "vmlinuz"
        image.write_bytes(b"\0" * 0x202 + b"HdrS")
        self.assertEqual(kernels.find(str(image)), image.resolve())

    def test_a_name_that_is_no_kernel_is_refused(self):
        for text in ("no/such/image", "seven"):
            with self.subTest(text), self.assertRaisesRegex(Failure, "no such file"):
                kernels.find(text)


class Emulator(Folder):
    def test_what_is_no_qemu_is_refused(self):
        with self.assertRaisesRegex(Failure, "is no QEMU"):
            emulator.Emulator(["/bin/true"])

    def test_command_is_deterministic(self):
        program = self.folder / "qemu"
        program.write_text("#!/bin/sh\necho QEMU emulator version 10.0.13\n", encoding="ascii")
        os.chmod(program, 0o755)
        qemu = emulator.Emulator([str(program)])
        self.assertEqual(qemu.major, 10)
        self.assertIn("shift=0,sleep=off,align=off", qemu.command(4, 512, self.folder))
        subprocess.run(qemu.command(1, 512, self.folder), stdout=subprocess.DEVNULL, check=True)

    def test_two_cpus_have_two_beside_them_that_spin(self):
        program = self.folder / "qemu"
        program.write_text("#!/bin/sh\necho QEMU emulator version 7.2.22\n", encoding="ascii")
        os.chmod(program, 0o755)
        words = list(map(str, emulator.Emulator([str(program)]).command(2, 512, self.folder)))
        self.assertEqual(words[words.index("-smp") + 1], "4")
        rom = (self.folder / "spinners").read_bytes()
        self.assertEqual(words[-2:], ["-option-rom", str(self.folder / "spinners")])
        # As the BIOS wants it: signature, size in sectors, sum.
        self.assertEqual((rom[:2], rom[2] * 512, sum(rom) % 256), (b"\x55\xaa", len(rom), 0))
        # Each page begins with the loop, wherever the BIOS puts the ROM: at a multiple of 2 KiB.
        for at in 2048, 4096:
            self.assertEqual(rom[at:at + 128], b"\x90" * 126 + b"\xeb\x80")
        self.assertEqual((emulator.kernel_options(1), emulator.kernel_options(2)), ([], ["nr_cpus=2"]))
