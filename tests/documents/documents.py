#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the documents say, beside what there is. Usage: documents.py CHECK ...; prints what is wrong, a line each.

    links ROOT              links and anchors of the documents below ROOT lead to something
    files                   files that documents for developers name exist
    sizes                   documents that are longer than they may be
    names KTRACE            verbs, options, variables and JSON keys that documents name exist
    documented KTRACE       every verb, variable and exit status is in README.md or doc/
    tasks FILE              headings above command lines, those behind a $
    commands FILE TASK      these command lines
"""
import glob
import os
import re
import subprocess
import sys

FOR_USERS = ["README.md", *sorted(glob.glob("doc/*.md"))]


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def code_of(text):
    """Indented blocks and code spans, one a line."""
    blocks = re.findall(r"^    .*$", text, re.M)
    spans = re.findall(r"`([^`]+)`", re.sub(r"^    .*$", "", text, flags=re.M))
    return [" ".join(code.split()) for code in blocks + spans]


def anchors_of(text):
    """As they are made from headings: lower case, spaces to hyphens, punctuation left out."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^    .*$", "", text, flags=re.M), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(root):
    os.chdir(root)
    for path in glob.glob("**/*.md", recursive=True):
        if path.startswith("build"):
            continue
        text = text_of(path)
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^    .*$", "", text, flags=re.M)):
            if re.match(r"https?:", target):
                continue
            file, _, anchor = target.partition("#")
            found = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(found):
                print(f"{path}: {target}: there is no such file")
            elif anchor and anchor not in anchors_of(text_of(found)):
                print(f"{path}: {target}: there is no such heading")


# Of other packages.
FOREIGN_FILES = {"cblas.h", "lapacke.h", "lapack.h"}
FOR_DEVELOPERS = ["README.md", "DESIGN.md", "CONTRIBUTING.md", *glob.glob("doc/design/*.md"), *glob.glob("*/README.md"),
                  *glob.glob("*/*/README.md")]


def check_files():
    """A path, or a name alone. Names in capitals stand for others; what is below build/ is made."""
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    paths = set(tracked) | {name for path in tracked for name in ancestors(path)}
    names = {os.path.basename(path) for path in paths}
    for document in sorted(FOR_DEVELOPERS):
        text = re.sub(r"\]\([^)]*\)|^    .*$", "", text_of(document), flags=re.M)
        for name in sorted(set(re.findall(r"(?<![\w/.<~$*-])[\w./-]+\.(?:c|h|S|py|sh|md|mk|list|spec)\b(?![\w*])", text))):
            if re.search(r"[A-Z]{4}(?!\w*\.md)", name) or name.startswith("build/") or name in FOREIGN_FILES:
                continue
            beside = os.path.normpath(os.path.join(os.path.dirname(document), name))
            if not ({name, beside} & paths or ("/" not in name and name in names) or any(p.endswith("/" + name) for p in tracked)):
                print(f"{document}: there is no {name}")


def ancestors(path):
    while path := os.path.dirname(path):
        yield path


KIB = 1024
MOST = {"README.md": 9 * KIB, "DESIGN.md": 16 * KIB, "tests/bench/RESULTS.md": 10 * KIB, "doc/design/*.md": 10 * KIB,
        "doc/*.md": 16 * KIB}


def check_sizes():
    for pattern, most in MOST.items():
        for path in sorted(glob.glob(pattern)):
            if os.path.getsize(path) > most:
                print(f"{path} has {os.path.getsize(path)} bytes, at most {most}")


class Command:
    """What the command says of itself."""

    def __init__(self, ktrace):
        self.ktrace = ktrace
        self.verbs = re.findall(r"^  ([a-z]+)  ", self.help(), re.M)
        self.parts = re.search(r"usage: ktrace model ([a-z|]+)", self.help("model"))[1].split("|")
        self.options = {verb: set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", self.help(*verb.split()), re.M))
                        for verb in self.verbs + [f"model {part}" for part in self.parts]}
        self.variables = set(re.findall(r"^(KTRACE_[A-Z_]+)  ", self.run("env"), re.M))

    def run(self, *words):
        return subprocess.run([self.ktrace, *words], capture_output=True, text=True, check=True).stdout

    def help(self, *verb):
        return self.run("help", *verb)


# Options of other programs that documents name.
FOREIGN = {"--version", "--help"}


def options_wrong(path, code, command):
    """Options on a command line belong to its verb, those behind -- to what it starts."""
    line = re.search(r"\bktrace (model [a-z]+|[a-z]+)\b(.*)", code)
    verb = line and line[1] if line and line[1] in command.options else None
    known = command.options[verb] if verb else set().union(*command.options.values())
    words = line[2] if verb else code
    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", re.split(r" -- |  +#", words)[0]):
        if option not in known | FOREIGN:
            yield f"{path}: {option} is no option of {verb or 'any verb'}: {code}"


def check_names(ktrace):
    command = Command(ktrace)
    macros = set(re.findall(r"\bKTRACE_[A-Z_]+\b", text_of("include/ktrace/ktrace.h") + text_of("include/ktrace/kernel.h")))
    sources = "".join(text_of(path) for path in glob.glob("*/**/*.[ch]", recursive=True)
                      if re.match("trace/|replay/|model/", path))
    for path in FOR_USERS + ["SECURITY.md"]:
        text = text_of(path)
        for name in sorted(set(re.findall(r"\bKTRACE_[A-Z][A-Z_]*", text)) - command.variables - macros):
            print(f"{path}: there is no variable {name}")
        for keys in re.findall(r"JSON: ((?:`[^`]+`(?:, )?)+)", text):
            for key in re.findall(r'`"?(\w+)"?`', keys):
                if f'"{key}"' not in sources:
                    print(f"{path}: there is no JSON key {key}")
        for code in code_of(text):
            for verb in re.findall(r"(?:^|[\s/])ktrace ([a-z]+)\b", code):
                if verb not in command.verbs:
                    print(f"{path}: there is no verb {verb}: {code}")
            for part in re.findall(r"\bktrace model ([a-z|]+)", code):
                if not set(part.split("|")) <= set(command.parts):
                    print(f"{path}: there is no model {part}")
            for wrong in options_wrong(path, code, command):
                print(wrong)


def check_documented(ktrace):
    command = Command(ktrace)
    texts = [text_of(path) for path in FOR_USERS]
    code = "\n".join(line for text in texts for line in code_of(text))
    options = set(re.findall(r"^    X\(([A-Z_]+),", text_of("include/ktrace/options.h"), re.M))
    print(*(f"KTRACE_{name} is in no document" for name in sorted(options)
            if not re.search(rf"\bKTRACE_{name}\b", code)), sep="\n")
    print(*(f"the verb {verb} is in no document" for verb in command.options
            if verb != "model" and not re.search(rf"\bktrace {verb}\b", code)), sep="\n")
    rows = set(re.findall(r"^\| (\d+)", "\n".join(texts).split("## Exit status")[1].split("\n#")[0], re.M))
    statuses = re.findall(r"^    X\(\w+, (\d+),", text_of("trace/base/error.h"), re.M)
    print(*(f"exit status {n} is in no document" for n in statuses if n not in rows), sep="\n")
    if not statuses:
        print("trace/base/error.h lists no exit status")



def tasks(path):
    parts = re.split(r"^## (.*)\n", text_of(path), flags=re.M)[1:]
    commands = {name: re.findall(r"^    \$ (.*)$", part, re.M) for name, part in zip(parts[::2], parts[1::2])}
    return {name: lines for name, lines in commands.items() if lines}


if __name__ == "__main__":
    check, *arguments = sys.argv[1:]
    if check == "links":
        check_links(*arguments)
    elif check == "files":
        check_files()
    elif check == "sizes":
        check_sizes()
    elif check == "names":
        check_names(*arguments)
    elif check == "documented":
        check_documented(*arguments)
    elif check == "tasks":
        print(*tasks(*arguments), sep="\n")
    elif check == "commands":
        print(*tasks(arguments[0])[arguments[1]], sep="\n")
