# SPDX-License-Identifier: BSD-3-Clause
"""Reads routines from the sources of LAPACK: declarations, statements and the comments on each argument."""
import re

TYPES = {
    "INTEGER": "I", "LOGICAL": "L", "CHARACTER": "CHAR", "REAL": "S", "DOUBLE PRECISION": "D", "COMPLEX": "C",
    "COMPLEX*16": "Z", "DOUBLE COMPLEX": "Z", "EXTERNAL": "FUN", "CHARACTER*1": "CHAR", "CHARACTER*3": "CHAR",
    "CHARACTER*(*)": "CHAR",
}
REAL_OF = {"S": "S", "D": "D", "C": "S", "Z": "D"}


class Argument:
    def __init__(self, name):
        self.name = name
        self.type = None        # one of the values of TYPES
        self.dims = None        # declared dimensions, texts
        self.direction = "in"   # in, out, in,out
        self.text = ""          # its description


class Routine:
    def __init__(self, name, kind, result, args):
        self.name = name
        self.result = result    # of a function: a type
        self.kind = kind
        self.args = args
        self.matgen = False
        self.statements = []
        self.text = ""          # all of its comments


def fixed_statements(text):
    """Statements of fixed-form Fortran, continuations joined."""
    out = []
    for line in text.splitlines():
        if not line.strip() or line[0] in "cC*!#":
            continue
        line = line.split("!")[0]
        if len(line) > 5 and line[:5].strip() == "" and line[5] not in " 0":
            out[-1] += line[6:72]
        elif line.strip():
            out.append(line[:72])
    return [re.sub(r"\s+", " ", s.strip()) for s in out]


def free_statements(text):
    joined = re.sub(r"&\s*\n\s*&?", " ", re.sub(r"(?m)![^\n]*$", "", text))
    return [re.sub(r"\s+", " ", s.strip()) for s in joined.splitlines() if s.strip() and not s.startswith("#")]


def split_outside(text):
    """Splits at commas that are outside of parentheses."""
    return [part.strip() for part in re.findall(r"(?:[^,()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+", text)]


HEAD = re.compile(r"(?i)(?:RECURSIVE )?(?:(INTEGER|LOGICAL|REAL(?:\(wp\))?|DOUBLE PRECISION|COMPLEX(?:\*16)?|"
                  r"DOUBLE COMPLEX|CHARACTER(?:\*1)?) )?(SUBROUTINE|FUNCTION) (\w+) ?(?:\((.*?)\))?$")
DECLARATION = re.compile(r"(?i)(INTEGER|LOGICAL|REAL|DOUBLE PRECISION|COMPLEX ?\*16|DOUBLE COMPLEX|COMPLEX|"
                         r"CHARACTER\*[13]|CHARACTER\*\( ?\* ?\)|CHARACTER|EXTERNAL)(?:\((wp)\))?"
                         r"(?: ?, ?INTENT ?\([^)]*\))?(?: ?::)? ?(.*)")


def fortran_type(word, wp, prefix):
    word = word.upper().replace(" (", "(").replace("( * )", "(*)").replace(" *", "*")
    kind = TYPES[word]
    return {"S": "D", "C": "Z"}.get(kind, kind) if wp and prefix in "dz" else kind


def read_routine(path):
    text = path.read_text(encoding="latin-1")
    statements = (free_statements if path.suffix in (".f90", ".F90") else fixed_statements)(text)
    routine = None
    for s in statements:
        head = HEAD.match(s)
        if head and routine:
            break
        if head:
            names = [n.strip().lower() for n in (head.group(4) or "").split(",") if n.strip()]
            routine = Routine(head.group(3).lower(), head.group(2).upper(), None, [Argument(n) for n in names])
            if routine.kind == "FUNCTION" and head.group(1):
                routine.result = fortran_type(head.group(1).split("(")[0], "wp" in s, routine.name[0])
        elif routine:
            read_declaration(s, routine)
            routine.statements.append(s)
    if routine:
        read_comments(text, routine)
    return routine


def read_declaration(statement, routine):
    m = DECLARATION.match(statement)
    if not m:
        return
    kind = fortran_type(m.group(1), m.group(2), routine.name[0])
    by_name = {a.name: a for a in routine.args}
    for item in split_outside(m.group(3)):
        name = re.match(r"\w*", item).group().lower()
        if name == routine.name and routine.kind == "FUNCTION":
            routine.result = kind
        if name in by_name and not (by_name[name].type and kind != "FUN"):
            by_name[name].type = kind
            if re.match(r"\w+ ?\(", item):
                dims = split_outside(item[item.index("(") + 1:item.rindex(")")])
                by_name[name].dims = [re.sub(r"^0 ?: ?(?:(\w+) ?- ?1$)?", r"\1", d) for d in dims]


def read_comments(text, routine):
    lines = [l[2:] for l in text.splitlines() if l[:2] in ("*>", "!>")]
    by_name = {a.name: a for a in routine.args}
    routine.text = "\n".join(lines)
    blocks = re.split(r"\\param\s*\[?", routine.text)[1:]
    block = re.compile(r"\s*(in,\s*out|in|out|inout|out,\s*in)\s*\]\s*(\w+)(.*?)(?:\\endverbatim|\Z)", re.S)
    described = {m.group(2).lower(): m for m in map(block.match, blocks) if m}
    renamed = [n for n in by_name if n not in described], [n for n in described if n not in by_name]
    if len(renamed[0]) == 1 and len(renamed[1]) == 1:  # under another name than it is declared
        described[renamed[0][0]] = described[renamed[1][0]]
    for name, m in described.items():
        if name in by_name:
            a = by_name[name]
            a.direction = {"in": "in", "out": "out"}.get(m.group(1), "in,out")
            a.text = re.sub(r"[ \t]+", " ", m.group(3).replace("\\verbatim", ""))


def not_built(top):
    """Routines that are only built with extended-precision BLAS."""
    makefile = (top / "SRC/Makefile").read_text().replace("\\\n", " ")
    return {name[:-2] for line in re.findall(r"(?m)^[SDCZ]XLASRC\s*=(.*)$", makefile) for name in line.split()}


def read_routines(top):
    """All routines of the library and of the test matrix generators, by name."""
    out = {}
    without = not_built(top)
    for folder in ("SRC", "SRC/DEPRECATED", "TESTING/MATGEN"):
        for path in sorted((top / folder).iterdir()):
            if path.suffix not in (".f", ".F", ".f90", ".F90") or path.stem in without:
                continue
            routine = read_routine(path)
            if routine and routine.name == path.stem:
                routine.matgen = folder.endswith("MATGEN")
                out[routine.name] = routine
    return out
