#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the routine table's families of LAPACK from the sources and headers of the reference LAPACK.

    import.py SOURCES                      print all families, with what was not understood
    import.py SOURCES --update FOLDER      rewrite the families in the spec files of FOLDER that are not corrected
    import.py SOURCES --check FOLDER       report what differs from the sources without saying why

SOURCES is the top of the reference LAPACK's tree. What is used of a routine: its declarations (order and types of
the arguments) and the comments that describe each argument. Their wording is regular enough for most sizes, options
and least lengths of workspaces; where it is wrong or says too little, the spec file has a corrected family with a line
"# corrected: what and why" above it. Operation counts, @data and {legal} values that the sources leave open are not
the business of this program: it keeps those of a spec file.

importer/fortran.py reads the routines, importer/describe.py turns one into arguments in the notation of the table with
help of what importer/wording.py understands, importer/families.py makes one line of the precisions of a routine.
"""
import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is
from importer.families import Header, families
from importer.fortran import read_routines
from importer.specs import check, text_of_family, update


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--header", type=Path, default=Path("/usr/include/lapacke.h"), help="lapacke.h")
    parser.add_argument("--update", type=Path, metavar="FOLDER")
    parser.add_argument("--check", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    routines = read_routines(options.sources)
    header = Header(options.header)
    if options.update:
        return update(options.update, routines, header)
    if options.check:
        return check(options.check, routines, header) > 0
    for family in families(routines, header):
        for note in family.notes:
            print("#", note)
        print(text_of_family(family))
    return 0


if __name__ == "__main__":
    sys.exit(main())
