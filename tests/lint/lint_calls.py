# SPDX-License-Identifier: BSD-3-Clause
"""What a file of trace/, replay/ or model/ shows to others is of use to them; printed as TAP.

A function or variable that other files see is referred to by the object file of one of them. What a file uses itself may
be open to a unit test. What nobody but tests uses has no place here, with two exceptions: functions that take back what
others made (..._free, ..._close), and the doors below.
"""
import os
import re
import sys

from lint import check, sources, status, symbols_of, text_of

build = os.environ.get("B", "build")
# Ways in for tests, and what comes in there.
DOORS = {"kt_files_open_bytes": "a packed trace in memory", "kt_trace_open_files": "files in memory"}
product = {f"{build}/{path[:-2]}.o": path for path in sources("trace/*.c", "replay/*.c", "model/*.c")}
product = {path: source for path, source in product.items() if os.path.exists(path)}
generated = [f"{build}/gen/{name}.o" for name in ("thunks", "texts")]
shown, wanted = {}, set()
for path, symbol, kind in symbols_of([*product, *generated]):
    if kind == "U":
        wanted.add(symbol)
    elif kind.isupper() and path in product:
        shown[symbol] = product[path]
tested = set(re.findall(r"\bkt_\w+", "".join(text_of(path) for path in sources("tests/*.c", "tests/*.h"))))


def fault_of(symbol, path):
    code = re.sub(r"/\*.*?\*/", "", text_of(path), flags=re.S)
    is_used = len(re.findall(rf"\b{symbol}\b", code)) > 1
    if symbol not in tested:
        return "should be static" if is_used else "is called by nobody"
    return None if is_used or symbol.endswith(("_free", "_close")) else "is called by tests only"


alone = {symbol: path for symbol, path in shown.items() if symbol not in wanted | set(DOORS) | {"main"}}
found = [(path, symbol, fault_of(symbol, path)) for symbol, path in sorted(alone.items(), key=lambda item: item[::-1])]
check("object files were found", [] if len(shown) > 1000 else [f"{len(shown)} symbols below {build}: build first"])
check("what files show to others is called by others", [f"{path}: {symbol} {fault}" for path, symbol, fault in found if fault])
check("the doors for tests are there, and are used", sorted(set(DOORS) - (tested & set(shown) - wanted)))
sys.exit(status())
