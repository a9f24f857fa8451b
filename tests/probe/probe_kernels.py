# SPDX-License-Identifier: BSD-3-Clause
"""What the compiler made of the probe's nano-benchmarks: counts the instructions of each function of the object file.

Every chain has to consist of exactly the instructions that it claims to time, nothing combined, left out or kept in memory.
"""
import collections
import re
import subprocess
import sys

LENGTH, STREAMS = 60, 12
DIV_STREAMS = 6
SUFFIX = {"f32": "ss", "f64": "sd", "f32x4": "ps", "f64x2": "pd", "f32x8": "ps", "f64x4": "pd", "f32x16": "ps", "f64x8": "pd"}
INTEGER = {"add_i32": "add", "add_i64": "add", "mul_i32": "imul", "mul_i64": "imul", "div_i32": "div", "div_i64": "div",
           "add_i32x4": "v?paddd", "mul_i32x4": "v?pmulld", "add_i64x2": "v?paddq", "add_i32x8": "vpaddd", "mul_i32x8": "vpmulld",
           "add_i32x16": "vpaddd", "mul_i32x16": "vpmulld"}


def expected(name):
    """Operations of all chain counts, and additions that make the operand, three for each (one or two of them fused)."""
    streams = DIV_STREAMS if name.startswith("div") else STREAMS
    extra = {"mul": 0, "div": 0, "fma": streams}.get(name.split("_")[0], 4 * streams)
    return sum(LENGTH // s * s for s in range(1, streams + 1)), extra


def functions(path):
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout
    found, name = collections.defaultdict(list), None
    for line in text.split("\n"):
        head = re.match(r"[0-9a-f]+ <(\w+)>:", line)
        if head:
            name = head.group(1)
        elif name and "\t" in line:
            found[name].append(line.split("\t", 1)[1].strip())
    return found


def pattern(name):
    operation, kind = name.split("_")
    if name in INTEGER:
        return INTEGER[name]
    if kind not in SUFFIX:
        return None
    part = {"balance": "(add|mul)", "fma": "fmadd(132|213|231)"}.get(operation, operation)
    return f"v?{part}{SUFFIX[kind]}"


def check(name, code):
    """None, or what is wrong."""
    wanted = re.compile(pattern(name) + "[lq]?$")
    mine = [line for line in code if wanted.match(line.split()[0])]
    least, extra = expected(name)
    if not least <= len(mine) <= least + extra:
        return f"{len(mine)} instructions of {wanted.pattern}, not {least}"
    memory = [line for line in mine if "(" in line]
    return f"memory operands: {memory[0]}" if len(memory) > extra else None


bad = 0
seen = 0
for function, lines in sorted(functions(sys.argv[1]).items()):
    if not re.fullmatch(r"(add|mul|div|fma|balance)_[if]\d+(x\d+)?", function) or not pattern(function):
        continue
    seen += 1
    wrong = check(function, lines)
    bad += wrong is not None
    print(f"{'not ok' if wrong else 'ok'} - {function} is made of what it times" + (f"\n#   {wrong}" if wrong else ""))
print(f"{'ok' if seen >= 40 else 'not ok'} - {seen} functions were found")
sys.exit(bad != 0 or seen < 40)
