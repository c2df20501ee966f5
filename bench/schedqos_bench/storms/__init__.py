# SPDX-License-Identifier: GPL-2.0-only
"""Storms of events, and what they cost a listener."""
