# SPDX-License-Identifier: BSD-3-Clause
"""Compares tests/decoder/decoder.py, which knows only FORMAT.md, with `ktrace dump --json`: decoder_check.py TRACE DUMP"""
import json
import math
import pathlib
import subprocess
import sys


def equal(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return a is not None and b is not None and math.isclose(a, b, rel_tol=1e-6, abs_tol=2e-9)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    return a == b


decoder = pathlib.Path(__file__).with_name("decoder.py")
output = subprocess.run([sys.executable, decoder, sys.argv[1]], capture_output=True, text=True, check=True).stdout
mine = [json.loads(line) for line in output.splitlines()]
theirs = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
if len(mine) != len(theirs) or not mine:
    sys.exit(f"{len(mine)} calls decoded, {len(theirs)} dumped")
for a, b in zip(mine, theirs):
    b.pop("schema", None)  # of the document, not of the call
    b.pop("operands", None)
    b.pop("flops", None)
    if not equal(a, b):
        sys.exit(f"decoded: {a}\ndumped:  {b}")
print(f"{len(mine)} calls")
