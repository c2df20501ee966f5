# SPDX-License-Identifier: GPL-2.0-only
"""Drop-ins of the service, and its lines in the journal."""

import json

from steps import UNIT, command, systemctl, write


def drop_in(name, text, units=(UNIT,)):
    for unit in units:
        write("/run/systemd/system/%s.d/%s.conf" % (unit, name), text)
    systemctl("daemon-reload")


def journal(unit=UNIT, **fields):
    """Returns the unit's own lines in the journal that have these fields."""
    command("journalctl", "--sync")
    lines = command("journalctl", "-o", "json", "-u", unit, "SYSLOG_IDENTIFIER=schedqos",
                    *("%s=%s" % field for field in fields.items()))
    return [json.loads(line) for line in lines.splitlines()]
