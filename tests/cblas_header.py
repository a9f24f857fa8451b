#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the CBLAS interfaces that follow from the table with a BLAS's header and library.

    list_symbols SPEC | cblas_header.py HEADER [LIBRARY]

Every cblas_ prototype of the header must be one that the table yields, with the same parameters: names and kinds are
equal, and what the header calls const is not written. With a library, its symbols that the table does not know
must be on the list below. Last line: what was compared; exit status 1 if something differs.
"""
import re
import subprocess
import sys

# Not interposed: error handlers, and helpers that work on scalars only.
HEADER_EXCEPTIONS = {"cblas_xerbla", "cblas_scabs1", "cblas_dcabs1"}

# Other symbols of a reference BLAS: the same, and the Fortran halves of CBLAS functions, a subroutine for each.
LIBRARY_EXCEPTIONS = re.compile(r"xerbla(_array)?_|cblas_xerbla|lsame_|(cblas_)?[sd]cabs1_?|\w+sub_|"
                                r"CBLAS_CallFromC|RowMajorStrg")

PROTOTYPE = re.compile(r"\b([A-Za-z_][\w ]*?[ *]+)(cblas_\w+|\w+_)\s*\(([^()]*)\)")


def kind(declaration):
    """Type of a declaration without its name, with pointers to const marked."""
    text = declaration.replace("CBLAS_INT ", "int ").replace("CBLAS_INDEX", "size_t")
    pointer = "*" in text
    base = re.sub(r"\bconst\b|\*", " ", text).split()
    return " ".join(base) + (" *" if pointer else ""), pointer and "const" in text


def parameter(text):
    name = re.search(r"\w+$", text.strip()).group()
    return (name, *kind(text.strip()[: -len(name)]))


def prototypes(text):
    """Name -> (kind of result, [(name, kind, is pointer to const)])."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^\s*#[^\n]*", " ", text, flags=re.S | re.M)
    found = {}
    for result, name, parameters in PROTOTYPE.findall(text):
        parts = [p for p in parameters.split(",") if p.strip() != "..."]
        found[name] = (kind(result)[0], [parameter(p) for p in parts])
    return found


def differences(name, table, header):
    if table[0] != header[0]:
        yield f"{name}: returns {header[0]}, the table says {table[0]}"
    if len(table[1]) != len(header[1]):
        yield f"{name}: has {len(header[1])} parameters, the table says {len(table[1])}"
        return
    for number, (ours, theirs) in enumerate(zip(table[1], header[1]), 1):
        if ours[:2] != theirs[:2]:
            yield f"{name}: parameter {number} is {theirs[1]} {theirs[0]}, the table says {ours[1]} {ours[0]}"
        if theirs[2] and not ours[2]:
            yield f"{name}: parameter {number}, {theirs[0]}, is const, the table says it is written"


def library_symbols(path):
    lines = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in lines.splitlines()}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    ours = prototypes(sys.stdin.read())
    with open(sys.argv[1], encoding="utf-8") as file:
        header = prototypes(file.read())
    wrong = []
    for name in sorted(set(header) - HEADER_EXCEPTIONS):
        if name in ours:
            wrong += differences(name, ours[name], header[name])
        else:
            wrong.append(f"{name}: is not in the table")
    wrong += [f"{name}: is not in the header" for name in ours if name.startswith("cblas_") and name not in header]
    compared = f"{len(set(header) & set(ours))} prototypes"
    if len(sys.argv) == 3:
        symbols = library_symbols(sys.argv[2])
        unknown = sorted(s for s in symbols if s not in ours and not LIBRARY_EXCEPTIONS.fullmatch(s))
        wrong += [f"{name}: is in the library but not in the table" for name in unknown]
        compared += f", {len(symbols)} symbols of the library"
    print("\n".join(wrong + [f"{compared} compared, {len(wrong)} differences"]))
    return 1 if wrong or not header else 0


if __name__ == "__main__":
    sys.exit(main())
