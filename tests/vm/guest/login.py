# SPDX-License-Identifier: GPL-2.0-only
"""
A user who sits down at the machine and leaves it again. The session is active at the seat, and comes with the user's
own service manager and bus, as if made by a display manager. The user's programs run in scopes, as on a desktop.
"""

from steps import command, show, systemctl, write
from waiting import wait_for

USER = 1000
MANAGER = "user@%d.service" % USER
SESSION = "login-test.service"
UNIT = """[Unit]
Conflicts=getty@tty1.service
After=getty@tty1.service
[Service]
User=user
PAMName=login
TTYPath=/dev/tty1
StandardInput=tty
ExecStart=sleep 100000
"""


def as_uid(uid):
    return ["setpriv", "--reuid=%d" % uid, "--regid=%d" % uid, "--clear-groups", "env", "XDG_RUNTIME_DIR=/run/user/%d" % uid]


AS_USER = as_uid(USER)
IN_SESSION = [*AS_USER, "systemd-run", "--user", "--scope", "--quiet"]


def of_user(*args):
    return command(*AS_USER, "systemctl", "--user", *args)


def session():
    """Returns the session that is active at the seat; empty if there is none."""
    return command("loginctl", "show-seat", "--value", "-p", "ActiveSession", "seat0")


def sit_down():
    write("/run/systemd/system/" + SESSION, UNIT)
    systemctl("daemon-reload")
    systemctl("start", SESSION)
    wait_for(session, lambda: command("loginctl", "list-sessions"))
    wait_for(lambda: show("ActiveState", MANAGER) == "active", "the user's manager")


def leave():
    """Ends the session. The user's manager ends some seconds later, unless the user lingers."""
    systemctl("stop", SESSION)
    wait_for(lambda: not session(), lambda: command("loginctl", "list-sessions"))
