# SPDX-License-Identifier: GPL-2.0-only
"""The event path: what following the machine's tasks costs, and how fast and how surely it is done."""
