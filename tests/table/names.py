#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is every function that a library exports one that libktrace.so records, or on the list of those left alone?

    names.py [--only PATTERN] [--without NAME] SHIM LIST LIBRARY...

LIST is trace/routines/left_alone.list: names or shell patterns, a reason behind each; a Fortran name may stand there
without its underscore. Of a library that exports much else, --only takes the names that match a regular expression.
--without tests this test: as if SHIM did not export NAME. Last line: what was counted; exit status 1 if a name is
neither recorded nor left alone, or both, or if an entry of the list has no reason.
"""
import argparse
import fnmatch
import re
import subprocess
import sys


def functions(path):
    """Names of the functions that a shared library defines, without their versions."""
    lines = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    words = (line.split() for line in lines.splitlines())
    return {w[-1].split("@")[0] for w in words if len(w) > 1 and w[-2] in ("T", "W", "i")}


def read_list(path):
    """Pattern -> reason."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split(maxsplit=1) for line in file if line.strip() and not line.startswith("#")]
    return {words[0]: words[1].strip() if len(words) > 1 else "" for words in lines}


def matcher(patterns):
    """A function that tells whether one of the patterns stands for a name."""
    plain = {p for p in patterns if not re.search(r"[*?[]", p)}
    globs = re.compile("|".join(fnmatch.translate(p) for p in patterns if p not in plain) or r"(?!)")
    return lambda name: name in plain or name.rstrip("_") in plain or globs.fullmatch(name) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--without")
    parser.add_argument("shim")
    parser.add_argument("list")
    parser.add_argument("library", nargs="+")
    options = parser.parse_args()
    exported = functions(options.shim) - {options.without}
    reasons = read_list(options.list)
    is_left_alone = matcher(reasons)
    names = {n for path in options.library for n in functions(path) if re.match(options.only, n)}
    left_alone = {n for n in names if is_left_alone(n)}
    wrong = [f"{n}: is neither recorded nor left alone" for n in sorted(names - exported - left_alone)]
    wrong += [f"{n}: is recorded and left alone" for n in sorted(exported & left_alone)]
    wrong += [f"{p}: is left alone without a reason" for p, reason in reasons.items() if not reason]
    counted = f"{len(names & exported)} recorded, {len(left_alone)} left alone, {len(wrong)} differences"
    print("\n".join([*wrong, counted]))
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
