#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the CBLAS interfaces that follow from the table with the header of a BLAS.

    list_symbols SPEC | cblas_header.py [--other] HEADER LIST...

Every cblas_ prototype of the header must be one that the table yields, with the same parameters: names and kinds are
equal, and what the header calls const is not written. LISTs (trace/routines/*.list) name the functions that the table
need not describe. --other: the header is not the reference's; names of parameters may differ, arrays of complex
numbers may be arrays of real ones, and functions may be missing. Last line: what was compared; exit status 1 if
something differs.
"""
import argparse
import re
import sys

from c_header import differences, prototypes
from names import matcher, read_list


# Of other headers than the reference's.
EXPLAINED = re.compile(r"cblas_(cs|zd)rot: parameter 2, x, is const")


def same_memory(ours, theirs):
    """Pointers to numbers are as good as pointers to anything, one integer as another."""
    pointers = {"void *", "float *", "double *"}
    if ours == theirs or (ours == "size_t" and theirs == "int"):
        return True
    return "void *" in (ours, theirs) and {ours, theirs} <= pointers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other", action="store_true")
    parser.add_argument("header")
    parser.add_argument("list", nargs="+")
    options = parser.parse_args()
    ours = prototypes(sys.stdin.read(), r"cblas_\w+")
    with open(options.header, encoding="utf-8") as file:
        header = prototypes(file.read(), r"cblas_\w+")
    is_listed = matcher([name for path in options.list for name in read_list(path)])
    how = {"names": False, "same_kind": same_memory} if options.other else {}
    wrong = []
    for name in sorted(header):
        if name in ours:
            wrong += differences(name, ours[name], header[name], **how)
        elif not is_listed(name):
            wrong.append(f"{name}: is not in the table")
    compared = set(header) & set(ours)
    if options.other:
        wrong = [text for text in wrong if not EXPLAINED.match(text)]
    print("\n".join(wrong + [f"{len(compared)} prototypes compared, {len(wrong)} differences"]))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
