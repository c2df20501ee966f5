# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages, kernels and small systems, for virtual machines: shared by the lab and by tests/vm."""
