# SPDX-License-Identifier: BSD-3-Clause
"""Which files of the shim need each other: no more than three in one circle; printed as TAP.

A file needs another if its object file refers to a symbol that the other one defines: a function, or a variable. (The
compiler and the assembler wrote that down; a comment cannot hide it.) Files that can all reach each other are a circle.
"""
import os
import sys

from lint import check, status, symbols_of

LARGEST = 3
# Pointers through which a file calls one that needs it, and who sets each of them. They are no arrows.
POINTERS = {"kt_life": "process"}

build = os.environ.get("B", "build")


def names_in(folder):
    return sorted(name[:-2] for name in os.listdir(folder) if name.endswith((".c", ".S")))


# The audit library and the block-size library are programs of their own.
objects = {name: f"{build}/preload/{name}.o" for name in names_in("preload") if name not in ("audit", "block_size")}
objects |= {f"gen/{name}": f"{build}/gen/{name}.o" for name in names_in(f"{build}/gen") if name.startswith(("wrap_", "slots", "elements", "stubs"))}
objects = {name: path for name, path in objects.items() if os.path.exists(path)}  # a sanitizer's build does without some

defines, refers = {}, {}
for name, path in objects.items():
    for _, symbol, kind in symbols_of([path]):
        if kind == "U":
            refers.setdefault(name, set()).add(symbol)
        elif kind.isupper():
            defines[symbol] = name

arrows = {name: {} for name in objects}
for name, symbols in refers.items():
    for symbol in sorted(symbols - set(POINTERS)):
        if symbol in defines:
            arrows[name].setdefault(defines[symbol], []).append(symbol)


def reach(start):
    found, todo = set(), [start]
    while todo:
        for other in arrows[todo.pop()]:
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


reached = {name: reach(name) for name in objects}
circles = {frozenset(other for other in reached[name] if name in reached[other]) for name in objects if name in reached[name]}
circles = sorted(circles, key=lambda circle: (-len(circle), sorted(circle)))

check("object files were found", [] if len(objects) > 30 else [f"{len(objects)} below {build}: build first"])
notes = []
for circle in circles:
    notes.append(f"circle of {len(circle)}: {' '.join(sorted(circle))}")
    notes += [f"  {name} -> {other}: {' '.join(arrows[name][other])}" for name in sorted(circle) for other in sorted(circle & set(arrows[name]))]
largest = len(circles[0]) if circles else 1
check(f"largest circle of the shim: {largest} files, at most {LARGEST}", notes if largest > LARGEST else [])
check("pointers are set where the list says",
      [f"{symbol}: {defines.get(symbol)}, not {name}" for symbol, name in POINTERS.items() if defines.get(symbol) != name])
sys.exit(status())
