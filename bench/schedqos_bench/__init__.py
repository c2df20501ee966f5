# SPDX-License-Identifier: GPL-2.0-only
"""Benches of schedqos."""
