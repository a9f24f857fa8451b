# SPDX-License-Identifier: BSD-3-Clause
"""The questions of doc/sql.md, answered by their SQL and from `ktrace dump --json`; printed as TAP.

    sql.py CALLS.jsonl DATABASE
"""
import collections
import json
import math
import re
import sqlite3
import sys

calls = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
database = sqlite3.connect(sys.argv[2])
outermost = [call for call in calls if call["depth"] == 0]
by_number = {call["n"]: call for call in calls}
questions = re.findall(r"^## (\d+)\. (.*?)\n(.*?)(?=^## |\Z)", open("doc/sql.md", encoding="utf-8").read(), re.M | re.S)
failures = 0


def place_of(call):
    top = (call.get("source") or [{}])[0]
    return top.get("file"), top.get("line"), top.get("function")


def groups(rows, key):
    out = collections.defaultdict(list)
    for row in rows:
        out[key(row)].append(row)
    return out


def seconds(rows):
    return sum(row["dt"] for row in rows)


def threads():
    return groups(sorted(outermost, key=lambda c: (c["t"], c["n"])), lambda c: (c["process"], c["tid"])).values()


def pairs():
    return [pair for thread in threads() for pair in zip(thread, thread[1:])]


def lines():
    return [(*key, len(g), seconds(g), 100 * seconds(g) / seconds(outermost)) for key, g in groups(outermost, place_of).items()]


def sizes():
    of_gemm = groups([c for c in outermost if c["routine"] == "dgemm"], lambda c: tuple(c["args"].get(k, c["args"].get(k.upper())) for k in "mnk"))
    return [(*key, len(g), seconds(g)) for key, g in of_gemm.items()]


def rates():
    by_routine = groups([c for c in outermost if c["flops"]], lambda c: c["routine"])
    return [(key, len(g), seconds(g), sum(c["flops"] for c in g) / seconds(g) / 1e9) for key, g in by_routine.items()]


def outliers():
    out = []
    for group in groups(outermost, lambda c: (c["routine"], c["flops"])).values():
        median = sorted(c["dt"] for c in group)[(len(group) - 1) // 2]
        if len(group) >= 10:
            out += [(c["n"], c["t"], c["routine"], c["dt"], c["dt"] / median) for c in group if c["dt"] > 3 * median]
    return out


def failed():
    by_place = groups([c for c in outermost if c["info"]], lambda c: (c["routine"], c["info"], *place_of(c)[:2]))
    return [(*key, len(g), min(c["n"] for c in g)) for key, g in by_place.items()]


def gaps():
    return [(b["n"], b["tid"], *place_of(b)[:2], b["t"] - (a["t"] + a["dt"])) for a, b in pairs()]


def strides():
    rows = [(c, o) for c in outermost for o in c["operands"] if o["cols"] > 1 and o["ld"] * o["elem"] % 4096 == 0]
    by_operand = groups(rows, lambda row: (row[0]["routine"], row[1]["name"], row[1]["ld"]))
    return [(*key, len(g), seconds(c for c, _ in g)) for key, g in by_operand.items()]


def reads(a, b):
    return any("w" in w["access"] and "r" in r["access"] and int(w["lo"], 0) < int(r["hi"], 0) and int(r["lo"], 0) < int(w["hi"], 0)
               for w in a["operands"] for r in b["operands"])


def read_at_once():
    counts = collections.Counter((a["routine"], b["routine"]) for a, b in pairs() if reads(a, b))
    return [(*key, n) for key, n in counts.items()]


def busy():
    return [(key / 100, len(g), 100 * seconds(g)) for key, g in groups(outermost, lambda c: int(c["t"] * 100)).items()]


def insides():
    rows = [(by_number[c["parent"]], c) for c in calls if c["depth"] == 1 and by_number[c["parent"]]["weight"]]
    by_pair = groups(rows, lambda row: (row[0]["routine"], row[1]["routine"]))
    return [(*key, sum(p["weight"] for p, _ in g), sum(p["weight"] * c["dt"] for p, c in g)) for key, g in by_pair.items()]


# Of each question: what is right, the column that it is ordered by, rows at most.
ANSWERS = [(lines, 4, 10), (sizes, 4, 10), (rates, 2, None), (outliers, None, 10), (failed, 4, None), (gaps, 4, 10),
           (strides, 4, None), (read_at_once, 2, None), (busy, None, None), (insides, 3, 20)]


def is_close(a, b):
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) if isinstance(a, float) and isinstance(b, float) else a == b


def difference(found, right, ordered, most):
    if not right:
        return "nothing to be found"
    if most is not None and len(found) != min(most, len(right)) or most is None and len(found) != len(right):
        return f"{len(found)} rows of {len(right)}"
    strange = [row for row in found if not any(all(map(is_close, row, other)) for other in right)]
    if strange:
        return f"no such row: {strange[0]}"
    if len(set(found)) != len(found):
        return "a row twice"
    if ordered is not None:
        largest = sorted((row[ordered] for row in right), reverse=True)[:len(found)]
        if not all(map(is_close, largest, (row[ordered] for row in found))):
            return f"not the largest first: {[row[ordered] for row in found]}, but {largest}"
    return None


for (number, question, text), (answer, ordered, most) in zip(questions, ANSWERS):
    sql = "\n".join(re.findall(r"^    (.*)", text, re.M))
    wrong = difference(database.execute(sql).fetchall(), answer(), ordered, most)
    print("not ok" if wrong else "ok", "-", f"{number}. {question}")
    if wrong:
        failures += 1
        print("#  ", wrong)
print("ok" if len(questions) == len(ANSWERS) == 10 else "not ok", "- ten questions")
sys.exit(failures != 0 or len(questions) != 10)
