# SPDX-License-Identifier: BSD-3-Clause
"""Files that somebody else made: each text field of a trace, and each string of the JSON files that verbs read, becomes
something that a shell, gnuplot, a C compiler, a spreadsheet or a terminal would act on. Nothing may be executed, no file
written but those that were asked for, and no control character printed.

Lines and fields of traces are those of FORMAT.md, and what a trace has beside them fails; strings of JSON files are found
in the files themselves. So a new one cannot be forgotten.
Usage: hostile.py trace KTRACE TRACE FOLDER MACHINE | whole KTRACE TRACE FOLDER | json KTRACE FILE FOLDER COMMAND...
prints TAP lines"""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys

PWNED = "touch pwned"
SHELL = ["`" + PWNED + "`", "$(" + PWNED + ")", "'; " + PWNED + "; '", '"; system("' + PWNED + '"); "',
         "'.system('" + PWNED + "').'", "%s%n", "x'); DROP TABLE calls; --", "../../../pwned", "<script>pwned()</script>"]
OTHERS = ["*/ int p = 1; /* \n#include <pwned.h>\nEOD\nsystem('" + PWNED + "')\n", "=cmd|' /C " + PWNED + "'!A0",
          "\033]0;pwned\007\033[2J\x9b1m\x7f\r\nEOD\n", "a\xc2\x9b31mb"]
JOINED = [" ".join(SHELL)] + OTHERS
HOSTILE = SHELL + OTHERS
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]|\x1b|\xc2[\x80-\x9f]|(?<![\x80-\xff])[\x80-\x9f]|\r(?!\n)")
failures = 0


def check(good, name, *reasons):
    global failures
    print(f"{'ok' if good else 'not ok'} - {name}")
    if not good:
        failures += 1
        for reason in reasons[:5]:
            print("#   " + str(reason)[:300].replace("\n", "\\n"))


def escape(text):
    """As text files of a trace have bytes that would disturb their lines."""
    raw = text.encode("latin-1", "replace") if "\xc2" in text or "\x9b" in text else text.encode()
    return "".join(chr(b) if 32 <= b < 127 and b != 92 else f"\\x{b:02x}" for b in raw)


def printed(folder, command):
    """What a command prints, run where a file that appears is noticed; its exit status has to be a documented one."""
    result = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    return result.returncode, result.stdout + result.stderr


def formulas(text):
    """Cells that a spreadsheet takes for formulas: they begin so, and are no numbers."""
    cells = (cell for row in csv.reader(io.StringIO(text.decode("utf-8", "replace"))) for cell in row)
    return [f"a formula: {cell!r}" for cell in cells if re.match(r"[=+@-]", cell) and not re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?|[+-]?inf|-", cell)]


def strays(folder, allowed):
    found = []
    for path, folders, files in os.walk(folder):
        found += [os.path.relpath(os.path.join(path, name), folder) for name in files]
        if os.path.relpath(path, folder) == "." and "hostile" in folders:
            folders.remove("hostile")
    return [name for name in found if name not in allowed]


def acts(folder, command, allowed, is_c=False, is_drawn=True):
    """What is wrong with what the command did; the files that it was asked for are removed."""
    status, text = printed(folder, command)
    wrong = [f"not drawn: {text!r}"] if "x.svg" in allowed and is_drawn and status else []
    if status not in range(5):
        wrong.append(f"exit status {status}")
    if CONTROL.search(text):
        wrong.append(f"prints {CONTROL.search(text).group()!r} in {text[max(0, CONTROL.search(text).start() - 40):][:80]!r}")
    if is_c and status == 0 and re.search(rb"pwned|int p\b", text):
        compiled = subprocess.run(["gcc", "-fsyntax-only", "-w", "-x", "c", "-"], input=text, capture_output=True, check=False)
        if b"pwned" in compiled.stderr or b"'p'" in compiled.stderr:
            wrong.append(compiled.stderr.decode(errors="replace"))
        if re.search(rb"^ *(#include <pwned|int p = 1)", text, re.MULTILINE):
            wrong.append("the text is outside of its comment")
    tables = [os.path.join(folder, name) for name in allowed if name.endswith(".csv")]
    for table in filter(os.path.exists, tables):
        with open(table, "rb") as file:
            wrong += formulas(file.read())
    if "csv" in command:
        wrong += formulas(text)
    for script in (name for name in allowed if name.endswith(".gp")):
        path = os.path.join(folder, script)
        if os.path.exists(path):  # as the user runs it later, by hand
            subprocess.run(["gnuplot", script], cwd=folder, capture_output=True, timeout=60, check=False)
    wrong += strays(folder, allowed)
    for name in strays(folder, []):
        os.remove(os.path.join(folder, name))
    return [f"{' '.join(command[1:])}: {w}" for w in wrong]


def verbs(ktrace):
    trace = "hostile/trace"
    yield [ktrace, "report", trace], [], False
    yield [ktrace, "report", "--by", "shape", trace], [], False
    yield [ktrace, "info", trace], [], False
    yield [ktrace, "check", trace], [], False
    yield [ktrace, "dump", trace], [], False
    yield [ktrace, "export", "--format", "csv", trace], [], False
    yield [ktrace, "export", "-o", "x.sqlite", trace], ["x.sqlite"], False
    yield [ktrace, "export", "-o", "x.json", trace], ["x.json"], False
    yield [ktrace, "repro", "--call", "0", trace], [], True


def pictures(ktrace, machine):
    for plot in "roofline", "boxes":
        yield [ktrace, "roofline", "--machine", machine, "--plot", plot, "-o", "x.svg", "hostile/trace"], ["x.svg", "x.gp", "x.csv"], False


def between(text, first, last):
    return text[text.index(first):text.index(last)]


def described():
    """What FORMAT.md says of text files: {(file, first word of a line): how many fields follow}."""
    with open("FORMAT.md", encoding="utf-8") as file:
        text = file.read()
    found = {}
    for keys, value in re.findall(r"^\| ([a-z_, ]+?) +\| (.*?) *\|$", between(text, "### meta", "### definitions"), re.MULTILINE):
        count = re.match(r"(two|three) fields", value)
        for key in keys.split(", "):
            found["meta", key] = {"two": 2, "three": 3}[count.group(1)] if count else 1
    del found["meta", "key"]
    for name, first, last in ("definitions", "### definitions", "### end"), ("end", "### end", "### control"):
        for word, names in re.findall(r"^    ([a-z_]+) +([A-Z_ ]+)$", between(text, first, last), re.MULTILINE):
            found[name, word] = len(names.split())
    return found


# What the fields of lines are that the trace has not got: those that are not here are 1.
USUAL = {"counter": ["0", "perf::PAGE-FAULTS", "counted", "why", "1", "1:2:0:0"], "lost": ["SPACE", "1"], "region": ["1", "a"],
         "stack": ["7", "1", "1", "1", "1", "20", " 8:1 10:2"], "path": ["8", "1 2"], "option": ["NESTED", "all"], "rank": ["0"], "ranks": ["1"]}


def completed(original, folder):
    """A copy of a trace that has each line that is described at least once."""
    trace = os.path.join(folder, "hostile", "completed")
    shutil.rmtree(trace, ignore_errors=True)
    shutil.copytree(original, trace)
    process = sorted(name for name in os.listdir(trace) if name.startswith("p"))[0]
    for (name, word), count in described().items():
        path = os.path.join(trace, process, name)
        with open(path, encoding="latin-1") as file:
            lines = file.read()
        if not re.search(rf"^{word}\t", lines, re.MULTILINE):
            with open(path, "a", encoding="latin-1") as file:
                file.write("\t".join([word] + USUAL.get(word, ["1"] * count)) + "\n")
    return trace


def fields(trace):
    """(path, line, field) of each text field of a trace; a line of numbers alone has none."""
    for path, _, files in os.walk(trace):
        for name in sorted(files):
            if name not in ("meta", "definitions", "end"):
                continue
            with open(os.path.join(path, name), encoding="latin-1") as file:
                for number, line in enumerate(file.read().splitlines()):
                    for field in range(1, line.count("\t") + 1):
                        yield os.path.relpath(os.path.join(path, name), trace), number, field


def changed(original, trace, places, text):
    """A copy of a trace with TEXT in some places."""
    shutil.rmtree(trace, ignore_errors=True)
    shutil.copytree(original, trace)
    for path, number, field in places:
        with open(os.path.join(trace, path), encoding="latin-1") as file:
            lines = file.read().splitlines()
        words = lines[number].split("\t")
        words[field] = escape(text)
        lines[number] = "\t".join(words)
        with open(os.path.join(trace, path), "w", encoding="latin-1") as file:
            file.write("\n".join(lines) + "\n")


def kind_of(original, place):
    path, number, field = place
    with open(os.path.join(original, path), encoding="latin-1") as file:
        return os.path.basename(path), file.read().splitlines()[number].split("\t")[0], field


def one_of_each_kind(original):
    """The first field of each kind: of objects, which of a trace has dozens, the program and a library."""
    kinds = {}
    for place in fields(original):
        kinds.setdefault(kind_of(original, place), []).append(place)
    return {kind: places[:1] + places[-1:] for kind, places in kinds.items()}


def try_trace(ktrace, original, folder, machine):
    os.makedirs(os.path.join(folder, "hostile"), exist_ok=True)
    trace = os.path.join(folder, "hostile", "trace")
    original = completed(original, folder)
    kinds = one_of_each_kind(original)
    known = {(name, word, i) for (name, word), count in described().items() for i in range(1, count + 1)}
    check(len(known) > 60 and known == set(kinds), f"{len(known)} kinds of text fields are described, and those of a trace",
          f"not in a trace: {sorted(known - set(kinds))}", f"not in FORMAT.md: {sorted(set(kinds) - known)}")
    for kind, places in kinds.items():
        wrong = []
        for text in JOINED:
            changed(original, trace, places, text)
            for command, allowed, is_c in verbs(ktrace):
                wrong += acts(folder, command, allowed, is_c)
        check(not wrong, f"{kind[0]}, {kind[1]}, field {kind[2]}", *wrong)
    # With all of these at once the trace can still be read, and drawn.
    check(set(FREE) <= set(kinds), "what may be any text is there", set(FREE) - set(kinds))
    for text in HOSTILE:
        wrong = []
        changed(original, trace, [p for p in fields(original) if kind_of(original, p) in FREE], text)
        for command, allowed, is_c in pictures(ktrace, machine):
            wrong += acts(folder, command, allowed, is_c)
        check(not wrong, f"pictures of a trace with {text!r}"[:100].replace("#", " "), *wrong)


FREE = [("meta", key, 1) for key in ("program", "cwd", "host", "cpu_model", "arg", "job")] + [
    ("definitions", "object", 5), ("definitions", "object", 6), ("definitions", "library", 2), ("definitions", "library", 3),
    ("definitions", "region", 2), ("definitions", "counter", 2), ("definitions", "counter", 4), ("meta", "option", 2)]


def try_whole(ktrace, original, folder):
    """All fields that may be any text at once, whatever the process recorded."""
    os.makedirs(os.path.join(folder, "hostile"), exist_ok=True)
    trace = os.path.join(folder, "hostile", "trace")
    for text in JOINED:
        wrong = []
        changed(original, trace, [p for p in fields(original) if kind_of(original, p) in FREE], text)
        for command, allowed, is_c in verbs(ktrace):
            wrong += acts(folder, command, allowed, is_c)
        check(not wrong, f"{os.path.basename(original)}: {text!r}"[:100].replace("#", " "), *wrong)


def members(document):
    """Of an object; where all have the same members, as in a list, the first and the last."""
    items = list(document.items())
    alike = len(items) > 2 and all(isinstance(v, dict) and v.keys() == items[0][1].keys() for _, v in items)
    return [items[0], items[-1]] if alike else items


def strings(document, path=()):
    """The paths of all strings of a JSON document; of those in a list, of the first two."""
    if isinstance(document, str):
        yield path
    elif isinstance(document, list):
        for i, value in enumerate(document[:2]):
            yield from strings(value, path + (i,))
    elif isinstance(document, dict):
        for key, value in members(document):
            yield from strings(value, path + (key,))


def with_text(document, path, text):
    copy = json.loads(json.dumps(document))
    at = copy
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = text
    return copy


def with_names(document, text):
    """One more name in each object, for what its first one is of."""
    if isinstance(document, list):
        return [with_names(value, text) for value in document]
    if not isinstance(document, dict) or not document:
        return document
    more = {key: with_names(value, text) for key, value in document.items()}
    return dict(more, **{text: next(iter(more.values()))})


def try_json(ktrace, source, folder, command):
    with open(source, encoding="utf-8") as file:
        document = json.load(file)
    os.makedirs(os.path.join(folder, "hostile"), exist_ok=True)
    # The file that a verb finds by itself is named by HOSTILE_TARGET; its folder is there.
    target = os.environ.get("HOSTILE_TARGET") or os.path.join(folder, "hostile", "file.json")
    allowed = {name for name in command if re.fullmatch(r"x\.\w+", name)} | {"x.gp", "x.csv"}
    shutil.copy(source, target)
    status, text = printed(folder, [ktrace] + [target if word == "FILE" else word for word in command])
    wrong = [f"as it is: {text!r}"] if status else []
    paths = list(strings(document))
    for path in paths:
        for text in JOINED:
            with open(target, "w", encoding="utf-8") as file:
                json.dump(with_text(document, path, text), file)
            wrong += acts(folder, [ktrace] + [target if word == "FILE" else word for word in command], allowed, is_drawn=False)
    for text in JOINED:  # names of what there may be any number of: contexts, counters
        with open(target, "w", encoding="utf-8") as file:
            json.dump(with_names(document, text), file)
        wrong += acts(folder, [ktrace] + [target if word == "FILE" else word for word in command], allowed, is_drawn=False)
    check(paths and not wrong, f"{len(paths)} strings of {os.path.basename(source)}: {' '.join(command)}", *wrong)


if __name__ == "__main__":
    if sys.argv[1] == "trace":
        try_trace(*sys.argv[2:6])
    elif sys.argv[1] == "whole":
        try_whole(*sys.argv[2:5])
    else:
        try_json(*sys.argv[2:5], sys.argv[5:])
    sys.exit(failures != 0)
