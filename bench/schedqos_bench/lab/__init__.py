# SPDX-License-Identifier: GPL-2.0-only
"""
The lab: scenarios in a virtual machine whose clock counts instructions. The same kernel, programs and seed give the same
result on every host, under any load.

Each boot runs one variant in one guest (machine.py). The guest gets everything from an initramfs (archive.py, guest/),
which a scenario fills with programs and a shell script; the programs print JSON lines, which the scenario turns into
values. emulator.py finds a QEMU that can do this, and kernels.py a kernel.
"""
