# SPDX-License-Identifier: GPL-2.0-only
"""A process counts as a played game while it is registered with GameMode, by GameMode's own program."""

import signal

from desktop import DesktopTest
from waiting import wait_for


class Games(DesktopTest):
    NEEDS = ("gamemoded", "gamemode-simulate-game", "dbus-send")

    def setUp(self):
        super().setUp()
        self.start_bus()

    def start_gamemode(self):
        daemon = self.start("gamemoded")
        wait_for(lambda: self.has_name("com.feralinteractive.GameMode"), "gamemoded")
        return daemon

    def play(self):
        return self.start("gamemode-simulate-game")

    def test_a_registered_game_is_played_until_it_or_gamemode_ends(self):
        lines = self.start_printing()
        lines.wait("^  not by GameMode: com.feralinteractive.GameMode is not on")
        daemon = self.start_gamemode()
        game = self.play()
        self.shows(lines, game.pid, "played$")
        # It would end after ten seconds.
        game.send_signal(signal.SIGSTOP)
        # The game is registered already.
        later = self.start_printing()
        later.wait("^games: GameMode$")
        self.shows(later, game.pid, "played$")
        self.end(game, signal.SIGKILL)
        self.shows(lines, game.pid, "gone$")
        # Without GameMode's daemon no game is known.
        game = self.play()
        self.shows(lines, game.pid, "played$")
        self.end(daemon, signal.SIGKILL)
        self.shows(lines, game.pid, "gone$")
