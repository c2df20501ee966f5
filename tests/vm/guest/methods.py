# SPDX-License-Identifier: GPL-2.0-only
"""Calls every method of the bridge as an ordinary user, and compares the answers with a table."""

import os
import subprocess
import xml.etree.ElementTree

from programs import Program
from steps import TOP, command
from waiting import wait_for

ASKER = os.path.join(TOP, "build/tests/live/asker")
NAME, PATH = "org.schedqos1", "/org/schedqos1"
FREEDESKTOP = "org.freedesktop.DBus."

OK = "ok"
DENIED = FREEDESKTOP + "Error.AccessDenied"
LIMITS = FREEDESKTOP + "Error.LimitsExceeded"
PASSWORD = FREEDESKTOP + "Error.InteractiveAuthorizationRequired"
NOT_YOURS, NO_TASK = NAME + ".Error.NotYours", NAME + ".Error.NoTask"

# Each row: a method with the types of its arguments; the arguments; the answers to a user elsewhere and to one at the
# seat. Names in braces stand for processes, or for a cgroup of the caller.
TABLE = (
    ("Status", "", OK, OK),
    ("ListTasks", "", OK, OK),
    ("ListUse", "", OK, OK),
    ("GetUserWeights", "", OK, OK),
    ("Explain u", "{own}", OK, OK),
    ("Explain u", "{thread}", OK, OK),
    ("Explain u", "{setuid}", NOT_YOURS, NOT_YOURS),
    ("Explain u", "{others}", NOT_YOURS, NOT_YOURS),
    ("Explain u", "{roots}", NOT_YOURS, NOT_YOURS),
    ("Explain u", "1", NOT_YOURS, NOT_YOURS),
    ("Explain u", "2", NOT_YOURS, NOT_YOURS),
    ("Explain u", "4294967295", NO_TASK, NO_TASK),
    ("Reload", "", PASSWORD, PASSWORD),
    ("SetSchedProfile s", "-", PASSWORD, PASSWORD),
    ("SetMapping s", "announcement", PASSWORD, PASSWORD),
    ("SetClass usbb", "{own} QOS_BACKGROUND false true", PASSWORD, OK),
    ("Reset u", "{own}", PASSWORD, OK),
    ("SetClass usbb", "{own} QOS_USER_INTERACTIVE false true", PASSWORD, PASSWORD),
    ("SetClass usbb", "{others} QOS_BACKGROUND false true", PASSWORD, NOT_YOURS),
    ("SetClass usbb", "{roots} QOS_BACKGROUND false true", PASSWORD, NOT_YOURS),
    ("SetClass usbb", "{setuid} QOS_BACKGROUND false true", PASSWORD, NOT_YOURS),
    ("Reset u", "{others}", PASSWORD, OK),  # nothing to reset: the caller has set no class there
    ("LimitProcess usb", "{own} QOS_BACKGROUND true", PASSWORD, OK),
    ("LiftProcess u", "{own}", PASSWORD, OK),
    ("LimitProcess usb", "{others} QOS_BACKGROUND true", PASSWORD, NOT_YOURS),
    ("LiftProcess u", "{others}", PASSWORD, OK),
    ("LimitCgroup ssb", "{cgroup} QOS_UTILITY true", PASSWORD, OK),
    ("LiftCgroup s", "{cgroup}", PASSWORD, OK),
    ("LimitCgroup ssb", "/ QOS_UTILITY true", PASSWORD, NOT_YOURS),
    ("LimitCgroup ssb", "/system.slice QOS_UTILITY true", PASSWORD, NOT_YOURS),
    ("SetUnitClasses a(sss)", "{cgroup}/test.service QOS_BACKGROUND test.service:2", PASSWORD, OK),
    ("SetUnitClasses a(sss)", "/system.slice/test.service QOS_BACKGROUND test.service:2", PASSWORD, NOT_YOURS),
    ("SetShown us", "{own} focused", DENIED, OK),
    ("SetShown us", "{own} visible", DENIED, OK),
    ("SetShown us", "{others} focused", DENIED, NOT_YOURS),
    (FREEDESKTOP + "Peer.Ping", "", OK, OK),
    (FREEDESKTOP + "Introspectable.Introspect", "", OK, OK),
    (FREEDESKTOP + "Properties.GetAll s", NAME, OK, OK),
    (FREEDESKTOP + "Properties.Get ss", NAME + " Version", OK, OK),
    (FREEDESKTOP + "ObjectManager.GetManagedObjects", "", DENIED, DENIED),
    (NAME + ".Overrides.Drop s", ":1.1", DENIED, DENIED),
    ("com.system76.Scheduler.SetForegroundProcess u", "{own}", DENIED, DENIED),
)


class Asker:
    """A connection to the bus from which a user calls."""

    def __init__(self, prefix=()):
        self.program = Program([*prefix, ASKER, "system", NAME, PATH], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               encoding="utf-8")
        self._expect(["ready"])

    def _answer(self):
        return self.program.popen.stdout.readline().rstrip("\n").split("\t")

    def _expect(self, wanted):
        answer = self._answer()
        if answer != wanted:
            raise AssertionError("%s, not %s" % (answer, wanted))

    def ask(self, member, words=""):
        """Makes a call. Returns the name of the error, or "ok"."""
        interface = "" if "." in member.split()[0] else NAME + "."
        interface, _, method = (interface + member.split()[0]).rpartition(".")
        self.program.popen.stdin.write(" ".join([interface, method, *member.split()[1:], words]) + "\n")
        self.program.popen.stdin.flush()
        answer = self._answer()
        return answer[1] if answer[0] == "error" else answer[0]

    def ask_in_time(self, member, words=""):
        """Makes a call, again while the bridge refuses it because earlier calls took too much of the daemon's time."""
        answers = []
        wait_for(lambda: answers.append(self.ask(member, words)) or answers[-1] != LIMITS, "a call of %s" % member)
        return answers[-1]

    def hang_up(self):
        self.program.popen.stdin.close()
        self.program.popen.wait()
        self.program.popen.stdout.close()


def offered():
    """Returns the names of the methods of our interface."""
    text = command("busctl", "introspect", "--xml-interface", NAME, PATH)
    interface, = [each for each in xml.etree.ElementTree.fromstring(text) if each.get("name") == NAME]
    return {each.get("name") for each in interface if each.tag == "method"}


def check(prefix, names, is_at_seat):
    """Makes all calls of the table as the user of this prefix."""
    missing = offered() - {member.split()[0] for member, *_ in TABLE}
    if missing:
        raise AssertionError("not in the table: %s" % missing)
    asker, wrong = Asker(prefix), []
    for member, words, elsewhere, at_seat in TABLE:
        answer, wanted = asker.ask_in_time(member, words.format(**names)), at_seat if is_at_seat else elsewhere
        if answer != wanted:
            wrong.append("%s %s: %s, not %s" % (member, words, answer, wanted))
    asker.hang_up()
    if wrong:
        raise AssertionError("\n".join(wrong))
