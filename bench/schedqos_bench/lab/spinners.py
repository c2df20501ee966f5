# SPDX-License-Identifier: GPL-2.0-only
"""CPUs of the virtual machine that the guest's kernel does not use: an option ROM of the BIOS has them spin for ever."""

_SECTOR, _SECTORS = 512, 16

# By the layout of option ROMs: a signature, the size, and what the BIOS calls.
_HEAD = bytes.fromhex("55 aa") + bytes([_SECTORS]) + bytes.fromhex("eb 1b")  # jmp 0x20
_START = 0x20

# Sends INIT and SIPI to each of the CPUs, by the local APIC (Intel SDM 3A, 11.4.4). The BIOS calls it in real mode, with segments
# that reach all of memory. They begin at the first page boundary in the ROM behind this code.
_CODE = "".join((
    "66 60",                       # 20: pushal
    "1e",                          #     push %ds
    "31 c0",                       #     xor %ax, %ax
    "8e d8",                       #     mov %ax, %ds
    "8c cb",                       #     mov %cs, %bx
    "c1 eb 08",                    #     shr $8, %bx
    "43",                          #     inc %bx                     the number of the page
    "66 bf 10 03 e0 fe",           #     mov $0xfee00310, %edi       who is to receive a message
    "66 b9 {first}",               #     mov $first << 24, %ecx
    "67 66 89 0f",                 # 39: mov %ecx, (%edi)
    "67 66 c7 47 f0 00 45 00 00",  #     movl $0x4500, -0x10(%edi)   INIT
    "e8 27 00",                    #     call 70
    "67 66 89 0f",                 #     mov %ecx, (%edi)
    "66 0f b7 c3",                 #     movzwl %bx, %eax
    "0d 00 46",                    #     or $0x4600, %ax             SIPI
    "67 66 89 47 f0",              #     mov %eax, -0x10(%edi)
    "e8 14 00",                    #     call 70
    "66 81 c1 00 00 00 01",        #     add $1 << 24, %ecx          the next CPU
    "66 81 f9 {end}",              #     cmp $end << 24, %ecx
    "72 cd",                       #     jb 39
    "1f",                          #     pop %ds
    "66 61",                       #     popal
    "cb",                          #     lret
    "be d0 07",                    # 70: mov $2000, %si
    "f3 90",                       # 73: pause                       another CPU has its turn
    "4e",                          #     dec %si
    "75 fb",                       #     jne 73
    "c3"))                         #     ret

# 126 times nop, and back. QEMU needs next to no time for a nop.
_LOOP = bytes.fromhex("90" * 126 + "eb 80")


def option_rom(first, end):
    """An option ROM that has the CPUs from first up to end, without it, spin."""
    code = bytes.fromhex(_CODE.format(first=f"000000{first:02x}", end=f"000000{end:02x}"))
    rom = bytearray(_HEAD.ljust(_START, b"\0") + code)
    rom += bytes(-len(rom) % len(_LOOP))
    rom += _LOOP * ((_SECTORS * _SECTOR - len(rom)) // len(_LOOP))
    # The sum of all bytes is 0. The last one is in a loop that nobody reaches.
    rom[-1] = (rom[-1] - sum(rom)) % 256
    return bytes(rom)
