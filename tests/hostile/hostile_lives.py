# SPDX-License-Identifier: BSD-3-Clause
"""What else somebody may have made or set: stores of times, texts of algorithms, variables of the environment. As in
tests/hostile/hostile.py nothing may be executed, no file written but those that were asked for, no control character printed.

Columns are those of the store's tables, variables those that `ktrace env` lists and that the sources name.
Usage: hostile_lives.py store KTRACE STORE FOLDER TRACE | algorithm KTRACE FILE FOLDER MODELS
       | environment KTRACE SHIM PROGRAM FOLDER TRACE    prints TAP lines"""
import glob
import os
import re
import shutil
import sqlite3
import subprocess
import sys

import hostile
from hostile import CONTROL, JOINED, OTHERS, acts, check, strays

EVERYTHING = JOINED[0] + "".join(OTHERS)
# Where a text that climbs out of folders is still within the one that is looked at.
DEEP = "hostile/a/b/c/d/e"


# --- stores --------------------------------------------------------------------------------------------------


def columns(store):
    with sqlite3.connect(store) as database:
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
            for _, column, kind, *_ in database.execute(f"PRAGMA table_info({table})").fetchall():
                yield table, column, kind


def filled(value):
    """Bytes of the same number."""
    text = EVERYTHING.encode()
    return (text * (len(value) // len(text) + 1))[:len(value)]


def texts_replaced(value):
    """Only what is text in it, which may be in a structure, and the zeros behind it."""
    return re.sub(rb"[ -~]{4,}\0*", lambda found: filled(found.group()), value)


def ways(kind):
    if kind == "BLOB":
        yield "all of it", lambda value: value and filled(value)
        yield "its texts", lambda value: value and texts_replaced(value)
        yield "a text", lambda value: EVERYTHING
    elif kind == "TEXT":
        yield "a text", lambda value: EVERYTHING
        yield "a text behind it", lambda value: (value or "") + EVERYTHING
    else:
        yield "a text", lambda value: EVERYTHING
        yield "a number", lambda value: 1e300


def rewritten(store, copy, table, column, change):
    shutil.copy(store, copy)
    with sqlite3.connect(copy) as database:
        rows = database.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
        for row, value in rows:
            try:
                database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (change(value), row))
            except sqlite3.IntegrityError:
                pass  # ids are numbers, and texts of settings unique
    return len(rows)


def try_store(ktrace, store, folder, trace):
    copy = os.path.join(folder, "hostile", "store.sqlite")
    os.makedirs(os.path.dirname(copy), exist_ok=True)
    verbs = [["replay", "--context", "warm,cold", "--budget", "0.1"],
             ["compare", "--blas", "openblas-serial", "--context", "warm", "--budget", "0.1"]]
    found = list(columns(store))
    check({table for table, _, _ in found} == {"setting", "series", "fact"}, f"{len(found)} columns are in a store", found)
    for table, column, kind in found:
        wrong = []
        rows = 0
        for _, change in ways(kind):
            for verb in verbs:
                rows = rewritten(store, copy, table, column, change)
                wrong += acts(folder, [ktrace] + verb + ["--store", copy, trace], [])
        check(rows and not wrong, f"store: {table}, {column}", *wrong)
    shutil.copy(store, copy)
    for verb in verbs:
        status, text = hostile.printed(folder, [ktrace] + verb + ["--store", copy, trace])
        check(status == 0, f"{verb[0]} with the store as it is", text)
    with sqlite3.connect(copy) as database:
        database.execute("ALTER TABLE series RENAME TO kept")
        database.execute("CREATE VIEW series AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                         "SELECT kept.* FROM kept, n WHERE i < 0")
    wrong = acts(folder, [ktrace] + verbs[0] + ["--store", copy, trace], [])
    check(not wrong, "store: a view that never ends in the place of a table", *wrong)


# --- algorithms ----------------------------------------------------------------------------------------------


def words_replaced(source, text):
    """The file once for the first and the last place of each of its words, that one replaced; a comment is one word."""
    places = {}
    for found in re.finditer(r"(?<=# ).*|[^\s(),=]+", source):
        places.setdefault(found.group(), []).append(found.span())
    for start, end in sorted({place for found in places.values() for place in (found[0], found[-1])}):
        yield source[:start] + text + source[end:]


def try_algorithm(ktrace, path, folder, models):
    with open(path, encoding="utf-8") as file:
        source = file.read()
    os.makedirs(os.path.join(folder, "hostile"), exist_ok=True)
    target = os.path.join(folder, "hostile", "a.kta")
    wrong = []
    tried = 0
    for text in hostile.HOSTILE:
        for changed in words_replaced(source, text):
            with open(target, "w", encoding="utf-8") as file:
                file.write(changed)
            tried += 1
            wrong += acts(folder, [ktrace, "model", "calls", "--n", "20", "--b", "8", target], [])
    check(tried > 300 and not wrong, f"{tried} algorithms with a hostile word", *wrong)
    with open(target, "w", encoding="utf-8") as file:
        file.write(source)
    predicted = [ktrace, "model", "predict", "--blas", "reference", "--models", models, "--n", "40,80", "--plot", "hostile/p.svg", "--algorithm"]
    status, text = hostile.printed(folder, predicted + ["hostile/a.kta"])
    check(status == 0 and glob.glob(os.path.join(folder, "hostile/p.gp")), "the algorithm itself is predicted and drawn", text)
    for text in hostile.HOSTILE:
        name = "hostile/" + text.replace("/", "").replace("\0", "")[:100] + ".kta"
        with open(os.path.join(folder, name), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(source + "# " + text.replace("\n", " ") + "\n")
        wrong = acts(folder, predicted + [name], [])
        wrong += [f"{script} runs a command" for script in glob.glob(os.path.join(folder, "hostile/p.gp")) if runs(script, folder)]
        shutil.rmtree(os.path.join(folder, "hostile/plots"), ignore_errors=True)
        check(not wrong, f"an algorithm in {name!r}"[:90].replace("#", " "), *wrong)


def runs(script, folder):
    """Does it run a command when it is drawn by hand?"""
    subprocess.run(["gnuplot", os.path.basename(script)], cwd=os.path.dirname(script), capture_output=True, timeout=60, check=False)
    return glob.glob(os.path.join(folder, "**/pwned"), recursive=True)


# --- the environment -----------------------------------------------------------------------------------------

# With these nothing would be recorded, the program not found, or the dynamic linker has its say.
NEEDED = {"GLIBC_TUNABLES", "LD_AUDIT", "KTRACE_DISABLE", "KTRACE_QUIET", "LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "KTRACE_OUT"}
PATHS = {"HOME", "TMPDIR", "XDG_CACHE_HOME", "MKLROOT"}


def variables(ktrace):
    """Those that are listed, and those that the sources ask for or name in capitals."""
    listed = re.findall(r"^(KTRACE_\w+)", subprocess.run([ktrace, "env"], capture_output=True, text=True, check=True).stdout, re.MULTILINE)
    named = set()
    for path in glob.glob("*/*.[ch]") + glob.glob("*/*/*.[ch]"):
        if not path.startswith(("tests", "build")):
            with open(path, encoding="utf-8") as file:
                named |= set(re.findall(r'"([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9])=?"', file.read()))
    asked = {"HOME", "TMPDIR", "MKLROOT", "COLUMNS", "TERM", "KTRACE_UNKNOWN"}
    return sorted(name for name in set(listed) | named | asked if name not in NEEDED and not name.startswith("KT_")), listed


def lines_not_ours(text):
    """Whatever a variable says, each line begins as ours do."""
    return [line for line in text.splitlines() if not line.startswith(b"ktrace: ")]


def recorded(shim, program, folder, variable, text):
    """What is wrong with what a traced program prints; the trace is hostile/trace."""
    shutil.rmtree(os.path.join(folder, "hostile"), ignore_errors=True)
    os.makedirs(os.path.join(folder, DEEP))
    environment = {"PATH": os.environ["PATH"], "KTRACE_OUT": "hostile/trace", **dict.fromkeys(variable, text), "LD_PRELOAD": shim}
    if variable == ["KTRACE_OUT"]:
        environment["KTRACE_OUT"] = DEEP + "/" + text
    result = subprocess.run([program, "dot=3", "begin=a", "solve=2", "end"], cwd=folder, env={k: v.encode() for k, v in environment.items()},
                            capture_output=True, timeout=60, check=False)
    wrong = [f"exit status {result.returncode}"] if result.returncode else []
    wrong += [f"not our line: {line!r}" for line in lines_not_ours(result.stderr)]
    if CONTROL.search(result.stderr):
        wrong.append(f"on the terminal: {result.stderr!r}")
    return wrong + strays(folder, [])


def tools(ktrace, folder, names, text, trace):
    paths = {name: os.path.join(folder, DEEP, text) for name in names if name in PATHS}
    environment = {**os.environ, **{name: text for name in names if not name.startswith("KTRACE_SYSFS")}, **paths}
    os.environ, before = environment, os.environ
    try:
        wrong = []
        for command in ["info", trace], ["report", trace], ["info", "--libraries"], ["probe", "--show"], ["model", "show"], ["repro", trace], \
                ["replay", "--budget", "1", "--context", "warm", trace]:
            wrong += acts(folder, [ktrace] + command, [])
    finally:
        os.environ = before
    return wrong


def try_environment(ktrace, shim, program, folder, trace):
    names, listed = variables(ktrace)
    check(len(names) > 50 and set(listed) <= set(names) | NEEDED, f"{len(names)} variables", names)
    others = [name for name in names if not name.startswith("KTRACE_")]
    for variable in [[name] for name in names if name not in others] + [["KTRACE_OUT"], others]:
        wrong = []
        for text in JOINED:
            wrong += recorded(shim, program, folder, variable, text)
        wrong += recorded(shim, program, folder, variable, EVERYTHING)
        if os.path.isdir(os.path.join(folder, "hostile/trace")):
            for command, allowed, is_c in hostile.verbs(ktrace):
                wrong += acts(folder, command, allowed, is_c)
        check(not wrong, f"recorded with a hostile {variable[0] if len(variable) == 1 else 'environment'}", *wrong)
    for text in JOINED:
        wrong = tools(ktrace, folder, names, text, trace)
        check(not wrong, f"tools in an environment of {text!r}"[:90].replace("#", " "), *wrong)


if __name__ == "__main__":
    {"store": try_store, "algorithm": try_algorithm, "environment": try_environment}[sys.argv[1]](*sys.argv[2:])
    sys.exit(hostile.failures != 0)
