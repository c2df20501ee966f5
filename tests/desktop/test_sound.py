# SPDX-License-Identifier: GPL-2.0-only
"""
Apps that play through PipeWire are known, and an app that may be heard is never reported as hidden. The sink is a
dummy.
"""

import os
import shutil
import wave

from test_sway import SwayTest
from waiting import wait_for

SINK = "{ factory.name=support.null-audio-sink node.name=nowhere media.class=Audio/Sink object.linger=true audio.position=[FL FR] }"


class Sound(SwayTest):
    NEEDS = (*SwayTest.NEEDS, "pipewire", "wireplumber", "pw-cli", "pw-cat", "pw-dump")

    def setUp(self):
        super().setUp()
        self.start_bus()
        self.silence = os.path.join(self.folder, "silence.wav")
        with wave.open(self.silence, "wb") as file:
            file.setnchannels(2)
            file.setsampwidth(2)
            file.setframerate(48000)
            file.writeframes(bytes(4 * 48000 * 600))

    def start_pipewire(self):
        server = self.start("pipewire")
        self.await_socket("pipewire-0")
        self.start("wireplumber")
        self.run_tool("pw-cli", "create-node", "adapter", SINK)
        wait_for(lambda: "nowhere" in self.run_tool("pw-dump"), "the sink")
        return server

    def play(self, lines, *argv):
        """Starts a player, and starts it again as long as WirePlumber does not know the sink."""
        players = []

        def plays():
            if not players or players[-1].poll() is not None:
                players.append(self.start(*(argv or ("pw-cat", "--playback", self.silence))))
            return lines.find(r"^ *%d \S+ +plays sound" % players[-1].pid)
        wait_for(plays, lambda: "sound in:\n" + "\n".join(lines.all))

    def play_from_window(self):
        """Starts a terminal and a player inside it."""
        before = set(self.windows())
        self.msg("exec", "foot sh -c 'while :; do pw-cat --playback %s; sleep 0.1; done'" % self.silence)
        return wait_for(lambda: set(self.windows()) - before, "a window").pop()

    def test_an_app_that_plays_sound_is_not_hidden(self):
        self.start_pipewire()
        lines = self.start_printing()
        lines.wait("^sound: PipeWire")
        terminal = self.play_from_window()
        lines.wait("plays sound")
        self.msg("workspace", "2")
        self.shows(lines, terminal, r"visible \(hidden, but may be heard\)")
        # Another terminal, which is silent.
        silent = self.open_window()
        self.msg("workspace", "3")
        self.shows(lines, silent, r"visible \(hidden, if that lasts\)")
        player = int(lines.find("plays sound").split()[0])
        self.run_tool("kill", str(player))
        lines.wait("stopped playing")

    def test_a_restarted_pipewire_is_followed(self):
        lines = self.start_printing()
        lines.wait("^sound: nothing is known")
        server = self.start_pipewire()
        self.play(lines)
        self.end(server)
        lines.wait("stopped playing")
        self.start_pipewire()
        self.play(lines)

    def test_an_app_that_plays_through_pulse_is_known(self):
        for name in ("pipewire-pulse", "paplay"):
            if not shutil.which(name):
                self.skipTest("no %s" % name)
        self.start_pipewire()
        self.start("pipewire-pulse")
        self.await_socket("pulse/native")
        lines = self.start_printing()
        self.play(lines, "paplay", self.silence)
