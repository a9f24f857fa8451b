#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws all figures, one script after the other, and writes the index. Options as those of each script: --quick, -o FOLDER.

A script that fails is named in the index; the others go on. Status 1 if one failed.
"""
import argparse
import os
import subprocess
import sys
import time

from index import write_index

SCRIPTS = ["hardware.py", "ddot.py", "models.py", "block_size.py", "best_block.py", "ranking.py", "rooflines.py", "validation.py"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller sizes")
    parser.add_argument("-o", "--output", default="figures", metavar="FOLDER", help="where pictures, data and the index go")
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    for file in os.listdir(options.output):
        if file.endswith(".figure.json"):
            os.remove(os.path.join(options.output, file))
    here, began, failed = os.path.dirname(os.path.abspath(__file__)), time.monotonic(), {}
    for number, script in enumerate(SCRIPTS, 1):
        print(f"[{number} of {len(SCRIPTS)}, {time.monotonic() - began:.0f} s] {script}", file=sys.stderr, flush=True)
        words = [sys.executable, os.path.join(here, script), "-o", options.output] + (["--quick"] if options.quick else [])
        status = subprocess.run(words, check=False).returncode
        if status:
            failed[script] = status
    path = write_index(options.output, failed)
    print(f"{time.monotonic() - began:.0f} s. In a browser: {path}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
