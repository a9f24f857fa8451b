#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the LAPACKE and Fortran interfaces that follow from the table with the headers of the reference LAPACK.

    list_symbols SPEC | lapacke_header.py FOLDER LIST      FOLDER has lapacke.h and lapack.h

Every prototype of the headers that LIST (trace/routines/left_alone.list) does not name must be one that the table
yields, with the same parameters in the same order: names, types, by value or pointer; what the header calls const is
not written; as many hidden lengths. Where they differ for a reason, it stands below; a reason that is not needed is a
difference, too. Last line: what was compared; exit status 1 if something differs.
"""
import re
import sys

from c_header import differences, prototypes
from names import matcher, read_list

# Declared, but in no library: distributions build without the library of extra precision that these need.
EXTRA_PRECISION = re.compile(r"\w+(rfsx|svxx)(_|_work)?")

# Of the headers: "NAME: parameter NUMBER" -> why it differs from the Fortran sources, which the table follows.
EXPLAINED = {
    r"(LAPACKE_)?[cz]hegst(_|_work)?: parameter [67], [bB]": "written and restored",
    r"(LAPACKE_)?[sdcz]sytrs2(_|_work)?: parameter [45], [aA]": "written and restored",
    r"[sdcz]tgsyl_: parameter 1[78] ": "the names have changed places",
    r"[sdcz]ggsv[dp]_: returns int": "a subroutine",
    r"(LAPACKE_)?[sdcz]lassq(_|_work)?: parameter 4 is \w+ \* scale, the table says \w+ \* scl": "another name",
    r"LAPACKE_[sdcz]hsein(_work)?: parameter 2 is char job,": "another name",
    r"LAPACKE_[sdcz]pbstf(_work)?: parameter [456] ": "other names",
    r"LAPACKE_[sdcz]stein(_work)?: parameter 1[13] is int \* ifailv": "another name",
    r"LAPACKE_[cz](bdsqr|gejsv|lacrm|larcm|ptcon)_work: parameter \d+ is \w+ \* work, the table says \w+ \* rwork":
        "another name",
}


def fortran_prototypes(text):
    """lapack.h hides the names of routines behind macros."""
    names = dict(re.findall(r"#define (LAPACK_\w+) LAPACK_GLOBAL\((\w+),", text))
    found = prototypes(text, r"LAPACK_\w+")
    return {names[name] + "_": prototype for name, prototype in found.items() if name in names}


def compare(ours, header, is_left_alone):
    """For each difference (text, pattern that explains it or None)."""
    for name in sorted(header):
        if name in ours:
            for text in differences(name, ours[name], header[name]):
                yield text, next((p for p in EXPLAINED if re.match(p, text)), None)
        elif not is_left_alone(name) and not EXTRA_PRECISION.fullmatch(name):
            yield f"{name}: is not in the table", None


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ours = prototypes(sys.stdin.read(), r"\w+")
    with open(f"{sys.argv[1]}/lapacke.h", encoding="utf-8") as file:
        header = prototypes(file.read(), r"LAPACKE_\w+")
    unknown = [name for name in ours if name.startswith("LAPACKE_") and name not in header]
    with open(f"{sys.argv[1]}/lapack.h", encoding="utf-8") as file:
        header |= fortran_prototypes(file.read())
    outcome = list(compare(ours, header, matcher(read_list(sys.argv[2]))))
    needed = {pattern for _, pattern in outcome}
    wrong = [text for text, pattern in outcome if not pattern]
    wrong += [f"no difference is explained by {p}" for p in EXPLAINED if p not in needed]
    wrong += [f"{name}: is not in the header" for name in unknown]
    print("\n".join(wrong + [f"{len(set(header) & set(ours))} of {len(header)} prototypes compared, "
                             f"{sum(1 for _, p in outcome if p)} differences explained, {len(wrong)} not"]))
    return 1 if wrong or not header else 0


if __name__ == "__main__":
    sys.exit(main())
