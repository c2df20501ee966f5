# SPDX-License-Identifier: GPL-2.0-only
"""Benches of schedqos: what following the machine's tasks costs, and how fast and how surely it is done."""
