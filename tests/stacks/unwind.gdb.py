# SPDX-License-Identifier: BSD-3-Clause
"""For gdb: what its backtrace says at each call of the routine ROUTINE (environment), as JSON lines in the file LOG.

A frame is [function or null, file or null, line or null, object, offset in it, is it inlined]. Frames that gdb infers from
tail calls are left out: nothing on the stack tells of them."""
import json
import os

import gdb

gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set breakpoint pending on")
gdb.execute("set debuginfod enabled off")
log = open(os.environ["LOG"], "w", encoding="utf-8")
bases = {}


def base_of(path):
    """Where the first page of the file lies."""
    if path not in bases:
        with open(f"/proc/{gdb.selected_inferior().pid}/maps", encoding="utf-8") as maps:
            for line in maps:
                fields = line.split()
                if len(fields) > 5:
                    bases.setdefault(fields[5], int(fields[0].split("-")[0], 16))
    return bases[path]


def frame_of(frame):
    line = frame.find_sal()
    path = os.path.realpath(gdb.solib_name(frame.pc()) or gdb.current_progspace().filename)
    name = frame.name()
    is_told = line.symtab is not None
    return [name, os.path.basename(line.symtab.filename) if is_told else None,
            line.line if is_told else None, os.path.basename(path), frame.pc() - base_of(path), frame.type() == gdb.INLINE_FRAME]


class Call(gdb.Breakpoint):
    def stop(self):
        path, frame = [], gdb.newest_frame().older()
        while frame is not None:
            if frame.type() != gdb.TAILCALL_FRAME:
                path.append(frame_of(frame))
            if frame.name() == "main" and frame.type() == gdb.NORMAL_FRAME:
                break
            frame = frame.older()
        print(json.dumps(path), file=log)
        return False


gdb.execute("start", to_string=True)
gdb.execute("set language c")
Call("*" + hex(int(gdb.parse_and_eval(f"(long)&{os.environ['ROUTINE']}"))))
gdb.execute("continue", to_string=True)
log.close()
