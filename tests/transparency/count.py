# SPDX-License-Identifier: BSD-3-Clause
"""Counts calls of routines in a program independently of ktrace: breakpoints in gdb that are never stopped at.

Usage: count.py SYMBOL,SYMBOL,... COMMAND...     prints one JSON object {symbol: calls}

A breakpoint by name covers every loaded definition of the symbol; Debian's OpenBLAS has two of many.
"""
import json
import re
import subprocess
import sys

symbols, command = sys.argv[1].split(","), sys.argv[2:]
script = ["set pagination off", "set confirm off", "set breakpoint pending on", "set debuginfod enabled off",
          "set print thread-events off", "handle all nostop noprint pass"]
for number, symbol in enumerate(symbols, 1):
    script += [f"break {symbol}", f"ignore {number} 1000000000"]
script += ["run", "info breakpoints"]
arguments = [word for line in script for word in ("-ex", line)]
out = subprocess.run(["gdb", "-q", "-batch", *arguments, "--args", *command], capture_output=True, text=True, check=False)
counts = dict.fromkeys(symbols, 0)
current = None
for line in out.stdout.split("\n"):
    head = re.match(r"(\d+)\s+breakpoint", line)
    if head:
        current = symbols[int(head[1]) - 1]
    hit = re.search(r"breakpoint already hit (\d+) time", line)
    if hit and current:
        counts[current] += int(hit[1])
if "exited normally" not in out.stdout:
    sys.exit("count.py: gdb did not run the program to its end:\n" + out.stdout[-2000:] + out.stderr[-2000:])
print(json.dumps(counts))
