# SPDX-License-Identifier: BSD-3-Clause
"""Makes the profile of a trace larger than 32 GiB, nearly all of it a hole: far.py FILE.

At its end lies a copy of its first cell. What is 32 GiB before that is skipped as part of a cell of an unknown kind: a cell
of an entry that nobody defined, for whoever takes one place for the other."""
import struct
import sys

HEADER, USED = 16, 144  # places of numbers in the head of the file (FORMAT.md)
UNKNOWN = 99  # a kind of cell
LARGEST = 0xFFFFFFF8
TOO_FAR = 1 << 35

with open(sys.argv[1], "r+b") as file:
    data = file.read()
    (first,) = struct.unpack_from("<I", data, HEADER)
    (size,) = struct.unpack_from("<I", data, first)
    cell = bytearray(data[first : first + size])
    wrong = len(data) + 4096
    at, end = len(data), TOO_FAR + wrong
    while at < end:
        step = min(LARGEST, end - at)
        file.seek(at)
        file.write(struct.pack("<IHBB", step, 0, UNKNOWN, 0))
        at += step
    file.seek(end)
    file.write(cell)
    file.seek(USED)
    file.write(struct.pack("<Q", end + size))
    struct.pack_into("<H", cell, 4, 0xFFFF)
    file.seek(wrong)
    file.write(cell)
