# SPDX-License-Identifier: BSD-3-Clause
"""Names tell where things are; printed as TAP.

A function of the shim that other files see is called kt_<its file>, or kt_<its file>_<what it does>. A structure's tag
stands for one thing in a program: in the command, or in the shim.
"""
import os
import re
import sys

from lint import check, sources, status, symbols_of, text_of

build = os.environ.get("B", "build")
# Names that others gave: what the shim exports, and what the C library has.
GIVEN = re.compile(r"preload/(api|linker|sandbox)\.c (ktrace_\w+|dlclose|prctl)|preload/strings\.c str\w+")
PROGRAMS = {"command": ("include", "trace", "replay", "model"), "shim": ("include", "preload")}
def functions_of(path):
    return [symbol for _, symbol, kind in symbols_of([f"{build}/{path[:-2]}.o"]) if kind == "T"]


def strays():
    """Functions of the shim whose names do not tell the file."""
    found = []
    for path in sources("preload"):
        if not path.endswith(".c") or not os.path.exists(f"{build}/{path[:-2]}.o"):
            continue
        own = "kt_" + os.path.basename(path)[:-2]
        found += [f"{path} {name}" for name in functions_of(path) if name != own and not name.startswith(own + "_")]
    return [fault for fault in found if not GIVEN.fullmatch(fault)]


check("functions of the shim have the names of their files", strays())
for program, folders in PROGRAMS.items():
    places = {}
    for path in sources(*folders):
        if path.endswith((".c", ".h")):
            for tag in re.findall(r"^(?:struct|union|enum) (kt_\w+) \{", text_of(path), re.M):
                places.setdefault(tag, set()).add(path)
    check(f"a tag means one thing in the {program}", [f"{tag}: {' '.join(sorted(paths))}" for tag, paths in sorted(places.items()) if len(paths) > 1])
sys.exit(status())
