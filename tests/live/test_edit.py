# SPDX-License-Identifier: GPL-2.0-only
"""edit installs exactly what the user agrees to. The editor is a script, and the answers come from a pipe."""

import json
import os
import signal
import stat
import subprocess

from attributes import BACKGROUND, UTILITY
from daemon import SANITIZER_WORDS, SCHEDQOS, Daemon, environment
from harness import LiveTest
from waiting import PATIENCE, wait_for

OLD, NEW = {"app": {"qos": UTILITY}}, {"app": {"qos": BACKGROUND}, "new": {}}


class EditTest(LiveTest):
    def setUp(self):
        super().setUp()
        self.editors = 0
        self.etc = self.path("etc")
        self.file = os.path.join(self.etc, "schedqos.json")
        Daemon.write(self.file, OLD)
        self.empty = self.path("empty")
        os.mkdir(self.empty)

    def editor(self, script):
        """Makes an editor of this script, which gets the file as $1."""
        self.editors += 1
        path = self.path("editor-%d" % self.editors)
        Daemon.write(path, "#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        return path

    def writer(self, content):
        """Makes an editor that writes this text into a new file in place of the old one, as many do."""
        Daemon.write(self.path("content"), content)
        return self.editor('cp "%s" "$1.tmp" && mv "$1.tmp" "$1"' % self.path("content"))

    def begin(self, editor, *args, **env):
        # The layers are the daemon's, if there is one.
        args = args or ("--config", self.file, *([] if self.current else ["--configs-path", self.empty]))
        return subprocess.Popen([SCHEDQOS, "edit", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True,
                                env=dict({key: value for key, value in environment().items() if key != "VISUAL"},
                                         EDITOR=editor, **env))

    def edit(self, editor, answers="", *args, **env):
        process = self.begin(editor, *args, **env)
        output = process.communicate(answers, timeout=PATIENCE * 2)
        self.assertFalse([word for word in SANITIZER_WORDS if word in output[1]], output[1])
        return subprocess.CompletedProcess(process.args, process.returncode, *output)

    def content(self):
        with open(self.file, encoding="utf-8") as file:
            return json.load(file)

    def check_litter(self):
        self.assertEqual(os.listdir(self.etc), ["schedqos.json"])

    def check_untouched(self, result, status, kept=None):
        self.assertEqual((result.returncode, self.content()), (status, OLD), result.stderr)
        if kept:
            path = os.path.join(self.etc, ".edit.schedqos.json.kept")
            self.assertIn("your text is kept in " + path, result.stderr)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read().strip(), kept)
            os.unlink(path)
        self.check_litter()


class Edit(EditTest):
    def test_an_edit_that_the_user_accepts_is_installed(self):
        result = self.edit(self.writer(NEW), "y\n")
        self.assertEqual((result.returncode, self.content()), (0, NEW), result.stderr)
        self.assertNotIn("warning", result.stderr)
        self.assertIn('- rule app: { "qos": "QOS_UTILITY" }', result.stdout)
        self.assertIn("rules: 1 added, 0 removed, 1 changed", result.stdout)
        self.assertIn("no daemon runs: it takes effect at the next start", result.stderr)
        self.check_litter()

    def test_edit_warns_as_check_does(self):
        for_all = {"app": {"qos": "QOS_LOUD"}, "QOS_LOUD": {"sched_nice": -9}}
        self.assertRegex(self.edit(self.writer(for_all), "n\n").stderr, r"json:2:2: app: warning: ")

    def test_an_edit_that_the_user_rejects_is_not_installed(self):
        for answer in "n\n", "\n", "":
            self.check_untouched(self.edit(self.writer(NEW), answer), 1, json.dumps(NEW, indent=1))

    def test_an_edit_without_changes_ends_at_once(self):
        result = self.edit("true", "")
        self.check_untouched(result, 0)
        self.assertIn("unchanged", result.stderr)

    def test_a_failing_editor_changes_nothing(self):
        result = self.edit(self.editor('echo "{" > "$1"; exit 3'))
        self.check_untouched(result, 1, "{")
        self.assertIn("the editor failed", result.stderr)
        self.check_untouched(self.edit("/nonexistent/editor"), 1)

    def test_a_file_in_a_folder_of_others_is_refused(self):
        """Otherwise root would write to, and remove, files that others put there."""
        for mode, user in ((0o755, 65534), (0o777, 0)):
            os.chown(self.etc, user, 0)
            os.chmod(self.etc, mode)
            result = self.edit(self.writer('{}'))
            self.check_untouched(result, 1)
            self.assertIn("other users can replace files in its folder", result.stderr)

    def test_the_editor_may_have_arguments(self):
        Daemon.write(self.path("content"), NEW)
        result = self.edit("cp '%s'" % self.path("content"), "y\n")
        self.assertEqual((result.returncode, self.content()), (0, NEW), result.stderr)
        # VISUAL has priority.
        self.edit("false", "y\n", VISUAL=self.writer(OLD))
        self.assertEqual(self.content(), OLD)

    def test_errors_are_shown_and_can_be_mended(self):
        Daemon.write(self.path("good"), NEW)
        twice = self.editor('if [ -e "{0}" ]; then cp "{1}" "$1"; else touch "{0}"; echo \'{{"app": {{"qso": 1}}}}\' > "$1"; fi'
                            .format(self.path("second"), self.path("good")))
        result = self.edit(twice, "y\ny\n")
        self.assertEqual((result.returncode, self.content()), (0, NEW), result.stderr)
        self.assertIn('%s/.edit.schedqos.json:1:10: app.qso: unknown key' % self.etc, result.stderr)
        Daemon.write(self.file, OLD)
        for answer in "n\n", "":
            self.check_untouched(self.edit(self.writer("{"), answer), 78, "{")

    def test_owner_mode_and_link_of_the_file_stay(self):
        os.chown(self.file, 0, 12)
        os.chmod(self.file, 0o640)
        link = self.path("link.json")
        os.symlink(self.file, link)
        result = self.edit(self.writer(NEW), "y\n", "--config", link, "--configs-path", self.empty)
        self.assertEqual((result.returncode, self.content()), (0, NEW), result.stderr)
        self.assertTrue(os.path.islink(link))
        now = os.stat(self.file)
        self.assertEqual((now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode)), (0, 12, 0o640))
        self.check_litter()

    def test_a_file_that_others_may_write_is_found_by_the_check(self):
        """The daemon refuses it, whatever it contains."""
        os.chmod(self.file, 0o664)
        result = self.edit(self.editor('echo "{}" > "$1"'), "n\n")
        self.assertEqual((result.returncode, self.content()), (78, OLD), result.stderr)
        self.assertIn("can be written by users other than root", result.stderr)

    def test_a_file_that_may_not_be_written_can_be_edited(self):
        os.chmod(self.file, 0o440)
        result = self.edit(self.editor('[ -w "$1" ] && [ "$(stat -c %a "$1")" = 640 ] && echo "{}" > "$1"'), "y\n")
        self.assertEqual((result.returncode, self.content()), (0, {}), result.stderr)
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o440)

    def test_a_missing_file_is_created(self):
        os.unlink(self.file)
        self.assertEqual(self.edit(self.editor('cp "$1" "%s"' % self.path("seen"))).returncode, 0)
        self.assertEqual(os.listdir(self.etc), [])
        with open(self.path("seen"), encoding="utf-8") as file:
            self.assertIn("schedqos.json(5)", file.read())
        # The text of a new file is valid, before and after the edit.
        result = self.edit(self.editor("sed -i 's,^{,{ \"blender\": {},' \"$1\""), "y\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o644)
        self.check_litter()

    def test_a_change_by_somebody_else_is_not_overwritten(self):
        other = {"app": {}}
        Daemon.write(self.path("other"), other)
        result = self.edit(self.editor('echo {} > "$1"; cp "%s" "%s"' % (self.path("other"), self.file)), "y\n")
        self.assertEqual((result.returncode, self.content()), (1, other))
        self.assertIn("somebody else has changed it", result.stderr)
        self.assertIn("kept in %s/.edit.schedqos.json.kept" % self.etc, result.stderr)
        self.assertEqual(self.edit("true").returncode, 0)


class TwoAndKilled(EditTest):
    """Tests with an editor that waits."""

    def setUp(self):
        super().setUp()
        self.ready, self.go = self.path("ready"), self.path("go")
        os.mkfifo(self.go)
        Daemon.write(self.path("late"), NEW)
        self.slow = self.editor('cp "%s" "$1"; touch "%s"; read -r line < "%s"'
                                % (self.path("late"), self.ready, self.go))

    def start(self):
        editing = self.begin(self.slow)
        self.addCleanup(lambda: editing.poll() is None and editing.kill())
        wait_for(lambda: os.path.exists(self.ready), "the editor runs")
        return editing

    def release(self):
        with open(self.go, "w", encoding="ascii") as fifo:
            fifo.write("\n")

    def test_a_second_edit_is_refused(self):
        first = self.start()
        second = self.edit("true")
        self.assertEqual(second.returncode, 1)
        self.assertIn("somebody else is editing it", second.stderr)
        # Ctrl-C is for the editor.
        first.send_signal(signal.SIGINT)
        self.release()
        first.communicate("y\n", timeout=PATIENCE)
        self.assertEqual((first.returncode, self.content()), (0, NEW))
        self.check_litter()

    def test_writing_the_same_text_is_no_change(self):
        with open(self.file, encoding="utf-8") as file:
            result = self.edit(self.writer(file.read()))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("unchanged", result.stderr)

    def test_a_killed_edit_leaves_the_file_unchanged(self):
        editing = self.start()
        editing.kill()
        self.release()
        editing.communicate(timeout=PATIENCE)
        self.assertEqual(self.content(), OLD)
        left = os.path.join(self.etc, ".edit.schedqos.json")
        result = self.edit("true")
        self.assertEqual(result.returncode, 1)
        self.assertIn("remove %s" % left, result.stderr)
        os.unlink(left)
        self.assertEqual(self.edit(self.writer(NEW), "y\n").returncode, 0)
        self.check_litter()

    def test_ctrl_c_at_the_question_installs_nothing(self):
        editing = self.begin(self.writer(NEW))
        seen = b""
        while b"Install it?" not in seen:
            seen += os.read(editing.stderr.fileno(), 4096)
        editing.send_signal(signal.SIGINT)
        editing.communicate(timeout=PATIENCE)
        self.assertEqual((editing.returncode, self.content()), (1, OLD))
        self.assertEqual(os.listdir(self.etc).count(".edit.schedqos.json.kept"), 1)


class WithADaemon(EditTest):
    def test_an_installed_edit_is_reloaded(self):
        daemon = self.daemon(OLD)
        self.file, self.etc = daemon.config, daemon.folder
        app = self.sleeper("app")
        self.assert_carries(app, UTILITY)
        # Without options, edit opens the daemon's file.
        process = self.begin(self.writer(NEW), "--config", daemon.config)
        output = process.communicate("y\n", timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, output[1])
        self.assertRegex(output[1], r"3 rules in force \(1 new, 1 changed\), attributes of \d+ tasks? changed")
        self.assert_carries(app, BACKGROUND)

    def test_a_new_file_in_the_daemons_folder_is_reloaded(self):
        daemon = self.daemon(OLD)
        app = self.sleeper("other")
        result = self.edit(self.writer({"other": {"qos": BACKGROUND}}), "y\n", "--config", daemon.layers + "/app_configs/50-new.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("in force (1 new)", result.stderr)
        self.assert_carries(app, BACKGROUND)

    def test_a_daemon_that_was_restarted_meanwhile_reloads(self):
        daemon = self.daemon(OLD)
        Daemon.write(self.path("content"), NEW)
        editor = self.editor('touch "%s"; while [ ! -e "%s" ]; do sleep 0.05; done; cp "%s" "$1"' % (
            self.path("begun"), self.path("go"), self.path("content")))
        process = self.begin(editor, "--config", daemon.config)
        wait_for(lambda: os.path.exists(self.path("begun")), "the editor begins")
        daemon.stop()
        daemon.start()
        Daemon.write(self.path("go"), "")
        output = process.communicate("y\n", timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, output[1])
        self.assertRegex(output[1], r"3 rules in force \(1 new, 1 changed\)")

    def test_a_daemon_that_was_started_meanwhile_reloads(self):
        daemon = self.daemon(OLD)
        daemon.stop()
        editor = self.editor('touch "%s"; while [ ! -e "%s" ]; do sleep 0.05; done; echo "{}" > "$1"' % (
            self.path("begun"), self.path("go")))
        process = self.begin(editor, "--config", daemon.config, "--configs-path", self.empty)
        wait_for(lambda: os.path.exists(self.path("begun")), "the editor begins")
        daemon.start()
        Daemon.write(self.path("go"), "")
        output = process.communicate("y\n", timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, output[1])
        self.assertIn("in force", output[1])
